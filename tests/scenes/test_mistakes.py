"""Mistakes that are planted in scenes: each changes what it says, and nothing else."""

from dataclasses import dataclass, replace
from random import Random

import pytest

from helm_structext.scenes.mistakes import MISTAKES, plant, possible, values_of
from helm_structext.scenes.scene import Scene, SceneKind


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    color: str


@dataclass(frozen=True)
class Sun:
    x: float
    y: float
    r: float


@dataclass(frozen=True, kw_only=True)
class Bars(Scene):
    title: str
    bars: tuple[Bar, ...]
    shapes: tuple[object, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def texts(self):
        return [self.title, *(bar.label for bar in self.bars)]


BARS = Bars(
    type="bar",
    language="en",
    level="easy",
    title="Rain",
    bars=tuple(
        Bar(name, size, color)
        for name, size, color in (
            ("May", 3.5, "#204060"),
            ("June", 4.0, "#a0b0c0"),
            ("July", 1.5, "#c04000"),
            ("Август", 2.5, "#007f3f"),
        )
    ),
)


KIND = SceneKind("bars", ("bar",), lambda *_: BARS, {"svg": lambda scene, _: str(scene)})


def differences(one, other):
    values = {place: value for place, value in values_of(other) if isinstance(value, str | float)}
    return {
        place
        for place, value in values_of(one)
        if isinstance(value, str | float) and values.get(place) != value
    }


@pytest.mark.parametrize("kind", ["text misspelt", "text changed", "recolored"])
@pytest.mark.parametrize("severity", [1, 2, 3])
def test_a_mistake_changes_as_many_values_as_it_says(kind, severity):
    wrong, planted = plant(KIND, BARS, kind, severity, Random(f"{kind} {severity}"))
    assert len(planted) == severity
    assert len(differences(BARS, wrong)) == severity
    before = {str(value) for _, value in values_of(BARS)}
    after = {str(value) for _, value in values_of(wrong)}
    for one in planted:
        assert one.kind == kind
        assert one.before in before
        assert one.after in after


def test_a_misspelt_text_keeps_its_script_and_all_but_one_letter():
    for seed in range(20):
        _, (planted,) = plant(KIND, BARS, "text misspelt", 1, Random(seed))
        pairs = [*zip(planted.before, planted.after, strict=True)]
        ((old, new),) = [pair for pair in pairs if pair[0] != pair[1]]
        assert ("а" <= old.lower() <= "я") == ("а" <= new.lower() <= "я")
        assert old.isupper() == new.isupper()


def test_what_is_lost_or_in_another_order_is_named():
    wrong, (planted,) = plant(KIND, BARS, "item lost", 1, Random(1))
    assert [bar.label for bar in BARS.bars if bar not in wrong.bars] == [planted.before]
    assert planted.after == ""
    wrong, (planted,) = plant(KIND, BARS, "order changed", 1, Random(1))
    assert {*wrong.bars} == {*BARS.bars}
    assert wrong.texts.index(planted.after) + 1 == wrong.texts.index(planted.before)


def test_a_scene_without_such_a_place_has_no_such_mistake():
    alone = Bars(type="bar", language="en", level="easy", title="12", bars=())
    assert plant(KIND, alone, "recolored", 1, Random(1)) is None
    assert possible(alone, Random(1)) == []
    every = replace(BARS, shapes=(Sun(30, 40, 10),), values=(5, 2.5))
    assert possible(every, Random(1)) == [*MISTAKES]
    assert {*MISTAKES} - {*possible(BARS, Random(1))} == {"moved", "resized", "number changed"}


RECTANGLE = {"tag": "rect", "x": 10, "y": 20, "width": 40, "height": 30, "rx": 4}


@pytest.mark.parametrize(
    ("kind", "names"), [("moved", {"x", "y"}), ("resized", {"r", "width", "height"})]
)
def test_shapes_are_moved_and_resized_and_lines_and_corners_are_not(kind, names):
    scene = replace(BARS, shapes=(Sun(30, 40, 10), RECTANGLE))
    seen = set()
    for seed in range(20):
        wrong, (planted,) = plant(KIND, scene, kind, 1, Random(seed))
        before = dict(values_of(scene))
        seen |= {
            place[-1]
            for place, value in values_of(wrong)
            if isinstance(value, int | float) and before[place] != value
        }
        assert planted.before != planted.after
    assert seen == names


def test_a_changed_number_is_one_of_a_list_of_values():
    wrong, (planted,) = plant(KIND, replace(BARS, values=(5, 2.5)), "number changed", 1, Random(3))
    assert sorted(map(str, wrong.values)) != ["2.5", "5"]
    assert (planted.before in ("5", "2.5"), planted.after in map(str, wrong.values)) == (True, True)


def test_the_same_seed_plants_the_same_mistake():
    first, second = (plant(KIND, BARS, "item lost", 2, Random("s")) for _ in range(2))
    assert first == second


def test_what_can_not_be_written_is_no_mistake():
    def write(scene, rng):
        return f"{scene.bars[3].label} {scene}"

    needs_all = SceneKind("bars", ("bar",), lambda *_: BARS, {"svg": write})
    assert plant(needs_all, BARS, "item lost", 1, Random(1)) is None
    assert plant(needs_all, BARS, "order changed", 1, Random(1)) is not None


def test_what_is_written_as_before_is_no_mistake():
    plain = SceneKind("bars", ("bar",), lambda *_: BARS, {"svg": lambda scene, _: scene.title})
    for seed in range(9):
        _, (planted,) = plant(plain, BARS, "text misspelt", 1, Random(seed))
        assert planted.before == "Rain"
    assert plant(plain, BARS, "recolored", 1, Random(1)) is None
