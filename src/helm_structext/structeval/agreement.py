"""How far a judge of pictures agrees with another judge, or with people.

Source: StructEval, section 2.1 and Table 3, where people judged sampled pairs of question and
answer and called 11% of them unfair: not to be answered from the picture alone.
"""

import csv
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from helm_structext.errors import SetupError
from helm_structext.results.agreement import cohens_kappa
from helm_structext.results.sampling import draw_sample
from helm_structext.results.spreadsheets import csv_rows, csv_text
from helm_structext.results.tabular import Cell, Column, Table
from helm_structext.scoring.handling import JUDGE
from helm_structext.storage.files import write_text
from helm_structext.structeval.evaluations import ItemScore, PublishedEvaluation
from helm_structext.structeval.judge import NOT_COMPARABLE
from helm_structext.structeval.results import StructEvalResult
from helm_structext.structeval.tasks import NAMES, TASKS
from helm_structext.structeval.verdicts import Verdict
from helm_structext.texts import quote_value

PEOPLE = "people"
TRUTHS = {"true": True, "false": False, "null": None}
TO_FILL_IN = ("model", "instance", "pair", "picture", "question", "answer", "label", "fair")
"""Columns of a file for people; the last two are theirs."""


JUDGED, KEYWORDS = 0.7, 0.1
"""Of a final score of pictures, what the judge's yeses give, and at most the keywords in the code (StructEval, section 2.1)."""
HALF_CENT = 0.005
"""Published scores have two decimals: what is nearer is the same."""


class PairKey(NamedTuple):
    """One pair of question and answer about the picture of one model's answer.

    Args:
        model: name of the model that drew the picture.
        instance: the task id.
        pair: its number among the questions of the instance, from 1.
    """

    model: str
    instance: str
    pair: int


@dataclass(frozen=True)
class Asked:
    """What judges said of a pair, and about which answer."""

    result: StructEvalResult
    verdicts: dict[str, Verdict]


@dataclass(frozen=True)
class Labels:
    """What people say of pairs, and which they call unfair."""

    verdicts: Mapping[PairKey, Verdict]
    unfair: Collection[PairKey]


def asked_pairs(results: Iterable[StructEvalResult]) -> dict[PairKey, Asked]:
    """Returns every pair that a judge was asked about; without a picture nobody was.

    Raises:
        SetupError: pictures were made under different conditions, or two judges did not see the
            same answer of a model.
    """
    judged = [result for result in results if result.judge_reply is not None]
    conditions = sorted({str(dict(result.conditions)) for result in judged})
    if len(conditions) > 1:
        raise SetupError(
            f"the suite has pictures made under {' and '.join(conditions)}; "
            "keep them in suites of their own"
        )
    pairs: dict[PairKey, Asked] = {}
    for result in judged:
        for number, verdict in enumerate(result.verdicts, 1):
            key = PairKey(result.model, result.instance, number)
            asked = pairs.setdefault(key, Asked(result, {}))
            if asked.result.completion != result.completion:
                raise SetupError(
                    f"{result.model} has two answers to instance {result.instance}, in the runs "
                    f"{asked.result.run} and {result.run}: their judges saw different pictures"
                )
            if result.unscored != JUDGE:
                asked.verdicts[result.judge] = verdict
    return pairs


def draw_pairs(pairs: Mapping[PairKey, Asked], count: int, seed: int) -> dict[PairKey, Asked]:
    """Returns so many pairs of all, always the same for a seed: the paper sampled 397.

    Args:
        pairs: as from `asked_pairs`.
        count: how many; all, if there are fewer.
        seed: another one draws others.
    """
    return dict(draw_sample(pairs.items(), count, seed, lambda pair: "/".join(map(str, pair[0]))))


def choose_judges(
    pairs: Mapping[PairKey, Asked], names: Sequence[str], number: int
) -> tuple[str, ...]:
    """Returns so many judges: those that are named, or else those of the suite.

    Args:
        pairs: all pairs of the suite.
        names: what the user named; none for those of the suite.
        number: how many there have to be.

    Raises:
        SetupError: there are more or fewer, or one that is named judged nothing.
    """
    present = sorted({judge for asked in pairs.values() for judge in asked.verdicts})
    chosen = tuple(dict.fromkeys(names or present))
    if len(chosen) != number or not set(chosen) <= set(present):
        raise SetupError(
            f"expected {number} of the suite's judges ({', '.join(present) or 'it has none'}), "
            f"got {', '.join(names) or 'no choice'}: name them with --judges"
        )
    return chosen


def verdicts_of(pairs: Mapping[PairKey, Asked], judge: str) -> dict[PairKey, Verdict]:
    """Returns a judge's verdicts."""
    return {key: asked.verdicts[judge] for key, asked in pairs.items() if judge in asked.verdicts}


def published_verdicts(
    evaluation: PublishedEvaluation, pairs: Mapping[PairKey, Asked]
) -> Mapping[PairKey, Verdict]:
    """Returns the verdicts of a published evaluation on the answers that the suite has, too.

    Args:
        evaluation: as from `helm_structext.structeval.evaluations.read_evaluation`.
        pairs: as from `asked_pairs`.

    Raises:
        SetupError: it has none on these.
    """
    answers = {answer.question.id: answer for answer in evaluation.answers}
    found = {}
    for key, asked in pairs.items():
        answer = answers.get(key.instance)
        same = answer and answer.written == asked.result.completion
        if answer and same and len(answer.verdicts) >= key.pair:
            found[key] = answer.verdicts[key.pair - 1]
    if not found:
        raise SetupError(
            f"{evaluation.name} has no verdict on an answer of this suite: its answers have to be the same, "
            "such as replayed ones"
        )
    return found


def agreement_tables(
    pairs: Mapping[PairKey, Asked],
    judge: str,
    reference: str,
    reference_verdicts: Mapping[PairKey, Verdict],
    unfair: Collection[PairKey] = (),
) -> Iterator[Table]:
    """Yields how far a judge agrees with a reference, by format; with unfair pairs also Table 3.

    Args:
        pairs: as from `asked_pairs`.
        judge: whose verdicts are tested.
        reference: a name for those whose verdicts are right.
        reference_verdicts: theirs; pairs that either has not judged do not count.
        unfair: pairs that are left out.
    """
    fair: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    not_fair: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for key, verdict in verdicts_of(pairs, judge).items():
        if key in reference_verdicts:
            format = NAMES[pairs[key].result.kind.output]
            side = not_fair if key in unfair else fair
            # As in the score, no verdict is not true.
            side[format].append((verdict is True, reference_verdicts[key] is True))
    marks = "".join(
        f" {one} is NOT COMPARABLE." for one in (judge, reference) if one in NOT_COMPARABLE
    )
    who = f"{judge} against {reference}"
    name = f"agreement-{judge}-{reference}".replace("/", "_")
    yield Table(
        name,
        "Agreement of judges",
        f"{who}: the share of pairs of question and answer that both call true, or neither does, "
        f"and Cohen's κ, which is 0 for as good as chance. Unfair pairs are left out.{marks}",
        [
            *map(Column, ("Format", "Pairs", "Unfair", f"True: {judge}", f"True: {reference}")),
            *map(Column, ("Accuracy", "κ")),
        ],
        [
            _row("all", _join(fair), len(_join(not_fair))),
            *(
                _row(f, fair.get(f, []), len(not_fair.get(f, [])))
                for f in sorted({*fair, *not_fair})
            ),
        ],
    )
    if not_fair:
        yield _fairness_table(f"{name}-fairness", who, marks, fair, not_fair)


def score_agreement(
    first: Mapping[str, ItemScore], second: Mapping[str, ItemScore], judges: tuple[str, str]
) -> Table:
    """Returns what the scores of the same answers by two judges tell of their verdicts, where these are not published.

    Rendering and keywords are the same for both, so that scores differ by the shares of questions that each says yes
    to. Where one says yes more often, so many of its yeses are noes of the other, at least; more may cancel out.

    Args:
        first: task id to final score.
        second: of the same answers by the other judge; those that only one has do not count.
        judges: their names.

    >>> scores = {"000100": ItemScore("text_to_angular", 1.0, 0.95)}, {"000100": ItemScore("text_to_angular", 1.0, 0.6)}
    >>> [round(cell, 3) for cell in score_agreement(*scores, ("a", "b")).rows[0][1:]]
    [1, 0.95, 0.6, 0.0, 0.5, 0.0, 0.5]
    """
    by_format: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for id, one in first.items():
        # What has no more than keywords by both was shown to none.
        if (other := second.get(id)) and (one.syntax or max(one.score, other.score) > KEYWORDS):
            by_format[NAMES[TASKS[one.task].output]].append((one.score, other.score))
    every = [pair for pairs in by_format.values() for pair in pairs]
    names = [f"{what} {judge}" for what in ("mean:", "yes alone:") for judge in judges]
    return Table(
        f"scores-{'-'.join(judges)}".replace("/", "_"),
        "Two judges of the same answers, by their scores",
        "Final scores of the answers that were judged: means, how many are the same, the share of questions to which "
        "one judge alone says yes, at least, and that of verdicts that are the same, at most; means over answers.",
        [*map(Column, ("Format", "Answers", *names[:2], "The same", *names[2:], "Accuracy"))],
        [_score_row("all", every), *(_score_row(*item) for item in sorted(by_format.items()))],
    )


def _score_row(name: str, pairs: Sequence[tuple[float, float]]) -> list[Cell]:
    if not pairs:
        return [name, 0, *[None] * 6]
    alone = [
        fmean(max(0.0, a - b) / JUDGED for a, b in it) for it in (pairs, [p[::-1] for p in pairs])
    ]
    same = fmean(abs(a - b) < HALF_CENT for a, b in pairs)
    means = map(fmean, zip(*pairs, strict=True))
    return [name, len(pairs), *means, same, *alone, 1 - sum(alone)]


def _fairness_table(
    name: str,
    who: str,
    marks: str,
    fair: Mapping[str, list[tuple[bool, bool]]],
    not_fair: Mapping[str, list[tuple[bool, bool]]],
) -> Table:
    right = [[ours == theirs for ours, theirs in _join(side)] for side in (not_fair, fair)]
    columns = [*right, right[0] + right[1]]
    correct, total = [sum(c) for c in columns], [len(c) for c in columns]
    wrong = [n - c for n, c in zip(total, correct, strict=True)]
    counts = {"Correct": correct, "Wrong": wrong, "Total": total}
    return Table(
        name,
        "Unfair pairs (Table 3)",
        f"{who}, who also say which pairs are unfair. Correct: both agree.{marks}",
        [*map(Column, ("", "Unfair", "Fair", "All", "Fair share"))],
        [
            *(
                [label, *numbers, _ratio(numbers[1], numbers[2])]
                for label, numbers in counts.items()
            ),
            ["Accuracy", *map(_ratio, correct, total), None],
        ],
    )


def read_labels(path: Path, pairs: Mapping[PairKey, Asked]) -> Labels:
    """Reads what people say of pairs.

    Args:
        path: a CSV file with the columns ``model``, ``instance``, ``pair`` (from 1) and ``label``
            (true, false or null; empty where nobody has looked), and maybe ``fair`` (true or
            false; empty for true). Other columns are not looked at.
        pairs: as from `asked_pairs`.

    Raises:
        SetupError: the file can't be read, a line is not as it should be, or no pair has a label.
    """
    verdicts: dict[PairKey, Verdict] = {}
    unfair = set()
    for place, row in _rows(path, ("model", "instance", "pair", "label")):
        key = PairKey(row["model"], row["instance"], _number(place, row["pair"]))
        if key not in pairs:
            raise SetupError(f"{place}: no judge was asked about {', '.join(map(str, key))}")
        if row["label"]:
            verdict = _truth(place, "label", row["label"])
            if verdicts.setdefault(key, verdict) is not verdict:
                raise SetupError(f"{place}: an earlier row has another label for the same pair")
        if row.get("fair") and _truth(place, "fair", row["fair"]) is False:
            unfair.add(key)
    if not verdicts:
        raise SetupError(f"{path} has no label yet; they go into the column 'label': true or false")
    return Labels(verdicts, unfair)


def read_unfair(path: Path, pairs: Iterable[PairKey]) -> set[PairKey]:
    """Reads which pairs are unfair, whichever model's picture it is.

    Args:
        path: a CSV file with the columns ``instance`` and ``pair`` (from 1).
        pairs: as from `asked_pairs`.

    Raises:
        SetupError: the file can't be read, or a line is not as it should be.
    """
    named = {
        (row["instance"], _number(place, row["pair"]))
        for place, row in _rows(path, ("instance", "pair"))
    }
    return {key for key in pairs if (key.instance, key.pair) in named}


def write_labels(path: Path, pairs: Mapping[PairKey, Asked]) -> None:
    """Writes all pairs as a CSV file for people to fill in; it does not say what judges said.

    Args:
        path: of the file.
        pairs: in the order of its lines.

    Raises:
        SetupError: the file can't be written.
    """
    rows: list[Sequence[str | int]] = [TO_FILL_IN]
    for key, asked in pairs.items():
        pair = asked.result.pairs[key.pair - 1]
        picture = str(asked.result.rendering)
        rows.append([*key, picture, pair["question"], pair["answer"], "", ""])
    write_text(path, csv_text(rows))


def _join(side: Mapping[str, list[tuple[bool, bool]]]) -> list[tuple[bool, bool]]:
    return [pair for pairs in side.values() for pair in pairs]


def _row(name: str, pairs: Sequence[tuple[bool, bool]], unfair: int) -> list[Cell]:
    return [
        *(name, len(pairs), unfair),
        *(_ratio(sum(pair[side] for pair in pairs), len(pairs)) for side in (0, 1)),
        _ratio(sum(ours == theirs for ours, theirs in pairs), len(pairs)),
        cohens_kappa(pairs),
    ]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _rows(path: Path, columns: Collection[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields each line's place and its cells without white space around them."""
    try:
        rows = csv_rows(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SetupError(f"{path} can't be read as CSV: {error}") from error
    for number, row in enumerate(rows, 1):
        missing = [column for column in columns if row.get(column) is None]
        if missing:
            raise SetupError(f"{path}, row {number}: no column {', '.join(missing)}")
        yield f"{path}, row {number}", {column: cell.strip() for column, cell in row.items()}


def _number(place: str, text: str) -> int:
    if not (text.isdecimal() and len(text) < 10 and int(text)):
        raise SetupError(f"{place}: pair is {quote_value(text)}, expected a whole number from 1")
    return int(text)


def _truth(place: str, column: str, text: str) -> Verdict:
    if text.lower() not in TRUTHS:
        raise SetupError(f"{place}: {column} is {text!r}, expected {', '.join(TRUTHS)} or nothing")
    return TRUTHS[text.lower()]
