"""A benchmark of the tests' own, without data: what a completion says is what comes of it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from helm_structext.benchmarks import Benchmark, plain
from helm_structext.errors import SetupError
from helm_structext.scoring.handling import Failure
from helm_structext.scoring.scorer import Door, Input, InstanceKey, Kept, Scored, Scorer
from support.rows import png

PICTURE, TARGET = png((255, 255, 255)), png((0, 0, 0))
BOXES = ((0.0, 0.0, 0.5, 0.5), None)


@dataclass(frozen=True)
class TinyArguments:
    """Of a run: whether instances are of two parts, and who judges."""

    parted: bool = True
    judge: str | None = None


QUESTIONS = [
    Input(
        InstanceKey("sums", "s1"),
        "1 + 1?",
        "number",
        target="2",
        oracle="two",
        blank="none",
        details={"hint": "even"},
    ),
    Input(
        InstanceKey("pictures", "p1"),
        "How many?",
        "number",
        picture=PICTURE,
        target="3",
        target_picture=TARGET,
        assets={"in/a.txt": b"one"},
        dataset="me/tiny@0123",
    ),
    Input(InstanceKey("pictures", "p2"), "What else?", "number"),
]


def scorer(arguments: TinyArguments, door: Door) -> Scorer[Kept]:
    """Returns what asks the questions; a completion is scored by what it says."""
    judge = door.judge(arguments.judge) if arguments.judge else None

    def score(kept: Kept, completion: str) -> Scored:
        right = {"right": float(completion == kept.target)}
        match completion.split():
            case ["unreadable"]:
                return Scored({"right": 0.0}, Failure("syntax", "what?", "x" * 5000 + "the end"))
            case ["bug"]:
                raise ZeroDivisionError("of ours")
            case ["full"]:
                raise SetupError("the disk is full")
            case ["slow"]:
                assert door.remember is not None
                return Scored(door.remember({"what": "slow"}, lambda: {"right": 1.0}))
            case ["boxes"]:
                return Scored(right, boxes=BOXES)
            case ["drawn", path]:
                return Scored(right, picture=Path(path), seconds=0.5)
            case ["judged"]:
                assert judge is not None
                return Scored(right, verdict={"judge": judge.name, "answers": [True]})
        return Scored(right, text=f"read as {completion}")

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, Kept]]:
        for asked in QUESTIONS:
            if asked.key.id in ids:
                yield asked.key, Kept(asked.key.id, asked.target or "", None, None, {}, {})

    return Scorer(
        metrics=["right", "internal_error"],
        statistics=["right", "speed"],
        inputs=lambda: iter(QUESTIONS),
        find=find,
        recall=lambda kept: kept,
        score=score,
        parted=arguments.parted,
        split="valid",
        suffix=" Only a number.",
        annotation="reading",
    )


def tiny() -> Benchmark:
    """Returns the row of the table of benchmarks."""
    row = plain("tiny", "Tiny", {"Right": "right"}, TinyArguments)
    assert row.scoring is not None
    return replace(row, scoring=replace(row.scoring, scorer=f"{__name__}:scorer"))
