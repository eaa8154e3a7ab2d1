r"""Diagrams in TikZ, with all in its place: absolutely, or each node from another one."""

from collections.abc import Sequence
from math import dist
from random import Random

from helm_structext.scenes.diagram.layout import Point
from helm_structext.scenes.diagram.names import name_nodes
from helm_structext.scenes.diagram.places import (
    BAR,
    BAR_HEIGHT,
    MARGIN,
    PLAN_WIDTH,
    EdgeLine,
    GraphPlaces,
    NodeBox,
    StepPlace,
    TaskBar,
    clip_ends,
    place_nodes,
    place_plan,
    place_sequence,
)
from helm_structext.scenes.diagram.scene import (
    DiagramEdge,
    DiagramScene,
    GanttScene,
    GraphScene,
    Paint,
    SequenceScene,
    plan_role,
)
from helm_structext.scenes.writing import TEX_SIGNS

SCALE = 40
"""Pixels of a centimeter: labels of 14 pixels have 10 points, as a document's text."""
LATIN = ("en", "de", "fr", "es")
"""Languages whose letters pdfTeX's fonts have; others need the system's."""
FONTS = r"""\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{helvet}
\renewcommand{\familydefault}{\sfdefault}"""
SYSTEM_FONTS = r"""\usepackage{fontspec}
\setmainfont{Liberation Sans}"""
CJK_FONTS = r"""\usepackage{xeCJK}
\setmainfont{Liberation Sans}
\setCJKmainfont[AutoFakeBold]{WenQuanYi Micro Hei}
\xeCJKsetup{CJKecglue={}}"""


def escape_tex(text: str) -> str:
    r"""Returns a text as TeX has it.

    >>> escape_tex("R&D: 50% of #1")
    'R\\&D: 50\\% of \\#1'
    """
    return text.translate(TEX_SIGNS)


def join_rows(lines: Sequence[str]) -> str:
    r"""Returns a label of several lines.

    >>> join_rows(["a", "b"])
    'a\\\\b'
    """
    return r"\\".join(escape_tex(line) for line in lines)


class TikzCode:
    """The lines of a picture, in one of several styles.

    Args:
        scene: what is drawn.
        rng: decides the style.
    """

    def __init__(self, scene: DiagramScene, rng: Random) -> None:
        self.scene = scene
        self.rng = rng
        self.indent = rng.choice(("  ", "    "))
        self.named = rng.random() < 0.5
        self.colors: dict[str, str] = {}
        self.styles: dict[str, str] = {}
        self.libraries = ["arrows.meta"]
        self.lines: list[str] = []

    def add(self, line: str, depth: int = 1) -> None:
        """Adds a line."""
        self.lines.append(self.indent * depth + line)

    def comment(self, text: str) -> None:
        """Adds a comment at times."""
        if self.rng.random() < 0.5:
            self.add(f"% {text}")

    def color(self, name: str, value: str) -> str:
        """Returns the name of a color, which it defines."""
        if value == "#ffffff":
            return "white"
        self.colors[name] = value.removeprefix("#").upper()
        return name

    def paint(self, name: str, paint: Paint) -> str:
        """Returns the options that paint a class of nodes."""
        fill, stroke = (
            self.color(f"{name}fill", paint.fill),
            self.color(f"{name}line", paint.stroke),
        )
        return f"draw={stroke}, fill={fill}, text={self.color(f'{name}text', paint.ink)}"

    @property
    def line_width(self) -> str:
        """The width of lines."""
        return f"line width={self.scene.look.width * 0.75:g}pt"

    def close(self) -> str:
        """Returns the document."""
        language = self.scene.language
        fonts = (
            FONTS if language in LATIN else CJK_FONTS if language in ("zh", "ja") else SYSTEM_FONTS
        )
        colors = [
            f"\\definecolor{{{name}}}{{HTML}}{{{value}}}" for name, value in self.colors.items()
        ]
        styles = [f"{self.indent}{name}/.style={{{value}}}," for name, value in self.styles.items()]
        begin = r"\begin{tikzpicture}"
        if self.named:
            opening = [r"\begin{document}", begin + "[", *styles, "]"]
        else:
            opening = [r"\tikzset{", *styles, "}", r"\begin{document}", begin]
        return "\n".join(
            [
                r"\documentclass[tikz,border=8pt]{standalone}",
                fonts,
                f"\\usetikzlibrary{{{', '.join(dict.fromkeys(self.libraries))}}}",
                *colors,
                *opening,
                *self.lines,
                r"\end{tikzpicture}",
                r"\end{document}",
                "",
            ]
        )


def length(pixels: float) -> str:
    """Returns a length in centimeters.

    >>> length(100), length(-1)
    ('2.5', '-0.025')
    """
    return f"{round(pixels / SCALE, 3) + 0:g}"


def at(point: Point) -> str:
    """Returns a point of a picture whose rows go down.

    >>> at((40, 20))
    '(1, -0.5)'
    """
    return f"({length(point[0])}, {length(-point[1])})"


def write_tikz(scene: DiagramScene, rng: Random) -> str:
    """Writes a diagram in TikZ, as a document.

    Args:
        scene: the diagram.
        rng: decides how it is written.
    """
    code = TikzCode(scene, rng)
    if isinstance(scene, SequenceScene):
        write_lanes(code, scene)
    elif isinstance(scene, GanttScene):
        write_rows(code, scene)
    else:
        assert isinstance(scene, GraphScene)
        write_nodes(code, scene)
    return code.close()


ROLES = {
    "flow": ("terminal", "action", "decision", "remedy"),
    "class": ("base", "heir"),
    "state": ("main", "aside"),
}
PARTS = ("one", "two", "three", "four", "five", "six")
HEADS = {
    "arrow": "-{Latex[length=2.4mm]}",
    "none": "-",
    "open arrow": "-{Straight Barb[length=2mm]}",
    "triangle": "{Triangle[open, length=3mm, width=3mm]}-",
    "filled diamond": "{Diamond[length=4mm, width=2.4mm]}-",
    "diamond": "{Diamond[open, length=4mm, width=2.4mm]}-",
}


def write_title(code: TikzCode, width: float) -> None:
    """Adds the title, in the middle above all."""
    if code.scene.title:
        ink = code.color("ink", code.scene.look.ink)
        code.add(
            f"\\node[font=\\large, text={ink}] at {at((width / 2, MARGIN + 6))} {{{escape_tex(code.scene.title)}}};"
        )


def write_nodes(code: TikzCode, scene: GraphScene) -> None:
    """Adds a graph: groups, then nodes, then edges."""
    places, look, rng = place_nodes(scene), scene.look, code.rng
    names = name_nodes(scene.nodes, rng)
    roles = ROLES.get(scene.type) or tuple(f"level{part}" for part in PARTS)
    line, ink = code.color("line", look.line), code.color("ink", look.ink)
    write_node_styles(code, scene, places, roles)
    for head in dict.fromkeys(edge.head for edge in scene.edges):
        if scene.type != "mind map":
            style = f"{HEADS[head]}, draw={line}, {code.line_width}, rounded corners=0.2cm"
            code.styles[head_style(head)] = style
    if any(edge.text for edge in scene.edges):
        code.styles["caption"] = f"fill=white, text={ink}, inner sep=1.5pt, align=center"
    write_title(
        code, 2 * places.boxes[0].x if scene.type == "tree" and not scene.right else places.width
    )
    if places.frames:
        code.comment("groups")
        code.styles["group"] = f"{code.paint('group', look.frame)}, rounded corners=2pt".replace(
            ", text=grouptext", ""
        )
    for name, (left, top, width, height) in zip(scene.groups, places.frames, strict=True):
        code.add(f"\\draw[group] {at((left, top))} rectangle {at((left + width, top + height))};")
        code.add(
            f"\\node[text=grouptext] at {at((left + width / 2, top + 16))} {{{escape_tex(name)}}};"
        )
    if scene.type == "tree" and not (scene.right and scene.title) and rng.random() < 0.5:
        write_children(code, scene, places, roles)
        return
    code.comment("nodes")
    relative = rng.random() < 0.5
    if relative:
        code.libraries.append("positioning")
    for number, box in enumerate(places.boxes):
        style = node_style(box, roles)
        place = ""
        if relative and number:
            style += ", " + relate(box, places.boxes[:number], names)
        else:
            place = f" at {at((box.x, box.y))}"
        code.add(f"\\node[{style}] ({names[number]}){place} {{{node_text(box)}}};")
    code.comment("edges")
    if scene.type == "mind map":
        write_branches(code, scene, places, names, roles)
        return
    for edge, edge_line in zip(scene.edges, places.lines, strict=True):
        write_line(code, edge, edge_line, places, names)


def write_children(
    code: TikzCode, scene: GraphScene, places: GraphPlaces, roles: Sequence[str]
) -> None:
    """Adds a tree as TikZ's own trees are written: each node with its children."""
    boxes = places.boxes
    children = [
        [edge.target for edge in scene.edges if edge.source == number]
        for number in range(len(boxes))
    ]
    branch, leaf = boxes[children[0][0]], boxes[children[children[0][0]][0]]
    many = max(len(children[number]) for number in children[0])
    nodes = [boxes[edge.target] for edge in scene.edges]
    apart = max(box.height if scene.right else box.width for box in nodes) + 22
    wide = many * apart
    levels = [abs(branch.x - boxes[0].x), abs(leaf.x - branch.x)]
    if not scene.right:
        levels = [abs(branch.y - boxes[0].y), abs(leaf.y - branch.y)]
    code.styles["edge from parent"] = f"draw, {head_style(scene.edges[0].head)}"
    for level, (far, gap) in enumerate(zip(levels, (wide, apart), strict=True), 1):
        distances = f"level distance={length(far)}cm, sibling distance={length(gap)}cm"
        code.styles[f"level {level}"] = distances
    grow = " [grow'=right]" if scene.right else ""
    root = boxes[0]
    code.add(
        f"\\node[{node_style(root, roles)}] at {at((root.x, root.y))} {{{node_text(root)}}}{grow}"
    )
    for number in children[0]:
        code.add(
            f"child {{ node[{node_style(boxes[number], roles)}] {{{node_text(boxes[number])}}}", 2
        )
        for other in children[number]:
            style = node_style(boxes[other], roles)
            code.add(f"child {{ node[{style}] {{{node_text(boxes[other])}}} }}", 3)
        code.add("}", 2)
    code.lines[-1] += ";"


def head_style(head: str) -> str:
    """Returns the name of an edge's style."""
    return {
        "arrow": "flow",
        "none": "link",
        "open arrow": "uses",
        "triangle": "inherits",
        "filled diamond": "owns",
        "diamond": "has",
    }[head]


def write_node_styles(
    code: TikzCode, scene: GraphScene, places: GraphPlaces, roles: Sequence[str]
) -> None:
    """Defines a style for each class of nodes."""
    for box in places.boxes:
        name = node_style(box, roles)
        if name in code.styles:
            continue
        look, shape = scene.look, box.node.shape
        if shape in ("start", "end"):
            line = code.color("line", look.line)
            size = f"minimum size={length(box.width)}cm, inner sep=0pt"
            code.styles[name] = f"circle, fill={line}, {size}" + (
                ", path picture={\\draw[white, line width=1.5pt] (path picture bounding box.center) circle[radius=0.17cm];}"
                * (shape == "end")
            )
            continue
        paint = code.paint(roles[box.node.role], look.paints[box.node.role])
        if scene.type == "mind map":
            paint = paint.replace(f"draw={roles[box.node.role]}line, ", "")
        options = [SHAPES[shape], paint, code.line_width]
        if shape == "stadium":
            options[0] = f"rounded corners={length(box.height / 2)}cm"
        if shape == "diamond":
            code.libraries.append("shapes.geometric")
        elif shape == "circle":
            options.append(f"minimum size={length(box.width)}cm")
        elif shape == "class":
            code.libraries.append("shapes.multipart")
        elif scene.type == "mind map":
            options.append(f"minimum height={length(box.height)}cm, inner xsep=0.32cm")
        else:
            one = min(other.height for other in places.boxes if other.node.shape == shape)
            size = f"minimum width={length(box.width)}cm, minimum height={length(one)}cm"
            options.append(f"{size}, inner ysep=0.2cm")
        if shape != "class":
            options.append("align=center")
        code.styles[name] = ", ".join(option for option in options if option)


SHAPES = {
    "box": "",
    "round": "rounded corners=0.2cm",
    "stadium": "",
    "diamond": "diamond, aspect=2.4, inner sep=3pt",
    "circle": "circle, inner sep=3pt",
    "class": "rectangle split, rectangle split parts=3, rectangle split part align={center, left, left}, align=left, inner xsep=0.3cm, inner ysep=0.12cm",
}


def node_style(box: NodeBox, roles: Sequence[str]) -> str:
    """Returns the name of a node's style."""
    if box.node.shape in ("start", "end"):
        return {"start": "initial", "end": "final"}[box.node.shape]
    return roles[box.node.role]


def node_text(box: NodeBox) -> str:
    """Returns what stands in a node."""
    node = box.node
    if node.shape != "class":
        return join_rows(box.lines)
    parts = rf"\textbf{{{escape_tex(node.text)}}}"
    for part, rows in (("two", node.attributes), ("three", node.methods)):
        parts += rf" \nodepart{{{part}}}{join_rows(rows)}"
    return parts


def relate(box: NodeBox, placed: Sequence[NodeBox], names: Sequence[str]) -> str:
    """Returns where a node is from the nearest of those before it."""
    number = min(
        range(len(placed)),
        key=lambda other: dist((placed[other].x, placed[other].y), (box.x, box.y)),
    )
    right, down = box.x - placed[number].x, box.y - placed[number].y
    vertical = ("below", "above")[down < 0] if down else ""
    horizontal = ("right", "left")[right < 0] if right else ""
    sizes = " and ".join(f"{length(abs(value))}cm" for value in (down, right) if value)
    return f"on grid, {' '.join(filter(None, (vertical, horizontal)))}={sizes} of {names[number]}"


def write_line(
    code: TikzCode, edge: DiagramEdge, line: EdgeLine, places: GraphPlaces, names: Sequence[str]
) -> None:
    """Adds an edge and its label."""
    ends = []
    for number, point in ((edge.source, line.points[0]), (edge.target, line.points[-1])):
        outside = edge.framed and places.boxes[number].node.group is not None
        ends.append(at(point) if outside else f"({names[number]})")
    style = head_style(edge.head) + (", dashed" if edge.dashed else "")
    if line.port:
        name = names[edge.target]
        shift = (
            f"yshift={length(-line.port)}cm" if places.right else f"xshift={length(line.port)}cm"
        )
        ends[1] = f"([{shift}]{name}.{'east' if places.right else 'south'})"
    clipped = clip_ends(edge, line, places.boxes, places.right)
    middle = ((clipped[0][0] + clipped[-1][0]) / 2, (clipped[0][1] + clipped[-1][1]) / 2)
    near = len(clipped) == 2 and dist(middle, line.label) < 5
    label = f"node[caption] {{{join_rows(line.lines)}}} " if line.lines and near else ""
    way = "".join(f"{at(point)} -- " for point in line.points[1:-1])
    code.add(f"\\draw[{style}] {ends[0]} -- {way}{label}{ends[1]};")
    if line.lines and not near:
        code.add(f"\\node[caption] at {at(line.label)} {{{join_rows(line.lines)}}};")


def write_branches(
    code: TikzCode,
    scene: GraphScene,
    places: GraphPlaces,
    names: Sequence[str],
    roles: Sequence[str],
) -> None:
    """Adds the branches of a mind map."""
    for edge in scene.edges:
        source, target = places.boxes[edge.source], places.boxes[edge.target]
        sides = ("east", "west") if target.x > source.x else ("west", "east")
        angles = "out=0, in=180" if target.x > source.x else "out=180, in=0"
        width = 6 if edge.source == 0 else 3
        color = f"{roles[target.node.role]}fill"
        code.add(
            f"\\draw[{color}, line width={width}pt] ({names[edge.source]}.{sides[0]}) "
            f"to[{angles}] ({names[edge.target]}.{sides[1]});"
        )


def write_lanes(code: TikzCode, scene: SequenceScene) -> None:
    """Adds a sequence: lanes, then bars and frames, then messages and notes."""
    places, look = place_sequence(scene), scene.look
    actor, note = look.paints
    line, ink = code.color("line", look.line), code.color("ink", look.ink)
    lane, bar = code.color("lane", look.frame.stroke), code.color("bar", look.frame.fill)
    width, height = places.head
    code.styles["actor"] = (
        f"{code.paint('actor', actor)}, {code.line_width}, minimum width={length(width)}cm, "
        f"minimum height={length(height)}cm, align=center, rounded corners=2pt"
    )
    code.styles["lifeline"] = f"draw={lane}"
    code.styles["call"] = f"-{{Latex[length=2.4mm]}}, draw={line}, text={ink}, {code.line_width}"
    code.styles["reply"] = "call, dashed"
    write_title(code, places.width)
    middle = places.top + height / 2
    heads = [join_rows(lines) for lines in places.heads]
    rows = [(middle,), (middle, places.bottom + height / 2)][scene.mirrored]
    if code.rng.random() < 0.5:
        pairs = ", ".join(
            f"{length(x)}/{{{head}}}" for x, head in zip(places.lanes, heads, strict=True)
        )
        code.add(f"\\foreach \\x/\\name in {{{pairs}}} {{")
        code.add(
            f"\\draw[lifeline] (\\x, {length(-middle)}) -- (\\x, {length(-places.bottom)});", 2
        )
        for y in rows:
            code.add(f"\\node[actor] at (\\x, {length(-y)}) {{\\name}};", 2)
        code.add("}")
    else:
        for x, head in zip(places.lanes, heads, strict=True):
            code.add(f"\\draw[lifeline] {at((x, middle))} -- {at((x, places.bottom))};")
            for y in rows:
                code.add(f"\\node[actor] at {at((x, y))} {{{head}}};")
    if places.bars:
        code.comment("activations")
        code.styles["bar"] = f"fill={bar}, draw={line}"
    for x, top, bottom in places.bars:
        corners = at((x - BAR / 2, top)), at((x + BAR / 2, bottom))
        code.add(f"\\draw[bar] {corners[0]} rectangle {corners[1]};")
    code.comment("messages")
    for place in places.steps:
        if place.step.kind == "message":
            write_message(code, scene, place)
        elif place.step.kind == "note":
            code.styles["remark"] = code.paint("note", note)
            corners = at((place.left, place.top)), at((place.right, place.bottom))
            color = code.color("notetext", note.ink)
            text = f"node[midway, align=center, text={color}] {{{join_rows(place.lines)}}}"
            code.add(f"\\draw[remark] {corners[0]} rectangle {corners[1]} {text};")
        else:
            write_frame(code, place)


def write_message(code: TikzCode, scene: SequenceScene, place: StepPlace) -> None:
    """Adds a message, with its text above its arrow."""
    half = BAR / 2 * (1 if place.right > place.left else -1) if scene.active else 0
    start, stop = at((place.left + half, place.top)), at((place.right - half, place.top))
    style = "reply" if place.step.reply else "call"
    text = f"node[above, align=center] {{{join_rows(place.lines)}}}"
    code.add(f"\\draw[{style}] {start} -- {text} {stop};")
    if scene.numbers:
        code.styles["number"] = (
            "circle, fill=line, text=white, font=\\scriptsize, inner sep=0pt, minimum size=0.45cm"
        )
        code.add(f"\\node[number] at {at((place.left, place.top))} {{{place.number}}};")


def write_frame(code: TikzCode, place: StepPlace) -> None:
    """Adds a frame around messages, with its keyword and its condition."""
    x, y = place.left, place.top
    code.styles["frame"] = "draw=line, densely dashed"
    code.styles["tab"] = "draw=line, fill=bar"
    code.add(f"\\draw[frame] {at((x, y))} rectangle {at((place.right, place.bottom))};")
    tab = [(x, y), (x + 44, y), (x + 44, y + 13), (x + 36, y + 20), (x, y + 20)]
    code.add(f"\\draw[tab] {' -- '.join(at(point) for point in tab)} -- cycle;")
    code.add(f"\\node[text=ink] at {at((x + 20, y + 10))} {{{place.step.kind}}};")
    middle = (x + place.right) / 2 + 10, y + 6 + 9 * len(place.lines)
    code.add(f"\\node[text=ink, align=center] at {at(middle)} {{[{join_rows(place.lines)}]}};")


TASK_STYLES = ("task", "done", "active", "crit")


def write_rows(code: TikzCode, scene: GanttScene) -> None:
    """Adds a plan: bands and marks, then bars with their labels."""
    places, look = place_plan(scene), scene.look
    band, grid = code.color("band", look.frame.fill), code.color("grid", look.frame.stroke)
    ink = code.color("ink", look.ink)
    write_title(code, places.width)
    code.comment("sections")
    for number, (lines, top, height) in enumerate(places.bands):
        if number % 2 == 0:
            corners = at((MARGIN, top)), at((places.width - MARGIN, top + height))
            code.add(f"\\fill[{band}] {corners[0]} rectangle {corners[1]};")
        place = at((MARGIN + 4, top + height / 2))
        code.add(f"\\node[right, align=left, text={ink}] at {place} {{{join_rows(lines)}}};")
    code.comment("time")
    day = f"node[below, font=\\small, text={ink}]"
    if code.rng.random() < 0.5:
        pairs = ", ".join(f"{length(x)}/{{{label}}}" for label, x in places.marks)
        ends = length(-places.top), length(-places.bottom)
        code.add(f"\\foreach \\x/\\day in {{{pairs}}}")
        code.add(f"\\draw[{grid}] (\\x, {ends[0]}) -- (\\x, {ends[1]}) {day} {{\\day}};", 2)
    else:
        for label, x in places.marks:
            tick = f"{at((x, places.top))} -- {at((x, places.bottom))}"
            code.add(f"\\draw[{grid}] {tick} {day} {{{label}}};")
    line = at((places.left, places.bottom)), at((places.left + PLAN_WIDTH, places.bottom))
    code.add(f"\\draw[{grid}] {line[0]} -- {line[1]};")
    code.comment("tasks")
    for bar in places.bars:
        write_bar(code, bar)


def write_bar(code: TikzCode, bar: TaskBar) -> None:
    """Adds a task, with its label in its bar or beside it."""
    role = plan_role(bar.task)
    paint = code.paint(TASK_STYLES[role], code.scene.look.paints[role])
    fill, text = paint.rsplit(", text=", 1)
    code.styles[TASK_STYLES[role]] = f"{fill}, rounded corners=1pt"
    half = BAR_HEIGHT / 2
    label = escape_tex(bar.task.text)
    if bar.task.state == "milestone":
        corners = [(0, -half), (half, 0), (0, half), (-half, 0)]
        points = " -- ".join(at((bar.left + x, bar.y + y)) for x, y in corners)
        code.add(f"\\draw[{TASK_STYLES[role]}, sharp corners] {points} -- cycle;")
        code.add(f"\\node[left, text=ink] at {at((bar.left - half, bar.y))} {{{label}}};")
        return
    corner, other = at((bar.left, bar.y - half)), at((bar.left + bar.width, bar.y + half))
    inner = f" node[midway, text={text}] {{{label}}}" if bar.inside else ""
    code.add(f"\\draw[{TASK_STYLES[role]}] {corner} rectangle {other}{inner};")
    if not bar.inside:
        code.add(f"\\node[right, text=ink] at {at((bar.left + bar.width, bar.y))} {{{label}}};")
