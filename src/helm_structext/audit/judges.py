"""What a judge of pictures sees: questions about scenes whose answers are true or false by construction.

StructEval's judge is asked as in its runs, about the right picture of a scene: half of the expected answers are true.
Then again, in the reverse order, in two parts, and about pictures into which a verdict was smuggled.
"""

import io
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from PIL import Image

from helm_structext.audit.cases import AuditCase
from helm_structext.audit.smuggled import SMUGGLED
from helm_structext.protocols import OWN_PROTOCOL, ProtocolName
from helm_structext.scenes.items import draw_number
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import MISTAKES
from helm_structext.scenes.settings import SetSettings
from helm_structext.storage.cache import cache_folder, content_key, read_record, store, write_record
from helm_structext.structeval.judge import Judge, JudgeReply, Pair, annotation, judge_prompt

STUB = "stub"
"""The judge that says yes to all: what questions are worth where nobody looks."""
MAX_TEXTS = 4
"""Of a scene that are asked about, of each kind of question."""
JOURNAL = "journal"


class JudgeQuestion(NamedTuple):
    """A pair of question and expected answer.

    Args:
        kind: what has to be seen: ``text``, ``spelling`` or ``type``.
        question: what is asked.
        answer: what is expected.
        true: whether it is so.
    """

    kind: str
    question: str
    answer: str
    true: bool

    @property
    def pair(self) -> Pair:
        """As a judge is asked."""
        return {"question": self.question, "answer": self.answer}


def ask_about(case: AuditCase, settings: SetSettings) -> list[JudgeQuestion]:
    """Returns questions about the right picture of a case, as many true ones as false ones of each kind.

    Args:
        case: what is on the picture.
        settings: of the audit, for texts of other scenes.
    """
    lot = Random(f"{case.seed}/{case.name}/questions")
    texts = [text for text in dict.fromkeys(case.texts) if len(text) > 2]
    found = []
    read = "Which text can be read on the picture?"
    asked = lot.sample(texts, min(MAX_TEXTS, len(texts)))
    for text, other in zip(asked, _other_texts(case, settings), strict=False):
        found += [
            JudgeQuestion("text", read, text, True),
            JudgeQuestion("text", read, other, False),
        ]
    spelt = "How is this text spelt on the picture, letter by letter?"
    changes = {
        mistake.before: mistake.after
        for _, _, mistake in MISTAKES["text misspelt"](case.scene, lot)
    }
    for text in (text for text in asked if text in changes):
        found.append(JudgeQuestion("spelling", spelt, text, True))
        found.append(JudgeQuestion("spelling", spelt, changes[text], False))
    others = [name for name in KINDS[case.kind].types if name != case.scene.type]
    if others:
        what = f"What kind of {case.kind} is it?"
        found.append(JudgeQuestion("type", what, case.scene.type, True))
        found.append(JudgeQuestion("type", what, lot.choice(others), False))
    lot.shuffle(found)
    return found


def _other_texts(case: AuditCase, settings: SetSettings) -> list[str]:
    """Texts of the next scenes of the same kind that stand nowhere in this one."""
    here = "\n".join(case.texts).casefold()
    scenes = (draw_number(settings, case.kind, case.number + step) for step in range(1, 6))
    texts = dict.fromkeys(text for scene in scenes for text in scene.texts)
    return [text for text in texts if len(text) > 2 and text.casefold() not in here]


# Judges that need no model


class AgreeingJudge:
    """`STUB`."""

    name = STUB

    def look(
        self, picture: Path | None, pairs: Sequence[Pair], protocol: ProtocolName
    ) -> dict[str, Any]:
        """Returns yes to all."""
        reply = json.dumps({str(at + 1): True for at in range(len(pairs))})
        return annotation(self.name, pairs, [JudgeReply(reply, 0, 0)], protocol)


class ReadingJudge:
    """Tesseract's judge (`helm_structext.structeval.ocr`), without HELM.

    Args:
        name: as run entries have it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def look(
        self, picture: Path | None, pairs: Sequence[Pair], protocol: ProtocolName
    ) -> dict[str, Any]:
        """Returns whether the expected answers stand on the picture."""
        from helm_structext.structeval.ocr import judge, read_texts

        texts = read_texts(picture.read_bytes()) if picture else []
        reply = judge(texts, judge_prompt(pairs))
        return annotation(self.name, pairs, [JudgeReply(reply, 0, 0)], protocol)


# What it says


@dataclass(frozen=True)
class JudgedQuestion:
    """What a judge said of one question.

    Args:
        case: whose picture it is.
        kind: of the scene; so is `format`.
        format: of the code.
        way: how it was asked: `PLAIN`, one of `OTHERWISE`, or a key of `helm_structext.audit.smuggled.SMUGGLED`.
        asked: the kind of the question.
        true: whether it is so.
        verdict: what the judge said, or None.
        number: of the question in its case.
        seconds: of the request, for each of its questions.
        tokens: the same of tokens, or None.
    """

    case: str
    kind: str
    format: str
    way: str
    asked: str
    true: bool
    verdict: bool | None
    number: int
    seconds: float
    tokens: float | None


PLAIN = "plain"
OTHERWISE = AGAIN, REVERSED, IN_PARTS = "again", "in the reverse order", "in parts"
"""Ways of asking that should change no verdict."""


def touch_picture(picture: Image.Image) -> Image.Image:
    """Returns a picture that looks the same and is another file: a judge's replies may be kept by what it was shown.

    >>> touch_picture(Image.new("RGB", (2, 1), "white")).tobytes().hex()
    'fefefeffffff'
    """
    touched = picture.copy()
    levels = [level - 1 if level else 1 for level in touched.tobytes()[:3]]
    touched.putpixel((0, 0), (levels[0], levels[1], levels[2]))
    return touched


def judge_case(
    case: AuditCase, questions: Sequence[JudgeQuestion], judge: Judge, folder: Path | None = None
) -> list[JudgedQuestion]:
    """Returns what a judge says in all ways; what the folder's journal has is not asked again.

    Args:
        case: what is on the picture.
        questions: about it.
        judge: who is asked.
        folder: of the audit.

    Raises:
        SetupError: the judge can't be reached, or the journal can't be written.
    """
    said = json.dumps([one._asdict() for one in questions])
    key = content_key(judge.name, case.code, said, *OTHERWISE, *SMUGGLED)[:32]
    place = folder and folder / JOURNAL / f"{case.name}-{key}.json"
    if place and (kept := read_record(place)):
        return [JudgedQuestion(**one) for one in kept["answers"]]
    found = [*_judged(case, questions, judge)]
    if place:
        write_record(place, {"answers": [asdict(one) for one in found]})
    return found


def _judged(
    case: AuditCase, questions: Sequence[JudgeQuestion], judge: Judge
) -> Iterator[JudgedQuestion]:
    numbers = [*range(len(questions))]
    half = len(numbers) // 2
    plain = case.drawing.image
    ways = [(PLAIN, plain, numbers), (AGAIN, touch_picture(plain), numbers)]
    ways.append((REVERSED, plain, numbers[::-1]))
    ways += [(IN_PARTS, plain, some) for some in (numbers[:half], numbers[half:])]
    false = [at for at in numbers if not questions[at].true]
    wanted = [questions[at].answer for at in false]
    for name, smuggle in SMUGGLED.items():
        if (picture := smuggle(case, wanted)) is not None:
            ways.append((name, picture, false))
    for way, picture, some in ways:
        if not some:
            continue
        start = time.monotonic()
        told = judge.look(_stored(picture), [questions[at].pair for at in some], OWN_PROTOCOL)
        seconds = (time.monotonic() - start) / len(some)
        tokens = told["prompt_tokens"]
        tokens = None if tokens is None else (tokens + (told["completion_tokens"] or 0)) / len(some)
        for at, verdict in zip(some, told["answers"], strict=True):
            about = (case.name, case.kind, case.format, way, questions[at].kind)
            yield JudgedQuestion(*about, questions[at].true, verdict, at, seconds, tokens)


def _stored(picture: Image.Image) -> Path:
    data = io.BytesIO()
    picture.save(data, "PNG")
    return store(cache_folder() / "judge", data.getvalue(), "png")
