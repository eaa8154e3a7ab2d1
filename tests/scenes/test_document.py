"""Documents: their words, their data, and the four formats that write them."""

import html
from dataclasses import replace
from random import Random

import pytest

from helm_structext.formats import FORMATS
from helm_structext.renderers import render
from helm_structext.scenes.document import KIND
from helm_structext.scenes.document.html import escape_html
from helm_structext.scenes.document.latex_document import escape_latex
from helm_structext.scenes.document.markdown import escape_markdown
from helm_structext.scenes.document.scene import (
    TYPES,
    CodeBlock,
    DocumentScene,
    Heading,
    ItemList,
    ListItem,
    Paragraph,
    QuoteBlock,
    TableBlock,
    TableCell,
    TextSpan,
    place_cells,
    read_plans,
)
from helm_structext.scenes.document.typst import escape_typst
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words

ESCAPES = {
    "latex_document": escape_latex,
    "typst": escape_typst,
    "markdown": escape_markdown,
    "html": escape_html,
}
HOSTILE = 'A & B <i> 50% #1 x_y *z* $5 ~a ^b {c} [d] `e` | "f" \\g // @h'


def draw(type: str, level: str, language: str = "en", first: int = 0) -> DocumentScene:
    """The first scene of a type that a seed draws."""
    for seed in range(first, first + 1000):
        scene = KIND.draw(Random(seed), level, language)
        if scene.type == type:
            return scene
    raise AssertionError(type)


def shape_of(words):
    """Keys and lengths, without the texts."""
    if isinstance(words, dict):
        return {key: shape_of(value) for key, value in words.items()}
    return [shape_of(value) for value in words] if isinstance(words, list) else type(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_all_languages_have_one_shape(language):
    words = read_words("document", language)
    assert shape_of(words) == shape_of(read_words("document", "en"))
    for name, plans in read_plans().items():
        assert len(words[name]) == len(plans)
    subjects = sum(len(words[name]) for name in ("topics", "dishes", "guides", "devices"))
    assert subjects + len(words["meetings"]) > 20


def texts_in(words):
    """All texts of words."""
    if isinstance(words, dict):
        return [text for value in words.values() for text in texts_in(value)]
    if isinstance(words, list):
        return [text for value in words for text in texts_in(value)]
    return [words]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_typeset_well(language):
    """Marks come in pairs, apostrophes are those of printers, and holes are known."""
    for text in texts_in(read_words("document", language)):
        assert text.count("`") % 2 == text.count("**") % 2 == text.count("$") % 2 == 0, text
        assert "'" not in text
        assert text == text.strip() or text in (" ", "\u00a0", ", ", " · "), text


def test_formats_are_formats_that_are_rendered():
    assert all(FORMATS[format].rendered for format in KIND.writers)
    assert KIND.types == TYPES


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type", TYPES)
def test_each_type_and_level_is_written_in_each_language_and_format(type, level):
    for language in LANGUAGES:
        scene = draw(type, level, language)
        assert KIND.formats_of(scene) == [*KIND.writers]
        for format, write in KIND.writers.items():
            code = write(scene, Random(5))
            assert code == write(scene, Random(5))
            assert code.endswith("\n")
            single = [scene.title, *headings_and_cells(scene)]
            for text in single:
                # Markdown has tables of HTML.
                assert {ESCAPES[format](text) in code, escape_html(text) in code} != {False}


def headings_and_cells(scene: DocumentScene) -> list[str]:
    """Texts that no mark and no line break divides."""
    texts = []
    for block in scene.blocks:
        if isinstance(block, Heading):
            texts.append(block.text)
        elif isinstance(block, TableBlock):
            texts += [cell.text for row in (*block.head, *block.body) for cell in row]
        elif isinstance(block, ItemList):
            texts += [span.text.strip() for item in block.items for span in item.spans]
    return [text for text in texts if "\n" not in text and "`" not in text]


def test_no_hole_is_left():
    for language in LANGUAGES:
        for type in TYPES:
            for text in draw(type, "hard", language).texts:
                assert "{" not in text or "len(" in text


def test_two_seeds_share_no_scene():
    drawn = [
        KIND.draw(Random(f"{seed} {place}"), LEVELS[place % 3], "en")
        for seed in (1, 2)
        for place in range(200)
    ]
    assert len({(scene.byline, repr(scene.blocks)) for scene in drawn}) == len(drawn)


def test_one_scene_is_written_in_several_ways():
    scene = draw("report", "hard")
    for write in KIND.writers.values():
        assert len({write(scene, Random(seed)) for seed in range(20)}) > 4


def test_numbers_and_dates_are_those_of_the_language():
    shown = {
        language: " ".join(draw("report", "hard", language).texts).replace("\u00a0", " ")
        for language in LANGUAGES
    }
    for language, mark in {"en": ".", "de": ",", "fr": ",", "zh": "."}.items():
        assert any(
            left[-1:].isdigit() and right[:1].isdigit()
            for left, right in zip(
                shown[language].split(mark), shown[language].split(mark)[1:], strict=False
            )
        )
    for scene in (draw("minutes", "easy", "zh"), draw("minutes", "easy", "ja")):
        assert "年" in scene.byline
        assert scene.byline.endswith("日")


def hostile_scene(language: str = "en") -> DocumentScene:
    """Signs of all formats wherever a text may stand."""
    cell = TableCell(HOSTILE)
    return DocumentScene(
        type="report",
        language=language,
        level="easy",
        title=HOSTILE,
        byline=f"{HOSTILE} 1",
        blocks=(
            Heading(HOSTILE),
            Paragraph((TextSpan(HOSTILE), TextSpan(" "), TextSpan(HOSTILE, "strong"))),
            Paragraph((TextSpan(HOSTILE, "emphasis"), TextSpan("."), TextSpan(HOSTILE, "note"))),
            Paragraph((TextSpan(HOSTILE, "link", "https://example.org/a?b=1&c=2%20#d"),)),
            Paragraph((TextSpan("- no list"),)),
            Paragraph((TextSpan("= no heading"),)),
            ItemList((ListItem((TextSpan(HOSTILE),), CodeBlock("python", "a = b['c'] & 1")),)),
            TableBlock(((cell, cell),), ((TableCell("1"), TableCell("−2")),), (False, True)),
            TableBlock(
                ((TableCell("A", columns=2), TableCell("B", rows=2)), (cell, TableCell("x"))),
                ((TableCell("1"), TableCell("2"), TableCell("3")),),
                (False, True, True),
            ),
            QuoteBlock((TextSpan(HOSTILE),)),
        ),
        serif=True,
        accent="#7a1f1f",
        centered=True,
        ruled=False,
    )


@pytest.mark.parametrize("format", KIND.writers)
def test_signs_of_the_format_are_escaped_everywhere(format):
    scene = hostile_scene()
    code = KIND.writers[format](replace(scene, title="T"), Random(4))
    escaped = ESCAPES[format](HOSTILE)
    assert " ".join(code.split()).count(escaped) + code.count(html.escape(HOSTILE, False)) >= 8
    assert render(format, code, protocol="corrected").image.width > 100


EXPECTED = {
    "latex_document": r"A \& B \textless{}i\textgreater{} 50\% \#1 x\_y *z* \$5 \textasciitilde{}a",
    "typst": r"A & B \<i\> 50% \#1 x\_y \*z\* \$5 \~a",
    "markdown": r"A & B &lt;i&gt; 50% #1 x\_y \*z\* \$5 \~a",
    "html": "A &amp; B &lt;i&gt; 50% #1 x_y *z* $5 ~a",
}


@pytest.mark.parametrize("format", KIND.writers)
def test_escapes_are_the_usual_ones(format):
    assert ESCAPES[format](HOSTILE).startswith(EXPECTED[format])


def test_a_heading_with_a_bar_is_no_table():
    for seed in range(20):
        code = KIND.writers["markdown"](hostile_scene(), Random(seed))
        assert "\n---" not in code.partition("| ")[0]


def test_lines_that_would_be_lists_and_headings_are_text():
    assert escape_markdown("- a") == "\\- a"
    assert escape_markdown("# a") == "\\# a"
    assert escape_typst("= a") == "\\= a"
    assert escape_typst("https://a.org") == "https:/\\/a.org"


def test_cells_stand_where_none_above_covers():
    rows = [
        [TableCell("a", rows=2), TableCell("b", columns=2)],
        [TableCell("c"), TableCell("d")],
    ]
    placed = place_cells(rows, 3)
    assert [cell.text if cell else None for cell, _ in placed[1]] == [None, "c", "d"]
    assert [width for _, width in placed[0]] == [1, 2]


@pytest.mark.parametrize(
    ("type", "language"),
    [
        *(("report", "ru"), ("article", "zh"), ("recipe", "fr"), ("how-to", "ja")),
        *(("minutes", "el"), ("data sheet", "de")),
    ],
)
def test_documents_are_drawn_on_one_page_in_each_format(type, language):
    scene = draw(type, "hard", language)
    for format, write in KIND.writers.items():
        drawn = render(format, write(scene, Random(6)), protocol="corrected")
        assert not drawn.missing
        assert not drawn.tex_errors
        assert "Overfull" not in drawn.log
        if format == "latex_document":
            assert "(1 page" in drawn.log
