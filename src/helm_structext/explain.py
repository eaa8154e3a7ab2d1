"""What became of one completion, and why: for whoever asks why it scored as it did."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_structext.errors import MissingResource, RenderError, SetupError
from helm_structext.extraction.rules import Step, extraction_steps
from helm_structext.findings import compare_told
from helm_structext.formats import Format, check_format
from helm_structext.protocols import PROTOCOLS, ProtocolName
from helm_structext.renderers import (
    Parsed,
    Rendering,
    cached_rendering,
    engine_of,
    render_completion,
)
from helm_structext.rewards.carried import notice_carried
from helm_structext.rewards.guards import EMBEDDED, OF_COMPLETIONS, OF_RENDERINGS, Page, page
from helm_structext.rewards.references import Reference, as_reference, known, told_layout
from helm_structext.sandbox import watched_clocks
from helm_structext.scoring.handling import Failure, NotScored, handle
from helm_structext.storage.cache import renderings_folder
from helm_structext.texts import quote_value

MAX_STRUCTURE = 200
"""Characters of a parsed structure that are shown."""


@dataclass(frozen=True)
class Cut:
    """What one step of extraction took away.

    Args:
        rule: what the step takes, for people.
        before: what stood before it.
        behind: what stood behind it.
        rewritten: whether what it takes stood nowhere in one piece, such as several files in one;
            then nothing is known of what stood before or behind.
    """

    rule: str
    before: str
    behind: str
    rewritten: bool = False


@dataclass(frozen=True)
class Try:
    """What the clocks of one try of a rendering counted, in seconds.

    Args:
        used: processor time of the job.
        idle: time in which the job wanted no processor.
        allowed: how much of each it may have.
        virtual: by which the page's own clock went on; 0 where there is no page.
    """

    used: float
    idle: float
    allowed: float
    virtual: float


@dataclass(frozen=True)
class Reading:
    """What a protocol makes of a completion.

    Args:
        protocol: ``published`` or ``corrected``.
        cuts: what extraction took away, step by step.
        code: what was left.
        made: the picture or the structure, for people; "" where there is none.
        error_kind: why there is none (`helm_structext.errors.ErrorKind`, or ``internal``), or None.
        error: its message, or "".
        log: the engine's output.
        missing: what the code asked for and did not get.
        tex_errors: those after which TeX went on.
        tries: of the rendering; none where no engine was started.
        guards: name of each guard that fired to its reason (`helm_structext.rewards.GUARDS`).
        wrong: what is wrong with the picture beside that of the reference's code, in a sentence, or why that is
            not known; "" without such a reference.
        cache: the file in which renderings of this code are kept; None of a format of text.
        cached: whether it was there.
    """

    protocol: ProtocolName
    cuts: Sequence[Cut]
    code: str
    made: str
    error_kind: str | None
    error: str
    log: str
    missing: Sequence[MissingResource]
    tex_errors: Sequence[str]
    tries: Sequence[Try]
    guards: dict[str, str]
    wrong: str
    cache: Path | None
    cached: bool


@dataclass(frozen=True)
class Explanation:
    """What became of a completion.

    Args:
        format: a key of `helm_structext.formats.FORMATS`.
        extraction: the rule that the format names.
        engine: what rendered it, with the versions that its cache keys depend on, or the parsers.
        guards: the names of those that were asked; others need a reference.
        readings: one for each protocol.
    """

    format: str
    extraction: str
    engine: str
    guards: Sequence[str]
    readings: Sequence[Reading] = field(default_factory=list)


def explain(format: str, completion: str, reference: Any = None) -> Explanation:
    r"""Returns what was cut out of a completion, what came of it, and what was noticed.

    It is rendered anew, whatever the cache holds; nothing of it is kept.

    Args:
        format: a key of `helm_structext.formats.FORMATS`.
        completion: what the model wrote.
        reference: what it should look like, as a reward takes it (`helm_structext.rewards.Reward`):
            guards compare a rendering with it. Formats of text have no use for it.

    Raises:
        ValueError: unknown format.
        SetupError: the machine fails, or the reference can't be used.

    >>> found = explain("json", "Here it is:\n```json\n{\"a\": 1\n```\nDone.")
    >>> found.readings[0].error
    "line 1, column 8: the text ends before its last bracket is closed (Expecting ',' delimiter)"
    >>> found.readings[0].cuts[-1]
    Cut(rule='what a code fence holds', before='Here it is:\n```json\n', behind='\n```\nDone.', rewritten=False)
    """
    row = check_format(format)
    return Explanation(
        format,
        row.extraction,
        engine_of(format).version()
        if row.rendered
        else ", ".join(dict.fromkeys(map(row.parser_of, PROTOCOLS))),
        [*OF_COMPLETIONS, *(OF_RENDERINGS if row.rendered and reference is not None else ())],
        [_read_by(format, row, completion, protocol, reference) for protocol in PROTOCOLS],
    )


def _read_by(
    format: str, row: Format, completion: str, protocol: ProtocolName, reference: Any
) -> Reading:
    steps = extraction_steps(completion, format, protocol)
    code = steps[-1].text
    truth = (
        _page_of(reference, format, protocol) if row.rendered and reference is not None else None
    )
    given = Reference(code="") if reference is None else as_reference(reference)
    theirs = given.code or ""
    with watched_clocks() as clocks:
        found = handle(
            "the explanation of a completion",
            lambda: render_completion(format, completion, protocol=protocol, layout=row.rendered),
        )
    guards = {name: guard(completion, theirs) for name, guard in OF_COMPLETIONS.items()}
    if isinstance(found, Failure):
        made, kind, error, log = "", found.kind, found.message, found.log
    elif isinstance(found, Parsed):
        made, kind, error, log = quote_value(found.structure, MAX_STRUCTURE), None, "", ""
    else:
        width, height = found.image.size
        made, kind, error, log = f"a picture of {width}x{height} pixels", None, "", found.log
        made += ", blank for what is missing" * bool(found.cause)
        files = bool(given.assets)
        guards[EMBEDDED] = guards[EMBEDDED] or notice_carried(
            found.layout, format, completion, theirs, has_files=files
        )
        if truth is not None:
            # Of a reference that is code, a reward compares the layout by default.
            ours = page(found.image, found.text, told=bool(theirs))
            guards |= {name: guard(ours, truth) for name, guard in OF_RENDERINGS.items()}
    cache = cached_rendering(format, code, protocol, renderings_folder()) if row.rendered else None
    return Reading(
        protocol=protocol,
        cuts=list(map(_cut, steps, steps[1:])),
        code=code,
        made=made,
        error_kind=kind,
        error=error,
        log=log,
        missing=() if isinstance(found, Parsed) else found.missing,
        tex_errors=(found.tex_errors or ()) if isinstance(found, Rendering) else (),
        tries=[Try(one.used, one.idle, one.seconds, one.virtual) for one in clocks],
        guards={name: reason for name, reason in guards.items() if reason},
        wrong=_wrong(format, found, theirs, protocol)
        if isinstance(found, Rendering) and theirs
        else "",
        cache=cache,
        cached=cache is not None and cache.with_suffix(".json").is_file(),
    )


def _wrong(format: str, drawn: Rendering, code: str, protocol: ProtocolName) -> str:
    """What is wrong with a picture beside that of a reference's code, or why that is not known."""
    wanted = told_layout(Reference(code=code), format, protocol)
    found = compare_told((drawn.layout, drawn.layout_reason), wanted)
    return found.sentence or found.reason


def _cut(before: Step, after: Step) -> Cut:
    start = before.text.find(after.text)
    if start < 0:
        return Cut(after.taken, "", "", rewritten=True)
    return Cut(after.taken, before.text[:start], before.text[start + len(after.text) :])


def _page_of(reference: Any, format: str, protocol: ProtocolName) -> Page:
    try:
        return known(as_reference(reference), format, protocol).page
    except NotScored as error:
        raise SetupError(f"the reference can't be used: {error.failure.message}") from error
    except (RenderError, TypeError) as error:
        raise SetupError(f"the reference can't be used: {error}") from error
