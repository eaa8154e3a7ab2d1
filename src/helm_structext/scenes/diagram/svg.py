"""Diagrams as SVG, with all in its place."""

from collections.abc import Sequence
from math import hypot
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from helm_structext.scenes.diagram.labels import block_width
from helm_structext.scenes.diagram.layout import Point
from helm_structext.scenes.diagram.places import (
    BAR,
    BAR_HEIGHT,
    CLASS_PAD,
    FONT,
    LINE,
    MARGIN,
    PLAN_WIDTH,
    EdgeLine,
    GraphPlaces,
    NodeBox,
    StepPlace,
    TaskBar,
    class_parts,
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
    Head,
    Paint,
    SequenceScene,
    plan_role,
)

CORNER = 8
"""How round the bends of edges are, in pixels."""


class SvgPage:
    """The lines of an SVG file, in one of several styles.

    Args:
        scene: what is drawn.
        rng: decides the style.
    """

    def __init__(self, scene: DiagramScene, rng: Random) -> None:
        self.scene = scene
        self.step = rng.choice(("  ", "    "))
        self.depth = 1
        self.lines: list[str] = []
        self.styled = rng.random() < 0.5
        self.comments = rng.random() < 0.5
        self.central = rng.random() < 0.5
        self.rules: dict[str, dict[str, str]] = {}

    def add(self, name: str, content: str | None = None, **attributes: object) -> None:
        """Adds an element. Underscores in names of attributes are hyphens."""
        self.lines.append(self.step * self.depth + element(name, content, attributes))

    def paint(self, name: str, **style: object) -> dict[str, Any]:
        """Returns the attributes that paint an element: a class with a rule, or the style itself."""
        if not self.styled:
            return dict(style)
        self.rules[name] = {key.replace("_", "-"): number(value) for key, value in style.items()}
        return {"class": name}

    def comment(self, text: str) -> None:
        """Adds a comment, in the style that has some."""
        if self.comments:
            self.lines.append(f"{self.step * self.depth}<!-- {text} -->")

    def text(self, lines: Sequence[str], x: float, y: float, **attributes: object) -> None:
        """Adds a text of one or several lines, whose middle is at y."""
        top = y - LINE * (len(lines) - 1) / 2
        anchor: dict[str, Any] = (
            {"dominant_baseline": "central"} if self.central else {"dy": "0.35em"}
        )
        if len(lines) == 1:
            self.add("text", escape(lines[0]), x=x, y=top, **anchor, **attributes)
            return
        spans = "".join(
            element("tspan", escape(line), {"x": x, "y": top + LINE * index, **anchor})
            for index, line in enumerate(lines)
        )
        self.add("text", spans, **attributes)

    def close(self, width: float, height: float) -> str:
        """Returns the file."""
        head = element(
            "svg",
            "",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "width": width,
                "height": height,
                "viewBox": f"0 0 {number(width)} {number(height)}",
                "font_family": "Arial, Helvetica, sans-serif",
                "font_size": FONT,
            },
        ).removesuffix("</svg>")
        style = []
        if self.rules:
            rules = [
                f"{self.step * 2}.{name} {{ {'; '.join(f'{key}: {value}' for key, value in rule.items())} }}"
                for name, rule in self.rules.items()
            ]
            style = [f"{self.step}<style>", *rules, f"{self.step}</style>"]
        ground = self.step + element(
            "rect", None, {"width": width, "height": height, "fill": "white"}
        )
        return "\n".join([head, *style, ground, *self.lines, "</svg>"]) + "\n"


def number(value: object) -> str:
    """Returns a value as an attribute has it: numbers without needless zeros.

    >>> number(2.0), number(2.25), number("red")
    ('2', '2.2', 'red')
    """
    return f"{round(value, 1):g}" if isinstance(value, int | float) else str(value)


def element(name: str, content: str | None, attributes: dict[str, Any]) -> str:
    """Returns an element; one without content closes itself.

    >>> element("circle", None, {"r": 2.0, "stroke_width": 1})
    '<circle r="2" stroke-width="1"/>'
    """
    written = "".join(
        f' {key.replace("_", "-")}="{escape(number(value), {chr(34): "&quot;"})}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def write_svg(scene: DiagramScene, rng: Random) -> str:
    """Writes a diagram as SVG.

    Args:
        scene: the diagram.
        rng: decides how it is written.
    """
    page = SvgPage(scene, rng)
    if isinstance(scene, SequenceScene):
        return write_sequence(page, scene)
    if isinstance(scene, GanttScene):
        return write_plan(page, scene)
    assert isinstance(scene, GraphScene)
    return write_graph(page, scene)


def write_graph(page: SvgPage, scene: GraphScene) -> str:
    """Writes a graph: groups, then edges, then nodes on them."""
    places = place_nodes(scene)
    look = scene.look
    for head in dict.fromkeys(edge.head for edge in scene.edges if edge.head != "none"):
        write_marker(page, head)
    write_title(page, places.width)
    if places.frames:
        page.comment("Groups")
    for name, (left, top, width, height) in zip(scene.groups, places.frames, strict=True):
        frame = page.paint("group", fill=look.frame.fill, stroke=look.frame.stroke)
        page.add("rect", x=left, y=top, width=width, height=height, rx=4, **frame)
        label = page.paint("group-name", fill=look.frame.ink, text_anchor="middle")
        page.text([name], left + width / 2, top + 16, **label)
    page.comment("Edges")
    for edge, line in zip(scene.edges, places.lines, strict=True):
        if scene.type == "mind map":
            write_branch(page, edge, places)
        else:
            write_edge(page, edge, line, places)
    page.comment("Nodes")
    for box in places.boxes:
        write_node(page, box)
    return page.close(places.width, places.height)


HEADS = {
    "arrow": "M0 0 L10 5 L0 10 z",
    "open arrow": "M0 0 L10 5 L0 10",
    "triangle": "M0 5 L14 0 L14 10 z",
    "filled diamond": "M0 5 L8 0 L16 5 L8 10 z",
    "diamond": "M0 5 L8 0 L16 5 L8 10 z",
}
"""What is at the end of an edge, with its point to the right, or else at its start, with its point to the left."""


def write_marker(page: SvgPage, head: Head) -> None:
    """Adds the definition of what is at the ends of edges."""
    line = page.scene.look.line
    starts = head not in ("arrow", "open arrow")
    length = 10 if not starts else 14 if head == "triangle" else 16
    fill = {"arrow": line, "filled diamond": line, "open arrow": "none"}.get(head, "white")
    edge = {} if fill == line else {"stroke": line, "stroke_width": page.scene.look.width}
    path = element("path", None, {"d": HEADS[head], "fill": fill, **edge})
    size = {"markerWidth": length + 2, "markerHeight": 12, "markerUnits": "userSpaceOnUse"}
    place = {"viewBox": f"-1 -1 {length + 2} 12", "refX": 0 if starts else 9, "refY": 5}
    identity = {"id": head.replace(" ", "-"), **place, **size, "orient": "auto"}
    page.add("defs", element("marker", path, identity))


def write_title(page: SvgPage, width: float) -> None:
    """Adds the title, in the middle above all."""
    if page.scene.title:
        style = page.paint(
            "title", fill=page.scene.look.ink, font_size=f"{FONT + 4}px", text_anchor="middle"
        )
        page.text([page.scene.title], width / 2, MARGIN + 6, **style)


def write_edge(page: SvgPage, edge: DiagramEdge, line: EdgeLine, places: GraphPlaces) -> None:
    """Adds an edge and its label."""
    look = page.scene.look
    points = clip_ends(edge, line, places.boxes, places.right)
    style: dict[str, Any] = {"fill": "none", "stroke": look.line, "stroke_width": look.width}
    name = "edge"
    if edge.dashed:
        style["stroke_dasharray"] = "5 4"
        name = "dashed"
    side = "marker_end" if edge.head in ("arrow", "open arrow") else "marker_start"
    ends = {side: f"url(#{edge.head.replace(' ', '-')})"} if edge.head != "none" else {}
    page.add("path", d=round_path(points), **page.paint(name, **style), **ends)
    if line.lines:
        x, y = line.label
        write_label(page, line.lines, x, y)


def write_branch(page: SvgPage, edge: DiagramEdge, places: GraphPlaces) -> None:
    """Adds a branch of a mind map, in the color of its nodes: the thicker, the nearer to the root."""
    source, target = places.boxes[edge.source], places.boxes[edge.target]
    side = 1 if target.x > source.x else -1
    x1 = source.x + side * (source.width / 2 - 1)
    x2 = target.x - side * (target.width / 2 - 1)
    middle = (x1 + x2) / 2
    path = f"M{pair((x1, source.y))} C{pair((middle, source.y))} {pair((middle, target.y))} {pair((x2, target.y))}"
    color = page.scene.look.paints[target.node.role].fill
    depth = "branch" if edge.source == 0 else "twig"
    width = 8 if edge.source == 0 else 4
    painted = page.paint(
        f"{depth}-{ROLES[target.node.role]}", fill="none", stroke=color, stroke_width=width
    )
    page.add("path", d=path, **painted)


def write_label(page: SvgPage, lines: Sequence[str], x: float, y: float) -> None:
    """Adds the label of an edge, on white."""
    width, height = block_width(lines, FONT) + 6, LINE * len(lines)
    page.add(
        "rect",
        x=x - width / 2,
        y=y - height / 2,
        width=width,
        height=height,
        **page.paint("label-ground", fill="white"),
    )
    page.text(lines, x, y, **page.paint("label", fill=page.scene.look.ink, text_anchor="middle"))


def round_path(points: Sequence[Point]) -> str:
    """Returns a path through points, whose bends are round.

    >>> round_path([(0, 0), (0, 20), (20, 20)])
    'M0 0 L0 12 Q0 20 8 20 L20 20'
    """
    written = [f"M{pair(points[0])}"]
    for before, point, after in zip(points, points[1:], points[2:], strict=False):
        start, stop = _toward(point, before), _toward(point, after)
        written += [f"L{pair(start)}", f"Q{pair(point)} {pair(stop)}"]
    return " ".join([*written, f"L{pair(points[-1])}"])


def _toward(point: Point, other: Point) -> Point:
    length = hypot(other[0] - point[0], other[1] - point[1])
    share = min(CORNER, length / 2) / length if length else 0
    return point[0] + (other[0] - point[0]) * share, point[1] + (other[1] - point[1]) * share


def pair(point: Point) -> str:
    """Returns a point as paths have it."""
    return f"{number(point[0])} {number(point[1])}"


ROLES = ("first", "second", "third", "fourth", "fifth", "sixth")


def write_node(page: SvgPage, box: NodeBox) -> None:
    """Adds a node and its label."""
    look, role = page.scene.look, box.node.role
    paint = look.paints[role]
    left, top = box.x - box.width / 2, box.y - box.height / 2
    if box.node.shape in ("start", "end"):
        ends = page.paint("end", fill="white", stroke=look.line, stroke_width=1.5)
        if box.node.shape == "end":
            page.add("circle", cx=box.x, cy=box.y, r=box.width / 2, **ends)
        radius = 6 if box.node.shape == "end" else box.width / 2
        page.add("circle", cx=box.x, cy=box.y, r=radius, **page.paint("dot", fill=look.line))
        return
    line = (
        {}
        if page.scene.type == "mind map"
        else {"stroke": paint.stroke, "stroke_width": look.width}
    )
    style = page.paint(f"node-{ROLES[role]}", fill=paint.fill, **line)
    if box.node.shape == "diamond":
        corners = [
            (box.x, top),
            (left + box.width, box.y),
            (box.x, top + box.height),
            (left, box.y),
        ]
        points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
        page.add("polygon", points=points, **style)
    elif box.node.shape == "circle":
        page.add("circle", cx=box.x, cy=box.y, r=box.width / 2, **style)
    else:
        corner = {"round": 8, "stadium": box.height / 2}.get(box.node.shape)
        rounded: dict[str, Any] = {"rx": corner} if corner else {}
        page.add("rect", x=left, y=top, width=box.width, height=box.height, **rounded, **style)
    if box.node.shape == "class":
        write_members(page, box, paint)
        return
    label = page.paint(f"text-{ROLES[role]}", fill=paint.ink, text_anchor="middle")
    page.text(box.lines, box.x, box.y, **label)


def write_members(page: SvgPage, box: NodeBox, paint: Paint) -> None:
    """Adds the name and the members of a class, with rules between."""
    node, left, y = box.node, box.x - box.width / 2, box.y - box.height / 2
    head, attributes, _ = class_parts(node)
    role = ROLES[node.role]
    name = page.paint(f"name-{role}", fill=paint.ink, font_weight="bold", text_anchor="middle")
    page.text([node.text], box.x, y + head / 2, **name)
    rule = page.paint(f"rule-{role}", stroke=paint.stroke, stroke_width=page.scene.look.width)
    member = page.paint(f"member-{role}", fill=paint.ink)
    for top, rows in ((y + head, node.attributes), (y + head + attributes, node.methods)):
        page.add("line", x1=left, y1=top, x2=left + box.width, y2=top, **rule)
        for number, row in enumerate(rows):
            page.text([row], left + CLASS_PAD, top + 5 + LINE * (number + 0.5), **member)


def write_sequence(page: SvgPage, scene: SequenceScene) -> str:
    """Writes a sequence: lanes, then bars and frames, then messages and notes."""
    places, look = place_sequence(scene), scene.look
    actor, note = look.paints
    write_marker(page, "arrow")
    write_title(page, places.width)
    width, height = places.head
    line = page.paint("lane", stroke=look.frame.stroke)
    head = page.paint("head", fill=actor.fill, stroke=actor.stroke, stroke_width=look.width)
    name = page.paint("name", fill=actor.ink, text_anchor="middle")
    for lines, x in zip(places.heads, places.lanes, strict=True):
        page.add("line", x1=x, y1=places.top + height, x2=x, y2=places.bottom, **line)
        for top in (places.top, places.bottom)[: 1 + scene.mirrored]:
            page.add("rect", x=x - width / 2, y=top, width=width, height=height, rx=3, **head)
            page.text(lines, x, top + height / 2, **name)
    bar = page.paint("bar", fill=look.frame.fill, stroke=look.line)
    for x, top, bottom in places.bars:
        page.add("rect", x=x - BAR / 2, y=top, width=BAR, height=bottom - top, **bar)
    for place in places.steps:
        if place.step.kind == "message":
            write_message(page, scene, place)
        elif place.step.kind == "note":
            size: dict[str, Any] = {
                "width": place.right - place.left,
                "height": place.bottom - place.top,
            }
            style = page.paint("note", fill=note.fill, stroke=note.stroke)
            page.add("rect", x=place.left, y=place.top, **size, **style)
            x, y = (place.left + place.right) / 2, (place.top + place.bottom) / 2
            page.text(
                place.lines, x, y, **page.paint("note-text", fill=note.ink, text_anchor="middle")
            )
        else:
            write_frame(page, place)
    return page.close(places.width, places.height)


def write_message(page: SvgPage, scene: SequenceScene, place: StepPlace) -> None:
    """Adds a message: its text above its arrow, which ends at the bars of its participants."""
    look = page.scene.look
    sign = 1 if place.right > place.left else -1
    half = sign * BAR / 2 if scene.active else 0
    start, stop = place.left + half, place.right - half
    style: dict[str, Any] = {"stroke": look.line, "stroke_width": look.width}
    if place.step.reply:
        style["stroke_dasharray"] = "4 3"
    y = place.top
    painted = page.paint("reply" if place.step.reply else "message", **style)
    page.add("line", x1=start, y1=y, x2=stop, y2=y, **painted, marker_end="url(#arrow)")
    label = page.paint("text", fill=look.ink, text_anchor="middle")
    page.text(place.lines, (start + stop) / 2, y - 6 - LINE * len(place.lines) / 2, **label)
    if scene.numbers:
        page.add("circle", cx=place.left, cy=y, r=9, **page.paint("dot", fill=look.line))
        white = page.paint("number", fill="white", font_size="11px", text_anchor="middle")
        page.text([str(place.number)], place.left, y, **white)


def write_frame(page: SvgPage, place: StepPlace) -> None:
    """Adds a frame around messages, with its keyword and its condition."""
    look = page.scene.look
    width, height = place.right - place.left, place.bottom - place.top
    style = page.paint("frame", fill="none", stroke=look.line, stroke_dasharray="2 2")
    page.add("rect", x=place.left, y=place.top, width=width, height=height, **style)
    x, y = place.left, place.top
    corner = f"{pair((x, y))} {pair((x + 44, y))} {pair((x + 44, y + 13))} {pair((x + 36, y + 20))} {pair((x, y + 20))}"
    page.add("polygon", points=corner, **page.paint("tab", fill=look.frame.fill, stroke=look.line))
    text = page.paint("keyword", fill=look.ink, text_anchor="middle")
    page.text([place.step.kind], x + 20, y + 10, **text)
    lines = (f"[{place.lines[0]}", *place.lines[1:])
    lines = (*lines[:-1], f"{lines[-1]}]")
    page.text(lines, (place.left + place.right) / 2 + 10, y + 6 + LINE * len(lines) / 2, **text)


def write_plan(page: SvgPage, scene: GanttScene) -> str:
    """Writes a plan: bands and marks, then bars with their labels."""
    places, look = place_plan(scene), scene.look
    write_title(page, places.width)
    right = places.left + PLAN_WIDTH
    page.comment("Sections")
    name = page.paint("section", fill=look.ink)
    for at, (lines, top, height) in enumerate(places.bands):
        band = page.paint(f"band-{at % 2 + 1}", fill=(look.frame.fill, "white")[at % 2])
        page.add("rect", x=MARGIN, y=top, width=places.width - 2 * MARGIN, height=height, **band)
        page.text(lines, MARGIN + 8, top + height / 2, **name)
    page.comment("Time")
    grid = page.paint("grid", stroke=look.frame.stroke)
    day = page.paint("day", fill=look.ink, font_size="12px", text_anchor="middle")
    for label, x in places.marks:
        page.add("line", x1=x, y1=places.top, x2=x, y2=places.bottom, **grid)
        page.text([label], x, places.bottom + 16, **day)
    page.add("line", x1=places.left, y1=places.bottom, x2=right, y2=places.bottom, **grid)
    page.comment("Tasks")
    for bar in places.bars:
        write_bar(page, bar)
    return page.close(places.width, places.height)


def write_bar(page: SvgPage, bar: TaskBar) -> None:
    """Adds a task, with its label in its bar or to the right of it."""
    look = page.scene.look
    role = plan_role(bar.task)
    paint = look.paints[role]
    style = page.paint(f"task-{ROLES[role]}", fill=paint.fill, stroke=paint.stroke)
    half = BAR_HEIGHT / 2
    if bar.task.state == "milestone":
        corners = [(0, -half), (half, 0), (0, half), (-half, 0)]
        points = " ".join(f"{number(bar.left + x)},{number(bar.y + y)}" for x, y in corners)
        page.add("polygon", points=points, **style)
    else:
        size: dict[str, Any] = {"width": bar.width, "height": BAR_HEIGHT}
        page.add("rect", x=bar.left, y=bar.y - half, **size, rx=3, **style)
    if bar.inside:
        label = page.paint(f"in-{ROLES[role]}", fill=paint.ink, text_anchor="middle")
        page.text([bar.task.text], bar.left + bar.width / 2, bar.y, **label)
    elif bar.task.state == "milestone":
        before = page.paint("before", fill=look.ink, text_anchor="end")
        page.text([bar.task.text], bar.left - half - 6, bar.y, **before)
    else:
        behind = page.paint("behind", fill=look.ink)
        page.text([bar.task.text], bar.left + bar.width + 6, bar.y, **behind)
