"""All metrics, components and guards of an answer, with what each costs; what was measured is kept in a journal.

A metric that fails on an answer has no value there, and is counted; it is never a 0. An answer that does not render
for its own fault scores 0, as in rewards.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from PIL import Image

from helm_structext.audit.answers import ROLES, AnswerRole, AuditAnswer
from helm_structext.audit.cases import AuditCase, draw_code
from helm_structext.findings import compare_layouts
from helm_structext.image2struct.scores import (
    LAYOUT_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
    comparable_texts,
    usable_neural_metrics,
)
from helm_structext.layouts import ElementBox, PictureLayout
from helm_structext.metrics import keyword_score
from helm_structext.processes import run_in_process
from helm_structext.protocols import OWN_PROTOCOL
from helm_structext.renderers import Rendering
from helm_structext.rewards.carried import notice_carried
from helm_structext.rewards.guards import (
    EMBEDDED,
    OF_COMPLETIONS,
    OF_RENDERINGS,
    page,
)
from helm_structext.rewards.pictures import PRESETS
from helm_structext.scoring.handling import Failure, handle
from helm_structext.storage.cache import content_key, read_record, write_record
from helm_structext.texts import one_line

JOURNAL = "journal"
"""The folder of what was measured: a file for each answer, in a folder for each case."""
REVISION = "3"
"""Another one where answers are to be measured anew."""


@dataclass(frozen=True)
class Evidence:
    """What metrics look at of an answer, or of what it should be.

    Args:
        code: as it was written; "" of a picture that some code draws, None where nothing is known of that code.
        size: of its picture.
        pixels: of its picture, RGB, row by row.
        text: the code reduced to its content; None where it is not known.
        layout: what lies where; None where it is not known.
    """

    code: str | None
    size: tuple[int, int]
    pixels: bytes
    text: str | None
    layout: PictureLayout | None

    @property
    def picture(self) -> Image.Image:
        """The picture itself."""
        return Image.frombytes("RGB", self.size, self.pixels)


@dataclass(frozen=True)
class MeasuredAnswer:
    """What metrics say of an answer.

    Args:
        case: the case's name, kind of scenes and format.
        kind: of the scene.
        format: of the code.
        role: of the answer; so are `name` and `severity`.
        name: see `AuditAnswer`.
        severity: see `AuditAnswer`.
        error: the kind of error for which it was not drawn, or "".
        guards: those that notice it, of rewards that go by the picture alone.
        guards_by_layout: the same, of rewards that go by layouts (`helm_structext.rewards.pictures.goes_by_layouts`).
        values: metric → value; absent where it does not apply or failed.
        failures: metric → why it has no value.
        milliseconds: metric → processor time.
    """

    case: str
    kind: str
    format: str
    role: AnswerRole
    name: str
    severity: int
    error: str
    guards: tuple[str, ...]
    guards_by_layout: tuple[str, ...]
    values: Mapping[str, float]
    failures: Mapping[str, str]
    milliseconds: Mapping[str, float]


@dataclass(frozen=True)
class MetricPair:
    """An answer's evidence beside what it should be.

    Args:
        ours: of the answer.
        theirs: of the reference.
        format: of both.
        texts: that are to be read on the reference.
    """

    ours: Evidence
    theirs: Evidence
    format: str
    texts: tuple[str, ...]


Meter = Callable[[MetricPair], Mapping[str, float | None]]


def _pictures(metric: Callable[..., float], name: str, pair: MetricPair) -> dict[str, float]:
    return {name: metric(pair.ours.picture, pair.theirs.picture)}


def _texts(metric: Callable[[str, str], float], name: str, pair: MetricPair) -> dict[str, float]:
    if pair.ours.text is None or pair.theirs.text is None:
        return {}
    both = comparable_texts((pair.ours.text, pair.theirs.text), pair.format, OWN_PROTOCOL)
    return {name: metric(*both)}


def _layouts(
    metric: Callable[[PictureLayout, PictureLayout], float | None], name: str, pair: MetricPair
) -> dict[str, float | None]:
    if pair.ours.layout is None or pair.theirs.layout is None:
        return {}
    return {name: metric(pair.ours.layout, pair.theirs.layout)}


def _findings(pair: MetricPair) -> Mapping[str, float | None]:
    if pair.ours.layout is None or pair.theirs.layout is None:
        return {}
    return compare_layouts(pair.ours.layout, pair.theirs.layout).scores


def _keywords(pair: MetricPair) -> dict[str, float]:
    """StructEval's keywords: what the code has somewhere."""
    if pair.ours.code is None or not pair.texts:
        return {}
    return {"keyword_score": keyword_score(pair.ours.code, [*pair.texts])}


@cache
def meters(*, short: bool = False) -> Mapping[str, Meter]:
    """Returns all that is measured: name → from a pair to values; one may have several, such as components.

    Args:
        short: whether it is only what presets are made of.
    """
    families: tuple[tuple[Callable[..., Any], Mapping[str, Callable[..., Any]]], ...] = (
        (_pictures, PICTURE_METRICS | usable_neural_metrics()),
        (_texts, TEXT_METRICS),
        (_layouts, LAYOUT_METRICS),
    )
    singles = {
        name: partial(measure, metric, name)
        for measure, metrics in families
        for name, metric in metrics.items()
    }
    if short:
        wanted = {name for weights in PRESETS.values() for name in weights}
        return {name: meter for name, meter in singles.items() if name in wanted}
    return {**singles, "findings": _findings, "keyword_score": _keywords}


def measure_pair(
    pair: MetricPair, *, short: bool = False
) -> tuple[dict[str, float], dict[str, str], dict[str, float]]:
    """Returns values, failures and milliseconds of all `meters`, each measured by itself.

    Args:
        pair: an answer and what it should be.
        short: see `meters`.

    Raises:
        SetupError: the machine fails.
    """
    values: dict[str, float] = {}
    failures: dict[str, str] = {}
    costs: dict[str, float] = {}
    for name, meter in meters(short=short).items():
        start = time.process_time()
        found = handle(name, partial(meter, pair))
        if isinstance(found, Failure):
            failures[name] = one_line(str(found))
        elif found:
            costs[name] = 1000 * (time.process_time() - start)
            values |= {key: float(one) for key, one in found.items() if one is not None}
    return values, failures, costs


def measure_answer(
    case: AuditCase, answer: AuditAnswer, folder: Path | None = None, *, short: bool = False
) -> MeasuredAnswer:
    """Returns what metrics say of an answer; what the folder's journal has is not measured again.

    Args:
        case: what is asked for.
        answer: to it.
        folder: of the audit.
        short: see `meters`.

    Raises:
        SetupError: the machine fails, or the journal can't be written.
    """
    place = folder and folder / JOURNAL / case.name / f"{_key(case, answer)}.json"
    if place and (kept := read_record(place)):
        return read_measured(kept)
    found = _measured(case, answer, short=short)
    if place:
        write_record(place, asdict(found))
    return found


def _key(case: AuditCase, answer: AuditAnswer) -> str:
    fake = answer.fake if isinstance(answer.fake, str) else answer.fake.tobytes()
    return content_key(REVISION, case.code, answer.key, fake)[:32]


def read_measured(record: Mapping[str, Any]) -> MeasuredAnswer:
    """Returns what the journal has of an answer."""
    guards = {name: tuple(record[name]) for name in ("guards", "guards_by_layout")}
    return MeasuredAnswer(**{**record, **guards})


def read_journal(folder: Path) -> Iterator[MeasuredAnswer]:
    """Yields all that was measured in a folder, case by case."""
    for file in sorted((folder / JOURNAL).glob("*/*.json")):
        if (record := read_record(file)) and record.get("role") in ROLES:
            yield read_measured(record)


def _measured(case: AuditCase, answer: AuditAnswer, *, short: bool) -> MeasuredAnswer:
    about = (case.name, case.kind, case.format, answer.role, answer.name, answer.severity)
    reference = case.drawing
    theirs = _evidence(case.code, reference)
    code = answer.fake if isinstance(answer.fake, str) else ""
    written = [name for name, guard in OF_COMPLETIONS.items() if guard(code, case.code)]
    ours = _look(case, answer)
    if isinstance(ours, Failure):
        guards: tuple[tuple[str, ...], tuple[str, ...]] = tuple(written), tuple(written)
        if ours.fault == "model":
            return MeasuredAnswer(*about, ours.kind, *guards, {}, {}, {})
        failures = dict.fromkeys(meters(short=short), one_line(str(ours)))
        return MeasuredAnswer(*about, "", *guards, {}, failures, {})
    if (
        code
        and EMBEDDED not in written
        and notice_carried(ours.layout, case.format, code, case.code)
    ):
        written.append(EMBEDDED)
    by_picture, by_layout = (_noticed(ours, reference, told=told) for told in (False, True))
    guards = (*written, *by_picture), (*written, *by_layout)
    pair = MetricPair(ours, theirs, case.format, tuple(case.texts))
    values, failures, costs = run_in_process(measure_pair, pair, short=short)
    return MeasuredAnswer(*about, "", *guards, values, failures, costs)


def _noticed(ours: Evidence, reference: Rendering, *, told: bool) -> list[str]:
    """The guards of renderings that notice an answer; none where its text is not known."""
    if ours.text is None:
        return []
    pages = page(ours.picture, ours.text, told=told), page(reference.image, reference.text)
    return [name for name, guard in OF_RENDERINGS.items() if guard(*pages)]


def _look(case: AuditCase, answer: AuditAnswer) -> Evidence | Failure:
    if isinstance(answer.fake, Image.Image):
        return _evidence_of_picture(answer.fake.convert("RGB"), known=answer.role == "fraud")
    code = answer.fake
    drawn = handle(
        f"{answer.key} of {case.name}",
        lambda: draw_code(case.format, code, protocol=OWN_PROTOCOL, layout=True),
    )
    return drawn if isinstance(drawn, Failure) else _evidence(code, drawn)


def _evidence(code: str, drawn: Rendering) -> Evidence:
    return Evidence(code, drawn.image.size, drawn.image.tobytes(), drawn.text, drawn.layout)


def _evidence_of_picture(picture: Image.Image, *, known: bool) -> Evidence:
    """A picture that is all there is: without any text where that is known, else of unknown texts."""
    if not known:
        return Evidence(None, picture.size, picture.tobytes(), None, None)
    box = ElementBox("image", (0.0, 0.0, float(picture.width), float(picture.height)))
    layout = PictureLayout(picture.size, (), (box,))
    return Evidence("", picture.size, picture.tobytes(), "", layout)
