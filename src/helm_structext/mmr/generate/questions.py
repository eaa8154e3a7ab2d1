"""Questions about a generated picture, in the eleven tasks of MMR.

Each has exactly one right answer, by rules after section 3.4 of the paper: positions are ninths of
the picture, and what is asked for lies well inside of one; labels are those of one text alone; of
four choices one is right, and the others are clearly not.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from helm_structext.mmr.generate.colors import distractors
from helm_structext.mmr.generate.scene import PaintedScene, PaintedText, SceneObject
from helm_structext.mmr.generate.texts import Rect
from helm_structext.mmr.replies import Box
from helm_structext.mmr.tasks import AREAS, area_of

LABELS = {
    "title": "title",
    "subtitle": "subtitle",
    "author": "author name",
    "publisher": "publisher",
    "price": "price",
    "event": "title",
    "date": "date",
    "venue": "venue",
    "brand": "brand name",
    "product": "product name",
    "report": "title",
    "source": "source",
    "masthead": "title",
    "sign": "heading",
}
"""What a text of a role is called in questions."""

AREA_PHRASES = {
    "top left": "In the top left corner",
    "top center": "At the top center",
    "top right": "In the top right corner",
    "middle left": "In the middle of the left side",
    "center": "In the center",
    "middle right": "In the middle of the right side",
    "bottom left": "In the bottom left corner",
    "bottom center": "At the bottom center",
    "bottom right": "In the bottom right corner",
}

RELATIONS = {
    "above": "Above",
    "below": "Below",
    "left": "To the left of",
    "right": "To the right of",
}

SIZE_RATIO = 1.5
"""How much larger a text is than the others where sizes are compared."""

PER_TASK = 2
"""Questions of a task about one picture, at most."""

MAX_QUOTED = 8
"""Words of a text that a question quotes."""


@dataclass(frozen=True)
class SceneQuestion:
    """A question about a scene.

    Args:
        task: a key of `helm_structext.mmr.tasks.TASKS`.
        question: as in the column `SceneQuestion` of a row.
        answer: as in the column `Answer`.
        texts: the texts on which the answer rests.
        objects: the objects on which the answer rests.
        aspect: what of the texts, besides words and place: ``color``, ``size`` or nothing.
    """

    task: str
    question: str
    answer: str
    texts: tuple[PaintedText, ...] = ()
    objects: tuple[SceneObject, ...] = ()
    aspect: str = ""


def questions_about(scene: PaintedScene, rng: Random) -> list[SceneQuestion]:
    """Returns a few questions of each task for which the scene has clear ones.

    Args:
        scene: what is in the picture.
        rng: picks among the possible questions.
    """
    found = []
    for candidates in CANDIDATES.values():
        possible = list(
            {question.question: question for question in candidates(scene, rng)}.values()
        )
        found += rng.sample(possible, min(PER_TASK, len(possible)))
    return found


def recognition_label(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for text, label in _find_labelled(scene):
        yield SceneQuestion(
            "recognition_label", f"What is the {label} in the image?", text.text, (text,)
        )


def recognition_pos(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for text in scene.texts:
        area = _clear_area(scene, text.box)
        if area and all(_area_share(scene, area, t.box) < 0.15 for t in scene.texts if t != text):
            where = "in the center" if area == "center" else f"at the {area}"
            asked = f"What text is written {where} of the {scene.kind}?"
            yield SceneQuestion("recognition_pos", asked, text.text, (text,))
    for side in ("above", "below"):
        for text in filter(_quotable, scene.texts):
            if neighbor := _next(scene, text, side):
                asked = f'What text is written directly {side} "{text.text}"?'
                yield SceneQuestion("recognition_pos", asked, neighbor.text, (text, neighbor))
        for item in scene.objects:
            if neighbor := _next(scene, item, side):
                asked = f"What text is written directly {side} the {item.name}?"
                yield SceneQuestion("recognition_pos", asked, neighbor.text, (neighbor,), (item,))


def font_size(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    texts = sorted(filter(_quotable, scene.texts), key=lambda text: text.height)
    for word, same, ordered in (
        ("larger", "All texts are of the same size", texts[::-1]),
        ("smaller", "There is no difference in size", texts),
    ):
        for first in ordered:
            others = [t for t in texts if _clearly(word, first.height, t.height)]
            if len(others) >= 2:
                chosen = [first, *rng.sample(others, 2)]
                said = [f'"{text.text}"' for text in chosen]
                asked = f"Which text is {word} in font size on the {scene.kind}?"
                yield _choices("font_size", asked, said, rng, chosen, aspect="size", last=same)


def _clearly(word: str, height: float, other: float) -> bool:
    large, small = (height, other) if word == "larger" else (other, height)
    return large > SIZE_RATIO * small


def font_color(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    present = {text.color for text in scene.texts}
    for text in filter(_quotable, scene.texts):
        names = distractors(text.color)
        # Colors of other texts in the picture mislead most.
        names.sort(key=lambda name: (name not in present, rng.random()))
        label = _label(scene, text) or "text"
        asked = f'What is the color of the {label} "{text.text}"?'
        said = [name.capitalize() for name in (text.color, *names[:3])]
        yield _choices("font_color", asked, said, rng, [text], aspect="color")


def localize_o(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for item in scene.objects:
        asked = f"Where is the {item.name} located {rng.choice(_places(scene))}?"
        yield from _ask_location("localize_o", scene, asked, item.box, rng, objects=(item,))


def localize_t(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for text in filter(_quotable, scene.texts):
        label = _label(scene, text)
        what = f"the {label}" if label and rng.random() < 0.5 else f'the text "{text.text}"'
        asked = f"Where is {what} located {rng.choice(_places(scene))}?"
        yield from _ask_location("localize_t", scene, asked, text.box, rng, texts=(text,))


def spatial_oo(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for item in scene.objects:
        for other in scene.objects:
            if item != other and (side := _side(item.box, other.box)):
                asked = f"Where is the {item.name} in relation to the {other.name} in the image?"
                said = _name_relations(side, f"the {other.name}")
                yield _choices("spatial_oo", asked, said, rng, objects=(item, other))


def spatial_ot(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for item in scene.objects:
        for text in filter(_quotable, scene.texts):
            words = f'the text "{text.text}"'
            if side := _side(item.box, text.box):
                asked = f"Where is the {item.name} located in relation to {words}?"
                said = _name_relations(side, "the text")
                yield _choices("spatial_ot", asked, said, rng, [text], (item,))
            if side := _side(text.box, item.box):
                asked = f"Where is {words} located in relation to the {item.name}?"
                said = _name_relations(side, f"the {item.name}")
                yield _choices("spatial_ot", asked, said, rng, [text], (item,))


def spatial_tt(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    texts = list(filter(_quotable, scene.texts))
    for text in texts:
        for other in texts:
            if text != other and (side := _side(text.box, other.box)):
                asked = f'Where is the text "{text.text}" in relation to "{other.text}"?'
                said = _name_relations(side, f'"{other.text}"')
                yield _choices("spatial_tt", asked, said, rng, [text, other])
        for side in ("above", "below"):
            neighbor = _next(scene, text, side)
            others = [t for t in texts if t not in (text, neighbor)]
            if neighbor and _quotable(neighbor) and len(others) >= 3:
                chosen = [neighbor, *rng.sample(others, 3)]
                asked = f'Which text appears directly {side} "{text.text}" on the {scene.kind}?'
                said = [t.text for t in chosen]
                yield _choices("spatial_tt", asked, said, rng, [text, *chosen])


def grounding_o(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for item in scene.objects:
        answer = json.dumps(_fractions(scene, item.box))
        asked = f"where is the {item.name} in the image?"
        yield SceneQuestion("grounding_o", asked, answer, objects=(item,))


def grounding_t(scene: PaintedScene, rng: Random) -> Iterator[SceneQuestion]:
    for text, label in _find_labelled(scene):
        area = _clear_area(scene, text.box)
        if area:
            answer = json.dumps([text.text, _fractions(scene, text.box)], ensure_ascii=False)
            place = "in the center" if area == "center" else f"at the {area}"
            asked = f"What is the {label} {place} of the image? Where is it in the image?"
            yield SceneQuestion("grounding_t", asked, answer, (text,))


CANDIDATES: dict[str, Callable[[PaintedScene, Random], Iterator[SceneQuestion]]] = {
    task.__name__: task
    for task in (
        recognition_label,
        recognition_pos,
        font_size,
        font_color,
        localize_o,
        localize_t,
        spatial_ot,
        spatial_oo,
        spatial_tt,
        grounding_o,
        grounding_t,
    )
}
"""Task to all questions of it that a scene allows."""


def _choices(
    task: str,
    asked: str,
    said: Sequence[str],
    rng: Random,
    texts: Sequence[PaintedText] = (),
    objects: Sequence[SceneObject] = (),
    aspect: str = "",
    last: str = "",
) -> SceneQuestion:
    """A multiple-choice question; the first of `said` is right, `last` stays last."""
    order = rng.sample(said, len(said)) + ([last] if last else [])
    assert len(set(order)) == 4, order
    listed = "\n".join(f"{number}. {choice}" for number, choice in enumerate(order, 1))
    answer = str(order.index(said[0]) + 1)
    return SceneQuestion(
        task, f"{asked}\nChoices:\n{listed}", answer, tuple(texts), tuple(objects), aspect
    )


def _ask_location(
    task: str,
    scene: PaintedScene,
    asked: str,
    box: Rect,
    rng: Random,
    texts: Sequence[PaintedText] = (),
    objects: Sequence[SceneObject] = (),
) -> Iterator[SceneQuestion]:
    area = _clear_area(scene, box)
    if not area:
        return
    places = {
        name: (row, column) for row, names in enumerate(AREAS) for column, name in enumerate(names)
    }
    own = places[area]
    far = [
        name
        for name, place in places.items()
        if max(abs(place[0] - own[0]), abs(place[1] - own[1])) == 2
    ]
    if area == "center":
        far = [AREAS[row][column] for row in (0, 2) for column in (0, 2)]
    said = [AREA_PHRASES[name] for name in (area, *rng.sample(far, 3))]
    yield _choices(task, asked, said, rng, texts, objects)


def _name_relations(side: str, what: str) -> list[str]:
    """The four relations to something, the right one first."""
    return [
        f"{RELATIONS[name]} {what}" for name in sorted(RELATIONS, key=lambda name: name != side)
    ]


def _side(box: Rect, other: Rect) -> str:
    """On which side of another a box lies, or nothing where that is not clear."""
    if _are_aligned(box[0::2], other[0::2]):
        return "above" if box[3] <= other[1] else "below" if box[1] >= other[3] else ""
    if _are_aligned(box[1::2], other[1::2]):
        return "left" if box[2] <= other[0] else "right" if box[0] >= other[2] else ""
    return ""


def _are_aligned(span: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two spans have most of the shorter in common, and their middles close together."""
    apart = abs(sum(span) - sum(other)) / 2
    longer = max(span[1] - span[0], other[1] - other[0])
    return _share(span, other) > 0.6 and apart < 0.3 * longer


def _share(span: Sequence[float], other: Sequence[float]) -> float:
    """How much of the shorter of two spans lies in the other."""
    common = min(span[1], other[1]) - max(span[0], other[0])
    return common / min(span[1] - span[0], other[1] - other[0])


def _next(scene: PaintedScene, item: PaintedText | SceneObject, side: str) -> PaintedText | None:
    """The only text that comes next above or below an item, if there is one."""
    beyond = [
        text
        for text in scene.texts
        if text is not item
        and _share(text.box[0::2], item.box[0::2]) > 0
        and (text.box[3] <= item.box[1] if side == "above" else text.box[1] >= item.box[3])
    ]
    between = [
        t for t in scene.objects if t is not item and _share(t.box[0::2], item.box[0::2]) > 0
    ]
    if side == "above":
        beyond.sort(key=lambda text: -text.box[3])
        alone = len(beyond) == 1 or (beyond and beyond[1].box[3] <= beyond[0].box[1])
        clear = beyond and not any(
            beyond[0].box[3] <= t.box[3] and t.box[1] < item.box[1] for t in between
        )
    else:
        beyond.sort(key=lambda text: text.box[1])
        alone = len(beyond) == 1 or (beyond and beyond[1].box[1] >= beyond[0].box[3])
        clear = beyond and not any(
            t.box[1] <= beyond[0].box[1] and t.box[3] > item.box[3] for t in between
        )
    straight = beyond and _share(beyond[0].box[0::2], item.box[0::2]) > 0.4
    return beyond[0] if straight and alone and clear else None


def _clear_area(scene: PaintedScene, box: Rect) -> str:
    """The ninth in which a box has its center, if that is well inside."""
    x_min, y_min, x_max, y_max = _fractions(scene, box)
    inside = all(0.12 <= 1.5 * total % 1 <= 0.88 for total in (x_min + x_max, y_min + y_max))
    return area_of((x_min, y_min, x_max, y_max)) if inside else ""


def _area_share(scene: PaintedScene, area: str, box: Rect) -> float:
    """How much of a box, or of a ninth if that is less, lies in that ninth."""
    (row, column) = next((r, names.index(area)) for r, names in enumerate(AREAS) if area in names)
    x_min, y_min, x_max, y_max = _fractions(scene, box)
    width = min(x_max, (column + 1) / 3) - max(x_min, column / 3)
    height = min(y_max, (row + 1) / 3) - max(y_min, row / 3)
    return max(0, width) * max(0, height) / ((x_max - x_min) * (y_max - y_min))


def _fractions(scene: PaintedScene, box: Rect) -> Box:
    width, height = scene.size
    x_min, y_min, x_max, y_max = box
    return (
        round(x_min / width, 5),
        round(y_min / height, 5),
        round(x_max / width, 5),
        round(y_max / height, 5),
    )


def _find_labelled(scene: PaintedScene) -> Iterator[tuple[PaintedText, str]]:
    for text in scene.texts:
        if label := _label(scene, text):
            yield text, label


def _label(scene: PaintedScene, text: PaintedText) -> str:
    """What a text is called, or nothing if that is not clear."""
    return LABELS.get(text.role, "") if scene.text(text.role) else ""


def _quotable(text: PaintedText) -> bool:
    return len(text.text) <= 60 and len(text.text.split()) <= MAX_QUOTED


def _places(scene: PaintedScene) -> tuple[str, str]:
    return "in the image", f"on the {scene.kind}"
