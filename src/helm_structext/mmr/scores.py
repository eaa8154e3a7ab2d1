"""The scores of MMR's replies.

Source: "MMR: Evaluating Reading Ability of Large Multimodal Models" (Chen et al., 2024), section 4.1.
"""

from collections.abc import Callable, Set
from statistics import fmean

from helm_structext.metrics import iou, pnls, pnls_published
from helm_structext.mmr.replies import UnreadableReply
from helm_structext.mmr.tasks import ParsedReply, read_reply, read_reply_leniently

PNLS_THRESHOLD = 0.9
"""A text is right if its PNLS is strictly greater."""

IOU_THRESHOLD = 0.3
"""A box is right if its IoU is strictly greater."""

METRICS = (
    "correct",
    "accuracy",
    "pnls",
    "pnls_published",
    "pnls_correct",
    "pnls_correct_published",
    "iou",
    "iou_correct",
    "valid_format",
)
LENIENT_METRICS = tuple(
    f"{name}_lenient" for name in ("pnls", "pnls_correct", "iou", "iou_correct", "valid_format")
)


def score(reading: ParsedReply | None, truth: ParsedReply) -> dict[str, float | None]:
    """Scores what was read of a reply against the truth.

    A reply that could not be read is wrong in everything. Texts are compared in lower case. What
    is right is more than `PNLS_THRESHOLD` or `IOU_THRESHOLD`; `pnls_correct_published` is what
    the published tables count. `correct` is the mean of what was asked for: the accuracy of a
    choice, `pnls_correct` of a text, `iou_correct` of a box.

    Args:
        reading: what the reply says, or None where it could not be read.
        truth: what the answer says.

    Returns:
        A value for each of `METRICS`, all in [0, 1] and higher for better; None where the kind of
        question has no such value.

    >>> truth = ParsedReply(text="Emma", box=(0.1, 0.2, 0.5, 0.4))
    >>> values = score(ParsedReply(text="EMMA,", box=(0.0, 0.2, 0.5, 0.4)), truth)
    >>> values["pnls"], round(values["iou"], 6), values["iou_correct"], values["accuracy"]
    (1.0, 0.8, 1.0, None)
    """
    values: dict[str, float | None] = dict.fromkeys(METRICS)
    values["valid_format"] = float(reading is not None)
    reading = reading or ParsedReply()
    if truth.choice is not None:
        values["accuracy"] = float(reading.choice == truth.choice)
    if truth.text is not None:
        for name, right, metric in (
            ("pnls", "pnls_correct", pnls),
            ("pnls_published", "pnls_correct_published", pnls_published),
        ):
            said = reading.text
            value = 0.0 if said is None else metric(said.lower(), truth.text.lower())
            values |= {name: value, right: float(value > PNLS_THRESHOLD)}
    if truth.box is not None:
        value = iou(reading.box, truth.box) if reading.box else 0.0
        values |= {"iou": value, "iou_correct": float(value > IOU_THRESHOLD)}
    asked = (values[name] for name in ("accuracy", "pnls_correct", "iou_correct"))
    values["correct"] = fmean(value for value in asked if value is not None)
    return values


def metrics_of(kinds: Set[str], lenient: str) -> list[str]:
    """Returns the names of all scores that replies to questions of some kinds may have.

    Args:
        kinds: keys of `helm_structext.mmr.tasks.KINDS`.
        lenient: see `reply_scores`.

    >>> metrics_of({"choice"}, "none")
    ['correct', 'accuracy', 'valid_format']
    """
    truth = ParsedReply(
        choice=1 if "choice" in kinds else None,
        text="" if kinds & {"text", "text_box"} else None,
        box=(0, 0, 1, 1) if kinds & {"box", "text_box"} else None,
    )
    strict = [name for name, value in score(None, truth).items() if value is not None]
    leniently = lenient != "none" and truth.box is not None
    return strict + [
        n for n in LENIENT_METRICS if leniently and n.removesuffix("_lenient") in strict
    ]


def reply_scores(
    kind: str,
    truth: ParsedReply,
    reply: str,
    lenient: str,
    size: Callable[[], tuple[int, int]],
) -> dict[str, float | None]:
    """Scores a reply as it was written: by the published rules, and leniently beside them.

    Args:
        kind: of the question, a key of `helm_structext.mmr.tasks.KINDS`.
        truth: what the answer says.
        reply: what the model wrote.
        lenient: the scale in which boxes are read leniently, or ``none``.
        size: returns width and height of the picture; called only where boxes are read leniently.

    Returns:
        A value for each of `METRICS` and `LENIENT_METRICS`; see `score`.

    >>> truth = ParsedReply(box=(0.0, 0.0, 0.5, 0.5))
    >>> values = reply_scores("box", truth, "It is [0, 0, 50, 50].", "pixel", lambda: (100, 100))
    >>> values["iou"], values["iou_lenient"]
    (0.0, 1.0)
    """
    try:
        values = score(read_reply(kind, reply), truth)
    except UnreadableReply:
        values = score(None, truth)
    if lenient == "none" or truth.box is None:
        return {**values, **dict.fromkeys(LENIENT_METRICS)}
    try:
        leniently = score(read_reply_leniently(kind, reply, lenient, size()), truth)
    except UnreadableReply:
        leniently = score(None, truth)
    return {**values, **{n: leniently[n.removesuffix("_lenient")] for n in LENIENT_METRICS}}
