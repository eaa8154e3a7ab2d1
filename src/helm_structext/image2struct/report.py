"""What the charts and tables of a report show, computed once and written as JSON."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from helm_structext.image2struct.result_sets import EMS, RENDERED, Pool
from helm_structext.image2struct.tables import (
    BOUNDS,
    CORRELATED_METRICS,
    FURTHER_METRICS,
    PUBLISHED_METRICS,
    SECTIONS,
)
from helm_structext.results.runs import Result
from helm_structext.results.statistics import (
    bootstrap_intervals,
    correlations,
    skill,
    weighted_means,
)
from helm_structext.results.tabular import Table, section_tables, shown

SKILL = "skill"
METRICS = {**PUBLISHED_METRICS, **FURTHER_METRICS, SKILL: "Skill"}
"""Names to headers. Skill is a number of many answers, the others belong to each."""


def answers_of(pools: Iterable[Pool]) -> list[Result]:
    """Returns the answers of the pools' models to their instances."""
    return [answer for pool in pools for model in pool.models for answer in pool.of_model(model)]


def metrics_of(answers: Iterable[Result]) -> list[str]:
    """Returns the metrics that occur among answers, in the order of `METRICS`."""
    found = {name for answer in answers for name in answer.scores}
    return [name for name in METRICS if name in found]


def numbers(pools: Sequence[Pool]) -> dict[str, Any]:
    """Returns what the charts and tables show for the pools of one condition.

    Returns:
        ``models``, as the leaderboard ranks them, with their ``winRates``; ``scopes``: domains
        and subsets, in ``scores`` with metric to model to mean, number of answers and interval;
        ``correlations``: domain ("" for all) to a matrix of the metrics in ``correlated``;
        ``tables``, as `helm-structext tables` writes them.
    """
    tables = section_tables(SECTIONS, [pools])
    board = tables[0]
    rates = {row[0]: {"mean": row[1], "strict": row[2]} for row in board.rows}
    answers = answers_of(pools)
    everyone = sorted({answer.model for answer in answers})
    scopes = [(pool, part) for pool in pools for part in [pool, *pool.parts()]]
    correlated = [name for name in metrics_of(answers) if name in CORRELATED_METRICS]
    domains = dict.fromkeys(pool.domain for pool in pools)
    return {
        "label": pools[0].condition,
        "note": board.note,
        "models": [*rates, *(model for model in everyone if model not in rates)],
        "winRates": rates,
        "scopes": [
            {
                "domain": part.domain,
                "label": part.part or ("wild" if part.wild else "all"),
                "subsets": list(part.subsets),
                "inLeaderboard": part is pool and pool.wild == pools[0].wild,
                "scores": _scores(part),
            }
            for pool, part in scopes
        ],
        "correlated": correlated,
        "correlations": {
            domain: _correlations([a for a in answers if domain in ("", a.domain)], correlated)
            for domain in ("", *domains)
        },
        "tables": [written(table) for table in tables],
    }


def _scores(pool: Pool) -> dict[str, dict[str, Any]]:
    """Metric to model to mean, number of values, and interval."""
    names = metrics_of(answers_of([pool]))
    # All metrics share the resamples, which take most of the time.
    values = np.hstack([pool.scores(name) for name in names])
    columns = [(name, model) for name in names for model in pool.models]
    scores: dict[str, dict[str, Any]] = {name: {} for name in names}
    for (name, model), mean, count, (low, high) in zip(
        columns,
        weighted_means(values, pool.weights).tolist(),
        np.isfinite(values).sum(axis=0).tolist(),
        bootstrap_intervals(values, pool.weights),
        strict=True,
    ):
        if count:
            scores[name][model] = [*map(rounded, (mean, count, low, high))]
    if pool.blank_floor is not None:
        skills = skill(pool.scores(EMS), pool.blank_floor, pool.weights).tolist()
        scores[SKILL] = {
            model: [rounded(value), scores[EMS][model][1], None, None]
            for model, value in zip(pool.models, skills, strict=True)
            if not math.isnan(value)
        }
    return scores


def _correlations(answers: Iterable[Result], names: Sequence[str]) -> list[list[float | None]]:
    """As in the paper's Table A1: over the answers that rendered."""
    rows = [
        [answer.scores.get(name, np.nan) for name in names]
        for answer in answers
        if answer.model not in BOUNDS and answer.scores.get(RENDERED)
    ]
    matrix = correlations(np.array(rows).reshape(-1, len(names)))
    return [[rounded(value) for value in row] for row in matrix.tolist()]


def written(table: Table) -> dict[str, Any]:
    """Returns a table as the page shows it: every cell as text."""
    return {
        "title": table.title,
        "note": table.note,
        "columns": [column.name for column in table.columns],
        "rows": [
            [shown(cell, column.format) for cell, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ],
    }


def rounded(value: float) -> float | None:
    """Returns four decimals, and None for what is no number, which JSON does not have."""
    return round(value, 4) if math.isfinite(value) else None
