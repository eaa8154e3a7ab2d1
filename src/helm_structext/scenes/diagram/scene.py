"""Diagrams as data: what is in them, their colors, and how they are drawn by lot."""

from collections import Counter
from collections.abc import Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any, Literal

from helm_structext.scenes.scene import Level, Scene, SceneMark, read_words

SIZES: dict[Level, int] = {"easy": 0, "medium": 1, "hard": 2}

Shape = Literal["box", "round", "stadium", "diamond", "circle", "start", "end", "class"]
Head = Literal["arrow", "none", "triangle", "filled diamond", "diamond", "open arrow"]
TaskState = Literal["", "done", "active", "crit", "milestone"]


@dataclass(frozen=True)
class Paint:
    """Colors of what belongs to one class: its area, its outline and its text."""

    fill: str
    stroke: str
    ink: str


@dataclass(frozen=True)
class DiagramLook:
    """What a diagram looks like.

    Args:
        paints: by the class of a node.
        line: color of edges.
        ink: color of texts that stand on white.
        frame: what frames groups.
        width: of lines, in pixels.
    """

    paints: tuple[Paint, ...]
    line: str
    ink: str
    frame: Paint
    width: float


@dataclass(frozen=True)
class DiagramNode:
    """A node.

    Args:
        text: its label; of a class, its name.
        shape: how it is drawn.
        role: its class, a number of `DiagramLook.paints`.
        group: number of the group in which it is.
        attributes: of a class.
        methods: of a class.
    """

    text: str
    shape: Shape = "box"
    role: int = 0
    group: int | None = None
    attributes: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class DiagramEdge:
    """An edge between two nodes.

    Args:
        source: number of a node.
        target: number of another one.
        text: its label.
        dashed: whether its line is.
        head: what is at its target; a triangle and diamonds are at its source.
        main: whether it belongs to the way that most go.
        framed: whether it stands between the groups of its nodes, and not between the nodes.
    """

    source: int
    target: int
    text: str = ""
    dashed: bool = False
    head: Head = "arrow"
    main: bool = False
    framed: bool = False


@dataclass(frozen=True, kw_only=True)
class DiagramScene(Scene):
    """A diagram.

    Args:
        title: above it, or nothing.
        look: its colors and lines.
    """

    LOOK = frozenset({"look"})

    title: str
    look: DiagramLook


@dataclass(frozen=True, kw_only=True)
class GraphScene(DiagramScene):
    """A diagram of nodes and edges: a flow, states, classes, a tree or a mind map.

    Args:
        nodes: in the order in which a reader meets them.
        edges: between them.
        groups: names of groups, whose nodes stand together.
        right: whether it goes from left to right, and not down.
    """

    nodes: tuple[DiagramNode, ...]
    edges: tuple[DiagramEdge, ...]
    groups: tuple[str, ...] = ()
    right: bool = False

    @property
    def texts(self) -> Sequence[str]:
        """What is to be read on a picture of it."""
        nodes = [
            text for node in self.nodes for text in (node.text, *node.attributes, *node.methods)
        ]
        edges = [edge.text for edge in self.edges]
        return [text for text in (self.title, *self.groups, *nodes, *edges) if text]

    @property
    def marks(self) -> Sequence[SceneMark]:
        """The nodes that have a color."""
        paints = Counter(
            self.look.paints[node.role].fill
            for node in self.nodes
            if node.shape not in ("start", "end")
        )
        return [SceneMark(color, count) for color, count in paints.items()]


@dataclass(frozen=True)
class SequenceStep:
    """What happens in a sequence.

    Args:
        kind: a message, a note over one or two participants, or where a frame starts or ends.
        text: of the message or note; of a frame, its condition.
        source: number of a participant: who sends, or the first one under a note.
        target: who receives, or the last one under a note.
        reply: whether a message answers one, and its line is dashed.
    """

    kind: Literal["message", "note", "loop", "opt", "end"]
    text: str = ""
    source: int = 0
    target: int = 0
    reply: bool = False


@dataclass(frozen=True, kw_only=True)
class SequenceScene(DiagramScene):
    """Who tells whom what, in time.

    Args:
        participants: from left to right.
        steps: from top to bottom.
        numbers: whether messages are numbered.
        mirrored: whether participants stand below, too.
        active: whether bars show who is at work between a message and its reply.
    """

    participants: tuple[str, ...]
    steps: tuple[SequenceStep, ...]
    numbers: bool
    mirrored: bool
    active: bool

    @property
    def texts(self) -> Sequence[str]:
        """What is to be read on a picture of it."""
        people = self.participants * (1 + self.mirrored)
        frames = [step.kind for step in self.steps if step.kind in ("loop", "opt")]
        messages = sum(step.kind == "message" for step in self.steps)
        numbers = [str(number + 1) for number in range(messages * self.numbers)]
        steps = [step.text for step in self.steps]
        return [text for text in (self.title, *people, *frames, *numbers, *steps) if text]

    @property
    def marks(self) -> Sequence[SceneMark]:
        """The boxes of its participants, and its notes."""
        person, note = self.look.paints
        notes = sum(step.kind == "note" for step in self.steps)
        paints = Counter({person.fill: len(self.participants) * (1 + self.mirrored)})
        paints[note.fill] += notes
        return [SceneMark(color, count) for color, count in paints.items() if count]

    @property
    def spans(self) -> Sequence[tuple[int, int, int]]:
        """Who is at work: a participant, and the steps that begin and end it."""
        found = []
        for first, step in enumerate(self.steps):
            if self.active and step.kind == "message" and not step.reply:
                for last in range(first + 1, len(self.steps)):
                    reply = self.steps[last]
                    if reply.reply and (reply.source, reply.target) == (step.target, step.source):
                        found.append((step.target, first, last))
                        break
        return found


@dataclass(frozen=True)
class GanttTask:
    """A task of a plan.

    Args:
        text: what is done.
        start: its first day.
        days: how long it takes; a milestone takes none.
        state: of the work.
        after: number of the task of the same section behind which it starts, or None.
    """

    text: str
    start: date
    days: int
    state: TaskState = ""
    after: int | None = None

    @property
    def stop(self) -> date:
        """The day after its last one."""
        return self.start + timedelta(days=self.days)


@dataclass(frozen=True, kw_only=True)
class GanttScene(DiagramScene):
    """A plan: sections with tasks on a line of time.

    Args:
        sections: name and tasks of each.
        unit: what begins at marks on the line of time; a week does on Mondays.
        day_format: how its days are written, as `date.strftime` has it.
    """

    sections: tuple[tuple[str, tuple[GanttTask, ...]], ...]
    unit: Literal["week", "month"]
    day_format: str

    @property
    def texts(self) -> Sequence[str]:
        """What is to be read on a picture of it; the days of its line are not among it."""
        parts = [
            text for name, tasks in self.sections for text in (name, *(task.text for task in tasks))
        ]
        return [text for text in (self.title, *parts) if text]

    @property
    def marks(self) -> Sequence[SceneMark]:
        """The bars and milestones of its tasks."""
        tasks = [task for _, tasks in self.sections for task in tasks]
        paints = Counter(self.look.paints[plan_role(task)].fill for task in tasks)
        return [SceneMark(color, count) for color, count in paints.items()]


def plan_role(task: GanttTask) -> int:
    """Returns the class of a task, a number of `DiagramLook.paints`."""
    return {"done": 1, "active": 2, "crit": 3}.get(task.state, 0)


def color(hue: float, lightness: float, saturation: float) -> str:
    """Returns a color as CSS writes it.

    >>> color(0, 50, 100), color(480, 50, 100)
    ('#ff0000', '#00ff00')
    """
    parts = hls_to_rgb(hue % 360 / 360, lightness / 100, saturation / 100)
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def draw_look(
    rng: Random, roles: int, styles: Sequence[str] = ("pastel", "vivid", "outline")
) -> DiagramLook:
    """Draws what a diagram looks like.

    Args:
        rng: the lot.
        roles: how many classes its nodes have.
        styles: what areas may look like: light, dark or white.
    """
    hue, style = rng.randrange(360), rng.choice(styles)
    turn = rng.choice((-1, 1)) * (360 / max(roles, 3) if roles > 2 else rng.randrange(120, 181))
    paints = []
    for role in range(roles):
        own = hue + round(role * turn)
        dark = 28 if 35 < own % 360 < 200 else 42
        if style == "pastel":
            paint = Paint(color(own, 91, 70), color(own, dark, 50), color(own, 16, 35))
        elif style == "soft":
            paint = Paint(color(own, 80, 65), color(own, dark, 50), color(own, 14, 40))
        elif style == "vivid":
            paint = Paint(color(own, dark, 55), color(own, dark - 12, 60), "#ffffff")
        else:
            paint = Paint("#ffffff", color(own, dark, 65), color(own, 16, 35))
        paints.append(paint)
    ink = color(hue, 20, 18)
    frame = Paint(color(hue, 96, 40), color(hue, 70, 25), ink)
    return DiagramLook(tuple(paints), color(hue, 38, 14), ink, frame, rng.choice((1, 1.5, 2)))


def draw_diagram(rng: Random, level: Level, language: str) -> DiagramScene:
    """Draws a diagram by lot.

    Args:
        rng: the lot.
        level: how much is in it.
        language: of its texts.

    >>> scene = draw_diagram(Random(3), "easy", "en")
    >>> scene == draw_diagram(Random(3), "easy", "en"), scene.level
    (True, 'easy')
    """
    return TYPES[rng.choice(list(TYPES))](rng, level, language)


def _draw_title(rng: Random, title: str, *, versions: bool = True) -> str:
    """Draws what stands above a diagram: its title, with a version at times where it may have any, or nothing."""
    version = f"{rng.randint(1, 9)}.{rng.randint(0, 19)}"
    return rng.choice((title, f"{title} (v{version})" if versions else title, ""))


def _draw_topic(rng: Random, language: str, name: str) -> Any:
    return rng.choice(read_words("diagram", language)[name])


def draw_flow(rng: Random, level: Level, language: str) -> GraphScene:
    """Draws a flow: steps one after another, with checks that lead back or around."""
    topic, size = _draw_topic(rng, language, "flow"), SIZES[level]
    yes, no = read_words("diagram", language)["answers"]
    actions: Shape = rng.choice(("box", "round"))
    phases = topic["phases"]
    first = rng.randint(0, len(phases) - 1 - size)
    chosen = phases[first : first + 1 + size]
    grouped = size == 2 or (size == 1 and rng.random() < 0.4)
    nodes = [DiagramNode(topic["start"], "stadium", 0)]
    edges: list[DiagramEdge] = []
    waiting = [(0, "")]

    def add(text: str, shape: Shape, role: int, group: int | None) -> int:
        nodes.append(DiagramNode(text, shape, role, group))
        return len(nodes) - 1

    for number, phase in enumerate(chosen):
        group = number if grouped else None
        steps, (question, remedied) = phase[1 : rng.choice((3, 4))], phase[4:]
        checked = number == 0 or rng.random() < 0.75
        for index, text in enumerate(steps):
            node = add(text, actions, 1, group)
            framed = grouped and index == 0
            edges += [
                DiagramEdge(source, node, answer, main=nodes[source].role != 3, framed=framed)
                for source, answer in waiting
            ]
            waiting = [(node, "")]
            if index == 0 and checked:
                check = add(question, "diamond", 2, group)
                edges.append(DiagramEdge(node, check, main=True))
                remedy = add(remedied, actions, 3, group)
                edges.append(DiagramEdge(check, remedy, no))
                waiting = [(check, yes)]
                if rng.random() < 0.6:
                    edges.append(DiagramEdge(remedy, node, dashed=rng.random() < 0.5))
                else:
                    waiting.append((remedy, ""))
    end = add(topic["end"], "stadium", 0, None)
    edges += [
        DiagramEdge(source, end, answer, main=True, framed=grouped) for source, answer in waiting
    ]
    return GraphScene(
        type="flow",
        language=language,
        level=level,
        title=_draw_title(rng, topic["title"]),
        look=draw_look(rng, 4),
        nodes=tuple(nodes),
        edges=tuple(edges),
        groups=tuple(phase[0] for phase in chosen) if grouped else (),
        right=len(nodes) < 7 and not grouped and rng.random() < 0.5,
    )


def draw_sequence(rng: Random, level: Level, language: str) -> SequenceScene:
    """Draws a sequence: the first messages of a talk between up to five participants."""
    topic, size = _draw_topic(rng, language, "sequence"), SIZES[level]
    words = topic["messages"]
    count = (rng.randint(4, 5), rng.randint(6, 7), len(words))[size]
    steps = []
    for word in words[:count]:
        ends, _, text = word.partition(" ")
        source, target = int(ends[0]), int(ends[1])
        steps.append(SequenceStep("message", text, source, target, reply=target < source))
    if size and rng.random() < 0.5 + 0.5 * (size == 2):
        first, last = rng.choice(_find_pairs(steps))
        frame: Literal["loop", "opt"] = rng.choice(("loop", "opt"))
        steps.insert(first, SequenceStep(frame, topic[frame]))
        steps.insert(last + 2, SequenceStep("end"))
    if size == 2 or rng.random() < 0.3:
        last = max(max(step.source, step.target) for step in steps)
        ends = rng.choice(((0, 0), (0, 1), (0, last)))
        steps.insert(rng.choice((0, len(steps))), SequenceStep("note", topic["note"], *ends))
    people = max(max(step.source, step.target) for step in steps) + 1
    return SequenceScene(
        type="sequence",
        language=language,
        level=level,
        title=_draw_title(rng, topic["title"]),
        look=draw_look(rng, 2),
        participants=tuple(topic["participants"][:people]),
        steps=tuple(steps),
        numbers=rng.random() < 0.3,
        mirrored=rng.random() < 0.5,
        active=rng.random() < 0.6,
    )


def _find_pairs(steps: Sequence[SequenceStep]) -> list[tuple[int, int]]:
    """Returns the first and the last of messages in a row that two participants exchange."""
    found = []
    for first in [at for at, step in enumerate(steps[:-1]) if not step.reply]:
        ends = {steps[first].source, steps[first].target}
        for last in range(first + 1, len(steps)):
            if {steps[last].source, steps[last].target} != ends:
                break
            found.append((first, last))
    return found


def _draw_hierarchy(
    rng: Random, level: Level, language: str
) -> tuple[str, list[DiagramNode], list[DiagramEdge]]:
    """Draws a topic with its branches and their leaves, whose roles are their branches'."""
    topic, size = _draw_topic(rng, language, "hierarchy"), SIZES[level]
    branches = [*topic["branches"]]
    rng.shuffle(branches)
    nodes, edges = [DiagramNode(topic["root"])], []
    for role, branch in enumerate(branches[: (3, 4, len(branches))[size]], 1):
        parent = len(nodes)
        nodes.append(DiagramNode(branch[0], role=role))
        edges.append(DiagramEdge(0, parent, head="none"))
        leaves = branch[1:]
        for leaf in rng.sample(leaves, (rng.randint(1, 2), 2, rng.randint(2, len(leaves)))[size]):
            edges.append(DiagramEdge(parent, len(nodes), head="none"))
            nodes.append(DiagramNode(leaf, role=role))
    return topic["title"], nodes, edges


def draw_tree(rng: Random, level: Level, language: str) -> GraphScene:
    """Draws a tree: a root, branches and leaves."""
    title, nodes, edges = _draw_hierarchy(rng, level, language)
    branches = {edge.target for edge in edges if edge.source == 0}
    by_depth = rng.random() < 0.5
    shapes: Sequence[Shape] = rng.choice((("box",) * 3, ("round",) * 3))
    if by_depth and rng.random() < 0.5:
        shapes = ("stadium", "round", "box")
    head: Head = rng.choice(("none", "none", "arrow"))
    shaped = []
    for number, node in enumerate(nodes):
        depth = 0 if number == 0 else 1 if number in branches else 2
        role = depth if by_depth else node.role
        shaped.append(DiagramNode(node.text, shapes[depth], role))
    leaves = len(nodes) - len(branches) - 1
    return GraphScene(
        type="tree",
        language=language,
        level=level,
        title=_draw_title(rng, title, versions=False),
        look=draw_look(rng, 3 if by_depth else len(branches) + 1),
        nodes=tuple(shaped),
        edges=tuple(DiagramEdge(edge.source, edge.target, head=head) for edge in edges),
        right=leaves > 7 or rng.random() < 0.4,
    )


def draw_mind_map(rng: Random, level: Level, language: str) -> GraphScene:
    """Draws a mind map: a topic with branches to both sides, each in a color of its own."""
    _, nodes, edges = _draw_hierarchy(rng, level, language)
    nodes[0] = DiagramNode(nodes[0].text, "circle")
    rounded = [DiagramNode(node.text, "round", node.role) for node in nodes[1:]]
    return GraphScene(
        type="mind map",
        language=language,
        level=level,
        title="",
        look=draw_look(rng, 1 + max(node.role for node in nodes), ("soft", "vivid")),
        nodes=(nodes[0], *rounded),
        edges=tuple(edges),
        right=True,
    )


def draw_states(rng: Random, level: Level, language: str) -> GraphScene:
    """Draws states: a way from the start to the end, and at times others aside of it."""
    topic, size = _draw_topic(rng, language, "state"), SIZES[level]
    aside = sorted(rng.sample((4, 5, 6), (rng.randint(0, 1), rng.randint(1, 2), 3)[size]))
    chosen = [*range(MAIN_STATES), *aside]
    places = {state: place for place, state in enumerate(chosen, 1)}
    nodes = [DiagramNode("", "start")]
    nodes += [
        DiagramNode(topic["states"][state], "round", int(state >= MAIN_STATES)) for state in chosen
    ]
    edges = [DiagramEdge(0, 1, main=True)]
    for move in topic["moves"]:
        ends, _, text = move.partition(" ")
        source, target = int(ends[0]), int(ends[1])
        if source in places and target in places:
            main = source < MAIN_STATES and target < MAIN_STATES
            edges.append(DiagramEdge(places[source], places[target], text, main=main))
    stops = [MAIN_STATES - 1, *(state for state in aside if state != 6)]
    for state in stops:
        main = state == MAIN_STATES - 1
        edges.append(DiagramEdge(places[state], len(nodes), main=main))
    return GraphScene(
        type="state",
        language=language,
        level=level,
        title=_draw_title(rng, topic["title"]),
        look=draw_look(rng, 2),
        nodes=(*nodes, DiagramNode("", "end")),
        edges=tuple(edges),
        right=len(nodes) < 6 and rng.random() < 0.5,
    )


MAIN_STATES = 4
"""The first so many states of a topic follow each other."""
RELATIONS: dict[str, tuple[Head, bool]] = {
    "<": ("triangle", False),
    "*": ("filled diamond", False),
    "o": ("diamond", False),
    "-": ("open arrow", False),
    ".": ("open arrow", True),
}
"""Sign of a relation → what is at its end, and whether it is dashed."""


def draw_classes(rng: Random, level: Level, language: str) -> GraphScene:
    """Draws classes with their attributes and methods, and what they have to do with each other."""
    topic, size = _draw_topic(rng, language, "class"), SIZES[level]
    relations = [
        (int(word[0]), int(word[2]), RELATIONS[word[1]], word[4:]) for word in topic["relations"]
    ]
    count = (rng.randint(2, 3), rng.randint(3, 4), 5)[size]
    chosen = {relations[0][0]}
    for source, target, _, _ in [*relations, *relations]:
        if len(chosen | {source, target}) <= count and chosen & {source, target}:
            chosen |= {source, target}
    members = sorted(chosen)
    heirs = {target for _, target, (head, _), _ in relations if head == "triangle"}
    nodes = []
    for number in members:
        name, *rest = topic["classes"][number]
        kept = [word for word in rest if size == 2 or rng.random() < 0.85] or rest[:2]
        nodes.append(
            DiagramNode(
                name,
                "class",
                int(number in heirs),
                attributes=tuple(f"-{word}" for word in kept if ":" in word),
                methods=tuple(f"+{word}" for word in kept if ":" not in word),
            )
        )
    edges = [
        DiagramEdge(members.index(source), members.index(target), text, dashed, head)
        for source, target, (head, dashed), text in relations
        if source in chosen and target in chosen
    ]
    return GraphScene(
        type="class",
        language=language,
        level=level,
        title=_draw_title(rng, topic["title"]),
        look=draw_look(rng, 2),
        nodes=tuple(nodes),
        edges=tuple(edges),
    )


DAY_FORMATS = {"en": "%m/%d", "zh": "%m-%d", "ja": "%m-%d", "de": "%d.%m.", "ru": "%d.%m"}
"""Language → how a day is written on a line of time; in others ``%d/%m``."""


def draw_plan(rng: Random, level: Level, language: str) -> GanttScene:
    """Draws a plan: sections of tasks that follow each other, and a milestone at the end."""
    topic, size = _draw_topic(rng, language, "gantt"), SIZES[level]
    start = date(rng.randint(2015, 2029), rng.randint(1, 12), rng.randint(1, 28))
    week = rng.choice((1, 1, 2)) if size else 1
    sections, today = [], rng.randint(2, 6)
    begin, number = start, 0
    names = topic["sections"]
    first = rng.randint(0, len(names) - 1 - size)
    for name, *words in names[first : first + 1 + size]:
        kept = [*words]
        if size < 2 and rng.random() < 0.6:
            kept.remove(rng.choice(words))
        tasks: list[GanttTask] = []
        for at, word in enumerate(kept):
            follows = at == 1 or (at > 1 and rng.random() < 0.5)
            day = tasks[-1].stop if follows else begin + timedelta(days=rng.randint(0, 3) * week)
            state: TaskState = (
                "done" if number < today - 1 else "active" if number == today - 1 else ""
            )
            if state == "" and rng.random() < 0.2:
                state = "crit"
            days = rng.randint(5, 11) * week
            tasks.append(GanttTask(word, day, days, state, at - 1 if follows else None))
            number += 1
        sections.append((name, tasks))
        begin = max(task.stop for task in tasks) - timedelta(days=rng.randint(0, 2) * week)
    end = max(task.stop for _, tasks in sections for task in tasks)
    if size or rng.random() < 0.5:
        sections[-1][1].append(GanttTask(topic["milestone"], end, 0, "milestone"))
    weeks = (end - start).days / 7
    return GanttScene(
        type="gantt",
        language=language,
        level=level,
        title=_draw_title(rng, topic["title"]),
        look=draw_look(rng, 4, ("soft", "vivid")),
        sections=tuple((name, tuple(tasks)) for name, tasks in sections),
        unit="week" if weeks < 12 else "month",
        day_format=DAY_FORMATS.get(language, "%d/%m"),
    )


TYPES = {
    "flow": draw_flow,
    "sequence": draw_sequence,
    "class": draw_classes,
    "state": draw_states,
    "tree": draw_tree,
    "gantt": draw_plan,
    "mind map": draw_mind_map,
}
"""Type → how it is drawn."""
