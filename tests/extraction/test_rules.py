"""Code out of completions: tags, fences, raw text, reasoning; of StructEval unless said otherwise."""

import pytest

from helm_structext.extraction import extract
from helm_structext.formats import FORMATS, text_formats
from helm_structext.structeval.tasks import CODES, SUBSETS, TASKS, TYPE_FORMATS, task_slug

TEXTS = text_formats()
PICTURES = [format for format in TYPE_FORMATS.values() if format not in TEXTS]


def test_the_tasks_are_those_of_table_7():
    counts = {subset: sum(t.subset == subset for t in TASKS.values()) for subset in SUBSETS}
    assert counts == {
        "t_generation": 5,
        "t_conversion": 14,
        "v_generation": 13,
        "v_conversion": 12,
    }
    assert CODES["text"] == "00"
    assert CODES["toml"] == "10"
    assert CODES["yaml"] == "18"
    assert all(task_slug(task.name) == name for name, task in TASKS.items())
    assert all(task.rendered == task.subset.startswith("v") for task in TASKS.values())
    assert set(CODES) == {"text", *TYPE_FORMATS}
    assert len(TYPE_FORMATS) == 18


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize("format", TYPE_FORMATS.values())
def test_tags_and_raw_text_are_read_in_all_formats(format, protocol):
    code = '{"größe": "\\n &lt; \\u00e9"}'
    for completion in (
        code,
        f"  {code}\n",
        f"<|BEGIN_CODE|>{code}<|END_CODE|>",
        f"Here it is:\n<|BEGIN_CODE|>\n{code}\n<|END_CODE|>\nThat's it.",
        f"<|BEGIN_CODE|>\n{code}",
        f"<think>\n\n</think>\n\n{code}",
        f"<think>a</think>\n<thinking>b</thinking><|begin_code|>{code}<|end_code|>",
    ):
        assert extract(completion, format, protocol) == code
    assert extract("<|BEGIN_CODE|><|END_CODE|>", format, protocol) == ""


@pytest.mark.parametrize("format", TYPE_FORMATS.values())
@pytest.mark.parametrize(
    ("completion", "published", "corrected"),
    [
        ("<think>\n<|BEGIN_CODE|>no<|END_CODE|></think>\n<|BEGIN_CODE|>{}", "no", "{}"),
        ("<think>```\nno\n```</think>{}", "no", "{}"),
        ("so <|BEGIN_CODE|>no<|END_CODE|></think>{}", "no", "{}"),
        ("<think>2 + 2</think>{}", "<think>2 + 2</think>{}", "{}"),
        ("<think>never ends {}", "<think>never ends {}", ""),
    ],
)
def test_reasoning_is_removed_but_where_the_published_code_kept_it(
    completion, published, corrected, format
):
    assert extract(completion, format) == published
    assert extract(completion, format, "corrected") == corrected


@pytest.mark.parametrize("format", TYPE_FORMATS.values())
def test_a_lone_fence_of_the_format_is_opened(format):
    language = FORMATS[format].fences[0]
    for completion in (f"```{language}\na\nb\n```", f"Sure:\n```{language}\na\nb", "```\na\nb```"):
        assert extract(completion, format) == "a\nb"
        assert extract(completion, format, "corrected") == "a\nb"


@pytest.mark.parametrize("format", TEXTS)
def test_a_fence_anywhere_wins_over_the_tags_in_published_text(format):
    completion = "<|BEGIN_CODE|>\na: 1\n<|END_CODE|>\nOr so:\n```\nb: 2\n```"
    assert extract(completion, format) == "b: 2"
    assert extract(completion, format, "corrected") == "a: 1"


@pytest.mark.parametrize("format", PICTURES)
def test_what_begins_first_wins_in_published_pictures(format):
    tagged, fence = "<|BEGIN_CODE|>\na\n<|END_CODE|>", "```\nb\n```"
    assert extract(f"{tagged}\n{fence}", format) == "a"
    assert extract(f"{fence}\n{tagged}", format) == "b"
    assert extract(f"{fence}\n{tagged}", format, "corrected") == "a"


@pytest.mark.parametrize("format", TYPE_FORMATS.values())
def test_a_fence_inside_of_the_tags_is_opened_by_the_corrected_protocol(format):
    language = FORMATS[format].fences[0]
    completion = f"<|BEGIN_CODE|>\n```{language}\na\n```\n<|END_CODE|>"
    assert extract(completion, format, "corrected") == "a"
    published = "a" if format in TEXTS else f"```{language}\na\n```"
    assert extract(completion, format) == published


@pytest.mark.parametrize("closing", ["|END_CODE|>", "<|END_CODE", "</END_CODE>"])
def test_a_malformed_closing_tag_stays_in_published_code(closing):
    completion = f"<|BEGIN_CODE|>\na: 1\n{closing}\nThat's it."
    assert extract(completion, "yaml") == f"a: 1\n{closing}\nThat's it."
    assert extract(completion, "yaml", "corrected") == "a: 1"


def test_a_bar_too_many_before_the_closing_tag_stays_in_published_code():
    completion = "<|BEGIN_CODE|>\na: 1\n|<|END_CODE|>"
    assert extract(completion, "yaml") == "a: 1\n|"
    assert extract(completion, "yaml", "corrected") == "a: 1"


@pytest.mark.parametrize("opening", ["|BEGIN_CODE|>", "<BEGIN_CODE>", "BEGIN_CODE\n", ""])
def test_a_malformed_or_missing_opening_tag_is_mended_by_the_corrected_protocol(opening):
    assert extract(f"{opening}a: 1\n<|END_CODE|>", "yaml", "corrected") == "a: 1"


def test_the_corrected_protocol_prefers_a_fence_of_the_format():
    completion = "```bash\nnpm install\n```\nand then\n```jsx\nApp()\n```"
    assert extract(completion, "react", "corrected") == "App()"
    assert extract(completion, "react") == "npm install"
    assert extract(completion, "typst", "corrected") == "npm install"


def test_fences_of_typst_between_tags_are_part_of_it():
    code = "= Code\n```python\nx\n```\nThe end."
    for answer in (code, f"```typst\n{code}\n```", f"```\n{code}\n```"):
        completion = f"<|BEGIN_CODE|>\n{answer}\n<|END_CODE|>"
        assert extract(completion, "typst", "corrected") == code


@pytest.mark.parametrize("before", ["", "Sure:\n", "```sh\ntypst compile a.typ\n```\n", "Here: "])
@pytest.mark.parametrize(
    "behind", ["", "\nDone.", "\nRun it:\n```sh\nls\n```", "\nOr:\n```\nT\n```"]
)
@pytest.mark.parametrize("inner", ["```python\nx\n```", "```sh\nls\n```\n\n```rust\nmain\n```"])
def test_raw_blocks_of_typst_that_name_a_language_do_not_end_its_fence(before, behind, inner):
    code = f"= Code\n{inner}\nThe end."
    assert extract(f"{before}```typst\n{code}\n```{behind}", "typst", "corrected") == code
    assert extract(f"{before}```typst\n{code}", "typst", "corrected") == code
    assert extract(f"{before}```typ\nx\n```{behind}", "typst", "corrected") == "x"


def test_fences_of_a_document_in_markdown_are_part_of_it():
    document = "# Title\n\n```python\nx = 1\n```\n\nThe end."
    assert extract(document, "markdown", "corrected") == document
    for completion in (
        f"<|BEGIN_CODE|>\n{document}\n<|END_CODE|>",
        f"```markdown\n{document}\n```",
        f"Sure:\n```md\n{document}\n```\nHope this helps.",
        f"<|BEGIN_CODE|>\n```markdown\n{document}\n```\n<|END_CODE|>",
    ):
        assert extract(completion, "markdown", "corrected") == document
    code = "```python\nx = 1\n```"
    assert extract(f"<|BEGIN_CODE|>{code}<|END_CODE|>", "markdown", "corrected") == code


@pytest.mark.parametrize("before", ["", "Sure:\n", "<|BEGIN_CODE|>\n", "Here: "])
@pytest.mark.parametrize(
    "inner", ["```sh\nls\n```", "```\nls\n```\n\n~~~sh\nls\n~~~\n```sh\nls\n```"]
)
def test_a_document_in_markdown_that_is_cut_off_goes_on_behind_its_own_fences(before, inner):
    document = f"# Title\n\n{inner}\n\nLicense: M"
    assert extract(f"{before}```markdown\n{document}", "markdown", "corrected") == document


@pytest.mark.parametrize("mark", ["`", "~"])
def test_a_run_of_marks_is_one_fence_or_none(mark):
    longer = f"{mark * 3}\na\n{mark * 4}\n"
    endless = f"{mark * 3}\n{mark * 500_000}x"
    for format in ("json", "markdown"):
        assert extract(longer, format, "corrected") == "a"
        assert extract(endless, format, "corrected") == f"{mark * 500_000}x"


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="format is 'latx'; expected one of latex, webpage"):
        extract("", "latx")
    with pytest.raises(ValueError, match="protocol is 'strict'; expected one of published"):
        extract("", "json", "strict")


@pytest.mark.parametrize("format", ["latex", "webpage"])
def test_image2struct_opens_the_first_fence_of_its_own_language(format):
    language = FORMATS[format].fences[0]
    completion = f"First:\n```\na\n```\nthen\n```{language}\nb\n```\n"
    assert extract(completion, format) == "\nb\n"
    assert extract(completion, format, "corrected") == "b\n"
    assert extract("  ```tex\na\n```", format) == "tex\na\n"
    assert extract("  ```tex\na\n```", format, "corrected") == "a\n"
    assert extract(f"```{language}\nnever closed ", format) == f"```{language}\nnever closed"
    assert extract(f"```{language}\nnever closed ", format, "corrected") == "never closed"
    assert extract(" <|BEGIN_CODE|>a ", format) == "<|BEGIN_CODE|>a"


def test_fences_around_a_published_score_stay():
    assert extract(" ```lilypond\nc'\n```\n", "lilypond") == "```lilypond\nc'\n```"
    assert extract(" ```lilypond\nc'\n```\n", "lilypond", "corrected") == "c'\n"
