"""What is wrong with XML: the usual mistakes, each with how to write it instead."""

from xml.parsers import expat

import pytest

from helm_structext.xml_errors import explain_xml_error

WORDS = {
    "<a>fish & chips</a>": '"&" as a character is written "&amp;"',
    "<a>&copy 2026</a>": '"&" as a character is written "&amp;"',
    "<a>x&amp</a>": '"&amp" lacks its ";"',
    "<a href='?x=1&y=2'/>": '"&" as a character is written "&amp;"',
    "<a>1 && 2</a>": '"&" as a character is written "&amp;"',
    "<a>&#12z;</a>": '"&#" begins the number of a character',
    "<a>a < b</a>": '"<" as a character is written "&lt;"',
    "<a>a<=b</a>": '"<" as a character is written "&lt;"',
    "<a>for (;i<n;) x</a>": '"<" as a character is written "&lt;"',
    "<a>less than <5</a>": '"<" as a character is written "&lt;"',
    "<a title='x<y'/>": 'the value of title has no closing quote, or its "<" has to be "&lt;"',
    '<a>\n<b c="d>\n<e f="g"/></b></a>': "the value of c has no closing quote",
    "<a width=5/>": "a value stands in quotes: width=",
    "<a x='1' y= >": "a value stands in quotes: y=",
    "<a x=“1”/>": "a value stands in straight quotes: x=",
    "<a x='1' checked>b</a>": 'the attribute checked has no value; it is written checked="checked"',
    "<a x='1'y='2'/>": "a blank stands between attributes",
    "<a @click='b'/>": "the name of an attribute begins with a letter",
    "<a x='1' / >": '"/" ends a tag',
    "<a></ a>": 'the name of an element follows "</" at once',
    "<a>\x02</a>": "XML has no control characters",
    "<!-- a -- b --><a/>": '"--" can\'t stand inside of a comment',
    "<a>]]></a>": "]]&gt;",
    "{'a': 1}": "there is text before the first element: \"{'a': 1}\"",
    "Here: <a/>": "there is text before the first element",
    "<!doctype a><a/>": '"<!DOCTYPE" is written in capital letters',
    "\n<?xml version='1.0'?><a/>": "a blank line or a space stands before the declaration",
    "<!-- x --><?xml version='1.0'?><a/>": "text stands before the declaration",
    "<?xml version='1.0'?>\n<?xml version='1.0'?><a/>": "there is a second declaration",
    "<?xml version=1.0?><a/>": 'the declaration is written <?xml version="1.0"',
    "<a>\n<b>\n</a>": "</a> comes before </b>: <b> of line 2 is not closed",
    "<a>x<br></a>": "<br> of line 1 is not closed: one without content is written <br/>",
    "<a><Row></row></a>": "<Row> of line 1 is closed by </row>: letters' case counts",
    "<a>\n<b/>": "the text ends, but <a> of line 1 is not closed",
    "": "there is no element",
    "<a b='1": 'the tag is not closed by ">"',
    "<a><!-- b</a>": 'the comment is not closed by "-->"',
    "<a><![CDATA[b</a>": 'is not closed by "]]>"',
    "<a b='1' c='' b='2'/>": 'the attribute "b" stands twice',
    "<a/><b/>": "a second one, <b>, comes after the first element",
    "<a/>\nI hope this helps": "text comes after the first element",
    "<a></a></b>": "closes an element that has ended before",
    "<a>&nbsp;</a>": "XML has no &nbsp;, which is HTML's: write &#160;",
    "<a>&bjw;</a>": "&bjw; is not declared",
    "<a>&#0;</a>": "a number stands for a character that XML does not allow",
}


def explain(text: str) -> str:
    with pytest.raises(expat.ExpatError) as caught:
        expat.ParserCreate("utf-8").Parse(text, True)
    return explain_xml_error(text, caught.value)


@pytest.mark.parametrize(("text", "words"), WORDS.items())
def test_a_mistake_is_named_with_how_to_write_it(text, words):
    assert words in explain(text)


def test_what_expat_says_comes_last():
    assert explain("<a>R & D</a>").endswith(' "&amp;" (not well-formed)')


def test_lines_are_counted_as_expat_counts_them_behind_wide_letters():
    assert "<b> of line 3 is not closed" in explain("<a>Ünïcødé 漢字\r\n\r<b>漢</a>")


@pytest.mark.parametrize("text", ["<a>" * 300_000, "<a b='" + "x" * 3_000_000, "<" * 100_000])
def test_words_stay_short_whatever_the_text(text):
    assert len(explain(text)) < 300
