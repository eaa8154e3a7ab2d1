"""What Mermaid says of the usual mistakes, in words that say how to write it instead."""

import json
from functools import cache
from urllib.parse import unquote

import pytest

from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.web import mermaid
from helm_structext.renderers.web.mermaid_errors import explain_error
from helm_structext.renderers.web.page import draw_site

FLOW, SEQUENCE, ENTITIES = "flowchart TD\n  ", "sequenceDiagram\n  ", "erDiagram\n  "
WORDS = {
    FLOW + "A[Run] --> B[Parse (twice)]": 'line 2: quote the label: B["Parse (twice)"] (Expecting',
    FLOW + "A{Done (all)?} --> B": 'quote the label: A{"Done (all)?"}',
    FLOW + "A(f(x)) --> B": 'quote the label: A("f(x)")',
    FLOW + "A[a[0]] --> B": 'quote the label: A["a[0]"]',
    FLOW + "A[set {x}] --> B": 'quote the label: A["set {x}"]',
    FLOW + "A[@ada] --> B": 'quote the label: A["@ada"]',
    FLOW + "A[/api/v1] --> B": 'quote the label: A["/api/v1"]',
    FLOW + "A -->|f(x)| B": 'quote the label: |"f(x)"|',
    FLOW + 'A[say "hi" twice] --> B': "a quote inside of a label is written #quot;",
    FLOW + "A[x | y]": "a label with brackets or bars stands in quotes",
    FLOW + "A[] --> B": "a label is not empty",
    FLOW + "subgraph One (1)\n  A\n  end": 'quote the title: subgraph id ["One (1)"]',
    FLOW + "A --> end": '"end" is the word that closes a subgraph',
    FLOW + "A --> B\n  end": 'line 3: "end" closes no subgraph',
    FLOW + "subgraph G\n  A --> B": 'a subgraph is not closed by "end"',
    FLOW + "A[open --> B": "a label, or its quote, is not closed",
    FLOW + "A -->": "an arrow leads nowhere",
    FLOW + "A -> B": "an arrow is written -->",
    FLOW + "A → B": "an arrow is written -->",
    FLOW + "A --> B: yes": "the label of an arrow stands between bars",
    FLOW + "A --> B // why": "a comment is a line of its own that begins with %%",
    FLOW + "style A fill=red": "styles are written fill:#f00",
    FLOW + "participant A": '"participant" belongs to sequence diagrams',
    FLOW + "Big Box --> B": 'the name of a node has no blanks: Big_Box["Big Box"]',
    FLOW + "A --> B\nsequenceDiagram\n  A->>B: x": "a second diagram begins: sequenceDiagram",
    "flowchart UP\n  A --> B": 'there is no direction "UP"',
    "flowchart TD A --> B\n  B --> C": "the first line holds the kind and its direction alone",
    SEQUENCE + "A->>B: done; no more": '";" ends the statement: write #59; or a comma',
    SEQUENCE + "A->>B": "a message needs a text",
    SEQUENCE + "A=>B: x": "arrows are written ->>",
    SEQUENCE + "A->>end: x": '"end" is the word that closes a block',
    SEQUENCE + "A->>B: x\n  end": '"end" closes nothing',
    SEQUENCE + "loop daily\n  A->>B: x": 'is not closed by "end"',
    SEQUENCE + "A->>B: x\n  else no": '"else" belongs in a block',
    SEQUENCE + "A->>B: x\n  Note left A: x": "a note is written: Note right of A: text",
    SEQUENCE + "A->>B: x\n  and so on": '"and" belongs in a block',
    "classDiagram\n  class Box<T> {\n  +x\n  }": "generic types are written Box~T~",
    "classDiagram\n  A -> B": "relations are written <|--",
    "classDiagram\n  class A {\n  +x": 'a class is not closed by "}"',
    "classDiagram\n  interface A {\n  +x\n  }": "class A { <<interface>> }",
    "stateDiagram-v2\n  [*] -> A": "an arrow is written -->",
    "stateDiagram-v2\n  state A {\n  B --> C": 'a state is not closed by "}"',
    ENTITIES + "USER ||--o{ ORDER": "a relation needs a label: USER ||--o{ ORDER : has",
    ENTITIES + "USER 1--* ORDER : has": "a relation is written A ||--o{ B : has",
    ENTITIES + "USER {\n    int id PK FK\n  }": "keys are separated by commas",
    ENTITIES
    + "USER {\n    name: string\n  }": "an attribute is a type and a name, without a colon",
    ENTITIES + "USER {\n    int id;\n  }": "an attribute ends with its line",
    ENTITIES + "A ||--o{ B : has many": 'a label of several words stands in quotes: "has many"',
    "gantt\n  dateFormat YYYY-MM-DD\n  Plan": "a task needs a colon",
    "pie\n  A: 10": 'names stand in quotes: "A" : 10',
    'pie\n  "A": 10%': "a value is a number without other signs",
    "mindmap\n  A\n  B": "all lines but the first are indented below it",
    "mindmap\n  root\n    do f(x) now": "a label with brackets or bars stands in quotes",
    "gitGraph\n  commit id: abc": "a text stands in quotes",
    "gitGraph\n  commit\n  push": 'there is no command "push"',
    "quadrantChart\n  A: [1.5, 0.2]": "coordinates are from 0 to 1",
    "xychart-beta\n  bar [1, x]": "values are numbers",
    "sankey-beta\n  A,B": "a line is source,target,value",
    "architecture-beta\n  service a(server)[A]\n  a --> a": "an edge names its sides",
    "packet-beta\n  0-15: Port": 'names stand in quotes: "Port"',
    "---\ntitle: a: b\n---\nflowchart TD\n  A": "the front matter between --- is not YAML",
    "wardley-beta\ncomponent A [0.3, 0.2]  # low": "a comment is a line of its own that begins with %%",
    "flowchrt TD\n  A": 'there is no diagram "flowchrt": it may be meant as flowchart',
    "sequencediagram\n  A->>B: x": "it may be meant as sequenceDiagram",
    "erdiagram\n  A": "it may be meant as erDiagram",
    "venn\n  A": "it may be meant as venn-beta",
    "usecaseDiagram\n  A": "need Mermaid 12",
    "componentDiagram\n  A": "Mermaid has no diagrams of this kind",
    "zenuml\n  A.b()": "need the plug-in ZenUML",
    "@startuml\nA -> B": "this is PlantUML",
    "digraph { a -> b }": "this is DOT of Graphviz",
    "Here you are:\nflowchart TD\n  A": "text stands before the diagram: flowchart",
    "```mermaid\nflowchart TD\n  A\n```": "a fence stands inside of the diagram",
    "xyzzy\n  A": 'there is no diagram "xyzzy": the first word says which kind',
}
SCRIPT = """
import mermaid from './mermaid/mermaid.esm.min.mjs'
const said = []
for (const code of %s) {
  try { await mermaid.parse(code); said.push('') } catch (error) { said.push(%s) }
}
document.body.textContent = encodeURIComponent(JSON.stringify(said))
"""


@cache
def errors() -> dict[str, str]:
    """What Mermaid says of each, as the page would throw it, on one page for all."""
    said = "error.stack?.includes(error.message) ? error.stack : 'Error: ' + error.message"
    script = SCRIPT % (json.dumps([*WORDS]), said)
    page = b"<body><script type=module src=draw.js></script>"
    site = {"index.html": page, "draw.js": script.encode()}
    drawing = draw_site(site, BROWSER_LIMITS, source="", serve=mermaid.serve)
    return dict(zip(WORDS, json.loads(unquote(drawing.text)), strict=True))


@pytest.mark.parametrize(("code", "words"), WORDS.items())
def test_a_mistake_is_named_with_how_to_write_it(code, words):
    assert words in explain_error(errors()[code], code)


def test_the_grammars_words_come_last_and_are_short():
    code = FLOW + "A[Run] --> B[Parse (twice)]"
    message = explain_error(errors()[code], code)
    assert "got 'PS'): A[Run] --> B" in message
    assert len(message) < 400
