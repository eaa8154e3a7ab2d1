"""Diagrams in Mermaid, each by its own type of diagram."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from helm_structext.scenes.diagram.names import name_nodes
from helm_structext.scenes.diagram.places import edge_lines, node_lines, step_lines
from helm_structext.scenes.diagram.scene import (
    DiagramEdge,
    DiagramNode,
    DiagramScene,
    GanttScene,
    GraphScene,
    SequenceScene,
)

SIGNS = {
    "#": "#35;",
    '"': "#quot;",
    "&": "#amp;",
    "<": "#lt;",
    ">": "#gt;",
    ";": "#59;",
    "`": "#96;",
}
"""Signs that mean something in labels, and the entities that stand for them."""
PLAIN = " ,.'-?!:/"
"""What a label without quotes may have beside letters and figures."""


def escape_label(text: str) -> str:
    """Returns a text as labels have it.

    >>> escape_label('Costs < 5 & "more" #1')
    'Costs #lt; 5 #amp; #quot;more#quot; #35;1'
    """
    return "".join(SIGNS.get(char, char) for char in text)


def join_lines(lines: Sequence[str]) -> str:
    """Returns a label of several lines."""
    return "<br>".join(escape_label(line) for line in lines)


class MermaidCode:
    """The lines of a diagram, in one of several styles.

    Args:
        scene: what is drawn.
        rng: decides the style.
    """

    def __init__(self, scene: DiagramScene, rng: Random) -> None:
        self.scene = scene
        self.rng = rng
        self.indent = rng.choice(("  ", "    "))
        self.lines: list[str] = []

    def add(self, line: str, depth: int = 1) -> None:
        """Adds a line."""
        self.lines.append(self.indent * depth + line)

    def comment(self, text: str) -> None:
        """Adds a comment at times."""
        if self.rng.random() < 0.3:
            self.add(f"%% {text}")

    def close(self, variables: Mapping[str, str], settings: Mapping[str, Any]) -> str:
        """Returns the diagram, with what configures it before.

        Args:
            variables: of the theme.
            settings: of the diagram's type.
        """
        config = {
            "theme": "base",
            **settings,
            "themeVariables": {"fontFamily": "Arial, Helvetica, sans-serif", **variables},
        }
        title = self.scene.title
        head = [f"title: {json.dumps(title, ensure_ascii=False)}"] if title else []
        directive = ""
        if self.rng.random() < 0.5:
            head += ["config:", *_write_yaml(config, 1)]
        else:
            directive = f"%%{{init: {json.dumps(config)}}}%%\n"
        front = "\n".join(["---", *head, "---\n"]) if head else ""
        return front + directive + "\n".join(self.lines) + "\n"


def _write_yaml(values: Mapping[str, Any], depth: int) -> list[str]:
    lines = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            lines += [f"{'  ' * depth}{key}:", *_write_yaml(value, depth + 1)]
        else:
            plain = isinstance(value, str) and value.isalnum()
            lines.append(f"{'  ' * depth}{key}: {value if plain else json.dumps(value)}")
    return lines


def write_mermaid(scene: DiagramScene, rng: Random) -> str:
    """Writes a diagram in Mermaid.

    Args:
        scene: the diagram.
        rng: decides how it is written.
    """
    code = MermaidCode(scene, rng)
    if isinstance(scene, SequenceScene):
        return write_sequence(code, scene)
    if isinstance(scene, GanttScene):
        return write_gantt(code, scene)
    assert isinstance(scene, GraphScene)
    return GRAPHS[scene.type](code, scene)


OUTLINES = {"box": "[]", "round": "()", "stadium": ("([", "])"), "diamond": "{}"}
"""Shape → what stands around its label."""
ROLE_NAMES = {
    "flow": ("terminal", "action", "decision", "remedy"),
    "tree": ("root", "branch", "leaf", "fourth", "fifth", "sixth"),
}


def write_flow(code: MermaidCode, scene: GraphScene) -> str:
    """Writes a flow or a tree as a flowchart."""
    rng, look = code.rng, scene.look
    names = name_nodes(scene.nodes, rng)
    roles = ROLE_NAMES[scene.type]
    if len(look.paints) > 3 and scene.type == "tree":
        roles = ("root", "first", "second", "third", "fourth", "fifth")
    direction = "LR" if scene.right else rng.choice(("TD", "TB"))
    code.lines.append(f"{rng.choice(('flowchart', 'flowchart', 'graph'))} {direction}")
    inline, quoted = rng.random() < 0.5, rng.random() < 0.5
    marked, piped = rng.random() < 0.5, rng.random() < 0.6
    known: set[int] = set()

    def write_node(number: int) -> str:
        node = scene.nodes[number]
        if number in known:
            return names[number]
        known.add(number)
        first, last = OUTLINES[node.shape]
        label = write_label(node_lines(node), quoted)
        return names[number] + first + label + last + (f":::{roles[node.role]}" if marked else "")

    def write_end(edge: DiagramEdge, number: int) -> str:
        group = scene.nodes[number].group
        return write_node(number) if group is None or not edge.framed else f"phase{group + 1}"

    if scene.groups:
        for group, name in enumerate(scene.groups):
            code.add(f"subgraph phase{group + 1} [{write_label([name], True)}]")
            code.add("direction TB", 2)
            for number, node in enumerate(scene.nodes):
                if node.group == group:
                    code.add(write_node(number), 2)
            code.add("end")
    if not inline or scene.groups:
        code.comment("nodes")
        for number in range(len(scene.nodes)):
            if number not in known:
                code.add(write_node(number))
    code.comment("edges")
    for edge in scene.edges:
        source, target = write_end(edge, edge.source), write_end(edge, edge.target)
        code.add(f"{source} {write_arrow(edge, piped)} {target}")
    for role, paint in enumerate(look.paints):
        members = [name for name, node in zip(names, scene.nodes, strict=True) if node.role == role]
        if members:
            style = f"fill:{paint.fill},stroke:{paint.stroke},color:{paint.ink}"
            code.add(f"classDef {roles[role]} {style},stroke-width:{look.width}px")
            if not marked:
                code.add(f"class {','.join(members)} {roles[role]}")
    code.add(f"linkStyle default stroke:{look.line},stroke-width:{look.width}px")
    return code.close(
        {
            "lineColor": look.line,
            "textColor": look.ink,
            "edgeLabelBackground": "#ffffff",
            **(
                {
                    "clusterBkg": look.frame.fill,
                    "clusterBorder": look.frame.stroke,
                    "titleColor": look.frame.ink,
                }
                if scene.groups
                else {}
            ),
        },
        {"flowchart": {"curve": "linear"}},
    )


def write_label(lines: Sequence[str], quoted: bool) -> str:
    """Returns a label, in quotes where it needs some.

    >>> write_label(["In stock?"], False), write_label(["a (b)"], False)
    ('In stock?', '"a (b)"')
    """
    plain = all(char.isalnum() or char in PLAIN for line in lines for char in line)
    reserved = any(word.lower() in ("end", "default") for line in lines for word in line.split())
    label = join_lines(lines)
    return label if plain and not quoted and not reserved else f'"{label}"'


def write_arrow(edge: DiagramEdge, piped: bool) -> str:
    """Returns an edge with its label, in one of two ways.

    >>> write_arrow(DiagramEdge(0, 1, "Yes"), True), write_arrow(DiagramEdge(0, 1, "Yes"), False)
    ('-->|Yes|', '-- Yes -->')
    """
    if edge.head == "none":
        return "---"
    arrow = "-.->" if edge.dashed else "-->"
    if not edge.text:
        return arrow
    label = write_label(edge_lines(edge.text), False)
    if piped:
        return f"{arrow}|{label}|"
    return f"-. {label} .->" if edge.dashed else f"-- {label} -->"


def write_sequence(code: MermaidCode, scene: SequenceScene) -> str:
    """Writes a sequence."""
    rng, look = code.rng, scene.look
    people = [DiagramNode(name) for name in scene.participants]
    names = [
        name.replace("step", "p").replace("n", "p") if name[-1].isdigit() else name
        for name in name_nodes(people, rng)
    ]
    code.lines.append("sequenceDiagram")
    if scene.numbers:
        code.add("autonumber")
    for name, text in zip(names, scene.participants, strict=True):
        code.add(f"participant {name} as {escape_label(text)}")
    first = {begin: True for _, begin, _ in scene.spans}
    last = {end: True for _, _, end in scene.spans}
    short = rng.random() < 0.5
    depth = 1
    for number, step in enumerate(scene.steps):
        text = join_lines(step_lines(step.text))
        source, target = names[step.source], names[step.target]
        if step.kind == "message":
            sign = "+" if number in first and short else "-" if number in last and short else ""
            code.add(f"{source}{'-->>' if step.reply else '->>'}{sign}{target}: {text}", depth)
            if not short and number in first:
                code.add(f"activate {target}", depth)
            if not short and number in last:
                code.add(f"deactivate {source}", depth)
        elif step.kind == "note":
            over = source if source == target else f"{source},{target}"
            code.add(f"Note over {over}: {text}", depth)
        elif step.kind == "end":
            depth -= 1
            code.add("end", depth)
        else:
            code.add(f"{step.kind} {escape_label(step.text)}", depth)
            depth += 1
    actor, note = look.paints
    framed = any(step.kind == "end" for step in scene.steps)
    return code.close(
        {
            "textColor": look.ink,
            "actorBkg": actor.fill,
            "actorBorder": actor.stroke,
            "actorTextColor": actor.ink,
            "actorLineColor": look.frame.stroke,
            "signalColor": look.line,
            "signalTextColor": look.ink,
            "labelBoxBkgColor": look.frame.fill,
            "labelBoxBorderColor": look.line,
            "labelTextColor": look.ink,
            "loopTextColor": look.ink,
            "noteBkgColor": note.fill,
            "noteBorderColor": note.stroke,
            "noteTextColor": note.ink,
            "activationBkgColor": look.frame.fill,
            "activationBorderColor": look.line,
            "sequenceNumberColor": "#ffffff",
        },
        {"sequence": {"mirrorActors": scene.mirrored, **({"boxMargin": 20} if framed else {})}},
    )


def write_states(code: MermaidCode, scene: GraphScene) -> str:
    """Writes states."""
    rng, look = code.rng, scene.look
    inner = scene.nodes[1:-1]
    names = ["[*]", *name_nodes(inner, rng), "[*]"]
    code.lines.append("stateDiagram-v2")
    if scene.right:
        code.add("direction LR")
    spelled = rng.random() < 0.5
    for name, node in zip(names[1:-1], inner, strict=True):
        label = join_lines(node_lines(node))
        code.add(f'state "{label}" as {name}' if spelled else f"{name}: {label}")
    code.comment("transitions")
    for edge in scene.edges:
        text = join_lines(edge_lines(edge.text))
        code.add(f"{names[edge.source]} --> {names[edge.target]}" + (f": {text}" if text else ""))
    for role, paint in enumerate(look.paints):
        members = [name for name, node in zip(names[1:-1], inner, strict=True) if node.role == role]
        if members:
            title = ("main", "aside")[role]
            code.add(
                f"classDef {title} fill:{paint.fill},stroke:{paint.stroke},color:{paint.ink},"
                f"stroke-width:{look.width}px"
            )
            code.add(f"class {','.join(members)} {title}")
    return code.close(
        {
            "lineColor": look.line,
            "textColor": look.ink,
            "transitionColor": look.line,
            "transitionLabelColor": look.ink,
            "specialStateColor": look.line,
            "edgeLabelBackground": "#ffffff",
        },
        {},
    )


RELATIONS = {
    "triangle": "<|--",
    "filled diamond": "*--",
    "diamond": "o--",
    "open arrow": "-->",
}


def write_classes(code: MermaidCode, scene: GraphScene) -> str:
    """Writes classes."""
    rng, look = code.rng, scene.look
    plain = all(node.text.isascii() and node.text.isalnum() for node in scene.nodes)
    names = [node.text for node in scene.nodes] if plain else name_nodes(scene.nodes, rng)
    code.lines.append("classDiagram")
    code.add(f"direction {rng.choice(('TB', 'TD'))}" if rng.random() < 0.5 else "direction TB")
    before = rng.random() < 0.5

    def add_relations() -> None:
        for edge in scene.edges:
            arrow = "..>" if edge.dashed else RELATIONS[edge.head]
            text = f" : {escape_label(edge.text)}" if edge.text else ""
            code.add(f"{names[edge.source]} {arrow} {names[edge.target]}{text}")

    if before and plain:
        add_relations()
    for name, node in zip(names, scene.nodes, strict=True):
        label = "" if name == node.text else f'["{escape_label(node.text)}"]'
        code.add(f"class {name}{label} {{")
        for member in (*node.attributes, *node.methods):
            code.add(escape_label(member), 2)
        code.add("}")
    if not (before and plain):
        add_relations()
    for role, paint in enumerate(look.paints):
        style = (
            f"fill:{paint.fill},stroke:{paint.stroke},color:{paint.ink},stroke-width:{look.width}px"
        )
        for name, node in zip(names, scene.nodes, strict=True):
            if node.role == role:
                code.add(f"style {name} {style}")
    return code.close(
        {
            "lineColor": look.line,
            "textColor": look.ink,
            "primaryTextColor": look.ink,
            "primaryColor": "#ffffff",
        },
        {},
    )


def write_mind_map(code: MermaidCode, scene: GraphScene) -> str:
    """Writes a mind map."""
    rng = code.rng
    code.lines.append("mindmap")
    named = rng.random() < 0.5
    branches = {edge.target for edge in scene.edges if edge.source == 0}
    names = name_nodes(scene.nodes, rng)
    for number, node in enumerate(scene.nodes):
        label = write_label(node_lines(node), False)
        name = names[number] if named or number == 0 else ""
        depth = 1 if number == 0 else 2 if number in branches else 3
        first, last = ("((", "))") if number == 0 else "()"
        code.add(f"{'root' if number == 0 else name}{first}{label}{last}", depth)
    variables: dict[str, str] = {}
    for role, paint in enumerate(scene.look.paints):
        if role == 0:
            variables |= {"git0": paint.fill, "gitBranchLabel0": paint.ink}
        else:
            variables |= {f"cScale{role}": paint.fill, f"cScaleLabel{role}": paint.ink}
    return code.close(variables, {"layout": "tidy-tree"})


def write_gantt(code: MermaidCode, scene: GanttScene) -> str:
    """Writes a plan as a Gantt chart."""
    rng, look = code.rng, scene.look
    code.lines.append("gantt")
    code.add("dateFormat YYYY-MM-DD")
    code.add(f"axisFormat {scene.day_format}")
    code.add(f"tickInterval 1{scene.unit}")
    if scene.unit == "week":
        code.add("weekday monday")
    code.add("todayMarker off")
    dated, number = rng.random() < 0.5, 0
    for name, tasks in scene.sections:
        code.add(f"section {escape_label(name)}")
        first = number
        for task in tasks:
            start = (
                f"after t{first + task.after + 1}" if task.after is not None else f"{task.start}"
            )
            length = f"{task.stop}" if dated and task.days else f"{task.days}d"
            state = f"{task.state}, " if task.state else ""
            number += 1
            code.add(f"{escape_label(task.text)} :{state}t{number}, {start}, {length}", 1 + dated)
    normal, done, active, crit = look.paints
    css = f".grid .tick line {{ stroke: {look.frame.stroke}; }}"
    if done.ink != look.ink:  # a text beside its bar stands on white, which marked tasks forget
        beside = ", ".join(f".taskTextOutside{side}" for side in ("Left", "Right"))
        css += f" {beside} {{ fill: {look.ink} !important; }}"
    return code.close(
        {
            "textColor": look.ink,
            "titleColor": look.ink,
            "gridColor": look.frame.stroke,
            "sectionBkgColor": look.frame.stroke,
            "altSectionBkgColor": "#ffffff",
            "sectionBkgColor2": look.frame.stroke,
            "taskBkgColor": normal.fill,
            "taskBorderColor": normal.stroke,
            "taskTextColor": normal.ink,
            "taskTextLightColor": normal.ink,
            "taskTextDarkColor": done.ink,
            "taskTextOutsideColor": look.ink,
            "doneTaskBkgColor": done.fill,
            "doneTaskBorderColor": done.stroke,
            "activeTaskBkgColor": active.fill,
            "activeTaskBorderColor": active.stroke,
            "critBkgColor": crit.fill,
            "critBorderColor": crit.stroke,
        },
        {
            "themeCSS": css,
            "gantt": {"fontSize": 14, "sectionFontSize": 14, "barHeight": 24, "leftPadding": 140},
        },
    )


GRAPHS = {
    "flow": write_flow,
    "tree": write_flow,
    "state": write_states,
    "class": write_classes,
    "mind map": write_mind_map,
}
"""Type → how it is written."""
