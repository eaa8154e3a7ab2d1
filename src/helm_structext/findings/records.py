"""Findings as JSON: in annotations of runs, in answers of servers, and in files of scores."""

from collections.abc import Mapping
from typing import Any

from helm_structext.findings.kinds import Findings, PictureFinding
from helm_structext.layouts import PixelBox

MAX_KEPT = 50
"""Findings of one picture that are kept, those of each kind in turn, so that none loses its place to another."""


def findings_record(found: Findings, most: int = MAX_KEPT) -> dict[str, Any]:
    """Returns findings as JSON; boxes have tenths of a pixel.

    Args:
        found: of one picture.
        most: findings that are kept, the largest of each kind; `left_out` counts the others, too.

    >>> one = PictureFinding("text missing", '"Rain"', None, (0, 0, 40.04, 20), 0.5)
    >>> findings_record(Findings({"text_recall": 0.5}, (one,), "1 of 2 texts missing."))["findings"]
    [{'kind': 'text missing', 'text': '"Rain"', 'there': None, 'should': [0.0, 0.0, 40.0, 20.0], 'size': 0.5}]
    """
    kept = _spread(found.findings, most)
    return {
        "sentence": found.sentence,
        "reason": found.reason,
        "scores": dict(found.scores),
        "findings": [
            {
                "kind": one.kind,
                "text": one.text,
                "there": _written(one.there),
                "should": _written(one.should),
                "size": round(one.size, 4),
                **({"count": one.count} if one.count > 1 else {}),
                **({"others": [[*map(_written, it)] for it in one.others]} if one.others else {}),
            }
            for one in kept
        ],
        "left_out": found.left_out + len(found.findings) - len(kept),
    }


def read_findings(record: Mapping[str, Any]) -> Findings:
    """Returns what `findings_record` wrote.

    Raises:
        KeyError: it has another form; TypeError, too.

    >>> found = Findings({}, (), "", "no layout")
    >>> read_findings(findings_record(found)) == found
    True
    """
    return Findings(
        record["scores"],
        tuple(
            PictureFinding(
                one["kind"],
                one["text"],
                _read(one["there"]),
                _read(one["should"]),
                one["size"],
                one.get("count", 1),
                tuple((_read(there), _read(should)) for there, should in one.get("others", ())),
            )
            for one in record["findings"]
        ),
        record["sentence"],
        record["reason"],
        record["left_out"],
    )


def _spread(findings: tuple[PictureFinding, ...], most: int) -> list[PictureFinding]:
    """The first of each kind, then the second of each, …, in the order in which they came."""
    ranks: dict[str, int] = {}
    turns = []
    for place, one in enumerate(findings):
        ranks[one.kind] = ranks.get(one.kind, 0) + 1
        turns.append((ranks[one.kind], place))
    return [findings[place] for place in sorted(place for _, place in sorted(turns)[:most])]


def _written(box: PixelBox | None) -> list[float] | None:
    return None if box is None else [round(float(side), 1) for side in box]


def _read(box: Any) -> PixelBox | None:
    if box is None:
        return None
    left, top, right, bottom = map(float, box)
    return left, top, right, bottom
