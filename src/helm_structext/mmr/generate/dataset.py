"""Sets of generated MMR questions: pictures, questions and proofs, written in the published schema."""

import base64
import io
import itertools
import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.mmr.generate.checker import verify
from helm_structext.mmr.generate.layout import compose
from helm_structext.mmr.generate.questions import SceneQuestion, questions_about
from helm_structext.mmr.generate.scene import PaintedScene
from helm_structext.mmr.tasks import TASKS
from helm_structext.pictures import decode
from helm_structext.processes import map_in_threads, run_in_process
from helm_structext.progress import progress
from helm_structext.storage.cache import content_key, write_atomically

PER_PICTURE = 5
"""Questions about one picture, as a rule."""

FEWEST = 4
"""Questions about one picture, at least."""

PATIENCE = 60
"""Pictures in a row that may lack questions of the tasks still wanted, before others will do."""

QUALITY = {"quality": 92, "subsampling": 0}
"""Of the JPEG files; without subsampling, thin colored letters keep their color."""


@dataclass(frozen=True)
class Offer:
    """A picture with the questions that may be asked about it.

    Args:
        number: of the picture in its set.
        jpeg: the picture.
        scene: what is in it.
        questions: each with what could not be verified of it
            (`helm_structext.mmr.generate.checker.REASONS`), or "".
    """

    number: int
    jpeg: bytes
    scene: PaintedScene
    questions: tuple[tuple[SceneQuestion, str], ...]


@dataclass(frozen=True)
class GenerationReport:
    """What came of a set.

    Args:
        questions: in the set.
        pictures: in the set.
        checked: questions that were checked, or 0 without the checker.
        dropped: reason to questions that could not be verified
            (`helm_structext.mmr.generate.checker.REASONS`).
    """

    questions: int
    pictures: int
    checked: int
    dropped: dict[str, int]

    @property
    def pass_rate(self) -> float:
        """Share of checked questions that were verified; 1 without the checker."""
        return 1 - sum(self.dropped.values()) / self.checked if self.checked else 1.0


def generate_mmr(count: int, seed: int, folder: Path, *, check: bool = True) -> GenerationReport:
    """Writes a set of new questions; the same arguments write the same bytes.

    The folder gets ``train.parquet``, in the schema of the published dataset, so that the run entry
    ``mmr:source=<folder>`` reads it, and ``scenes.jsonl``, with all that is known of each picture.
    The tasks are equally frequent, and each picture has at least four questions.

    Args:
        count: how many questions.
        seed: another one gives other pictures and questions.
        folder: where to write; made if it is not there.
        check: whether only questions are kept that are verified from the pictures' pixels.

    Raises:
        SetupError: `count` is less than 1, or a font or Tesseract is missing.
    """
    if count < 1:
        raise SetupError(f"count={count}: expected a whole number from 1 on")
    reasons: Counter[str] = Counter()

    def counted(offers: Iterable[Offer]) -> Iterator[Offer]:
        for offer in offers:
            reasons.update(reason for _, reason in offer.questions)
            yield offer

    offers = _offers(seed, check)
    chosen = list(choose(progress(counted(offers), "making pictures"), count))
    offers.close()
    rows = [_row(offer, question, seed) for offer, questions in chosen for question in questions]
    _write_rows(rows, folder / "train.parquet")
    lines = [
        json.dumps({"img_id": _id(offer.jpeg), **asdict(offer.scene)}, ensure_ascii=False) + "\n"
        for offer, _ in chosen
    ]
    write_atomically(folder / "scenes.jsonl", "".join(lines).encode())
    dropped = {reason: number for reason, number in reasons.most_common() if reason}
    return GenerationReport(len(rows), len(chosen), reasons.total() if check else 0, dropped)


def make_offer(seed: int, number: int, check: bool) -> Offer:
    """Makes a picture of a set, and the questions about it.

    Args:
        seed: of the set.
        number: of the picture.
        check: whether the questions are verified from the picture; otherwise they count as verified.
    """
    picture, scene = compose(seed, number)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", **QUALITY)
    questions = questions_about(scene, Random(f"questions {seed} {number}"))
    reasons = [""] * len(questions)
    if check:
        reasons = verify(decode(buffer.getvalue()), scene, questions)
    pairs = tuple(zip(questions, reasons, strict=True))
    return Offer(number, buffer.getvalue(), scene, pairs)


def choose(offers: Iterable[Offer], count: int) -> Iterator[tuple[Offer, list[SceneQuestion]]]:
    """Chooses questions until there are `count`, with equal numbers of all tasks.

    Args:
        offers: without end; those that lack what is still wanted are left out.
        count: how many questions.

    Yields:
        An offer and what is asked about its picture.
    """
    share, more = divmod(count, len(TASKS))
    wanted = {task: share + (number < more) for number, task in enumerate(TASKS)}
    left, passed = count, 0
    for offer in offers:
        verified = [question for question, reason in offer.questions if not reason]
        chosen = _choose(verified, wanted, _count_helping(left))
        if not _fits(len(chosen), left):
            passed += 1
            chosen = verified[: _count_helping(left)]
            if passed <= PATIENCE or not _fits(len(chosen), left):
                continue
        passed = 0
        for question in chosen:
            wanted[question.task] = max(0, wanted[question.task] - 1)
        left -= len(chosen)
        yield offer, chosen
        if not left:
            return


def _count_helping(left: int) -> int:
    """How many questions to take so that the last picture gets enough."""
    if left < 2 * FEWEST:
        return left
    return min(PER_PICTURE, left - FEWEST)


def _fits(number: int, left: int) -> bool:
    """Whether so many questions about a picture leave none, or enough for another picture."""
    return number == left or FEWEST <= number <= left - FEWEST


def _choose(
    verified: list[SceneQuestion], wanted: dict[str, int], most: int
) -> list[SceneQuestion]:
    """The questions of tasks that are most wanted, of different tasks as far as possible."""
    rest, wanted = list(verified), dict(wanted)
    chosen: list[SceneQuestion] = []
    taken: Counter[str] = Counter()
    while len(chosen) < most:
        rest = [question for question in rest if wanted[question.task]]
        if not rest:
            break
        best = min(rest, key=lambda question: (taken[question.task], -wanted[question.task]))
        rest.remove(best)
        chosen.append(best)
        wanted[best.task] -= 1
        taken[best.task] += 1
    return chosen


def _offers(seed: int, check: bool) -> Generator[Offer, None, None]:
    """All pictures of a set in order, made a few ahead on all cores."""
    return map_in_threads(
        lambda number: run_in_process(make_offer, seed, number, check), itertools.count()
    )


def _row(offer: Offer, question: SceneQuestion, seed: int) -> dict[str, Any]:
    return {
        "img_id": _id(offer.jpeg),
        "url": f"urn:helm-structext:{__version__}:mmr:{seed}:{offer.number}",
        "Question": question.question,
        "Answer": question.answer,
        "task": question.task,
        "image": base64.b64encode(offer.jpeg).decode(),
    }


def _id(jpeg: bytes) -> str:
    return content_key(jpeg)[:24]


def _write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    buffer = io.BytesIO()
    # A picture with several questions is stored once, in the column's dictionary.
    pq.write_table(
        pa.Table.from_pylist(rows),
        buffer,
        compression="zstd",
        use_dictionary=["image", "task"],
        dictionary_pagesize_limit=1 << 30,
        row_group_size=len(rows),
    )
    write_atomically(path, buffer.getvalue())
