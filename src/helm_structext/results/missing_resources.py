"""How much of a score is the network: what answers asked for and this machine does not have."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, Generic, NamedTuple, TypeVar

from helm_structext.baselines import ORACLE
from helm_structext.errors import MissingResource
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.runs import RenderedResult
from helm_structext.results.tabular import Cell, Column, Table, format_count, markdown
from helm_structext.scoring.handling import MISSING_RESOURCES

MAX_ROWS = 30
"""Rows that are printed; files have all."""
ANY, NO_HOST = "any", "(no host)"


Answer = TypeVar("Answer")


class LackingPlace(NamedTuple, Generic[Answer]):
    """A host and a package that are not here, how to get what lacks, and the answers that ask for it."""

    host: str
    package: str
    how_to_get: str
    answers: list[Answer]


def missing_tables(result_set: ResultSet[Any]) -> Iterator[Table]:
    """A row for each host and package that answers asked for in vain, those of most answers first.

    Args:
        result_set: of a benchmark whose answers are rendered. Where a suite does not say what they
            asked for, there is no table.
    """
    answers: list[RenderedResult] = [
        answer
        for model in result_set.models
        for answer in result_set.of_model(model)
        if MISSING_RESOURCES in answer.scores
    ]
    if not answers:
        return
    everyone = LackingPlace(ANY, "", "", [answer for answer in answers if answer.missing])
    lacking = _rank_places((answer.missing, answer) for answer in answers)
    rows = [
        [*place, *_counts(result_set, ours), *_means(result_set, answers, ours), how]
        for *place, how, ours in [everyone, *lacking]
    ]
    headers = [f"{header} {side}" for header in result_set.MEASURES for side in ("with", "without")]
    references = ["References"] if ORACLE in result_set.models else []
    rivals = len({answer.model for answer in answers} - {*result_set.apart})
    table = Table(
        f"{result_set.name}-missing",
        f"{result_set.label}: what was asked for and is not here",
        f"{result_set.condition}; {format_count(len(answers), 'rendered answer')} of all models. There is "
        f"no network: such an answer is drawn without it, or fails. Answers: those that ask for anything of "
        f"the host and package. Not drawn: those of them that can't be drawn for what is missing, or are blank for it, "
        f"{format_count(sum(answer.undrawn for answer in answers), 'answer')} in all. Instances: to which they are."
        f"{' References: instances whose right answer asks, too.' if references else ''} With, without: "
        f"plain means over the answers of {format_count(rivals, 'model')} that ask for it, and over the others.",
        [
            *map(Column, ("Host", "Package", "Answers", "Not drawn", "Instances", *references)),
            *(Column(header, result_set.FORMAT) for header in headers),
            Column("How to get it"),
        ],
        rows,
    )
    yield replace(table, rows=rows[:MAX_ROWS])
    if len(rows) > MAX_ROWS:
        yield replace(table, name=f"{table.name}-all", printed=False)


Asking = tuple[Sequence[MissingResource] | None, bool]
"""What an answer asked for and did not get, or None where that is not known; and whether it is not drawn for it."""


def missing_text(answers: Iterable[Asking]) -> str:
    """Returns a table of hosts and packages that answers asked for in vain; "" where none did.

    >>> script = MissingResource("script", "unpkg.com", "left-pad")
    >>> print(missing_text([((script,), True), ((script,), False), ((), False), (None, False)]).splitlines()[-1])
    | unpkg.com |     left-pad |      2 |        1 | nothing here reaches unpkg.com, and `helm-structext setup` installs no such file |
    """
    known = [(missing, undrawn) for missing, undrawn in answers if missing is not None]
    lacking = _rank_places(known)
    if not lacking:
        return ""
    rows: list[list[Cell]] = [
        [*place, len(found), sum(found), how] for *place, how, found in lacking[:MAX_ROWS]
    ]
    asking = [undrawn for missing, undrawn in known if missing]
    more = f" The first {MAX_ROWS} of {len(lacking)} are shown." * (len(lacking) > MAX_ROWS)
    title = (
        f"What was asked for and is not here: by {len(asking)} of {format_count(len(known), 'rendered answer')}, "
        f"{sum(asking)} of which can't be drawn for it, or are blank.{more}"
    )
    return (
        f"{title}\n\n{markdown(['Host', 'Package', 'Answers', 'Not drawn', 'How to get it'], rows)}"
    )


def _rank_places(
    answers: Iterable[tuple[Sequence[MissingResource], Answer]],
) -> list[LackingPlace[Answer]]:
    """Hosts and packages that answers lack, those of most answers first."""
    asked: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    how: dict[tuple[str, str], str] = {}
    for missing, answer in answers:
        places = {(one.host or NO_HOST, one.package): one.how_to_get for one in missing}
        how |= places
        for place in places:
            asked[place].append(answer)
    ranked = sorted(asked.items(), key=lambda item: (-len(item[1]), item[0]))
    return [LackingPlace(*place, how[place], found) for place, found in ranked]


def _counts(result_set: ResultSet[Any], asking: list[RenderedResult]) -> list[Cell]:
    undrawn = sum(answer.undrawn for answer in asking)
    counts: list[Cell] = [len(asking), undrawn, len({answer.key for answer in asking})]
    references = [sum(answer.model == ORACLE for answer in asking)]
    return [*counts, *(references if ORACLE in result_set.models else [])]


def _means(
    result_set: ResultSet[Any], answers: list[RenderedResult], asking: list[RenderedResult]
) -> list[Cell]:
    """Of each measure the mean of those that ask, and of the others."""
    those = {id(answer) for answer in asking}
    rivals = [answer for answer in answers if answer.model not in result_set.apart]
    sides = [[a for a in rivals if (id(a) in those) is side] for side in (True, False)]
    found: list[Cell] = []
    for metric in result_set.MEASURES.values():
        for side in sides:
            values = [answer.scores[metric] for answer in side if metric in answer.scores]
            found.append(result_set.SCALE * fmean(values) if values else None)
    return found
