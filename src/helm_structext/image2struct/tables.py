"""The tables of the Image2Struct paper and what surrounds them, for a finished suite.

Means are pooled over instances. What changes the numbers without changing the instances (the
protocol, a perturbation, another wording) is a condition, and no table mixes two of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

from helm_structext.cache import write_atomically
from helm_structext.errors import ERROR_KINDS, SetupError
from helm_structext.image2struct.result_sets import BLANK, EMS, LABELS, RENDERED, Pool, pools
from helm_structext.results.comparisons import pair_tables
from helm_structext.results.plots import heat_map
from helm_structext.results.runs import Result
from helm_structext.results.statistics import (
    INTERVALS,
    bootstrap_intervals,
    correlations,
    mean_win_rates,
    skill,
    weighted_means,
)
from helm_structext.results.tabular import Cell, Column, Table, counted, markdown, some

__all__ = [
    "BOUNDS",
    "CORRELATED_METRICS",
    "FURTHER_METRICS",
    "PUBLISHED_METRICS",
    "SECTIONS",
    "correlation_tables",
    "fitting_models",
    "markdown",
    "mean_win_rates",
    "selected",
    "write_tables",
]

# Metric to header. First the columns of the paper's Tables A2 to A4, with the values that the
# published tables hold; then other readings of the same.
PUBLISHED_METRICS = {
    RENDERED: "Rendered",
    EMS: "EMS",
    "pixel_similarity_published": "Pixels (publ.)",
    "fid_similarity": "CIS (publ.)",
    "lpips_similarity": "LPIPS",
    "structural_similarity": "SSIM",
    "edit_similarity": "Edit sim.",
}
FURTHER_METRICS = {
    "earth_mover_similarity_rendered": "EMS (rendered)",
    "earth_mover_similarity_corrected": "EMS (corr.)",
    "block_emd": "Block EMD",
    "pixel_similarity": "Pixels",
    "inception_similarity": "CIS",
    "levenshtein_similarity": "Levenshtein",
}
CORRELATED_METRICS = {
    metric: header
    for metric, header in {**PUBLISHED_METRICS, **FURTHER_METRICS}.items()
    if metric not in (RENDERED, "earth_mover_similarity_rendered")
}

BOUNDS = ("structext/oracle", BLANK)
"""Models that make no mistake or draw nothing: most of a correlation would be theirs."""

FAILURES = "An answer that did not render counts as 0."


def leaderboards(ours: Sequence[Pool]) -> Iterator[Table]:
    """Table 2: win rates, rendering and EMS of each domain; then the skill.

    Wild pictures have a table of their own, as in the paper (Tables A5 and A6).
    """
    for wild, group in groupby(ours, key=lambda pool: pool.wild):
        domains = list(group)
        models = sorted({model for pool in domains for model in pool.models})
        columns = {
            f"{LABELS[pool.domain]} {header}": pool.by_model(metric)
            for pool in domains
            for metric, header in ((RENDERED, "R"), (EMS, "EMS"))
        }
        rates, strict = mean_win_rates(columns), mean_win_rates(columns, tie=0)
        ranking = sorted(models, key=lambda m: (-rates.get(m, 0), -strict.get(m, 0), m))
        name = f"{domains[0].stem}{'-wild' if wild else ''}-leaderboard"
        title = "Leaderboard of wild pictures" if wild else "Leaderboard (Table 2)"
        counts = ", ".join(f"{LABELS[pool.domain]} {len(pool.instances)}" for pool in domains)
        yield Table(
            name,
            title,
            f"{domains[0].condition}; means over instances: {counts}. R: share that rendered. "
            f"{FAILURES} Win rate: mean share of the other models that are beaten in R and EMS, "
            "a tie counting half, as in helm-summarize; strict: a tie counting nothing, as in the "
            f"paper.{''.join(map(_remarks, domains))}{_cut_or_refused(domains)}",
            [Column("Model"), Column("Win rate"), Column("strict"), *map(Column, columns)],
            [
                [m, rates.get(m), strict.get(m), *(column.get(m) for column in columns.values())]
                for m in ranking
            ],
        )
        skills = {
            f"{LABELS[pool.domain]} {floor}": dict(zip(pool.models, values, strict=True))
            for pool in domains
            for floor, values in _skills(pool).items()
        }
        if not skills:
            continue
        yield Table(
            f"{name.removesuffix('leaderboard')}skill",
            f"Skill{' with wild pictures' if wild else ''}",
            f"{domains[0].condition}. (EMS - floor) / (1 - floor), the floor being what a blank "
            "page scores on the same instances, or another reference of the same subset."
            f"{''.join(f' {LABELS[pool.domain]}: {_floors(pool)}.' for pool in domains)}",
            [Column("Model"), *map(Column, skills)],
            [[m, *(column.get(m) for column in skills.values())] for m in ranking],
        )


def score_tables(ours: Sequence[Pool]) -> Iterator[Table]:
    """Rendering, EMS and skill of each domain and of each of its subsets, with intervals."""
    for whole in ours:
        parts = whole.parts()
        if parts:
            yield _per_model(
                whole,
                "subsets",
                f"{whole.label}, EMS by subset",
                f"{_facts(whole)} {FAILURES} "
                f"{' '.join(f'{part.part}: {_floors(part)}.' for part in parts)}",
                {
                    "all": whole.means(EMS).tolist(),
                    **{part.part: part.means(EMS).tolist() for part in parts},
                },
            )
        for pool in [whole, *parts]:
            both = np.hstack([pool.scores(RENDERED), pool.scores(EMS)])
            intervals = bootstrap_intervals(both, pool.weights)
            skills = _skills(pool)
            yield _per_model(
                pool,
                "scores",
                pool.label,
                f"{_facts(pool)} {FAILURES} {INTERVALS} Skill: (EMS - floor) / (1 - floor); "
                f"floors: {_floors(pool)}.",
                {
                    "n": np.isfinite(pool.scores(RENDERED)).sum(axis=0).tolist(),
                    "Rendered": pool.means(RENDERED).tolist(),
                    "Rendered 95%": intervals[: len(pool.models)],
                    "EMS": pool.means(EMS).tolist(),
                    "EMS 95%": intervals[len(pool.models) :],
                    **{f"Skill ({floor})": values for floor, values in skills.items()},
                },
            )


def metric_tables(ours: Sequence[Pool]) -> Iterator[Table]:
    """Tables A2 to A4: all metrics of each domain; those of the paper, then further readings."""
    places = {"image2struct_latex": "A2", "image2struct_webpage": "A3", "image2struct_music": "A4"}
    for pool in ours:
        number = f" (Table {places[pool.domain]})" if not pool.wild else ""
        for name, title, metrics, note in (
            (
                "metrics",
                f"{pool.label}, metrics of the paper{number}",
                PUBLISHED_METRICS,
                f"publ.: as in the published tables, see the other readings. {FAILURES}",
            ),
            (
                "readings",
                f"{pool.label}, other readings",
                FURTHER_METRICS,
                "EMS (rendered) and Block EMD, for which less is better: over the answers that "
                "rendered. In the others one that did not counts as 0.",
            ),
        ):
            means = {header: pool.means(metric) for metric, header in metrics.items()}
            known = {h: column.tolist() for h, column in means.items() if np.isfinite(column).any()}
            if known:
                yield _per_model(pool, name, title, f"{_facts(pool)} {note}", known)


def answer_tables(ours: Sequence[Pool]) -> Iterator[Table]:
    """Why answers scored nothing, or less: cut, refused, empty, not rendered."""
    for pool in ours:
        answers = [pool.of_model(model) for model in pool.models]
        yield _per_model(
            pool,
            "answers",
            f"{pool.label}, answers",
            f"{_facts(pool)} Shares of each model's answers. Cut: at the limit of tokens. "
            "Refused: nothing but a refusal in English, or withheld by the provider's filter. "
            "Empty: not a word. The next four did not render.",
            {
                "n": [len(of_model) for of_model in answers],
                "Cut": [_share(a.truncated for a in of_model) for of_model in answers],
                "Refused": [_share(a.refused for a in of_model) for of_model in answers],
                "Empty": [_share(not a.completion.strip() for a in o) for o in answers],
                **{
                    header: [_share(a.error_kind == kind for a in o) for o in answers]
                    for kind, header in zip(
                        ERROR_KINDS, ("Syntax", "Timeout", "Resource", "No page"), strict=True
                    )
                },
                "Metric errors": pool.means("metric_errors").tolist(),
            },
        )


def significance_tables(ours: Sequence[Pool]) -> Iterator[Table]:
    """Which differences of EMS between two models are more than chance."""
    for pool in ours:
        yield from pair_tables(pool.grid(), _facts(pool))


def correlation_tables(ours: Sequence[Pool]) -> Iterator[Table]:
    """Table A1: how the metrics go together, over the answers that rendered."""
    answers = [
        answer
        for pool in ours
        for model in pool.models
        if model not in BOUNDS
        for answer in pool.of_model(model)
        if answer.scores.get(RENDERED)
    ]
    metrics = [m for m in CORRELATED_METRICS if any(m in answer.scores for answer in answers)]
    if not metrics:
        return
    values = np.array([[answer.scores.get(m, np.nan) for m in metrics] for answer in answers])
    matrix = correlations(values)
    headers = [CORRELATED_METRICS[metric] for metric in metrics]
    models = {answer.model for answer in answers}
    title = "Correlation of metrics"
    facts = (
        f"{ours[0].condition}; {counted(len(answers), 'rendered answer')} of "
        f"{counted(len(models), 'model')}"
    )
    yield Table(
        f"{ours[0].stem}-correlation",
        f"{title} (Table A1)",
        f"{facts}, {', '.join(pool.label for pool in ours)}; {' and '.join(BOUNDS)} left out. "
        "Pearson's, over the answers that have both metrics.",
        [Column("Metric"), *(Column(str(i + 1)) for i in range(len(metrics)))],
        [[f"{i + 1} {h}", *matrix[i].tolist()] for i, h in enumerate(headers)],
        drawing=partial(heat_map, headers, matrix, f"{title}: {facts}"),
    )


SECTIONS: dict[str, Callable[[Sequence[Pool]], Iterator[Table]]] = {
    "leaderboard": leaderboards,
    "scores": score_tables,
    "metrics": metric_tables,
    "answers": answer_tables,
    "significance": significance_tables,
    "correlation": correlation_tables,
}
"""What to show of the pools of one condition: the wild ones come last."""


def selected(
    results: Iterable[Result], half_life: float | None = None, patterns: Sequence[str] = ()
) -> list[list[Pool]]:
    """Returns a suite's pools, a list for each condition, the wild ones last.

    Args:
        results: as from `helm_structext.results.runs.read_results`.
        half_life: in days, to weigh recent instances more.
        patterns: shell patterns of the models to show; all by default.

    Raises:
        SetupError: no model fits, or as `pools`.
    """
    ours = pools(results, half_life)
    if patterns:
        fitting = fitting_models((model for pool in ours for model in pool.models), patterns)
        ours = [pool.of(fitting) for pool in ours if set(fitting) & set(pool.models)]
    return [list(group) for _, group in groupby(ours, key=lambda pool: pool.conditions)]


def fitting_models(models: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Returns the models whose names fit a shell pattern, sorted; all without patterns.

    Raises:
        SetupError: none does.

    >>> fitting_models(["b/large", "a/small", "b/small"], ["b/*"])
    ['b/large', 'b/small']
    """
    models = sorted(set(models))
    fitting = [m for m in models if any(fnmatchcase(m, pattern) for pattern in patterns or "*")]
    if not fitting:
        raise SetupError(
            f"no model of the suite is named {' or '.join(patterns)}; there are {', '.join(models)}"
        )
    return fitting


def write_tables(tables: Iterable[Table], folder: Path) -> list[Path]:
    """Writes each table as CSV and LaTeX, and where it has a drawing as PNG.

    Returns:
        The files.

    Raises:
        SetupError: the folder can't be written.
    """
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            for ending, text in (("csv", table.csv()), ("tex", table.latex())):
                files.append(folder / f"{table.name}.{ending}")
                write_atomically(files[-1], text.encode())
            if table.drawing:
                files.append(folder / f"{table.name}.png")
                write_atomically(files[-1], table.drawing())
    except OSError as error:
        raise SetupError(f"{folder} can't be written: {error}") from error
    return files


def _per_model(
    pool: Pool, name: str, title: str, note: str, columns: Mapping[str, Sequence[Cell]]
) -> Table:
    """A table with a row for each model, the best EMS first."""
    rows = [[m, *(cells[pool.models.index(m)] for cells in columns.values())] for m in pool.ranking]
    return Table(f"{pool.name}-{name}", title, note, [Column("Model"), *map(Column, columns)], rows)


def _skills(pool: Pool) -> dict[str, list[float]]:
    floors = {"blank": pool.blank_floor, "shuffled": pool.shuffled_floor}
    return {
        name: skill(pool.scores(EMS), floor, pool.weights).tolist()
        for name, floor in floors.items()
        if floor is not None
    }


def _floors(pool: Pool) -> str:
    blank, shuffled = (
        None if floor is None else weighted_means(floor[:, None], pool.weights)[0]
        for floor in (pool.blank_floor, pool.shuffled_floor)
    )
    return ", ".join(
        (
            f"blank page unknown ({BLANK} is not in the suite)"
            if blank is None
            else f"blank page {blank:.3f}",
            "shuffled references unknown (a single instance, or pictures are gone)"
            if shuffled is None
            else f"shuffled references {shuffled:.3f}",
        )
    )


def _facts(pool: Pool) -> str:
    """Condition, instances, and what makes the means special."""
    subsets = pool.subsets
    which = f" ({', '.join(f'{s} {n}' for s, n in subsets.items())})" if len(subsets) > 1 else ""
    return f"{pool.condition}; {counted(len(pool.instances), 'instance')}{which}, pooled.{_remarks(pool)}"


def _remarks(pool: Pool) -> str:
    remarks = []
    answered = np.isfinite(pool.scores(RENDERED)).sum(axis=0)
    behind = [
        f"{model} {count}"
        for model, count in zip(pool.models, answered.tolist(), strict=True)
        if count < len(pool.instances)
    ]
    if behind:
        remarks.append(f" Not all models have all instances of {pool.label}: {some(behind)}.")
    if pool.weights is not None:
        worth = pool.weights.sum() ** 2 / (pool.weights**2).sum()
        remarks.append(
            f" Instances of {pool.label} have a half-life of {pool.half_life:g} days, counted from "
            f"{pool.newest} (worth {worth:.1f} equal ones)."
        )
    elif pool.half_life is not None:
        remarks.append(f" Instances of {pool.label} have no dates and count the same.")
    return "".join(remarks)


def _cut_or_refused(ours: Sequence[Pool]) -> str:
    """Who lost scores without a mistake in the code, since that changes rankings silently."""
    shares = {
        model: _share(
            answer.truncated or answer.refused for pool in ours for answer in pool.of_model(model)
        )
        for model in sorted({model for pool in ours for model in pool.models})
    }
    affected = [f"{model} {share:.1%}" for model, share in shares.items() if share]
    return f" Answers cut or refused: {some(affected)}." if affected else ""


def _share(flags: Iterable[bool]) -> float | None:
    flags = list(flags)
    return sum(flags) / len(flags) if flags else None
