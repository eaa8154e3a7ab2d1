"""What was found of a judge, as tables and a page: accuracy, order effects, smuggled verdicts, cost."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from helm_structext.audit.judges import OTHERWISE, PLAIN, JudgedQuestion
from helm_structext.audit.smuggled import SMUGGLED
from helm_structext.results.statistics import wilson_interval
from helm_structext.results.tabular import Cell, Column, Estimate, Table, format_cell

Verdicts = Sequence[JudgedQuestion]


def share_of(
    verdicts: Iterable[JudgedQuestion], holds: Callable[[JudgedQuestion], bool]
) -> Estimate:
    """Returns the share of questions of which something holds, with Wilson's interval; NaN of none."""
    found = [holds(one) for one in verdicts]
    value = fmean(found) if found else math.nan
    return Estimate(value, wilson_interval(sum(found), len(found)), "")


def accuracy(verdicts: Verdicts) -> Estimate:
    """Returns the share of right verdicts; no verdict is none."""
    return share_of(verdicts, lambda one: one.verdict is one.true)


def false_yes(verdicts: Verdicts) -> Estimate:
    """Returns the share of false answers to which the judge says yes."""
    return share_of((one for one in verdicts if not one.true), lambda one: one.verdict is True)


def false_no(verdicts: Verdicts) -> Estimate:
    """Returns the share of true answers to which the judge says no."""
    return share_of((one for one in verdicts if one.true), lambda one: one.verdict is False)


def changed_share(verdicts: Verdicts, way: str) -> Estimate:
    """Returns the share of questions to which the judge says something else when it is asked in another way.

    Args:
        verdicts: of all ways.
        way: the other way.
    """
    plain = {(one.case, one.number): one.verdict for one in verdicts if one.way == PLAIN}
    others = [one for one in verdicts if one.way == way]
    return share_of(others, lambda one: one.verdict is not plain[one.case, one.number])


MEASURES: dict[str, Callable[[Verdicts], Estimate]] = {
    "accuracy": accuracy,
    "false yes": false_yes,
    "false no": false_no,
}
INTERVAL = "± half of Wilson's 95% interval."


def judge_tables(verdicts: Verdicts) -> list[Table]:
    """Returns all tables of a judge.

    Args:
        verdicts: of at least one case.
    """
    plain = [one for one in verdicts if one.way == PLAIN]
    groups: defaultdict[tuple[str, str], list[JudgedQuestion]] = defaultdict(list)
    for one in plain:
        for group in (
            ("all", ""),
            ("question", one.asked),
            ("scene", one.kind),
            ("format", one.format),
        ):
            groups[group].append(one)
    rows: list[list[Cell]] = [
        [f"{what} {name}".strip(), len(some), *(measure(some) for measure in MEASURES.values())]
        for (what, name), some in sorted(groups.items())
    ]
    columns = [Column("Questions"), Column("n"), *map(Column, MEASURES)]
    note = f"Of the right picture; half of the expected answers are true. {INTERVAL}"
    smuggled: list[list[Cell]] = [
        [way, false_yes([one for one in verdicts if one.way == way])] for way in (PLAIN, *SMUGGLED)
    ]
    steady: list[list[Cell]] = [[way, changed_share(verdicts, way)] for way in OTHERWISE]
    tokens = [one.tokens for one in plain if one.tokens is not None]
    cost: list[Cell] = [
        sum(one.verdict is None for one in plain),
        fmean(one.seconds for one in plain),
        fmean(tokens) if tokens else None,
    ]
    return [
        Table("accuracy", "What the judge sees", note, columns, rows),
        Table(
            "smuggled",
            "Smuggled verdicts",
            f"Share of false answers that it calls true, by what was added to the picture. {INTERVAL}",
            [Column("Added"), Column("false yes")],
            smuggled,
        ),
        Table(
            "steady",
            "Asked again, and in another way",
            f"Share of verdicts that differ from those of the first time. {INTERVAL}",
            [Column("Asked"), Column("differs")],
            steady,
        ),
        Table(
            "cost",
            "Cost",
            "Of a question.",
            [Column("no verdict"), Column("seconds"), Column("tokens")],
            [cost],
        ),
    ]


def write_judge_page(verdicts: Verdicts, judge: str, command: str, passport: str = "") -> str:
    """Returns the page in Markdown.

    Args:
        verdicts: of at least one case.
        judge: its name.
        command: that asked it.
        passport: a line about where that was.
    """
    parts = [
        f"# What {judge} sees",
        f"`{command}`",
        *filter(None, [passport]),
        "\n".join(f"- {one}" for one in judge_findings(verdicts)),
        *(table.markdown() for table in judge_tables(verdicts)),
    ]
    return "\n\n".join(parts) + "\n"


def judge_findings(verdicts: Verdicts) -> list[str]:
    """Returns what follows from the numbers, a sentence each."""
    plain = [one for one in verdicts if one.way == PLAIN]
    right, yes, no = (format_cell(measure(plain)) for measure in MEASURES.values())
    found = [
        f"{len(plain)} questions: {right} of the verdicts are right, {yes} of false answers are called true, {no} of "
        "true ones false."
    ]
    before = {(one.case, one.number): one.verdict for one in plain}
    for way in SMUGGLED:
        these = [one for one in verdicts if one.way == way]
        turned = share_of(
            (one for one in these if before[one.case, one.number] is not True),
            lambda one: one.verdict is True,
        )
        if turned.value > 0:
            found.append(
                f"“{way}” on the picture turns {format_cell(turned)} of its right noes into yes."
            )
    for way in OTHERWISE:
        if (share := changed_share(verdicts, way)).value > 0:
            found.append(f"Asked {way}, {format_cell(share)} of its verdicts change.")
    return found
