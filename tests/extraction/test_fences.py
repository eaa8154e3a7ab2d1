"""Answers in several code fences: a component and the files that go with it are one answer."""

import pytest

from helm_structext.extraction import extract

CLASS = (
    "import { Component } from '@angular/core';\n"
    "@Component({ selector: 'app-card', templateUrl: './card.component.html',\n"
    "  styleUrls: ['./card.component.css'] })\nexport class CardComponent {}\n"
)
TEMPLATE, STYLES = "<h1>Card</h1>\n", "h1 { color: teal }\n"


def fence(language: str, code: str) -> str:
    return f"```{language}\n{code}```\n"


def joined(*parts: tuple[str, str]) -> str:
    return "\n".join(f"// {name}\n{code}" if name else code for name, code in parts).strip()


WHOLE = joined(
    ("card.component.ts", CLASS), ("card.component.html", TEMPLATE), ("card.component.css", STYLES)
)
UNNAMED = joined(("", CLASS), ("card.component.html", TEMPLATE), ("card.component.css", STYLES))
# How models say which file a fence is.
ANGULAR = {
    "bold names": "Here is it.\n\n**card.component.ts**\n"
    + fence("typescript", CLASS)
    + "\n**card.component.html**\n"
    + fence("html", TEMPLATE)
    + "\n**card.component.css**\n"
    + fence("css", STYLES),
    "headings with backticks": "### 1. The component (`card.component.ts`)\n\n"
    + fence("typescript", CLASS)
    + "### 2. The template (`card.component.html`)\n\n"
    + fence("html", TEMPLATE)
    + "### 3. `card.component.css`:\n\n"
    + fence("css", STYLES),
    "comments in the code": fence("ts", "// card.component.ts\n" + CLASS)
    + fence("html", "<!-- card.component.html -->\n" + TEMPLATE)
    + fence("css", "/* card.component.css */\n" + STYLES),
    "information of the fence": fence("typescript card.component.ts", CLASS)
    + fence("html card.component.html", TEMPLATE)
    + fence('css title="card.component.css"', STYLES),
}


@pytest.mark.parametrize("name", ANGULAR)
def test_files_are_joined_under_their_names(name):
    code = extract(ANGULAR[name], "angular", "corrected")
    for comment in (
        "\n// card.component.ts",
        "\n<!-- card.component.html -->",
        "\n/* card.component.css */",
    ):
        if "comments" in name:
            code = code.replace(comment, "", 1)
    assert code == WHOLE
    assert extract(ANGULAR[name], "angular") != code


@pytest.mark.parametrize(
    "completion",
    [
        "The component:\n" + fence("typescript", CLASS)
        + "Its template:\n" + fence("html", TEMPLATE) + "Its styles:\n" + fence("css", STYLES),
        fence("html", TEMPLATE) + fence("css", STYLES) + fence("ts", CLASS),
        "```typescript\n" + CLASS + "```\n```html\n" + TEMPLATE + "```\n```css\n" + STYLES,
        "<|BEGIN_CODE|>\n" + fence("typescript", CLASS) + fence("html", TEMPLATE)
        + fence("css", STYLES) + "<|END_CODE|>",
        "First\n" + fence("bash", "ng generate component card\n") + fence("typescript", CLASS)
        + fence("html", TEMPLATE) + fence("css", STYLES) + "Then use it:\n"
        + fence("html", "<app-card></app-card>\n"),
    ],
)  # fmt: skip
def test_files_without_names_get_those_that_the_code_refers_to(completion):
    code = extract(completion, "angular", "corrected")
    assert sorted(code.split("// ")) == sorted(UNNAMED.split("// "))


def test_what_is_no_file_of_the_answer_is_left_out():
    alone = "export default () => <p/>"
    for other in (
        fence("bash", "npm install\n"),
        fence("css", "p {}\n"),
        fence("jsx", "<App />\n"),
        fence("html", "<div id=root></div>\n"),
    ):
        assert extract(fence("jsx", alone + "\n") + other, "react", "corrected") == alone
        assert (
            extract(other.replace("jsx", "text") + fence("jsx", alone + "\n"), "react", "corrected")
            == alone
        )
    page = "<div id='app'></div><script src='./app.js'></script>"
    assert extract(fence("html", page + "\n") + fence("js", "x\n"), "vue", "corrected") == page
    # Of formats with one file, the first fence is the answer.
    assert (
        extract(fence("svg", "<svg/>\n") + fence("css", "p {}\n"), "svg", "corrected") == "<svg/>"
    )


def test_files_of_react_and_vue():
    react = (
        "`src/App.jsx`\n" + fence("jsx", "import Row from './Row';\nimport './App.css';\nexport default Row\n")
        + "`src/Row.jsx`\n" + fence("jsx", "export default () => <p/>\n") + fence("css", "p {}\n")
    )  # fmt: skip
    assert extract(react, "react", "corrected") == joined(
        ("src/App.jsx", "import Row from './Row';\nimport './App.css';\nexport default Row\n"),
        ("src/Row.jsx", "export default () => <p/>\n"),
        ("App.css", "p {}"),
    )
    vue = (
        "**App.vue**\n" + fence("vue", "<script setup>import { a } from './store.js'</script>\n")
        + "And the store:\n" + fence("javascript", "export const a = 1\n")
        + "**components/Row.vue**\n" + fence("vue", "<template><p/></template>\n")
    )  # fmt: skip
    assert extract(vue, "vue", "corrected") == joined(
        ("App.vue", "<script setup>import { a } from './store.js'</script>\n"),
        ("store.js", "export const a = 1\n"),
        ("components/Row.vue", "<template><p/></template>"),
    )


def test_joined_files_are_rendered():
    from helm_structext.renderers import render_completion

    for completion in ANGULAR.values():
        rendering = render_completion("angular", completion, protocol="corrected")
        assert rendering.text == "Card"
        colors = {color for _, color in rendering.image.getcolors(100_000)}
        assert (0, 128, 128) in colors


PARTS = [
    ("latex_document", "latex", "\\usepackage{x}", "\\begin{document}\n1\n\\end{document}"),
    ("tikz", "latex", "\\usetikzlibrary{x}", "\\begin{tikzpicture}\n\\end{tikzpicture}"),
    ("html", "html", "<img src='a'>", "<!DOCTYPE html>\n<html></html>"),
    ("svg", "xml", "<circle r='1'/>", "<svg><circle r='1'/></svg>"),
]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("format", "language", "part", "whole"), PARTS)
def test_a_whole_document_comes_before_the_lines_that_lead_to_it(
    format, language, part, whole, named
):
    fence = f"```{language if named else ''}\n"
    answer = f"First:\n\n{fence}{part}\n```\n\nAll of it:\n\n{fence}{whole}\n```\nOr:\n{fence}{whole} \n```"
    assert extract(answer, format, "corrected") == whole
    assert extract(answer, format) == part


@pytest.mark.parametrize("format", ["yaml", "html", "matplotlib"])
def test_only_components_have_several_files(format):
    answer = f"```{format}\na: 1\n```\nWith Node.js, and index.html:\n```{format}\nb: 2\n```"
    assert extract(answer, format, "corrected") == "a: 1"


def test_prose_behind_a_fence_that_is_never_closed_is_cut_off():
    answer = "```yaml\na: 1\n\nThis is the file that you asked for."
    assert extract(answer, "yaml", "corrected") == "a: 1"
