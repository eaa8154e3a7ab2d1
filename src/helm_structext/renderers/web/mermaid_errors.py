"""What Mermaid says of a diagram: its place in the code, the likely reason, and then the grammar's words.

A grammar names the tokens that it expected (``Expecting 'SQE', 'PE', …, got 'PS'``), not what is wrong.
What stands in the line, and in which kind of diagram, tells that for the usual mistakes.
"""

from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from helm_structext.patterns import Pattern
from helm_structext.renderers.edits import Traced, remove_matches
from helm_structext.renderers.engine import add_place
from helm_structext.texts import shorten_text

STACK = Pattern(r"\n\s+at ")
# Classes whose names say nothing; most are a letter in the package.
CLASS = Pattern(r"\A(?:Error|UnknownDiagramError|\w): ")
# Errors of its grammars, and of its newer parsers: "Lexer error on line 2, column 8: …".
GRAMMAR = Pattern(
    r"(?s)\A(?:\w+: )?(?:Parse|Lexical) error on line ([0-9]{1,7})"
    r"(?::|\. Unrecognized text\.)\n.{0,500}?\n-*\^"
)
PARSER = Pattern(r" on line ([0-9]{1,7}), column ([0-9]{1,7}):")
# What it leaves out before it parses a diagram.
FRONT_MATTER = Pattern(r"(?s)\A-{3}\s*[\n\r].*?[\n\r]-{3}\s*[\n\r]+")
DIRECTIVE = Pattern(r"(?s)%%\{.*?\}%%")
COMMENT = Pattern(r"(?m)^\s*%%[^{\n][^\n]*\n?")
BLANK_START = Pattern(r"\A\s+")
HEADER = Pattern(r"(?m)^[ \t]*([A-Za-z@`<][\w@`-]{0,60})", ascii=True)
SECOND = Pattern(
    r"(?m)^[ \t]*(sequenceDiagram|classDiagram|stateDiagram(?:-v2)?|erDiagram|requirementDiagram"
    r"|gitGraph|quadrantChart|(?:flowchart|graph)[ \t]+(?:TB|TD|BT|RL|LR))[ \t]*;?[ \t]*$"
)
MAX_LINE, MAX_TOKENS, MAX_END, MAX_HEADERS = 500, 120, 40, 1_000
"""Characters of a line that are looked at, of the grammar's words that are kept, first and last, and lines."""

# Kinds of diagrams, by the words that they begin with.
FLOW = r"flowchart|flowchart-elk|graph|swimlane-beta"
SEQUENCE, CLASSES, STATES, ENTITIES = (
    "sequenceDiagram",
    r"classDiagram.*",
    r"stateDiagram.*",
    "erDiagram",
)
LABELS = rf"{FLOW}|block.*|mindmap|kanban"


class MermaidRule(NamedTuple):
    """A usual mistake: in which kinds of diagrams, what Mermaid says, what stands in the line, and advice.

    {0} in the advice is the first group of the line's pattern.
    """

    kinds: Pattern
    said: Pattern
    line: Pattern
    advice: str


def _rule(kinds: str, said: str, line: str, advice: str) -> MermaidRule:
    return MermaidRule(Pattern(rf"(?:{kinds})\z"), Pattern(said), Pattern(line), advice)


ENDS = "got '(?:1|EOF)'"
UNKNOWN = "^unknown text"
RULES = (
    _rule(
        ".*",
        r"YAML|mapping entry|flow collection",
        "",
        "the front matter between --- is not YAML: a value with a colon stands in quotes",
    ),
    _rule(
        ".*",
        "unexpected character: ->[#/]",
        r"\s(?:#|//)",
        "a comment is a line of its own that begins with %%",
    ),
    # Flowcharts, and what has their labels.
    _rule(
        FLOW,
        "'SQE'.*got 'STR'",
        r"^subgraph",
        'a title of several words stands in brackets: subgraph id ["A title"]',
    ),
    _rule(
        FLOW,
        "got 'P[SE]'|got 'SQS'",
        r"^subgraph\s+([^\[\]\"]+?)\s*$",
        'quote the title: subgraph id ["{0}"]',
    ),
    _rule(FLOW, "got 'STR'", r"\"[^\"]*\"", "a quote inside of a label is written #quot;"),
    _rule(FLOW, "'SQE'.*got", r"\|([^\"|]*[()\[\]{}][^\"|]*)\|", 'quote the label: |"{0}"|'),
    _rule(LABELS, "", r"([\w-]+\[)([^\"\[\]]*[(){}@][^\"\[\]]*)\]", 'quote the label: {0}"{1}"]'),
    _rule(
        LABELS,
        "",
        r"([\w-]+\[)([^\"\[\]]*\[[^\"\[\]]*\][^\"\[\]]*)\]",
        'quote the label: {0}"{1}"]',
    ),
    _rule(
        LABELS,
        "got|unknown",
        r"([\w-]+\{)([^\"{}]*[()\[\]][^\"{}]*)\}",
        'quote the label: {0}"{1}"}}',
    ),
    _rule(
        LABELS,
        "got|unknown",
        r"([\w-]+\()([^\"()]*\([^\"()]*\)[^\"()]*)\)",
        'quote the label: {0}"{1}")',
    ),
    _rule(
        LABELS,
        "got 'PIPE'|got 'NODE_ID'|got 'SPACELIST'",
        r"[|()\[\]{}]",
        'a label with brackets or bars stands in quotes: A["f(x)"]',
    ),
    _rule(FLOW, UNKNOWN, r"([\w-]+\[)(/[^\]]*[^/\\\]])\]", 'quote the label: {0}"{1}"]'),
    _rule(FLOW, "got 'SQE'", r"\[\]", 'a label is not empty: A[" "]'),
    _rule(FLOW, "got 'LINK_ID'", "@", 'a label with "@" stands in quotes: A["@name"]'),
    _rule(FLOW, "got 'end'", r"^end[;\s]*$", '"end" closes no subgraph: none is open'),
    _rule(
        FLOW,
        "got 'end'",
        "",
        '"end" is the word that closes a subgraph: name the node End, or otherwise',
    ),
    _rule(FLOW, rf"'SQE'.*{ENDS}", "", "a label, or its quote, is not closed"),
    _rule(FLOW, rf"'end'.*{ENDS}", "", 'a subgraph is not closed by "end"'),
    _rule(
        FLOW,
        r"'NODE_STRING'.*got '(?:EOF|NEWLINE|SEMI)'",
        r"[-=.]+[>xo-]\s*$",
        "an arrow leads nowhere",
    ),
    _rule(FLOW, "got|unknown", r"^#|//", "a comment is a line of its own that begins with %%"),
    _rule(FLOW, "got|unknown", r"[→⇒⟶➔]|[^-.=<]->", "an arrow is written -->"),
    _rule(
        FLOW,
        "got|unknown",
        r"[-=.]+[>xo-]\s*[\w-]+\s*:\s",
        "the label of an arrow stands between bars: A -->|label| B",
    ),
    _rule(
        FLOW,
        UNKNOWN,
        r"^(?:style|classDef|linkStyle)\s",
        "styles are written fill:#f00,stroke:#000",
    ),
    _rule(
        FLOW,
        "got",
        r"(?i)^(participant|actor|note|activate|deactivate|loop|alt|autonumber)\s",
        '"{0}" belongs to sequence diagrams',
    ),
    _rule(
        FLOW,
        "'NEWLINE', got",
        rf"^(?:{FLOW})\s",
        "the first line holds the kind and its direction alone",
    ),
    _rule(
        FLOW,
        UNKNOWN,
        rf"^(?:{FLOW})\s+(\S+)",
        'there is no direction "{0}": it is TB, TD, BT, LR or RL',
    ),
    _rule(
        FLOW,
        "got 'NODE_STRING'",
        r"^([\pL\pN_]+) ([\pL\pN_]+)\s*(?:[-=.]{2,}|$)",
        'the name of a node has no blanks: {0}_{1}["{0} {1}"]',
    ),
    _rule(
        FLOW,
        "got 'NODE_STRING'",
        "",
        "a node or a line end is missing: each statement has a line, and names have no blanks",
    ),
    _rule(
        FLOW,
        r"setting 'style'",
        "",
        "linkStyle counts arrows from 0, and there is none of its number",
    ),
    _rule(FLOW, "got 'NEWLINE'", r"^class\s", "classes are given by: class A,B name"),
    # Sequences.
    _rule(
        SEQUENCE,
        "got 'NEWLINE'|got 'INVALID'|" + ENDS,
        r":[^;]*;",
        '";" ends the statement: write #59; or a comma',
    ),
    _rule(
        SEQUENCE,
        "got",
        r"(?i)^note\s",
        "a note is written: Note right of A: text, or Note over A,B: text",
    ),
    _rule(
        SEQUENCE,
        "got",
        r"^[^:]*(?:=>|→|<-[^>]|>\s+>)",
        "arrows are written ->>, -->>, ->, -->, -x and -)",
    ),
    _rule(
        SEQUENCE,
        r"'TXT', got|'TXT'.*got 'NEWLINE'|'\+', '-'.*got 'NEWLINE'",
        "",
        "a message needs a text: A->>B: text",
    ),
    _rule(
        SEQUENCE,
        "got '(?:else|and|option)'",
        r"^(\w+)",
        '"{0}" belongs in a block: alt … else, par … and, critical … option',
    ),
    _rule(SEQUENCE, "got 'end'", r"^end\s*$", '"end" closes nothing: no block is open'),
    _rule(
        SEQUENCE,
        "got 'end'",
        "",
        '"end" is the word that closes a block: name the participant otherwise',
    ),
    _rule(
        SEQUENCE,
        rf"'end'.*{ENDS}|'else'.*{ENDS}",
        "",
        'a block (loop, alt, opt, par, rect, …) is not closed by "end"',
    ),
    _rule(SEQUENCE, "got", "", "a line is a message such as A->>B: text, or begins with a keyword"),
    # Classes, states, entities.
    _rule(CLASSES, "got 'EOF_IN_STRUCT'", "", 'a class is not closed by "}}"'),
    _rule(
        CLASSES,
        "got 'OPEN_IN_STRUCT'",
        "",
        "a class has members, one on each line, and no braces inside",
    ),
    _rule(CLASSES, "got|unknown", r"^note\s", 'a note is written: note for A "text"'),
    _rule(CLASSES, "got|unknown", r"(\w+)<(\w+)>", "generic types are written {0}~{1}~"),
    _rule(
        CLASSES,
        "got|unknown",
        r"^(abstract|interface|enum)\s",
        "what a class is stands inside of it: class A {{ <<{0}>> }}",
    ),
    _rule(
        CLASSES,
        "got|unknown",
        r"[^-.]->|[^.-]<-[^-]|=>",
        "relations are written <|--, *--, o--, -->, --, ..>, ..|> and ..",
    ),
    _rule(CLASSES, "", ";", 'a label has no ";"'),
    _rule(STATES, "got|unknown", r"^note\s", "a note is written: note right of A : text"),
    _rule(
        STATES,
        "got 'STRING'",
        r"\"([^\"]*)\"",
        'a state with blanks is declared first: state "{0}" as s1',
    ),
    _rule(STATES, "got", r"[^-]->|=>|→", "an arrow is written -->"),
    _rule(STATES, rf"'STRUCT_STOP'.*{ENDS}", "", 'a state is not closed by "}}"'),
    _rule(
        ENTITIES,
        "'COLON'.*got '(?:NEWLINE|EOF)'",
        r"^(.*\S)",
        "a relation needs a label: {0} : has",
    ),
    _rule(ENTITIES, "'COLON'.*got", "", 'a name with blanks stands in quotes: "LINE ITEM"'),
    _rule(
        ENTITIES,
        "got 'ZERO_OR_MORE'|got 'UNICODE_TEXT'",
        r":\s*([^\"]+ [^\"]+)$",
        'a label of several words stands in quotes: "{0}"',
    ),
    _rule(
        ENTITIES,
        "'ONLY_ONE'.*got",
        "",
        "a relation is written A ||--o{{ B : has, with ||, |o, o|, }}|, |{{, }}o or o{{ on each side",
    ),
    _rule(ENTITIES, "got 'ATTRIBUTE_KEY'", "", "keys are separated by commas: PK, FK"),
    _rule(
        ENTITIES, "'ATTRIBUTE_KEY', got", "", "keys are PK, FK and UK; a remark stands in quotes"
    ),
    _rule(
        ENTITIES, "got ':'", "", "an attribute is a type and a name, without a colon: string name"
    ),
    _rule(ENTITIES, "got ';'", "", 'an attribute ends with its line, without ";"'),
    _rule(
        ENTITIES,
        r"'COMMENT', got",
        r"[(\[]",
        'a remark on an attribute stands in quotes: string name "key"',
    ),
    _rule(
        ENTITIES,
        "'ATTRIBUTE_WORD'.*got 'BLOCK_STOP'",
        "",
        "an attribute needs a type and a name: string name",
    ),
    _rule(
        ENTITIES,
        "'ATTRIBUTE_WORD'.*got",
        "",
        "the type of an attribute is one word, such as decimal or varchar(255)",
    ),
    # Charts and the rest.
    _rule(
        "gantt|journey",
        "'taskData'",
        "",
        "a task needs a colon: Name : id, 2026-01-31, 5d in gantt, or Name: 5: Me in journey",
    ),
    _rule("gantt", "^Invalid date", "", "a start is a date as dateFormat says, or after and an id"),
    _rule("pie", "unexpected character", r"^[A-Za-z]", 'names stand in quotes: "A" : 10'),
    _rule("pie", "Lexer|Parse", "", "a value is a number without other signs"),
    _rule("mindmap", "only one root", "", "all lines but the first are indented below it"),
    _rule("gitGraph", "'STRING'", "", 'a text stands in quotes: commit id: "abc"'),
    _rule(
        "gitGraph",
        "'EOF' but found",
        r"^(\S+)",
        'there is no command "{0}": it is commit, branch, checkout, merge or cherry-pick',
    ),
    _rule(
        "quadrantChart",
        UNKNOWN,
        r"\[",
        'coordinates are from 0 to 1, and a name with other signs than letters stands in quotes: "A (b)": [0.3, 0.6]',
    ),
    _rule("xychart.*", "NUMBER", "", "values are numbers between commas: bar [1, 2.5]"),
    _rule("sankey.*", "COMMA", "", "a line is source,target,value"),
    _rule(
        "architecture.*", "'ARROW_DIRECTION'|':'", r"[-<>]", "an edge names its sides: a:R --> L:b"
    ),
    _rule("packet.*", "'STRING'", r":\s*(.*\S)", 'names stand in quotes: "{0}"'),
    _rule("requirement.*", "got", "", "a text with signs stands in quotes"),
    _rule(
        "C4.*", ENDS, "", 'a bracket is not closed; texts stand in quotes: Person(a, "Name (who)")'
    ),
    _rule("C4.*", "got", "", 'texts stand in quotes: Person(a, "Name (who)")'),
)

NAMES = (
    *(
        "architecture-beta",
        "block",
        "C4Component",
        "C4Container",
        "C4Context",
        "C4Deployment",
        "C4Dynamic",
    ),
    *(
        "classDiagram",
        "cynefin-beta",
        "erDiagram",
        "eventmodeling",
        "flowchart",
        "gantt",
        "gitGraph",
        "graph",
    ),
    *(
        "ishikawa-beta",
        "journey",
        "kanban",
        "mindmap",
        "packet",
        "pie",
        "quadrantChart",
        "radar-beta",
    ),
    *(
        "railroad-beta",
        "requirementDiagram",
        "sankey",
        "sequenceDiagram",
        "stateDiagram-v2",
        "swimlane-beta",
    ),
    *("timeline", "treeView-beta", "treemap", "venn-beta", "wardley-beta", "xychart", "zenuml"),
)
"""What diagrams begin with."""
BY_LOWER_CASE = {name.lower(): name for name in NAMES}
OTHERS = {
    **dict.fromkeys(
        ("usecase-beta", "usecase", "usecasediagram", "agentflow-beta"),
        "diagrams of this kind need Mermaid 12: usecase-beta, agentflow-beta",
    ),
    **dict.fromkeys(
        ("activitydiagram", "componentdiagram", "deploymentdiagram", "networkdiagram"),
        "Mermaid has no diagrams of this kind; a flowchart can show it",
    ),
    "zenuml": "diagrams of this kind need the plug-in ZenUML, which the corrected protocol has",
    "@startuml": "this is PlantUML, not Mermaid",
    "digraph": "this is DOT of Graphviz, not Mermaid",
    "strict": "this is DOT of Graphviz, not Mermaid",
    "mermaid": "the word mermaid belongs in the fence, not in the diagram",
}
"""What else is known of a first word."""
NO_KIND = "No diagram type detected"


def explain_error(error: str, code: str) -> str:
    r"""Returns what an exception says, with the likely reason, its place in the code and what stands there.

    Mermaid counts lines without front matter, directives and comments, and a line end that it adds.

    >>> said = "Error: Parse error on line 3:\n...A -->\n----^\nExpecting 'X', got 'EOF'"
    >>> explain_error(said, "---\ntitle: T\n---\n%% why\ngraph TD\nA -->\n")
    "line 6: the text ends too early (Expecting 'X', got 'EOF'): A -->"
    >>> explain_error("Error: Parse error on line 2:\na\n-^\nExpecting 'SQE', got 'PS'", "graph TD\n A[f(x)]")
    'line 2: quote the label: A["f(x)"] (Expecting \'SQE\', got \'PS\'): A[f(x)]'
    """
    said = reason(error)
    body = _parse(code)
    first = HEADER.search(body.text)
    kind = first[1] if first else ""
    if said.startswith(NO_KIND):
        return f"{explain_kind(kind, body.text)} ({said})"
    line = column = 0
    if grammar := GRAMMAR.match(error):
        rest = error[grammar.end() :].partition("\n    at ")[0]
        said = " ".join(rest.split()) or "unknown text"
        line = _line(code, body, int(grammar[1]))
    elif parser := PARSER.search(said):
        line, column = _line(code, body, int(parser[1])), int(parser[2])
        said = PARSER.sub(":", said)
    text = "".join(code.split("\n")[line - 1 : line]).strip() if line else ""
    advice = find_advice(kind, said, text) or (explain_token(said) if line else "")
    if line and (second := SECOND.search(body.text[first.end() :] if first else "")):
        advice = f"a second diagram begins: {second[1]}; each is a file of its own"
    if advice:
        short = said if len(said) <= MAX_TOKENS else f"{said[:MAX_TOKENS]} … {said[-MAX_END:]}"
        said = f"{advice} ({short})"
    return add_place(code, said, line, column) if line else said


def find_advice(kind: str, said: str, line: str) -> str:
    """Returns what a usual mistake is and how to write it instead, or "".

    Args:
        kind: the first word of the diagram.
        said: by Mermaid.
        line: that it names, or "".

    >>> find_advice("sequenceDiagram", "Expecting 'X', got 'NEWLINE'", "A->>B: done; no more")
    '";" ends the statement: write #59; or a comma'
    """
    for rule in RULES:
        if not (rule.kinds.match(kind) and rule.said.search(said)):
            continue
        if found := rule.line.search(line[:MAX_LINE]):
            return rule.advice.format(*found.groups())
    return ""


GOT = Pattern(r"got '([^']+)'\z")
TOKENS = {
    "1": "the text ends too early",
    "EOF": "the text ends too early",
    "NEWLINE": "the line ends too early",
    "NL": "the line ends too early",
    "PS": '"(" is not expected here',
    "PE": '")" is not expected here',
    "SQS": '"[" is not expected here',
    "SQE": '"]" is not expected here',
    "STR": "a text in quotes is not expected here",
}


def explain_token(said: str) -> str:
    """Returns what a grammar found, in words, or "".

    >>> explain_token("Expecting 'A', got 'NEWLINE'"), explain_token("Expecting 'A', got 'CLASS'")
    ('the line ends too early', 'CLASS is not expected here')
    """
    found = GOT.search(said)
    return TOKENS.get(found[1], f"{found[1]} is not expected here") if found else ""


def explain_kind(kind: str, diagram: str) -> str:
    """Returns why Mermaid does not know what a diagram is.

    Args:
        kind: its first word.
        diagram: all of it.

    >>> explain_kind("flowchrt", "flowchrt TD"), explain_kind("@startuml", "@startuml")
    ('there is no diagram "flowchrt": it may be meant as flowchart', 'this is PlantUML, not Mermaid')
    """
    if said := OTHERS.get(kind.lower()):
        return said
    if kind.startswith("`"):
        return "a fence stands inside of the diagram"
    later = [found[1] for found in islice(HEADER.finditer(diagram), 1, MAX_HEADERS)]
    if named := next((name for name in later if name in NAMES), ""):
        return f"text stands before the diagram: {named} has to be its first word"
    if near := get_close_matches(kind.lower(), BY_LOWER_CASE, 1):
        return f'there is no diagram "{kind}": it may be meant as {BY_LOWER_CASE[near[0]]}'
    return f'there is no diagram "{kind}": the first word says which kind it is, such as flowchart'


def _parse(code: str) -> Traced:
    """What Mermaid parses of the code."""
    left = Traced(code)
    for cut in (FRONT_MATTER, DIRECTIVE, COMMENT, BLANK_START):
        left = left.edited(remove_matches(cut))
    return left


def _line(code: str, body: Traced, number: int) -> int:
    """Which line of the code is the line of this number in what Mermaid parses."""
    start = 0
    for _ in range(number - 1):
        if (end := body.text.find("\n", start)) < 0:
            return code.count("\n") + 1
        start = end + 1
    return code.count("\n", 0, body.origin(start)) + 1


def reason(error: str) -> str:
    r"""What an exception says, on one line, without where it was thrown.

    >>> reason("Error: Parse error on line 2:\n...A --> --^\nExpecting 'X'\n    at parse (http://…)")
    "Parse error on line 2: ...A --> --^ Expecting 'X'"
    """
    stack = STACK.search(error)
    said = CLASS.sub("", error[: stack.start()] if stack else error)
    return shorten_text(" ".join(said.split()), 500)
