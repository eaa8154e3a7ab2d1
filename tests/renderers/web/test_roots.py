"""What an answer shows and into which element: found in its code, not in its words."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.web.frameworks import angular_files, react_files, vue_files
from helm_structext.renderers.web.javascript import compile_answer
from helm_structext.sandbox import Limits

FILES = {"react": react_files, "vue": vue_files, "angular": angular_files}
ROOT, APP = '<div id="root"></div>', '<div id="app"></div>'


def elements(kind, code):
    limits = Limits(memory=2048, processes=64)
    return compile_answer(kind, FILES[kind](code), limits).elements


NO_MOUNT = [
    "const t = [{label: 'Home', model: 'x', el: 'y'}]; export default () => <p/>",
    "// createRoot(document.getElementById('x'))\nexport default () => <p/>",
    "const s = \"ReactDOM.render(<App/>, document.querySelector('#s'))\"; export default () => <p/>",
    "export default () => { document.querySelector('canvas'); return <canvas id='c'/> }",
    "export default function A() { new Chart(document.getElementById('chart'), {}); return <p/> }",
    "class A extends React.Component { render() { document.getElementById('z'); return <p/> } }",
    "const root = {render() {}}; root.render(1, document.getElementById('q')); export default () => <p/>",
]


@pytest.mark.parametrize("code", NO_MOUNT)
def test_code_that_mounts_nothing_gets_the_usual_element(code):
    assert elements("react", code) == [ROOT]


CLIENT = "import {createRoot, hydrateRoot} from 'react-dom/client'; const A = () => <p/>;"
MOUNTS = [
    ("react", CLIENT + "createRoot(document.getElementById('app')!).render(<A/>)", [APP]),
    (
        "react",
        CLIENT + "const e = document.querySelector('main.x'); createRoot(e as Element).render(<A/>)",
        ['<main class="x"></main>'],
    ),
    ("react", CLIENT + "hydrateRoot(document.querySelector('#app'), <A/>)", [APP]),
    ("react", CLIENT + "createRoot(document.body).render(<A/>)", [ROOT]),
    (
        "react",
        CLIENT + "for (const i of ['a']) {}; createRoot(document.getElementById('a')).render(<A/>);"
        "createRoot(document.getElementById('b')).render(<A/>)",
        ['<div id="a"></div>', '<div id="b"></div>'],
    ),
    (
        "react",
        "const A = () => <canvas id='c'/>; ReactDOM.render(<A/>, document.getElementById('x'))",
        ['<div id="x"></div>'],
    ),
    ("vue", "Vue.createApp({}).mount('#x')", ['<div id="x"></div>']),
    ("vue", "const label = 'y'; Vue.createApp({}).mount(document.querySelector('.z'))", ['<div class="z"></div>']),
    ("vue", "new Vue({el: '#q', data: {model: 'm'}})", ['<div id="q"></div>']),
    ("vue", "new Vue({render: h => h('p')}).$mount('#m')", ['<div id="m"></div>']),
    ("vue", "<script setup>document.querySelector('canvas')</script><template><p/></template>", [APP]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code", "expected"), MOUNTS)
def test_code_that_mounts_gets_its_element(kind, code, expected):
    assert elements(kind, code) == expected


def test_component_finds_its_own_elements():
    code = (
        "export default function App() { const hold = {label: 'c'};"
        "React.useEffect(() => { const c = document.getElementById('c').getContext('2d');"
        "c.fillStyle = 'teal'; c.fillRect(0, 0, 99, 99) }); return <canvas id='c'/> }"
    )
    colors = render("react", code, protocol="corrected").image.getcolors(9999)
    assert (0, 128, 128) in {color for _, color in colors}


SHOWN = [
    ("react", "function Page() { return <Card/> }\nfunction Card() { return <b>card</b> }\nconst DATA = [1]", "card"),
    ("react", "export const Page = () => <i>page<Card/></i>\nexport const Card = () => <b>!</b>\nCard.displayName = 'c'", "page!"),
    ("react", "const Theme = React.createContext(1)\nconst Page = () => <p>page</p>\nconst Item = () => <p>item</p>\nconst List = [<Item/>]", "page"),
    ("react", "// a/Page.jsx\nimport Card from './Card'\nexport default () => <p>page <Card/></p>\n// a/Card.jsx\nexport default () => <b>card</b>", "page card"),
    ("vue", "const Page = {components: {Child}, template: '<p>page</p>'}\nconst Child = {template: '<p>child</p>'}", "page"),
    ("vue", "<!-- Page.vue -->\n<script setup>import Child from './Child.vue'</script>\n<template><p>page <Child/></p></template>\n"
     "<!-- Child.vue -->\n<template><b>child</b></template>", "page child"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code", "words"), SHOWN)
def test_shown_is_what_no_other_component_uses(kind, code, words):
    assert render(kind, code).text == words


CORE = "import {Component, NgModule, inject} from '@angular/core'\n"
DIALOG = "import {MAT_DIALOG_DATA, MatDialog} from '@angular/material/dialog'\n"


def component(name, selector, template, body=""):
    return f"@Component({{selector: '{selector}', template: `{template}`}}) export class {name} {{ {body} }}\n"


ANGULAR = {
    "a dialog that another opens": CORE + DIALOG
    + component("PageComponent", "my-page", "page", "d = inject(MatDialog); open() { this.d.open(NoteComponent) }")
    + component("NoteComponent", "my-note", "note"),
    "a dialog by what it injects": CORE + DIALOG
    + component("PageComponent", "my-page", "page")
    + component("NoteComponent", "my-note", "note", "data = inject(MAT_DIALOG_DATA)"),
    "a message": CORE + "import {MatSnackBar} from '@angular/material/snack-bar'\n"
    + component("PageComponent", "my-page", "page", "s = inject(MatSnackBar); go() { this.s.openFromComponent(NoteComponent) }")
    + component("NoteComponent", "my-note", "note"),
    "a selector that begins as another": CORE
    + component("PageComponent", "my-page", "page<my-user-list/>")
    + component("UserComponent", "my-user", "")
    + component("UserListComponent", "my-user-list", "<my-user/>"),
    "an attribute": CORE
    + component("PageComponent", "my-page", "<a my-link>page</a>")
    + component("LinkComponent", "a[my-link]", "page"),
    "a route": CORE
    + component("PageComponent", "my-page", "page")
    + component("HomeComponent", "my-home", "home")
    + "export const routes = [{path: '', component: HomeComponent}]",
    "the usual name": CORE
    + component("AppComponent", "my-page", "page")
    + component("OtherComponent", "my-other", "other"),
    "a comment that starts another": CORE
    + "// bootstrapApplication(OtherComponent)\n"
    + component("PageComponent", "my-page", "page", "other = OtherComponent")
    + component("OtherComponent", "my-other", "other"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANGULAR)
def test_root_of_angular(name):
    assert elements("angular", ANGULAR[name]) == ["<my-page></my-page>"]


def test_dialog_alone_is_shown_though_nobody_opens_it():
    code = CORE + DIALOG + component("NoteComponent", "my-note", "note")
    assert render("angular", code).text == "note"


CYCLE = "// a.jsx\nimport B from './b'\nexport default () => <B/>\n// b.jsx\nimport A from './a'\nexport default () => <p>b{typeof A}</p>"


def test_files_that_import_each_other_are_drawn():
    assert render("react", CYCLE).text == "bfunction"


@pytest.mark.parametrize(
    "code",
    [
        "import * as x from 'missing-one'; export default () => <p>{x.y}</p>",
        "import 'missing-one'; export default () => <p/>",
        "const x = require('missing-one'); export default () => <p/>",
        "export * from 'missing-one'; export default () => <p/>",
        "export default () => { import('missing-one'); return <p/> }",
    ],
)
def test_each_way_to_import_what_is_missing_names_it(code):
    with pytest.raises(RenderError) as caught:
        render("react", code)
    assert [one.package for one in caught.value.missing] == ["missing-one"]
