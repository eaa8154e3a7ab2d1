"""What looks wrong in scores that others published: their renderer or their judge failed, and not the model.

Each rule looks at the answers to one task or subset, and counts those that a working evaluation would not have so.
All are certain for what they say of the numbers; whether a model could be that bad is for people to judge.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from helm_structext.results.tabular import list_some, markdown

LEAST = 10
"""Answers of a part, of which something is said of all or nearly all."""
NEARLY_ALL = 0.9
EXAMPLES = 3


@dataclass(frozen=True)
class CheckedAnswer:
    """The scores of an answer, as they were published.

    Args:
        part: the task, or model, domain and subset: answers that were drawn and judged alike.
        instance: the id.
        score: by which models are ranked; at most 1, which is right.
        rendered: whether there was a picture; None of what is text.
        without_picture: the most that an answer without a picture can score.
        unseen: the most that a picture scores on which next to nothing was recognized; None without a judge.
        right: how many of the judge's verdicts are true; None without verdicts.
        drawn: whether the answer gives a picture here; None where that was not tried.
    """

    part: str
    instance: str
    score: float
    rendered: bool | None
    without_picture: float = 0.0
    unseen: float | None = None
    right: int | None = None
    drawn: bool | None = None


Answers = Sequence[CheckedAnswer]
Rule = Callable[[Answers], Answers]


def _no_picture(answers: Answers) -> Answers:
    return _if_most(answers, [a for a in answers if a.rendered is False], 1)


def _picture_there_alone(answers: Answers) -> Answers:
    rendered = [a for a in answers if a.rendered and a.drawn is not None]
    return _if_most(rendered, [a for a in rendered if not a.drawn], 1)


def _see_nothing(answers: Answers) -> Answers:
    rendered = [a for a in answers if a.rendered and a.unseen is not None]
    seen_nothing = [a for a in rendered if a.unseen is not None and a.score <= a.unseen + 1e-9]
    return _if_most(rendered, seen_nothing, NEARLY_ALL)


def _credit_without_picture(answers: Answers) -> Answers:
    # Half of the last decimal of a published score.
    return [a for a in answers if a.rendered is False and a.score > a.without_picture + 0.005]


def _one_score(answers: Answers) -> Answers:
    scored = [a for a in answers if a.rendered is not False]
    scores = {a.score for a in scored}
    return _if_most(scored, scored if len(scores) == 1 and 1.0 not in scores else [], 1)


def _judge_says_no(answers: Answers) -> Answers:
    judged = [a for a in answers if a.rendered and a.right is not None]
    return _if_most(judged, [a for a in judged if not a.right], 1)


RULES: dict[str, Rule] = {
    "no answer has a picture": _no_picture,
    "scored as rendered, and nothing here renders": _picture_there_alone,
    "pictures on which next to nothing is seen: blank?": _see_nothing,
    "credit without a picture": _credit_without_picture,
    "the same score for all": _one_score,
    "every verdict of the judge is false": _judge_says_no,
}
"""What looks wrong, and the answers of a part of which it holds."""


@dataclass(frozen=True)
class Defect:
    """Something that looks wrong in the answers to one task or subset.

    Args:
        rule: a key of `RULES`.
        part: see `CheckedAnswer`.
        answers: those that it is about.
        total: how many answers the part has.
    """

    rule: str
    part: str
    answers: Answers
    total: int


def find_defects(answers: Iterable[CheckedAnswer]) -> list[Defect]:
    """Returns what looks wrong, rule by rule in the order of `RULES`, parts in that of the answers.

    >>> blank = [CheckedAnswer("canvas", str(n), 0.3, True, unseen=0.4) for n in range(10)]
    >>> [(defect.rule, len(defect.answers)) for defect in find_defects(blank)]
    [('pictures on which next to nothing is seen: blank?', 10), ('the same score for all', 10)]
    >>> find_defects(blank[:9])
    []
    """
    parts: dict[str, list[CheckedAnswer]] = defaultdict(list)
    for answer in answers:
        parts[answer.part].append(answer)
    return [
        Defect(rule, part, found, len(ours))
        for rule, find in RULES.items()
        for part, ours in parts.items()
        if (found := find(ours))
    ]


def defects_text(answers: Iterable[CheckedAnswer]) -> str:
    """Returns a table of what looks wrong, with counts and examples, or "" if nothing does."""
    rows = [
        [
            defect.part,
            defect.rule,
            f"{len(defect.answers)} of {defect.total}",
            list_some((f"{a.instance} ({a.score:.2f})" for a in defect.answers), EXAMPLES),
        ]
        for defect in find_defects(answers)
    ]
    header = ["Part", "What looks wrong", "Answers", "Examples, with their scores"]
    return f"What looks wrong in these files\n\n{markdown(header, rows)}" if rows else ""


def _if_most(answers: Answers, found: Answers, share: float) -> Answers:
    return found if len(answers) >= LEAST and len(found) >= share * len(answers) else []
