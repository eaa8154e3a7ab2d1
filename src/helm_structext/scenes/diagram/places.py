"""Where the parts of a diagram are, in pixels: what SVG and TikZ share, as they lay nothing out themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from math import dist, hypot

from helm_structext.scenes.diagram.labels import block_width, text_width, wrap_text
from helm_structext.scenes.diagram.layout import Link, Placement, Point, Route, place_graph
from helm_structext.scenes.diagram.scene import (
    DiagramEdge,
    DiagramNode,
    DiagramScene,
    GanttScene,
    GanttTask,
    GraphScene,
    SequenceScene,
    SequenceStep,
)

FONT = 14
LINE = 18
"""Height of a line of text."""
MARGIN = 24
TITLE = 34
"""What a title takes, with what is below it."""
LABEL_WIDTH, EDGE_WIDTH, STEP_WIDTH = 150, 84, 220
"""How wide lines are at most: of nodes, of edges, and of steps of a sequence."""
CLASS_PAD = 12
"""From a class's outline to its members."""
CLEAR = 10
"""How far beside a node lines turn that go around it."""
ASPECT = 2.4
"""Width to height of a diamond."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class NodeBox:
    """A node in its place.

    Args:
        node: what it is.
        lines: of its label.
        x: of its center.
        y: of its center.
        width: of its outline.
        height: of its outline.
    """

    node: DiagramNode
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class EdgeLine:
    """An edge in its place.

    Args:
        points: from the source's center to the target's, without those that bend nothing.
        label: the center of its label.
        lines: of its label.
        port: how far beside the middle of the target's side it ends, if it leads back; else 0.
    """

    points: tuple[Point, ...]
    label: Point
    lines: tuple[str, ...]
    port: int = 0


@dataclass(frozen=True)
class StepPlace:
    """A step of a sequence in its place.

    Args:
        step: what happens.
        number: of a message among the messages, from 1.
        lines: of its text.
        left: where a message starts, or the left side of a note or frame.
        right: where a message ends, or the right side of a note or frame.
        top: of a note or frame; of a message, where its arrow is.
        bottom: of a note or frame.
    """

    step: SequenceStep
    number: int
    lines: tuple[str, ...]
    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True)
class SequencePlaces:
    """A sequence with all in its place.

    Args:
        heads: lines of the participants' names.
        lanes: the middles of their heads.
        head: width and height of a head.
        top: of the heads.
        bottom: where the lanes end.
        steps: messages, notes and frames; frames first.
        bars: middle, top and bottom of each bar that shows who is at work.
        width: of the picture.
        height: of the picture.
    """

    heads: tuple[tuple[str, ...], ...]
    lanes: tuple[float, ...]
    head: Point
    top: float
    bottom: float
    steps: tuple[StepPlace, ...]
    bars: tuple[tuple[float, float, float], ...]
    width: float
    height: float


@dataclass(frozen=True)
class GraphPlaces:
    """A graph with all in its place.

    Args:
        boxes: its nodes.
        lines: its edges.
        frames: left, top, width and height of its groups.
        width: of the picture.
        height: of the picture.
        right: whether it goes from left to right.
    """

    boxes: tuple[NodeBox, ...]
    lines: tuple[EdgeLine, ...]
    frames: tuple[tuple[float, float, float, float], ...]
    width: float
    height: float
    right: bool


def node_lines(node: DiagramNode) -> list[str]:
    """Returns the lines of a node's label."""
    return wrap_text(node.text, LABEL_WIDTH, FONT) if node.text else []


def class_parts(node: DiagramNode) -> tuple[float, float, float]:
    """Returns the heights of a class's name, of its attributes and of its methods."""
    attributes, methods = (LINE * len(rows) + 10 for rows in (node.attributes, node.methods))
    return LINE + 12, attributes, methods


def edge_lines(text: str) -> list[str]:
    """Returns the lines of an edge's label."""
    return wrap_text(text, EDGE_WIDTH, FONT) if text else []


def step_lines(text: str) -> list[str]:
    """Returns the lines of what a step of a sequence says."""
    return wrap_text(text, STEP_WIDTH, FONT) if text else []


def node_size(node: DiagramNode) -> Point:
    """Returns width and height of a node's outline."""
    if node.shape in ("start", "end"):
        return (16, 16) if node.shape == "start" else (22, 22)
    if node.shape == "class":
        rows = [node.text, *node.attributes, *node.methods]
        return block_width(rows, FONT) + 2 * CLASS_PAD, sum(class_parts(node))
    lines = node_lines(node)
    width, height = block_width(lines, FONT), LINE * len(lines)
    if node.shape == "circle":
        return (hypot(width, height) + 16,) * 2
    if node.shape == "diamond":
        half, half_height = width / 2 + 4, height / 2 + 3
        return 2 * (half + ASPECT * half_height), 2 * (half / ASPECT + half_height)
    return (width + (40 if node.shape == "stadium" else 26)), height + 20


def place_nodes(scene: GraphScene) -> GraphPlaces:
    """Returns a graph with all in its place, below its title and within margins."""
    if scene.type == "mind map":
        sizes: list[Point] = [
            (_even(width), _even(height)) for width, height in map(node_size, scene.nodes)
        ]
        return _move_all(scene, sizes, [()] * len(scene.edges), _place_halves(scene, sizes))
    sizes = _alike([(node, node_size(node)) for node in scene.nodes])
    labels = [edge_lines(edge.text) for edge in scene.edges]
    links = [
        Link(edge.source, edge.target, _label_size(lines), edge.main)
        for edge, lines in zip(scene.edges, labels, strict=True)
    ]
    groups = [node.group for node in scene.nodes] if scene.groups else ()
    gaps = (18.0, 34.0) if scene.right else (32.0, 26.0)
    placed = place_graph(
        sizes, links, right=scene.right, groups=groups, gap=gaps[0], rank_gap=gaps[1]
    )
    if scene.type == "flow":
        placed = _mirror(placed, scene.right)
    return _move_all(scene, sizes, labels, _stack_frames(scene, placed) if scene.groups else placed)


def _mirror(placed: Placement, right: bool) -> Placement:
    """Returns a placement seen in a mirror: what steps aside does so where Mermaid has it."""

    def mirrored(point: Point) -> Point:
        return (point[0], -point[1]) if right else (-point[0], point[1])

    return Placement(
        tuple(map(mirrored, placed.centers)),
        tuple(
            Route(tuple(map(mirrored, one.points)), mirrored(one.label)) for one in placed.routes
        ),
        tuple((-right, top, -left, bottom) for left, top, right, bottom in placed.frames),
    )


def _place_halves(scene: GraphScene, sizes: Sequence[Point]) -> Placement:
    """Returns a mind map's placement: every other branch to the left, the others to the right."""
    branches = [edge.target for edge in scene.edges if edge.source == 0]
    centers: list[Point] = [(0, 0)] * len(sizes)
    for side in (-1, 1):
        roots = branches[side > 0 :: 2]
        edges = [edge for edge in scene.edges if edge.source in roots or edge.target in roots]
        members = [0, *sorted(edge.target for edge in edges)]
        links = [Link(members.index(edge.source), members.index(edge.target)) for edge in edges]
        half = place_graph(
            [sizes[number] for number in members], links, right=True, gap=14, rank_gap=28
        )
        x0, y0 = half.centers[0]
        for number, (x, y) in zip(members, half.centers, strict=True):
            outward = x - x0
            if number:  # Boxes of a rank begin at the same place, as in a list.
                outward += (sizes[number][0] - _rank_width(scene, sizes, number, members)) / 2
            centers[number] = (side * outward, y - y0)
    routes = [
        Route((centers[edge.source], centers[edge.target]), centers[edge.target])
        for edge in scene.edges
    ]
    return Placement(tuple(centers), tuple(routes))


def _rank_width(
    scene: GraphScene, sizes: Sequence[Point], number: int, members: Sequence[int]
) -> float:
    """Returns how wide the widest node of a mind map's half is that is as deep as another one."""
    branches = {edge.target for edge in scene.edges if edge.source == 0}
    return max(
        sizes[other][0] for other in members[1:] if (other in branches) == (number in branches)
    )


def _stack_frames(scene: GraphScene, placed: Placement) -> Placement:
    """Returns a placement whose groups are as wide as all of them, with the rest in their middle."""
    left, right = min(frame[0] for frame in placed.frames), max(frame[2] for frame in placed.frames)
    middle = (left + right) / 2
    moves = [middle - (frame[0] + frame[2]) / 2 for frame in placed.frames]
    groups = [node.group for node in scene.nodes]
    centers = tuple(
        (middle if group is None else x + moves[group], y)
        for group, (x, y) in zip(groups, placed.centers, strict=True)
    )
    frames = tuple((left, top, right, bottom) for _, top, _, bottom in placed.frames)

    def end(number: int, side: int) -> Point:
        group = groups[number]
        return (middle, centers[number][1] if group is None else frames[group][side])

    def move(edge: DiagramEdge, route: Route) -> Route:
        group = groups[edge.source]
        if edge.framed or group is None:
            ends = end(edge.source, 3), end(edge.target, 1)
            return Route(ends, (middle, (ends[0][1] + ends[1][1]) / 2))
        points = tuple((x + moves[group], y) for x, y in route.points)
        return Route(points, (route.label[0] + moves[group], route.label[1]))

    routes = tuple(map(move, scene.edges, placed.routes))
    return Placement(centers, routes, frames)


def _label_size(lines: Sequence[str]) -> Point:
    return (_even(block_width(lines, FONT)) + 10, LINE * len(lines) + 4) if lines else (0, 0)


def _alike(sized: Sequence[tuple[DiagramNode, Point]]) -> list[Point]:
    """Returns sizes in whole even pixels, boxes of one class as wide as the widest of them."""

    def width(node: DiagramNode) -> float:
        return max(
            size[0]
            for other, size in sized
            if other is node
            or (
                node.shape in ("box", "round", "stadium")
                and (other.shape, other.role) == (node.shape, node.role)
            )
        )

    return [(_even(width(node)), _even(size[1])) for node, size in sized]


def _even(length: float) -> int:
    return 2 * round(length / 2 + 0.49)


def _move_all(
    scene: GraphScene,
    sizes: Sequence[Point],
    labels: Sequence[Sequence[str]],
    placed: Placement,
) -> GraphPlaces:
    """Returns what was placed, moved below the title and within the margins."""
    corners = [
        (x + sign * width / 2, y + sign * height / 2)
        for (x, y), (width, height) in zip(placed.centers, sizes, strict=True)
        for sign in (-1, 1)
    ]
    for route, lines in zip(placed.routes, labels, strict=True):
        corners += route.points
        half = block_width(lines, FONT) / 2 if lines else 0
        corners += [
            (route.label[0] - half, route.label[1]),
            (route.label[0] + half, route.label[1]),
        ]
    corners += [frame[:2] for frame in placed.frames] + [frame[2:] for frame in placed.frames]
    left, top = (min(values) for values in zip(*corners, strict=True))
    right, bottom = (max(values) for values in zip(*corners, strict=True))
    aside = _title_side(scene, right - left)
    left, right = left - aside, right + aside
    down = MARGIN - top + (TITLE if scene.title else 0)

    def moved(point: Point) -> Point:
        return 2 * round((point[0] - left + MARGIN) / 2), 2 * round((point[1] + down) / 2)

    return GraphPlaces(
        tuple(
            NodeBox(node, tuple(node_lines(node)), *moved(center), *size)
            for node, center, size in zip(scene.nodes, placed.centers, sizes, strict=True)
        ),
        tuple(
            EdgeLine(
                _straighten([moved(point) for point in route.points]),
                moved(route.label),
                tuple(lines),
                _find_port(scene, edge, route, sizes[edge.target]),
            )
            for edge, route, lines in zip(
                scene.edges,
                _go_around(scene, sizes, placed.centers, _shorten_loops(scene, placed.routes)),
                labels,
                strict=True,
            )
        ),
        tuple(
            (*moved(frame[:2]), _even(frame[2] - frame[0]), _even(frame[3] - frame[1]))
            for frame in placed.frames
        ),
        _even(right - left) + 2 * MARGIN,
        _even(bottom + down) + MARGIN,
        scene.right,
    )


def _leads_back(scene: GraphScene, edge: DiagramEdge) -> bool:
    return scene.type == "flow" and edge.target < edge.source


def _shorten_loops(scene: GraphScene, routes: Sequence[Route]) -> list[Route]:
    """Returns routes where those that lead back do not come near to the one that leads on."""
    return [
        Route((*route.points[:-2], route.points[-1]), route.label)
        if _leads_back(scene, edge)
        else route
        for edge, route in zip(scene.edges, routes, strict=True)
    ]


def _go_around(
    scene: GraphScene, sizes: Sequence[Point], centers: Sequence[Point], routes: Sequence[Route]
) -> list[Route]:
    """Returns routes that lead past the nodes that are none of their ends, by a corner of each."""

    def box(number: int, room: float) -> Box:
        (x, y), (width, height) = centers[number], sizes[number]
        return (
            *(x - width / 2 - room, y - height / 2 - room),
            *(x + width / 2 + room, y + height / 2 + room),
        )

    def past(edge: DiagramEdge, start: Point, end: Point) -> list[Point]:
        for number in range(len(centers)):
            near = box(number, CLEAR / 2)
            if number in (edge.source, edge.target) or not crosses(start, end, near):
                continue
            left, top, right, bottom = box(number, CLEAR)
            corners = [
                corner
                for corner in ((left, top), (right, top), (right, bottom), (left, bottom))
                if not crosses(start, corner, near) and not crosses(corner, end, near)
            ]
            if corners:
                return [start, min(corners, key=lambda at: dist(start, at) + dist(at, end))]
        return [start]

    return [
        Route(
            (*(at for leg in pairwise(one.points) for at in past(edge, *leg)), one.points[-1]),
            one.label,
        )
        for edge, one in zip(scene.edges, routes, strict=True)
    ]


def crosses(start: Point, end: Point, box: Box) -> bool:
    """Returns whether a straight line leads through a box: left, top, right and bottom.

    >>> crosses((0, 0), (9, 9), (4, 4, 6, 6)), crosses((0, 0), (9, 0), (4, 4, 6, 6))
    (True, False)
    """
    left, top, right, bottom = box
    enter, leave = 0.0, 1.0
    for at, to, low, high in ((start[0], end[0], left, right), (start[1], end[1], top, bottom)):
        if at == to:
            if not low < at < high:
                return False
            continue
        near, far = sorted(((low - at) / (to - at), (high - at) / (to - at)))
        enter, leave = max(enter, near), min(leave, far)
    return enter < leave


def _find_port(scene: GraphScene, edge: DiagramEdge, route: Route, size: Point) -> int:
    """Returns where an edge ends that leads back in a flow: beside the one that leads on."""
    if not _leads_back(scene, edge):
        return 0
    side = 1 if scene.right else 0
    sign = 1 if route.points[-2][side] > route.points[-1][side] else -1
    return sign * _even(size[side] * 0.27)


def _title_side(scene: DiagramScene, width: float) -> float:
    """Returns how far a title reaches beyond what is below it, on either side."""
    return max(0.0, (text_width(scene.title, FONT + 4) - width) / 2)


def _straighten(points: Sequence[Point]) -> tuple[Point, ...]:
    """Returns the points of a line without those that bend it by less than two pixels."""
    kept = [points[0]]
    for point, after in pairwise(points[1:]):
        (x0, y0), (x, y), (x1, y1) = kept[-1], point, after
        length = hypot(x1 - x0, y1 - y0)
        if length and abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length > 2:
            kept.append(point)
    return (*kept, points[-1])


def clip_ends(
    edge: DiagramEdge, line: EdgeLine, boxes: Sequence[NodeBox], right: bool
) -> list[Point]:
    """Returns the points of an edge from one outline to the other.

    Args:
        edge: between two of the boxes.
        line: where it runs.
        boxes: the nodes.
        right: whether the graph goes from left to right.
    """
    points = [*line.points]
    for at, after, number in ((0, 1, edge.source), (-1, -2, edge.target)):
        if not edge.framed or boxes[number].node.group is None:
            points[at] = clip_line(boxes[number], line.points[after])
    if line.port:
        box = boxes[edge.target]
        south = box.x + line.port, box.y + box.height / 2
        points[-1] = (box.x + box.width / 2, box.y + line.port) if right else south
    return points


def clip_line(box: NodeBox, toward: Point) -> Point:
    """Returns where a line from a node's center leaves its outline.

    >>> clip_line(NodeBox(DiagramNode("a"), ("a",), 50, 50, 40, 20), (50, 90))
    (50.0, 60.0)
    """
    x, y = toward[0] - box.x, toward[1] - box.y
    across, along = abs(x) / (box.width / 2), abs(y) / (box.height / 2)
    if box.node.shape == "diamond":
        share = across + along
    elif box.node.shape in ("start", "end", "circle"):
        share = hypot(across, along)
    else:
        share = max(across, along)
    share = max(share, 1.0)
    return round(box.x + x / share, 1), round(box.y + y / share, 1)


BAR = 10
"""How wide the bar of a participant at work is."""
FRAME_SIDE = 50
"""From a lane to the side of a frame around it."""


def place_sequence(scene: SequenceScene) -> SequencePlaces:
    """Returns a sequence with all in its place: a lane for each participant, a row for each step."""
    heads = [tuple(wrap_text(name, 120, FONT)) for name in scene.participants]
    width = _even(max(max(block_width(lines, FONT) for lines in heads) + 30, 120))
    height = LINE * max(len(lines) for lines in heads) + 24
    texts = [tuple(step_lines(step.text)) for step in scene.steps]
    lanes = _space_lanes(scene, texts, width)
    top = MARGIN + (TITLE if scene.title else 0)
    y: float = top + height + 14
    placed: list[StepPlace] = []
    frames: list[StepPlace] = []
    open_frames: list[tuple[int, float]] = []
    tops: dict[int, float] = {}
    for at, (step, lines) in enumerate(zip(scene.steps, texts, strict=True)):
        ends = sorted((lanes[step.source], lanes[step.target]))
        if step.kind == "message":
            y += LINE * len(lines) + 14
            tops[at] = y
            placed.append(
                StepPlace(step, len(tops), lines, lanes[step.source], lanes[step.target], y, y)
            )
            y += 14
        elif step.kind == "note":
            half = block_width(lines, FONT) / 2 + 12
            middle = (ends[0] + ends[1]) / 2
            left, right = min(middle - half, ends[0] - 20), max(middle + half, ends[1] + 20)
            bottom = y + LINE * len(lines) + 14
            placed.append(StepPlace(step, 0, lines, left, right, y, bottom))
            y = bottom + 12
        elif step.kind == "end":
            first, start = open_frames.pop()
            inside = [one for one in scene.steps[first:at] if one.kind == "message"]
            people = [lanes[person] for one in inside for person in (one.source, one.target)]
            frame = scene.steps[first]
            left, right = min(people) - FRAME_SIDE, max(people) + FRAME_SIDE
            frames.append(StepPlace(frame, 0, texts[first], left, right, start, y + 4))
            y += 18
        else:
            y += 6
            open_frames.append((at, y))
            y += LINE * len(lines) + 14
    bottom = y + 10
    sides = [MARGIN, *(place.left for place in (*placed, *frames) if place.step.kind != "message")]
    end = max(lanes[-1] + width / 2, *(place.right for place in (*placed, *frames)))
    aside = _title_side(scene, end - min(sides))
    shift = MARGIN + aside - min(sides)
    return SequencePlaces(
        tuple(heads),
        tuple(lane + shift for lane in lanes),
        (width, height),
        top,
        bottom,
        tuple(
            replace(place, left=place.left + shift, right=place.right + shift)
            for place in (*frames, *placed)
        ),
        tuple(
            (lanes[person] + shift, tops[begin], tops[stop]) for person, begin, stop in scene.spans
        ),
        _even(end + shift + aside + MARGIN),
        _even(bottom + MARGIN + (height if scene.mirrored else 0)),
    )


def _space_lanes(scene: SequenceScene, texts: Sequence[Sequence[str]], width: float) -> list[float]:
    """Returns the middles of lanes, far enough from each other for the texts between."""
    lanes: list[float] = [MARGIN + width / 2]
    for lane in range(1, len(scene.participants)):
        gap = width + 36
        for step, lines in zip(scene.steps, texts, strict=True):
            if step.kind == "message" and {step.source, step.target} == {lane - 1, lane}:
                gap = max(gap, block_width(lines, FONT) + 44)
            elif step.kind in ("loop", "opt"):
                gap = max(gap, block_width(lines, FONT) + 50)
        lanes.append(_even(lanes[-1] + gap))
    return lanes


DAY_ROW, BAR_HEIGHT, PLAN_WIDTH = 30, 22, 960
"""Height of a plan's row and of a bar in it, and width of its line of time, in pixels."""


@dataclass(frozen=True)
class TaskBar:
    """A task of a plan in its place.

    Args:
        task: what is done.
        left: of its bar; of a milestone, its middle.
        width: of its bar; of a milestone, 0.
        y: its middle.
        inside: whether its label stands in its bar, or else to the right of it, of a milestone to the left.
    """

    task: GanttTask
    left: float
    width: float
    y: float
    inside: bool


@dataclass(frozen=True)
class PlanPlaces:
    """A plan with all in its place.

    Args:
        bars: its tasks.
        bands: name, top and height of each section.
        marks: label and place of each mark on the line of time.
        left: where the line of time starts.
        top: of the first section.
        bottom: of the last one.
        width: of the picture.
        height: of the picture.
    """

    bars: tuple[TaskBar, ...]
    bands: tuple[tuple[tuple[str, ...], float, float], ...]
    marks: tuple[tuple[str, float], ...]
    left: float
    top: float
    bottom: float
    width: float
    height: float


def place_plan(scene: GanttScene) -> PlanPlaces:
    """Returns a plan with all in its place: a band for each section, a row for each task."""
    names = [tuple(wrap_text(name, 120, FONT)) for name, _ in scene.sections]
    tasks = [task for _, section in scene.sections for task in section]
    first, last = min(task.start for task in tasks), max(task.stop for task in tasks)
    day = PLAN_WIDTH / (last - first).days
    left = _even(MARGIN + max(block_width(lines, FONT) for lines in names) + 20)
    top = MARGIN + (TITLE if scene.title else 0)
    y: float = top
    bars, bands = [], []
    end: float = left + PLAN_WIDTH
    for lines, (_, section) in zip(names, scene.sections, strict=True):
        height = DAY_ROW * len(section)
        bands.append((lines, y, height))
        for task in section:
            start, width = left + day * (task.start - first).days, day * task.days
            label = block_width([task.text], FONT)
            inside = label + 12 < width
            bars.append(TaskBar(task, round(start), round(width), y + DAY_ROW / 2, inside))
            y += DAY_ROW
            if not inside and task.days:
                end = max(end, start + width + label + 18)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    marks = [
        (one.strftime(scene.day_format), round(left + day * (one - first).days))
        for one in days
        if (one.weekday() == 0 if scene.unit == "week" else one.day == 1)
    ]
    return PlanPlaces(
        tuple(bars),
        tuple(bands),
        tuple(marks),
        left,
        top,
        y,
        _even(end + MARGIN),
        y + 34 + MARGIN,
    )
