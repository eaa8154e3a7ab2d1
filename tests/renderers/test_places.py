"""Errors of every format that is wrapped: in the line of the code, with what stands there."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render

COMPONENT = (
    "import { Component } from '@angular/core';\n"
    "@Component({ selector: 'app-root', standalone: true, template: `<p>\n\n%s</p>` })\n"
    "export class AppComponent { %s }"
)
TEMPLATE = "app.component.ts:4: template of AppComponent: "
CHART = '{%s,\n"data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "%s"}}}'
SCENE = (
    '{"$schema": "https://vega.github.io/schema/vega/v5.json",\n"data": [{"name": "d", "values": [{}]}],\n'
    '"marks": [{"type": "rect", "from": {"data": "d"}, "encode": {"enter": {\n%s}}}]}'
)
SETUP = "<template>\n<p>{{ a }}</p>\n</template>\n<script setup>\nconst a = %s\n</script>"

BROKEN = {
    "lilypond": [
        ('\\version "2.24.0"\n{ c\' d\n  { e }\n\n', "line 3, column 8: syntax error, ", ": { e }"),
        ('\\version "2.24.0"\n#(car 1)\n{ c }', "line 2, column 2: In procedure car: Wrong type", ": #(car 1)"),
    ],
    "svg": [("<svg>\n <rect width=5/>\n</svg>", "line 2, column 14: a value stands in quotes: width=", ": <rect width=5/>")],
    "typst": [("= Hi\n\n#foo()\n", "line 3, column 1: unknown variable: foo", ": #foo()")],
    "matplotlib": [
        ("import numpy\n\ndef f():\n    return g\n\nf()", "line 4: NameError: ", ": return g"),
        ("x = [1,\ny = 2", "line 1: SyntaxError: '[' was never closed", ": x = [1,"),
    ],
    "vega": [
        ('{"mark": "bar",\n "data": ,}', "line 2, column 10: the chart is not", ': "data": ,}'),
        (CHART % ('"mark":\n "bars"', "a"), 'line 2, column 2: Vega has no mark "bars" (TypeE', '"bars",'),
        (
            CHART % ('"mark": "bar",\n"params": [{"name": "p"},\n{"name": "p"}]', "a"),
            'line 3, column 10: Duplicate signal name: "p"',
            '{"name": "p"}],',
        ),
        (
            CHART % ('"mark": "bar"', 'a"},\n"color": {"condition": {"param": "brush"}, "value": "red'),
            'line 3, column 34: Unrecognized signal name: "brush": ',
            '',
        ),
        (SCENE % '"x": {"scale": "xs", "value": 1}', 'line 4, column 16: Unrecognized scale name: "xs"', ""),
        (SCENE % '"x": {"signal": "no(1)"}', "line 4, column 17: Unrecognized function: no", ""),
        (SCENE % '"x": {"signal": "1 +"}', "line 4, column 17: Expression parse error: (1 +)", ""),
        ('{"marks": [],\n "legends": [{"title": "x"}]}', "Missing valid scale for legend.", ""),
    ],
    "mermaid": [
        ("graph TD\n  A --> B\n  B -->", "line 3: an arrow leads nowhere (Expecting ", ", got 'EOF'): B -->"),
        (
            "---\ntitle: A\n---\n%% why\n%%{init: {'theme': 'dark'}}%%\nflowchart LR\n  B ==\n C",
            "line 8: ",
            ": C",
        ),
        ("sequenceDiagram\n%% a\n A->>B: hi\n A->>\n B->>A: ho", "line 4: a message needs a text", ": A->>"),
        ('%% why\npie title x\n "a" : b\n "c" : 1', "line 3, column 8: a value is a number", ': "a" : b'),
    ],
    "html": [("<!DOCTYPE html>\n<script>\nno()\n</script>", "index.html:3: ReferenceError: ", ": no()")],
    "canvas": [("let a\n\na.b()", "script.js:3: TypeError: ", ": a.b()")],
    "react": [
        ("export default () =>\n  <p>{no}</p>", "App.jsx:2: ReferenceError: ", ": <p>{no}</p>"),
        ("export default () =>\n  <p>{</p>", "App.jsx:2: ", ": <p>{</p>"),
    ],
    "vue": [
        (SETUP % ";", "App.vue:5: Unexpected token", ": const a = ;"),
        (SETUP % "no()", "App.vue:5: ReferenceError: ", ": const a = no()"),
        ("<div id=app>\n{{ a. }}</div>\n<script>\nVue.createApp({}).mount('#app')</script>",
         "Uncaught SyntaxError: ", ""),
    ],
    "angular": [
        (COMPONENT % ("@if (x { a }", ""), "app.component.ts:4: template of AppComponent: ", "</p>` })"),
        (COMPONENT % ("a", "x = ;"), "app.component.ts:5: Expression expected", "x = ; }"),
        (COMPONENT % ("{{ a.b }}", "a: any"), f"{TEMPLATE}TypeError: ", "{{ a.b }}</p>` })"),
        (COMPONENT % ("{{ b() }}", ""), f"{TEMPLATE}TypeError: ctx.b is not a function", "</p>` })"),
        (COMPONENT % ("{{ 1 | b }}", ""), f"{TEMPLATE}RuntimeError: NG0302: ", "{{ 1 | b }}</p>` })"),
        (COMPONENT % ("{{ a.b }}\n{{ c.b }}", "a: any; c: any"), "template of AppComponent: T", "'b')"),
        (COMPONENT % ("{{ b }}", "get b(): any {\nthrow Error('no') }"),
         "app.component.ts:6: Error: no", "throw Error('no') } }"),
        (
            COMPONENT % ("", "a = 1;\nconstructor(private b: Other) {} }\nclass Other {"),
            "app.component.ts:6: ɵNotFound: NG0201: No provider found for `Other`",
            "constructor(private b: Other) {} }",
        ),
    ],
    "webpage": [
        ('[{"filename": "a.html",\n "content": "a" "b"}]', "line 2, column 17: the code is not", '"b"}]'),
        (
            '[{"filename": "index.html", "content": "---\\na: b\\n---\\n\\nx\\n{% if %}"}]',
            "Jekyll: index.html:6: Syntax Error in tag 'if'",
            ": {% if %}",
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("format", "code", "start", "end"),
    [(format, *case) for format, cases in BROKEN.items() for case in cases],
)
def test_a_line_of_the_code_is_named_and_shown(format, code, start, end):
    with pytest.raises(RenderError) as caught:
        render(format, code)
    assert caught.value.message.startswith(start)
    assert caught.value.message.endswith(end)
