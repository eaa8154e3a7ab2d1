"""Compilers stay started, and what they make of an answer does not depend on those before it."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.web import javascript
from helm_structext.renderers.web.frameworks import angular_files, react_files, vue_files
from helm_structext.sandbox import workers

FILES = {"angular": angular_files, "react": react_files, "vue": vue_files}
TYPED = """<script setup lang="ts">
import type {{ Props }} from './types'
defineProps<Props>()
</script>
<template><p>{{{{ $props }}}}</p></template>
// types.ts
export interface Props {{ {0} }}"""
STYLED = "<template><p :class='$style.a'>x</p></template>\n"
CHANCE = """<template><p>x</p></template>
<style lang="scss">
p { width: random(1000000) * 1px; height: random() * 1px; content: unique-id(); color: unique-id() }
</style>"""
# An expression that Vue takes for a constant, and that runs a text; 30 of them, as few are left alone.
RUNS = "<template><div>{}</div></template>".format(
    "".join(
        f"<p id='a{n}' class='b' :title=\"[]['constructor']['constructor']('{{0}}')()\">x</p>"
        for n in range(30)
    ).replace("{0}", "{}")
)
COMPONENT = "import {Component} from '@angular/core';"

# Three innocent answers for each framework.
INNOCENT = {
    "vue": [
        TYPED.format("title: string"),
        CHANCE,
        STYLED + "<style module>.b { color: red } .a { composes: b }</style>",
    ],
    "react": [
        "export default () => <p>x</p>",
        "import './a.scss'; export default () => <p>x</p>\n/* a.scss */\np { width: random(99) * 1px }",
        "import s from './a.module.css'; export default () => <p className={s.a}>x</p>\n"
        "/* a.module.css */\n.b { color: red }\n.a { composes: b }",
    ],
    "angular": [
        COMPONENT + "@Component({template: '<p>x</p>', styles: ['p { color: red }']}) class A {}",
        COMPONENT + "@Component({templateUrl: './a.html', styleUrl: './a.scss'}) class A {}\n"
        "<!-- a.html -->\n<p>x</p>\n/* a.scss */\np { width: random(99) * 1px }",
        COMPONENT + "@Component({template: '{{ a }}'}) class A { a = 1 }",
    ],
}
# What may leave something behind, whether it is right or wrong; for every framework of its kind.
BEFORE = {
    "vue": {
        "types of the same name": TYPED.format("size: number"),
        "types that are missing": TYPED.format("}").replace("// types.ts", "// other.ts"),
        "types that are broken": TYPED.format("a: {{{"),
        "types without end": TYPED.format("} type T = T | Props; export interface X extends T {"),
        "the same style sheet": STYLED + "<style module>.a { composes: b from './b.css' }</style>"
        "\n/* b.css */\n.b { color: blue }",
        "a style composed from itself": STYLED
        + "<style module>.a { composes: a from './b.css' }</style>\n"
        "/* b.css */\n.a { composes: a from './b.css' }",
        "a style composed from the machine": STYLED
        + "<style module>.a { composes: a from '/etc/passwd' }</style>",
        "chance": CHANCE.replace("p {", "@for $n from 1 through 99 { a#{unique-id()} { b: random() } } p {"),
        "names that every object has": STYLED
        + "<style module='__proto__'>.__proto__ { color: red } .constructor { color: red }"
        " .hasOwnProperty { composes: __proto__ }</style><style module>.toString { color: red }</style>",
        "a pattern stopped halfway": "<template><p>x</p></template><style>p { color: v-bind(a",
        "bindings in styles": "<script setup>const a = 1</script><template><p>x</p></template>"
        "<style>p { color: v-bind(a); width: v-bind('a + {'); height: v-bind(</style>",
        "code that pollutes": RUNS.replace("{}", "Object.prototype.polluted = 1; Array.prototype.x = 1"),
        "code that ends the process": RUNS.replace("{}", "process.exit(0)"),
        "code that answers by itself": RUNS.replace("{}", "process.stdout.write(`{}`)"),
        "code without end": RUNS.replace("{}", "for(;;);"),
        "blocks of the same name": "<template src='./a.html'></template>\n<!-- a.html -->\n<b>y</b>",
        "deep nesting": "<template>" + "<p>" * 3000 + "</template>",
        "deep brackets": "<template>{{ " + "(" * 9000 + " }}</template>",
        "an import of no text": "<script>import x from y</script><template><p>x</p></template>",
    },
    "react": {
        "an import of no text": "import x from y; export default () => <p>x</p>",
        "an import of nothing": "import x from ''; export default () => <p>x</p>",
        "an import of NUL": "import x from '\0'; export default () => <p>x</p>",
        "an import of a climbing sheet": "import 'bootstrap/../esbuild/package.css'; export let A = 1",
        "an export of no text": "export * from y; export default () => <p>x</p>",
        "a call of import": "const A = () => import(`./${A}`); export default A",
        "files that import each other": "import B from './B'; export default () => <B/>\n"
        "// B.jsx\nimport A from './App'; export default () => <A/>",
        "names that every object has": "import './__proto__.css'; export default () => <p/>\n"
        "/* __proto__.css */\np { color: red }\n// constructor.js\nexport default 1",
        "a broken style sheet": "import './a.scss'; export default () => <p/>\n/* a.scss */\np { @",
        "a style sheet that uses itself": "import './a.scss'; export default () => <p/>\n"
        "/* a.scss */\n@use 'b';\n/* _b.scss */\n@use 'a';",
        "chance": "import './a.scss'; export default () => <p/>\n"
        "/* a.scss */\n@for $n from 1 through 99 { a#{unique-id()} { b: random() } }",
        "deep nesting": "export default () => " + "<a>" * 3000,
        "a map of its own": "export default () => <p>x</p>\n//# sourceMappingURL=data:application/json"
        ";base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbNV0sIm1hcHBpbmdzIjoiQUFBQSJ9",
    },
    "angular": {
        "an import of no text": "import {Component} from x; @Component({template: ''}) class A {}",
        "the same files": COMPONENT + "@Component({templateUrl: './a.html', styleUrl: './a.scss'}) class A {}"
        "\n<!-- a.html -->\n<b>y</b>\n/* a.scss */\np { @for $n from 1 through 9 { a: random() } }",
        "a class of the same name": COMPONENT
        + "@Component({template: '{{ b }}', inputs: ['b']}) class A { b = 2 }",
        "declarations for all": "declare global { interface Array<T> { x: T } } "
        + COMPONENT
        + "@Component({template: ''}) class A {}",
        "names that every object has": COMPONENT
        + "@Component({selector: '__proto__', template: ''}) class constructor {}",
        "a broken template": COMPONENT + "@Component({template: '{{ | }} @if {'}) class A {}",
        "deep types": COMPONENT + f"type T = {'A<' * 3000}1{'>' * 3000};" + "@Component({template: ''}) class A {}",
    },
}  # fmt: skip


def outcome(kind: str, code: str) -> object:
    """What the compiler that is started makes of an answer, or says of it."""
    try:
        return javascript.compile_answer(kind, FILES[kind](code), BROWSER_LIMITS)
    except RenderError as error:
        return str(error)


@pytest.fixture(scope="module")
def expected():
    """What a compiler that has seen no other answer makes of the innocent ones."""
    made = {}
    for kind, codes in INNOCENT.items():
        for code in codes:
            workers.close()
            made[code] = outcome(kind, code)
            assert isinstance(made[code], javascript.Compiled), made[code]
    yield made
    workers.close()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param(kind, code, id=f"{kind}: {name}")
        for kind, codes in BEFORE.items()
        for name, code in codes.items()
    ],
)
def test_an_answer_leaves_nothing_for_the_next(kind, code, expected):
    first = outcome(kind, code)
    for innocent in INNOCENT[kind]:
        assert outcome(kind, innocent) == expected[innocent]
    # Nor did it find anything: it is the same after these.
    assert outcome(kind, code) == first
    assert "died" not in str(first)


def test_no_answer_s_code_runs_while_it_is_compiled():
    for code in ("process.exit(0)", "for(;;);", "throw 1"):
        made = outcome("vue", RUNS.replace("{}", code))
        assert code in made.files["index.js"]


def test_chance_in_sass_is_the_same_each_time_and_differs_within_an_answer():
    style = outcome("vue", CHANCE).files["index.css"]
    assert style == outcome("vue", CHANCE).files["index.css"]
    values = [line.split(":")[1] for line in style.splitlines() if ":" in line and "/*" not in line]
    assert len(set(values)) == 4


def test_classes_are_composed_from_other_files():
    sheets = (
        "\n/* b.css */\n.b { color: teal; composes: c from './deep/c.module.scss' }"
        "\n/* deep/c.module.scss */\n$w: 3px;\n.c { width: $w }"
    )
    vue = outcome(
        "vue", STYLED + "<style module>.a { composes: b from './b.css' }</style>" + sheets
    )
    assert '"_a_' in vue.files["index.js"]
    assert [f" _{name}_" in vue.files["index.js"] for name in "bc"] == [True, True]
    assert "color: teal" in vue.files["index.css"]
    assert "width: 3px" in vue.files["index.css"]
    react = outcome(
        "react",
        "import s from './a.module.css'; export default () => <p className={s.a}>x</p>"
        "\n/* a.module.css */\n.a { composes: b from './b.module.css' }"
        "\n/* b.module.css */\n.b { color: teal }",
    )
    assert "color: teal" in react.files["index.css"]
    missing = STYLED + "<style module>.a { composes: b from './no.css' }</style>"
    assert outcome("vue", missing) == (
        'syntax: App.vue: cannot find "./no.css": there is no such file in the answer'
    )


def test_sass_finds_other_style_sheets_of_the_answer():
    made = outcome(
        "react",
        "import './styles/main.scss'; export default () => <p/>\n"
        "/* styles/main.scss */\n@use 'vars' as v;\n@import './mixins/box';\np { @include box(v.$w) }\n"
        "/* styles/_vars.scss */\n$w: 7px;\n"
        "/* styles/mixins/_box.scss */\n@mixin box($w) { width: $w }",
    )
    assert "width: 7px" in made.files["index.css"]
    wrong = (
        "import './a.scss'; export default () => <p/>\n/* a.scss */\n@use 'b';\n/* _b.scss */\np {"
    )
    assert outcome("react", wrong).startswith("syntax: _b.scss:")
    for outside in ("/etc/passwd", "file:///etc/passwd", "../../package.json", "pkg:sass"):
        said = outcome(
            "react", f"import './a.scss'; export let A = 1\n/* a.scss */\n@use '{outside}';"
        )
        assert said.startswith("syntax: a.scss:")


def test_a_compiler_that_can_not_say_what_is_wrong_is_replaced(monkeypatch):
    with workers.checkout("test", lambda: javascript.Compiler("react", BROWSER_LIMITS)) as compiler:
        reply = compiler.ask({"kind": "react", "files": {"App.jsx": 5}}, 30)
        assert reply["errors"][0]["text"].startswith("the compiler gave up: ")
        assert not compiler.reusable()
