"""The tables of the Image2Struct paper and what surrounds them, for a finished suite.

Means are pooled over instances. What changes the numbers without changing the instances (the
protocol, a perturbation, another wording) is a condition, and no table mixes two of them.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from statistics import fmean

import numpy as np

from helm_structext.baselines import BLANK, ORACLE
from helm_structext.image2struct.results import EMS, LABELS, RENDERED, Image2StructResultSet
from helm_structext.image2struct.scores import (
    LAYOUT_METRICS,
    NEURAL_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
)
from helm_structext.image2struct.tasks import DIFFICULTIES
from helm_structext.metrics.text import MAX_LENGTH
from helm_structext.results import groups
from helm_structext.results.answers import (
    FAILURES,
    FLAWS,
    FLAWS_NOTE,
    Unscored,
    add_unscored,
    baselines_note,
    share,
    shares,
    unscored_columns,
    unscored_note,
)
from helm_structext.results.comparisons import by_win_rates, groups_note, pair_tables, win_rates
from helm_structext.results.difficulty import Difficulty, difficulty_tables
from helm_structext.results.findings import finding_tables
from helm_structext.results.missing_resources import missing_tables
from helm_structext.results.mistakes import mistake_tables, score_of
from helm_structext.results.plots import heat_map
from helm_structext.results.statistics import (
    ERRORS,
    INTERVALS,
    bootstrap_intervals,
    correlations,
    rank_win_rates,
    skill,
    standard_errors,
    weighted_means,
)
from helm_structext.results.tabular import (
    Cell,
    Column,
    Estimate,
    Table,
    for_each,
    format_count,
    list_some,
    model_table,
)

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
_FURTHER_HEADERS = {
    "earth_mover_similarity_rendered": "EMS (rendered)",
    "earth_mover_similarity_corrected": "EMS (corr.)",
    "earth_mover_similarity_paper": "EMS (paper)",
    "block_emd": "Block EMD",
    "pixel_similarity": "Pixels",
    "inception_similarity": "CIS",
    "levenshtein_similarity": "Levenshtein",
    "layout_similarity": "Layout",
    "formula_similarity": "Formula",
    "note_similarity": "Notes",
    "chart_similarity": "Chart",
}
FURTHER_METRICS = _FURTHER_HEADERS | {
    metric: metric.replace("_", " ").capitalize()
    for metric in (*PICTURE_METRICS, *NEURAL_METRICS, *TEXT_METRICS, *LAYOUT_METRICS)
    if metric not in {**PUBLISHED_METRICS, **_FURTHER_HEADERS}
}
"""With all that are computed: a new metric needs no row here."""

CORRELATED_METRICS = {
    metric: header
    for metric, header in {**PUBLISHED_METRICS, **FURTHER_METRICS}.items()
    if metric not in (RENDERED, "earth_mover_similarity_rendered")
}

BOUNDS = (ORACLE, BLANK)
"""Models that make no mistake or draw nothing: most of a correlation would be theirs."""

METRIC_TABLES = {
    "image2struct_latex": "A2",
    "image2struct_webpage": "A3",
    "image2struct_music": "A4",
}
WILD_TABLES = {"image2struct_latex": "A5", "image2struct_webpage": "A6"}
"""The paper's tables of each domain's metrics."""

FAILED = (
    "An answer that did not render counts as 0. EMS may be below that, even of a blank page: then a "
    "failed answer beats it."
)
LONG = (
    f"Texts are compared up to their {MAX_LENGTH:,}th character, and the rest counts as different."
)


def leaderboards(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """Table 2: win rates, rendering and EMS of each domain; then the skill.

    Wild pictures have a table of their own, as in the paper (Tables A5 and A6).
    """
    for wild, group in groupby(ours, key=lambda result_set: result_set.wild):
        domains = list(group)
        models = sorted({model for result_set in domains for model in result_set.models})
        columns = {
            f"{LABELS[result_set.domain]} {header}": result_set.by_model(metric)
            for result_set in domains
            for metric, header in ((RENDERED, "R"), (EMS, "EMS"))
        }
        ranked: dict[str, Mapping[str, Cell]] = {
            **columns,
            **{f"{LABELS[one.domain]} EMS": _with_groups(one) for one in domains},
        }
        lost = _count_unscored(domains)
        marks: dict[str, Mapping[str, Cell]] = {
            header: dict(zip(models, cells, strict=True))
            for header, cells in unscored_columns(lost, models).items()
        }
        apart = {model for result_set in domains for model in result_set.apart}
        measured = [(one.grid, measure) for one in domains for measure in one.MEASURES]
        rates, strict = win_rates(measured, apart), win_rates(measured, apart, tie=0)
        by_rank = rank_win_rates(
            {header: _of_rivals(means, apart) for header, means in columns.items()}
        )
        ranking = by_win_rates(models, [rates, strict], apart)
        name = f"{domains[0].stem}{'-wild' if wild else ''}-leaderboard"
        title = (
            "Leaderboard of wild pictures (Tables A5 and A6)"
            if wild
            else "Leaderboard (Table 2)"
            if domains[0].in_paper
            else "Leaderboard of formats, which are not in the paper"
        )
        counts = ", ".join(f"{LABELS[one.domain]} {len(one.instances)}" for one in domains)
        yield Table(
            name,
            title,
            f"{domains[0].condition}; means over instances: {counts}. R: share that rendered. "
            f"{FAILED} Win rate: mean share of the other models that are beaten in R and EMS, "
            "a tie counting half, as in helm-summarize; strict: a tie counting nothing, as the paper "
            "defines it; ranks: of models that tie, the later one wins (in the order of names), as the "
            f"paper's column came about. ±: half of the 95% interval, by the same samples of instances for all models.{groups_note((one.grid for one in domains), 'EMS')}{baselines_note(apart)}{''.join(map(_remarks, domains))}{_cut_or_refused(domains)}{unscored_note(lost)}",
            [Column("Model"), *map(Column, ("Win rate", "strict", "ranks", *columns, *marks))],
            [
                [
                    *(m, rates.get(m), strict.get(m), by_rank.get(m)),
                    *(cells.get(m) for cells in ranked.values()),
                    *(column.get(m) for column in marks.values()),
                ]
                for m in ranking
            ],
            apart=len(apart),
        )
        yield _averages(f"{name.removesuffix('leaderboard')}averages", domains, apart, lost)
        skills = {
            f"{LABELS[result_set.domain]} {floor}": dict(
                zip(result_set.models, values, strict=True)
            )
            for result_set in domains
            for floor, values in _skills(result_set).items()
        }
        if not skills:
            continue
        yield Table(
            f"{name.removesuffix('leaderboard')}skill",
            f"Skill{' with wild pictures' if wild else ''}",
            f"{domains[0].condition}. (EMS - floor) / (1 - floor), the floor being what a blank "
            "page scores on the same instances, or another reference of the same subset."
            f"{''.join(f' {LABELS[one.domain]}: {_floors(one)}.' for one in domains)}"
            f"{unscored_note(lost)}",
            [Column("Model"), *map(Column, (*skills, *marks))],
            [
                [
                    m,
                    *(column.get(m) for column in skills.values()),
                    *(column.get(m) for column in marks.values()),
                ]
                for m in ranking
            ],
            apart=len(apart),
        )


def averages(rendered: Mapping[str, float], ems: Mapping[str, float]) -> tuple[float, float]:
    """Returns the mean EMS over models, and that of success × EMS, which section 4.1 calls so.

    As failures are 0 in EMS already, the second counts them twice: Table 2 gives 0.324, 0.369 and
    0.069 for the three domains, which the text has as 0.324, 0.370 and 0.069, where the means of its
    column EMS are 0.473, 0.416 and 0.155.

    Args:
        rendered: model to the share of its answers that rendered.
        ems: model to its mean EMS, failures counting 0; the same models, at least one.

    >>> averages({"a": 0.5, "b": 1.0}, {"a": 0.4, "b": 0.8})
    (0.6..., 0.5)
    """
    return fmean(ems.values()), fmean(rendered[model] * value for model, value in ems.items())


def _averages(
    name: str,
    domains: Sequence[Image2StructResultSet],
    apart: Collection[str],
    lost: Unscored,
) -> Table:
    """The averages over models of section 4.1."""
    rows: list[list[Cell]] = []
    for one in domains:
        rendered, ems = (_of_rivals(one.by_model(metric), apart) for metric in (RENDERED, EMS))
        both = {model: ems[model] for model in ems if model in rendered}
        found = averages(rendered, both) if both else (None, None)
        rows.append([LABELS[one.domain], len(both), *found])
    return Table(
        name,
        f"Averages over models{' of wild pictures' * domains[0].wild or ' (section 4.1)' * domains[0].in_paper}",
        f"{domains[0].condition}; {', '.join(one.label for one in domains)}. {FAILED} R × EMS: the mean of the products, which the paper gives as "
        f"average EMS; it counts what did not render twice.{baselines_note(apart)}{unscored_note(lost)}",
        [Column("Domain"), *map(Column, ("Models", "EMS", "R × EMS"))],
        rows,
    )


def _of_rivals(means: Mapping[str, float], apart: Collection[str]) -> dict[str, float]:
    return {model: mean for model, mean in means.items() if model not in apart}


def _with_groups(result_set: Image2StructResultSet) -> dict[str, Cell]:
    """The EMS of each model, and which others it can't be told from."""
    groups = result_set.grid.groups
    errors = dict(zip(result_set.models, _errors(result_set), strict=True))
    return {
        model: Estimate(mean, (math.nan, math.nan), groups.get(model, ""), errors[model])
        if groups
        else mean
        for model, mean in result_set.by_model(EMS).items()
    }


def _errors(result_set: Image2StructResultSet) -> list[float]:
    """The standard error of each model's EMS."""
    scores = result_set.scores(EMS)
    errors: list[float] = standard_errors(scores, result_set.weights, result_set.clusters).tolist()
    return errors


def score_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """Rendering, EMS and skill of each domain and of each of its subsets, with intervals."""
    for whole in ours:
        parts = whole.parts()
        if parts:
            yield _per_model(
                whole,
                "subsets",
                f"{whole.label}, EMS by subset",
                f"{_facts(whole)} {FAILED} "
                f"{' '.join(f'{part.subset}: {_floors(part)}.' for part in parts)}",
                {
                    "all": whole.means(EMS).tolist(),
                    **{part.subset: part.means(EMS).tolist() for part in parts},
                },
            )
        for result_set in [whole, *parts]:
            both = np.hstack([result_set.scores(RENDERED), result_set.scores(EMS)])
            intervals = bootstrap_intervals(both, result_set.weights, clusters=result_set.clusters)
            skills = _skills(result_set)
            yield _per_model(
                result_set,
                "scores",
                result_set.label,
                f"{_facts(result_set)} {FAILED} {INTERVALS} {ERRORS} Skill: (EMS - floor) / (1 - floor); "
                f"floors: {_floors(result_set)}.",
                {
                    "n": np.isfinite(result_set.scores(RENDERED)).sum(axis=0).tolist(),
                    "Rendered": result_set.means(RENDERED).tolist(),
                    "Rendered 95%": intervals[: len(result_set.models)],
                    "EMS": result_set.means(EMS).tolist(),
                    "EMS 95%": intervals[len(result_set.models) :],
                    "EMS SE": _errors(result_set),
                    **{f"Skill ({floor})": values for floor, values in skills.items()},
                },
            )


def metric_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """Tables A2 to A6: all metrics of each domain; those of the paper, then further readings."""
    for result_set in ours:
        place = (WILD_TABLES if result_set.wild else METRIC_TABLES).get(result_set.domain)
        number = f" (Table {place})" if place else ""
        for name, title, metrics, note in (
            (
                "metrics",
                f"{result_set.label}, metrics of the paper{number}",
                PUBLISHED_METRICS,
                f"publ.: as in the published tables, see the other readings. {FAILED} {LONG}",
            ),
            (
                "readings",
                f"{result_set.label}, other readings",
                FURTHER_METRICS,
                "EMS (rendered) and Block EMD, for which less is better: over the answers that "
                f"rendered. In the others one that did not counts as 0. {LONG}",
            ),
        ):
            means = {header: result_set.means(metric) for metric, header in metrics.items()}
            known = {h: column.tolist() for h, column in means.items() if np.isfinite(column).any()}
            if known:
                yield _per_model(result_set, name, title, f"{_facts(result_set)} {note}", known)


def answer_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """Why answers scored nothing, or less: cut, refused, empty, not rendered."""
    for result_set in ours:
        answers = [result_set.of_model(model) for model in result_set.models]
        yield _per_model(
            result_set,
            "answers",
            f"{result_set.label}, answers",
            f"{_facts(result_set)} Shares of each model's answers. {FLAWS_NOTE} The next four did not "
            "render.",
            {
                "n": [len(of_model) for of_model in answers],
                **shares(answers, {**FLAWS, **FAILURES}),
                "Metric errors": result_set.means("metric_errors").tolist(),
            },
        )


def significance_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """Which differences of EMS between two models are more than chance."""
    for result_set in ours:
        yield from pair_tables(result_set.grid, _facts(result_set))


def correlation_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """Table A1: how the metrics go together, over the answers that rendered."""
    answers = [
        answer
        for result_set in ours
        for model in result_set.models
        if model not in BOUNDS
        for answer in result_set.of_model(model)
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
        f"{ours[0].condition}; {format_count(len(answers), 'rendered answer')} of "
        f"{format_count(len(models), 'model')}"
    )
    yield Table(
        f"{ours[0].stem}-correlation",
        f"{title}{' (Table A1)' * ours[0].in_paper}",
        f"{facts}, {', '.join(one.label for one in ours)}; {' and '.join(BOUNDS)} left out. "
        "Pearson's, over the answers that have both metrics."
        f"{unscored_note(_count_unscored(ours))}",
        [Column("Metric"), *(Column(str(i + 1)) for i in range(len(metrics)))],
        [[f"{i + 1} {h}", *matrix[i].tolist()] for i, h in enumerate(headers)],
        drawing=partial(heat_map, headers, matrix, f"{title}: {facts}"),
    )


def _without_wild(
    section: Callable[[Sequence[Image2StructResultSet]], Iterator[Table]],
) -> Callable[[Sequence[Image2StructResultSet]], Iterator[Table]]:
    """A section of the domains; of wild pictures alone where there are no others."""
    return lambda ours: section([one for one in ours if not one.wild] or ours)


DIFFICULTY = Difficulty(
    DIFFICULTIES[1:],
    lambda answer: answer.difficulty,
    lambda answer: len(answer.reference_text) or None,
    "characters of the reference's code, reduced to its content",
)
"""That of the dataset, and the length of the code that draws a picture; music and wild pictures have none."""

MISTAKES = {"Metric errors": score_of("metric_errors")}
"""Of answers that rendered."""

SECTIONS: dict[str, Callable[[Sequence[Image2StructResultSet]], Iterator[Table]]] = {
    "leaderboard": leaderboards,
    "scores": score_tables,
    **{name: _without_wild(section) for name, section in groups.SECTIONS.items()},
    "metrics": metric_tables,
    "answers": answer_tables,
    "findings": for_each(finding_tables),
    "missing": for_each(missing_tables),
    "difficulty": partial(difficulty_tables, DIFFICULTY),
    "mistakes": partial(
        mistake_tables, MISTAKES, "Metric errors: values that could not be computed."
    ),
    "significance": significance_tables,
    "correlations": correlation_tables,
}
"""What to show of the result sets of one condition: the wild ones come last."""


def _per_model(
    result_set: Image2StructResultSet,
    name: str,
    title: str,
    note: str,
    columns: Mapping[str, Sequence[Cell]],
) -> Table:
    """A table with a row for each model, the best EMS first."""
    return model_table(
        f"{result_set.name}-{name}",
        title,
        note,
        result_set.models,
        {**columns, **unscored_columns(result_set.unscored, result_set.models)},
        ranking=result_set.ranking,
        apart=result_set.apart,
    )


def _skills(result_set: Image2StructResultSet) -> dict[str, list[float]]:
    floors = {"blank": result_set.blank_floor, "shuffled": result_set.shuffled_floor}
    return {
        name: skill(result_set.scores(EMS), floor, result_set.weights).tolist()
        for name, floor in floors.items()
        if floor is not None
    }


def _floors(result_set: Image2StructResultSet) -> str:
    blank, shuffled = (
        None if floor is None else weighted_means(floor[:, None], result_set.weights)[0]
        for floor in (result_set.blank_floor, result_set.shuffled_floor)
    )
    return ", ".join(
        (
            "blank page unknown (pictures are gone)"
            if blank is None
            else f"blank page {blank:.3f}",
            "shuffled references unknown (a single instance, or pictures are gone)"
            if shuffled is None
            else f"shuffled references {shuffled:.3f}",
        )
    )


def _facts(result_set: Image2StructResultSet) -> str:
    """Condition, instances, and what makes the means special."""
    subsets = result_set.subsets
    which = f" ({', '.join(f'{s} {n}' for s, n in subsets.items())})" if len(subsets) > 1 else ""
    number = format_count(len(result_set.instances), "instance")
    lost = unscored_note(result_set.unscored)
    return f"{result_set.condition}; {number}{which}, pooled.{_remarks(result_set)}{lost}"


def _count_unscored(ours: Iterable[Image2StructResultSet]) -> Unscored:
    return add_unscored(one.unscored for one in ours)


def _remarks(result_set: Image2StructResultSet) -> str:
    return "".join(f" {remark}" for remark in result_set.remarks) + result_set.data_note


def _cut_or_refused(ours: Sequence[Image2StructResultSet]) -> str:
    """Who lost scores without a mistake in the code, since that changes rankings silently."""
    lost = {
        model: share(
            answer.truncated or answer.refused for one in ours for answer in one.of_model(model)
        )
        for model in sorted({model for result_set in ours for model in result_set.models})
    }
    affected = [f"{model} {part:.1%}" for model, part in lost.items() if part]
    return f" Answers cut or refused: {list_some(affected)}." if affected else ""
