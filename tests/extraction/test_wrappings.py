"""Code comes out of whatever models write around it, in the corrected protocol; table by table."""

from itertools import product

import pytest

from helm_structext.extraction import extract
from helm_structext.formats import FORMATS
from helm_structext.structeval.tasks import TYPE_FORMATS

CODES = {
    "angular": "import { Component } from '@angular/core';\n@Component({ selector: 'a', template: `<p>"
    "{{ x[0] }}</p>` })\nexport class A { x = ['<|a|>']; }",
    "canvas": "<canvas id=c></canvas>\n<script>\nconst a = [[1], [2]];\n</script>",
    "html": "<!DOCTYPE html>\n<html>\n<body><code>a < b</code><pre>\n  x | y\n</pre></body>\n</html>",
    "latex_document": "\\documentclass{article}\n\\begin{document}\n$a_{b} [c] {d}$\n\\end{document}",
    "markdown": "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "matplotlib": "import matplotlib.pyplot as plt\nplt.plot([1, 2][0])\nplt.show()",
    "mermaid": "flowchart TD\n  A[Begin] --> B{End?}\n  B -->|yes| C((x))",
    "react": "export default function App() {\n  return <p>{[1, 2].map((x) => <b key={x}>{x}</b>)}</p>;\n}",
    "svg": '<svg xmlns="http://www.w3.org/2000/svg">\n<text>é</text>\n</svg>',
    "tikz": "\\begin{tikzpicture}\n\\draw (0,0) -- (1,1);\n\\end{tikzpicture}",
    "typst": "= Title\n#table(columns: 2, [a], [b])",
    "vega": '{"mark": "bar", "data": {"values": [{"a": 1}]}}',
    "vue": '<template>\n<p v-for="x in [1]">{{ x }}</p>\n</template>',
    "json": '{"a": [[1], "größe | <b>"], "b": {"c": {}}}',
    "csv": 'a,b\n"x | y",2',
    "toml": 'a = [1, 2]\n[[b]]\nc = "x"',
    "xml": '<?xml version="1.0"?>\n<a><![CDATA[x]]><b>y</b></a>',
    "yaml": "a: |\n  x\nb: [1, {c: d}]",
}
BEGIN, END = "<|BEGIN_CODE|>", "<|END_CODE|>"
TAGS = {
    "right": (BEGIN, END),
    "lower": (BEGIN.lower(), END.lower()),
    "doubled": (BEGIN * 2, END * 2),
    "doubled on lines": (f"{BEGIN}\n{BEGIN}\n", f"\n{END}\n{END}"),
    "not closed": (BEGIN, ""),
    "not opened": ("", END),
    "closed by an opening one": (BEGIN, BEGIN),
    "closed by a slash": (BEGIN, "<|/BEGIN_CODE|>"),
    "in wrong order": (END, BEGIN),
    "square": ("[BEGIN_CODE]", "[END_CODE]"),
    "square with a slash": ("[BEGIN_CODE]", "[/BEGIN_CODE]"),
    "two squares": ("[[BEGIN_CODE]]", "[[END_CODE]]"),
    "angles": ("<BEGIN_CODE>", "<END_CODE>"),
    "elements": ("<BEGIN_CODE>", "</BEGIN_CODE>"),
    "empty elements": ("<BEGIN_CODE/>", "<END_CODE/>"),
    "elements in lower case": ("<begin_code>", "</begin_code>"),
    "three angles": ("<<<BEGIN_CODE>>>", "<<<END_CODE>>>"),
    "round": ("(BEGIN_CODE)", "(END_CODE)"),
    "curly": ("{BEGIN_CODE}", "{END_CODE}"),
    "two curly": ("{{BEGIN_CODE}}", "{{END_CODE}}"),
    "bars": ("|BEGIN_CODE|", "|END_CODE|"),
    "first mark missing": ("|BEGIN_CODE|>", "|END_CODE|>"),
    "last mark missing": ("<|BEGIN_CODE|", "<|END_CODE|"),
    "last marks missing": ("<|BEGIN_CODE\n", "<|END_CODE"),
    "bars missing": ("<BEGIN_CODE|>", "<|END_CODE>"),
    "mixed": (BEGIN, "[END_CODE]"),
    "mixed and doubled": (f"[BEGIN_CODE]{BEGIN}", f"</END_CODE>\n{END}"),
    "blanks": ("< | BEGIN_CODE | >", "< | END_CODE | >"),
    "blanks inside": ("<| BEGIN CODE |>", "<| END CODE |>"),
    "hyphens": ("<|BEGIN-CODE|>", "<|END-CODE|>"),
    "full width": ("＜｜BEGIN_CODE｜＞", "＜｜END_CODE｜＞"),
    "full-width bars": ("<｜BEGIN_CODE｜>", "<｜END_CODE｜>"),
    "escaped": (r"<\|BEGIN\_CODE\|>", r"<\|END\_CODE\|>"),
    "entities": ("&lt;|BEGIN_CODE|&gt;", "&lt;|END_CODE|&gt;"),
    "bold": (f"**{BEGIN}**", f"**{END}**"),
    "backticks": (f"`{BEGIN}`\n", f"\n`{END}`"),
    "letters": ("BEGIN_CODE\n", "\nEND_CODE"),
    "letters on the line": ("BEGIN_CODE ", " END_CODE"),
    "comments": ("# BEGIN_CODE\n", "\n# END_CODE"),
    "other comments": ("// BEGIN_CODE\n", "\n// END_CODE"),
    "comments of XML": ("<!-- BEGIN_CODE -->\n", "\n<!-- END_CODE -->"),
    "rules": ("--- BEGIN_CODE ---\n", "\n--- END_CODE ---"),
    "headings": ("### BEGIN_CODE\n", "\n### END_CODE"),
    "bold letters": ("**BEGIN_CODE**\n", "\n**END_CODE**"),
    "languages of fences": ("```BEGIN_CODE\n", "\n```END_CODE"),
}
# What stands around all of it; {} is the answer, {language} the format's usual one.
AROUND = {
    "nothing": "{}",
    "a byte order mark": "\ufeff{}",
    "lines": "\r\n\n {} \r\n",
    "words": "Sure! Here is the code:\n\n{}\n\nHope this helps [1].",
    "a mention": f"The code stands between {BEGIN} and {END}.\n{{}}",
    "a mention in backticks": f"I write `{BEGIN}`, then `{END}`:\n{{}}",
    "a mention behind": f"{{}}\nI put it between {BEGIN} and {END} as asked.",
    "a fence": "```{language}\n{}\n```",
    "a fence of another language": "```text\n{}\n```",
    "reasoning": "<think>[BEGIN_CODE]no\n```\nno\n```</think>\n{}",
    "reasoning of Harmony": "<|channel|>analysis<|message|>```\nno\n```<|end|><|start|>assistant"
    "<|channel|>final<|message|>{}<|return|>",
    "the end of a turn": "{}<|im_end|>",
    "ends of turns": "{}\n<|eot_id|><|end_of_text|>\n",
}
# What stands within the tags around the code.
INSIDE = {
    "nothing": "{}",
    "lines": "\n{}\n",
    "a fence": "\n```{language}\n{}\n```\n",
    "a fence without a language": "```\n{}\n```",
    "a fence of tildes": "~~~{language}\n{}\n~~~",
    "a fence that is not closed": "\n```{language}\n{}\n",
    "the end of a fence": "\n{}\n```\n",
    "tags within a fence": f"```{{language}}\n[BEGIN_CODE]\n{{}}\n{END}\n```",
}
# Without tags.
ALONE = {
    "a fence": "```{language}\n{}\n```",
    "a fence in words": "Here:\n\n```{language}\n{}\n```\nThat's *it*.",
    "four marks": "````{language}\n{}\n````",
    "tildes": "~~~{language}\n{}\n~~~",
    "upper case": "```{LANGUAGE}\n{}\n```",
    "more than a language": '```{language} title="a"\n{}\n```',
    "indented": "  ```{language}\n{}\n  ```",
    "line ends of Windows": "```{language}\r\n{}\r\n```\r\n",
    "never closed": "Here:\n```{language}\n{}",
    "an empty one before": "```{language}\n```\nNo:\n```{language}\n{}\n```",
    "another before": "```bash\nnpm install\n```\n\n```{language}\n{}\n```",
    "another behind": "```{language}\n{}\n```\n\n```bash\nnpm start\n```",
    "reasoning": "<think>\n```\nno\n```\n</think>\n```{language}\n{}\n```",
    "within a line": "**Code:** ```{language}\n{}\n```\n\nThat's *it*.",
    "within a line of Chinese": "源码：```{language}\n{}\n```\n\n说明:\n1. …",
    "within a line of a list": "1. ```{language}\n{}\n   ```",
    "after a mention": 'It says "wrap it in ```{language}".\n```{language}\n{}\n```',
    "after a mention at the end of a line": "I use ```{language}\nas asked:\n```{language}\n{}\n```",
    "after another mention": "A fence such as ```sh\nand so on:\n```{language}\n{}\n```",
    "after a form": "You ask for: ```{language}\n…\n```\nHere:\n\n```{language}\n{}\n```",
    "within a line, never closed": "Response: ```{LANGUAGE}\n{}",
    "without a language, after a colon": "Here you are: ```\n{}\n```\nThat's *it*.",
    "and the end of a turn": "```{language}\n{}\n```</s>",
    "element": "<code>{}</code>",
    "element on lines": "Here you are:\n<code>\n{}\n</code>\nDone.",
    "element that is not closed": "<code>\n{}",
    "element around a fence": "<code>\n```{language}\n{}\n```\n</code>",
    "character data": "<![CDATA[{}]]>",
}
FORMATS_OF_STRUCTEVAL = sorted(TYPE_FORMATS.values())
# A document in Markdown may have bare fences and bars of its own, and others of any language.
OWN = {
    ("markdown", "a fence without a language"),
    ("markdown", "the end of a fence"),
    ("markdown", "bars"),
    ("markdown", "first mark missing"),
    ("markdown", "letters on the line"),
    ("markdown", "a fence of another language"),
    ("markdown", "an empty one before"),
    ("markdown", "another before"),
    ("markdown", "another behind"),
    ("markdown", "element on lines"),
    ("markdown", "without a language, after a colon"),
    ("typst", "without a language, after a colon"),
    ("markdown", "after a form"),
}
# Without a pair of tags, nothing tells where the code ends.
PAIRS = {
    name: tags
    for name, tags in TAGS.items()
    if all(tags) and name not in ("in wrong order", "closed by an opening one")
}


def filled(template: str, format: str, code: str) -> str:
    language = FORMATS[format].fences[0]
    template = template.replace("{language}", language).replace("{LANGUAGE}", language.upper())
    return template.replace("{}", code)


def test_there_is_code_of_each_format():
    assert set(CODES) == set(FORMATS_OF_STRUCTEVAL)


@pytest.mark.parametrize("format", FORMATS_OF_STRUCTEVAL)
def test_tags_right_or_wrong(format):
    for (tags, (begin, end)), (name, inside) in product(TAGS.items(), INSIDE.items()):
        if not OWN & {(format, name), (format, tags)}:
            completion = f"{begin}{filled(inside, format, CODES[format])}{end}"
            assert extract(completion, format, "corrected") == CODES[format], completion


@pytest.mark.parametrize("format", FORMATS_OF_STRUCTEVAL)
def test_tags_in_any_surroundings(format):
    for around, (begin, end) in product(AROUND.values(), PAIRS.values()):
        completion = filled(around, format, f"{begin}\n{CODES[format]}\n{end}")
        assert extract(completion, format, "corrected") == CODES[format], completion


@pytest.mark.parametrize("format", FORMATS_OF_STRUCTEVAL)
def test_fences_and_elements_without_tags(format):
    for name, alone in ALONE.items():
        if (format, name) not in OWN:
            completion = filled(alone, format, CODES[format])
            assert extract(completion, format, "corrected") == CODES[format], completion


LETTERS = [
    ("json", '{"BEGIN_CODE": 1, "END_CODE": ["END_CODE", "BEGIN_CODE"]}'),
    ("yaml", "- END_CODE\n- BEGIN_CODE"),
    ("yaml", "END_CODE:\n  BEGIN_CODE: 1"),
    ("toml", "BEGIN_CODE = 1\nEND_CODE = 2"),
    ("csv", "BEGIN_CODE,END_CODE\n1,2"),
    ("mermaid", "flowchart TD\n  A[BEGIN_CODE] --> B(END_CODE)"),
    ("react", "const a = x[END_CODE] + send_code(BEGIN_CODE);\nrender(a)"),
    ("matplotlib", "BEGIN_CODE, BACKEND_CODE = 1, 2\nprint(BEGIN_CODE)"),
    ("latex_document", "\\begin{code}x\\end{code} \\texttt{BEGIN_CODE}"),
]


@pytest.mark.parametrize(("format", "code"), LETTERS)
def test_code_that_has_the_letters_of_a_tag_stays(format, code):
    language = FORMATS[format].fences[0]
    completions = [code, f"```{language}\n{code}\n```", f"{BEGIN}\n{code}\n{END}"]
    for completion in completions:
        assert extract(completion, format, "corrected") == code


@pytest.mark.parametrize(
    ("completion", "code"),
    [
        (f"No: {BEGIN}{END}", ""),
        (BEGIN, ""),
        (END, ""),
        ("```json\n```", ""),
        (f"{BEGIN}1{END} or {BEGIN}2{END}", "1"),
        (f"{BEGIN}true{END}", "true"),
        (f"{BEGIN} and {END}", "and"),
        ('```json {"a": 1}```', '{"a": 1}'),
        ('```json {"a": 1}\n```', '{"a": 1}'),
        ('`{"a": 1}`', '{"a": 1}'),
        ("[1]\n```", "[1]"),
        ("<ANSWER>\n[1]\n</ANSWER>", "[1]"),
        ("<answer>[1]", "[1]"),
        ("\ufeff\u200b[1]\u200b", "[1]"),
        (f"{BEGIN}\n```json\n{{}}\n```\nThat is all.\n{END}", "```json\n{}\n```\nThat is all."),
        (f'{BEGIN}\n```json\n{{"a": "\n```\n"}}\n```\n{END}', '{"a": "\n```\n"}'),
        ("&lt;b&gt;", "&lt;b&gt;"),
    ],
)
def test_what_is_left(completion, code):
    assert extract(completion, "json", "corrected") == code


# What models and their servers write around an answer, where nobody takes it away.
RAW = {
    "reasoning of Qwen and DeepSeek": "<think>\n```\nno\n```\n</think>\n\n{}",
    "reasoning whose beginning is in the prompt": "```\nno\n```\n</think>{}",
    "reasoning of Seed": "<seed:think>no</seed:think>{}",
    "reasoning of Mistral": "[THINK]no[/THINK]{}</s>",
    "reasoning of Kimi": "◁think▷no◁/think▷{}",
    "reasoning of Sky-T1": "<|begin_of_thought|>no<|end_of_thought|>\n\n<|begin_of_solution|>\n{}\n"
    "<|end_of_solution|>",
    "reasoning of Command A": "<|START_THINKING|>no<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>"
    "<|END_OF_TURN_TOKEN|>",
    "reasoning of gpt-oss": "<|channel|>analysis<|message|>```\nno\n```<|end|><|start|>assistant"
    "<|channel|>final <|constrain|>json<|message|>{}<|return|>",
    "reasoning of gpt-oss without its marks": "analysisNo: ```\nno\n```assistantfinal{}",
    "no reasoning of gpt-oss": "<|channel|>final<|message|>{}",
    "end of DeepSeek": "{}<｜end▁of▁sentence｜>",
    "end of Llama": "{}<|eot_id|>\n",
    "ends of Llama 4": "{}<|eot|><|end_of_text|>",
    "end of GLM": "{}\n<|user|>",
    "end of Gemma": "{}<end_of_turn><eos>",
    "padding": "{}<|im_end|></s></s><pad>",
}
UNFINISHED = ("<think>no", "[THINK]no ```", "<|channel|>analysis<|message|>```\nno\n```", "◁think▷")


@pytest.mark.parametrize("format", ["json", "svg", "markdown", "latex", "webpage", "lilypond"])
@pytest.mark.parametrize("around", RAW.values(), ids=RAW)
def test_what_models_write_around_an_answer_is_no_code(around, format):
    for answer in ("a = 1", f"```{FORMATS[format].fences[0]}\na = 1\n```"):
        assert extract(around.replace("{}", answer), format, "corrected").strip() == "a = 1"
    for unfinished in UNFINISHED:
        assert extract(unfinished, format, "corrected") == ""


@pytest.mark.parametrize(
    ("format", "code"),
    [
        ("html", "<p><s>old</s>"),
        ("html", "<p>a<S class=x>old</s>"),
        ("xml", "<a><end>"),
        ("markdown", "Say: ```\nx\n```\nand\n\n[THINK] 1"),
        ("typst", "Say: ```\nx\n```\nor so"),
        ("typst", "= A\nSay ```python\nx\n```\nor so"),
        ("json", '["~~~json", "`a`"]'),
        ("csv", 'a,b\n1,"See: ```\nx\n```"'),
        ("html", "<pre>Code: ```\nfoo\n```</pre><p>x</p>"),
        ("react", "const assistantFinal = 1;\nrender(assistantfinal)"),
        ("toml", "[think]\nbudget = 1"),
        ("markdown", "[Think](https://example.org) is a site."),
        ("xml", "<thought><a/></thought>"),
        ("xml", '<diary><think id="1">x</think><a/></diary>'),
        ("markdown", "# Guide\n\nUse it so: ```markdown\n# x\n```\n\nAnd more."),
    ],
)
def test_code_that_looks_like_what_is_around_it_stays(format, code):
    assert extract(code, format, "corrected") == code


@pytest.mark.parametrize("before", ["", "   ", "1. ", "- "])
def test_the_indentation_of_a_fence_is_none_of_its_code(before):
    indent = " " * len(before)
    lines = (
        f"{before}```yaml",
        f"{indent}a:",
        f"{indent}  b: 1",
        "",
        f"{indent}c: 2",
        f"{indent}```",
    )
    assert extract("\n".join(("So:", *lines)), "yaml", "corrected") == "a:\n  b: 1\n\nc: 2"


DOCUMENTS = [
    "# T\n\n```sh\nls\n```\n\nIt ends in ```a```\n\nEnd.",
    "# T\n\n```\nls\n```\n\n~~~\nx\n~~~\n\nEnd.",
    "# T\n\n```sh\nls\n```\n\n```\nls\n```",
]


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("marks", ["```", "````", "~~~~"])
def test_what_is_said_behind_a_document_is_not_part_of_it(document, marks):
    completion = f"Sure:\n{marks}markdown\n{document}\n{marks}\n\nHope it helps."
    assert extract(completion, "markdown", "corrected") == document
    more = f"{completion}\n\nThen run:\n\n```sh\ncat README.md\n```\nDone."
    assert extract(more, "markdown", "corrected") == document


@pytest.mark.parametrize("format", ["latex", "webpage", "lilypond"])
def test_reasoning_and_marks_nobody_sees_are_no_code_of_image2struct(format):
    language = FORMATS[format].fences[0]
    answer = f"<think>```{language}\nno\n```</think>\n\ufeff```{language}\ncode\n```\n"
    assert extract(answer, format, "corrected") == "code\n"
    assert extract("<think>so</think>\ufeffcode\ufeff", format, "corrected") == "code"
