"""Builds the embedded MMR sample: generated questions, and completions for the demo's replays.

    .venv/bin/python scripts/build_mmr_sample.py

Five questions of each task from `helm-structext generate mmr`. The completions are made up, from
the answers, by rules: the careful model errs at times and keeps to the format; the careless one
errs more often, adds words, and gives some boxes in pixels or in a code fence. The same fonts,
Tesseract and Pillow give the same bytes.
"""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from PIL import Image

from helm_structext.data.sources import SAMPLES
from helm_structext.mmr.generate.dataset import generate_mmr
from helm_structext.mmr.replies import Box
from helm_structext.mmr.rows import number_rows
from helm_structext.mmr.tasks import KINDS, TASKS, ParsedReply, read_answer
from helm_structext.storage.cache import write_atomically

FOLDER = SAMPLES / "mmr"
COUNT = 5 * len(TASKS)
SEED = 7


@dataclass(frozen=True)
class Manner:
    """How a made-up model answers.

    Args:
        wrong_choices: share of choices that are wrong.
        wrong_letters: share of letters that are misread.
        shift: of a box's edges, as a share of its size.
        sloppy: share of replies that are not in the format asked for, or have more words.
    """

    wrong_choices: float
    wrong_letters: float
    shift: float
    sloppy: float


MANNERS = {
    "careful": Manner(wrong_choices=0.15, wrong_letters=0.01, shift=0.12, sloppy=0.0),
    "careless": Manner(wrong_choices=0.5, wrong_letters=0.04, shift=0.45, sloppy=0.4),
}


def completion(
    truth: ParsedReply, kind: str, size: tuple[int, int], manner: Manner, rng: Random
) -> str:
    """Returns a made-up reply to a question."""
    sloppy = rng.random() < manner.sloppy
    said = truth
    if truth.choice is not None and rng.random() < manner.wrong_choices:
        said = replace(said, choice=rng.choice([n for n in (1, 2, 3, 4) if n != truth.choice]))
    if truth.text is not None:
        said = replace(said, text=misread(truth.text, manner, rng))
    if truth.box is not None:
        said = replace(said, box=shifted(truth.box, manner, rng))
    reply = KINDS[kind].write(said)
    if not sloppy:
        return reply
    if said.box is not None:
        x_min, y_min, x_max, y_max = said.box
        width, height = size
        left, top = round(x_min * width), round(y_min * height)
        right, bottom = round(x_max * width), round(y_max * height)
        in_pixels = replace(said, box=(left, top, right, bottom))
        return rng.choice((f"```json\n{reply}\n```", KINDS[kind].write(in_pixels)))
    if said.choice is not None:
        return rng.choice((f"Option {reply}.", "I can't tell from the image.", f"{reply}."))
    return f'The text in the image reads "{reply}".'


def misread(text: str, manner: Manner, rng: Random) -> str:
    """Returns a text some of whose letters are others."""
    return "".join(
        rng.choice("eaoinrst")
        if letter.isalpha() and rng.random() < manner.wrong_letters
        else letter
        for letter in text
    )


def shifted(box: Box, manner: Manner, rng: Random) -> Box:
    """Returns a box whose edges are off by a share of its size."""
    x_min, y_min, x_max, y_max = box
    sides = (x_max - x_min, y_max - y_min) * 2
    x_min, y_min, x_max, y_max = (
        round(min(max(edge + rng.uniform(-1, 1) * manner.shift * side, 0.0), 1.0), 3)
        for edge, side in zip(box, sides, strict=True)
    )
    return x_min, y_min, x_max, y_max


def completions(manner: Manner) -> Iterator[dict[str, str]]:
    """Yields the made-up replies to all questions of the sample."""
    for row, task, name in number_rows("sample", tuple(TASKS), COUNT):
        kind = TASKS[task]
        with Image.open(io.BytesIO(row.base64_picture("image"))) as picture:
            size = picture.size
        truth = read_answer(kind, row.verbatim("Answer"))
        rng = Random(f"{name} {manner}")
        yield {"instance": name, "completion": completion(truth, kind, size, manner, rng)}


def main(folder: Path = FOLDER) -> None:
    """Writes the sample and the replays."""
    report = generate_mmr(COUNT, SEED, folder)
    print(f"{report.questions} questions about {report.pictures} pictures in {folder}")
    for name, manner in MANNERS.items():
        lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in completions(manner)]
        write_atomically(folder / "replay" / f"{name}.jsonl", "".join(lines).encode())


if __name__ == "__main__":
    main()
