"""Diagrams: words, sameness by seed, escapes, layouts without overlaps, and pictures."""

from dataclasses import replace
from itertools import combinations, pairwise, product
from random import Random
from xml.etree import ElementTree

import pytest
from PIL import Image

from helm_structext.layouts import ElementBox
from helm_structext.renderers import render
from helm_structext.scenes.diagram import KIND
from helm_structext.scenes.diagram.labels import text_width, wrap_text
from helm_structext.scenes.diagram.mermaid import escape_label
from helm_structext.scenes.diagram.places import (
    FONT,
    crosses,
    node_lines,
    place_nodes,
    place_plan,
    place_sequence,
)
from helm_structext.scenes.diagram.scene import (
    TYPES,
    GanttScene,
    GraphScene,
    SequenceScene,
)
from helm_structext.scenes.diagram.tikz import escape_tex
from helm_structext.scenes.proof import lost_marks, prove
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words

GRAPHS = ["flow", "class", "state", "tree", "mind map"]
HOSTILE = 'R&D 50% a_b #1 <x> "q" {y}'


def shape(words):
    """The structure of words without their texts."""
    if isinstance(words, dict):
        return {key: shape(value) for key, value in words.items()}
    if isinstance(words, list):
        return [shape(value) for value in words]
    assert isinstance(words, str)
    assert words
    return str


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_one_shape(language):
    words = read_words("diagram", language)
    assert shape(words) == shape(read_words("diagram", "en"))
    assert sum(len(words[kind]) for kind in words if kind != "answers") >= 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_in_words(language):
    """Messages go to neighbors, and moves and relations name what there is."""
    words, english = read_words("diagram", language), read_words("diagram", "en")
    for topic in words["sequence"]:
        for message in topic["messages"]:
            source, target = int(message[0]), int(message[1])
            assert abs(source - target) == 1, message
            assert message[2] == " "
            assert max(source, target) < len(topic["participants"])
    for topic, other in zip(words["state"], english["state"], strict=True):
        moves = [move.partition(" ")[0] for move in topic["moves"]]
        assert moves == [move.partition(" ")[0] for move in other["moves"]]
    for topic in words["class"]:
        for relation in topic["relations"]:
            assert relation[1] in "<*o-."
            assert max(int(relation[0]), int(relation[2])) < 5


@pytest.mark.parametrize(("type", "language"), product(TYPES, LANGUAGES))
def test_all_formats_write(type, language):
    for level in LEVELS:
        scene = TYPES[type](Random(f"{type} {language}"), level, language)
        assert (scene.type, scene.language, scene.level) == (type, language, level)
        assert len(scene.texts) > 3
        assert all(scene.texts)
        assert KIND.formats_of(scene) == ["mermaid", "tikz", "svg"]
        for format, write in KIND.writers.items():
            code = write(scene, Random(1))
            assert code == write(scene, Random(1))
            assert 8 <= code.count("\n") <= 300, format


def written(format, text):
    """The lines of a text as they stand in code of a format."""
    escapes = {
        "mermaid": escape_label,
        "tikz": escape_tex,
        "svg": lambda line: line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    }
    return escapes[format](text)


@pytest.mark.parametrize(("type", "format"), product(TYPES, KIND.writers))
def test_texts_are_in_the_code(type, format):
    for seed, language in enumerate(LANGUAGES):
        scene = TYPES[type](Random(seed), "medium", language)
        code = KIND.writers[format](scene, Random(seed))
        for text in scene.texts:
            parts = [word for word in text.split(" ") if word] if language != "ja" else [text[:4]]
            for part in parts if language != "zh" else [text[:3]]:
                assert written(format, part) in code, (text, part)


def with_texts(scene, text):
    """A scene whose first texts are others."""
    if isinstance(scene, SequenceScene):
        steps = (replace(scene.steps[0], text=text), *scene.steps[1:])
        return replace(scene, participants=(text, *scene.participants[1:]), steps=steps)
    if isinstance(scene, GanttScene):
        (_, tasks), *others = scene.sections
        section = (text, (replace(tasks[0], text=text), *tasks[1:]))
        return replace(scene, sections=(section, *others))
    at = 1 if scene.type == "state" else 0
    nodes = [*scene.nodes]
    nodes[at] = replace(nodes[at], text=text)
    edges = tuple(replace(edge, text=edge.text and text) for edge in scene.edges)
    return replace(scene, nodes=tuple(nodes), edges=edges)


@pytest.mark.parametrize("type", TYPES)
def test_signs_in_texts(type):
    scene = with_texts(TYPES[type](Random(2), "easy", "en"), HOSTILE)
    scene = replace(scene, title=HOSTILE if type != "mind map" else "")
    svg = KIND.writers["svg"](scene, Random(2))
    texts = " ".join(" ".join(ElementTree.fromstring(svg).itertext()).split())
    assert 'R&D 50% a_b #1 <x> "q" {y}' in texts
    for format in KIND.writers:
        drawn = render(format, KIND.writers[format](scene, Random(2)), protocol="corrected")
        assert not drawn.tex_errors
        assert not drawn.missing
        assert min(drawn.image.size) > 100


def test_two_seeds_share_nothing():
    scenes = [KIND.draw(Random(seed), "easy", "en") for seed in range(400)]
    assert len({KIND.writers["svg"](scene, Random(0)) for scene in scenes}) == 400


@pytest.mark.parametrize("type", TYPES)
def test_levels_grow(type):
    def size(level):
        return sum(len(TYPES[type](Random(seed), level, "en").texts) for seed in range(20))

    assert size("easy") < size("medium") < size("hard")


def overlap(one, other):
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    )


@pytest.mark.parametrize(("type", "language"), product(GRAPHS, LANGUAGES))
def test_nodes_stand_apart_and_inside(type, language):
    for seed, level in product(range(6), LEVELS):
        scene = TYPES[type](Random(seed), level, language)
        places = place_nodes(scene)
        assert not any(overlap(one, other) for one, other in combinations(places.boxes, 2))
        for box in places.boxes:
            assert box.width / 2 < box.x < places.width - box.width / 2
            assert box.height / 2 < box.y < places.height - box.height / 2
        for line in places.lines:
            if line.lines:
                width = max(text_width(one, FONT) for one in line.lines)
                for box in places.boxes:
                    apart = abs(box.x - line.label[0]) >= (box.width + width) / 2
                    assert apart or abs(box.y - line.label[1]) >= box.height / 2 + 9


@pytest.mark.parametrize(("type", "language"), product(GRAPHS, LANGUAGES))
def test_edges_lead_past_other_nodes(type, language):
    for seed in range(12):
        scene = TYPES[type](Random(seed), "hard", language)
        places = place_nodes(scene)
        for edge, line in zip(scene.edges, places.lines, strict=True):
            for number, box in enumerate(places.boxes):
                half, high = box.width / 2, box.height / 2
                outline = (box.x - half, box.y - high, box.x + half, box.y + high)
                if number not in (edge.source, edge.target):
                    assert not any(crosses(*leg, outline) for leg in pairwise(line.points))


def test_texts_beside_their_bars_can_be_read_on_white():
    plans = [TYPES["gantt"](Random(seed), "hard", "es") for seed in range(12)]
    dark = [plan for plan in plans if plan.look.paints[1].ink != plan.look.ink]
    assert dark
    for plan in dark:
        code = KIND.writers["mermaid"](plan, Random(0))
        assert f".taskTextOutsideRight {{ fill: {plan.look.ink} !important; }}" in code


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_fit_between_lanes(language):
    for seed, level in product(range(6), LEVELS):
        scene = TYPES["sequence"](Random(seed), level, language)
        places = place_sequence(scene)
        for place in places.steps:
            assert 0 < min(place.left, place.right) < max(place.left, place.right) < places.width
            assert 0 < place.top <= place.bottom <= places.bottom
            if place.step.kind == "message":
                width = max(text_width(line, FONT) for line in place.lines)
                assert width < abs(place.right - place.left) - 20


def test_frames_of_sequences_are_whole():
    """What a frame encloses is a request and all that follows it between the same two."""
    framed = 0
    for seed in range(60):
        scene = TYPES["sequence"](Random(seed), "hard", "en")
        kinds = [step.kind for step in scene.steps]
        starts = [at for at, kind in enumerate(kinds) if kind in ("loop", "opt")]
        assert len(starts) == kinds.count("end") == 1
        first = scene.steps[starts[0] + 1]
        inside = [s for s in scene.steps[starts[0] : kinds.index("end")] if s.kind == "message"]
        assert len(inside) >= 2
        assert not inside[0].reply
        assert {frozenset((step.source, step.target)) for step in inside} == {
            frozenset((inside[0].source, inside[0].target))
        }
        framed += first is inside[0]
    assert framed > 50


@pytest.mark.parametrize("language", LANGUAGES)
def test_bars_are_on_the_line_of_time(language):
    for seed, level in product(range(6), LEVELS):
        scene = TYPES["gantt"](Random(seed), level, language)
        places = place_plan(scene)
        assert 1 <= len(places.marks) <= 13
        for bar in places.bars:
            assert places.left <= bar.left <= bar.left + bar.width <= places.left + 961
            if bar.inside:
                assert text_width(bar.task.text, FONT) < bar.width


def test_flows_lead_from_start_to_end():
    for seed, level in product(range(30), LEVELS):
        scene = TYPES["flow"](Random(seed), level, "en")
        last = len(scene.nodes) - 1
        assert {edge.target for edge in scene.edges} >= set(range(1, last + 1))
        assert {edge.source for edge in scene.edges} >= set(range(last))
        for number, node in enumerate(scene.nodes):
            if node.shape == "diamond":
                answers = [edge.text for edge in scene.edges if edge.source == number]
                assert sorted(answers) == ["No", "Yes"]


def test_lines_are_short_enough():
    assert wrap_text("Beim Lieferanten nachbestellen", 150, FONT) == [
        "Beim Lieferanten",
        "nachbestellen",
    ]
    assert wrap_text("一二三四五六七八九十，十一", 150, FONT)[0][-1] != "，"
    for language in LANGUAGES:
        for topic in read_words("diagram", language)["flow"]:
            for phase in topic["phases"]:
                for text in phase:
                    lines = wrap_text(text, 150, FONT)
                    assert all(text_width(line, FONT) <= 170 for line in lines), lines


SHOWN = [
    ("flow", "hard", "de"),
    ("sequence", "medium", "ru"),
    ("class", "medium", "es"),
    ("state", "hard", "el"),
    ("tree", "medium", "zh"),
    ("gantt", "medium", "fr"),
    ("mind map", "easy", "ja"),
]


@pytest.mark.parametrize(("type", "level", "language"), SHOWN)
def test_all_formats_render(type, level, language):
    scene = TYPES[type](Random(7), level, language)
    for format, write in KIND.writers.items():
        drawn = render(format, write(scene, Random(7)), protocol="corrected")
        assert not drawn.missing
        assert not drawn.tex_errors
        assert min(drawn.image.size) > 100


@pytest.mark.parametrize("type", ["gantt", "sequence"])
def test_bars_of_plans_and_boxes_of_sequences_are_looked_for(type):
    scenes = (TYPES[type](Random(seed), "medium", "en") for seed in range(99))
    scene = next(one for one in scenes if max(mark.count for mark in one.marks) > 3)
    for format, write in KIND.writers.items():
        drawn = render(format, write(scene, Random(7)), protocol="corrected", layout=True)
        assert prove("diagram", scene, drawn) == "", format

    mark = max(scene.marks, key=lambda mark: mark.count)
    shapes = mark.count * [ElementBox("shape", (0, 0, 9, 9), mark.color)]
    page = Image.new("RGB", (9, 9), mark.color)
    assert lost_marks([mark], page, shapes) == []
    assert lost_marks([mark], page, shapes[1:]) == [mark]


def test_labels_of_nodes_have_lines():
    scene = TYPES["flow"](Random(1), "hard", "de")
    assert isinstance(scene, GraphScene)
    assert any(len(node_lines(node)) == 2 for node in scene.nodes)
