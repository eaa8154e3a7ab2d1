"""What a report shows of Image2Struct: leaderboard, charts, and every answer's pictures."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from helm_structext.image2struct.results import (
    EMS,
    LABELS,
    RENDERED,
    Image2StructResult,
    Image2StructResultSet,
)
from helm_structext.image2struct.scores import DISTANCES
from helm_structext.image2struct.tables import (
    BOUNDS,
    CORRELATED_METRICS,
    FURTHER_METRICS,
    PUBLISHED_METRICS,
    SECTIONS,
)
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS
from helm_structext.image2struct.transport_plan import plan
from helm_structext.report.marks import FACET, mistake_facets, mistake_tags, mistakes_panel
from helm_structext.report.panels import Code, Panel, Transport, clip, missing_panel
from helm_structext.report.parts import (
    FAILURES,
    OUTCOMES,
    AnswerCard,
    Board,
    BoardCell,
    BoardColumn,
    BoardRow,
    Counts,
    Facet,
    Figure,
    Instance,
    Matrix,
    MatrixRow,
    Metric,
    Note,
    Score,
    Section,
    Sheet,
    Spread,
    View,
    figure,
    outcomes_of,
    score,
    tables_section,
    tie,
)
from helm_structext.report.words import Word, words_in
from helm_structext.results.comparisons import GROUP
from helm_structext.results.result_sets import group_by_condition, group_values
from helm_structext.results.statistics import (
    bootstrap_intervals,
    correlations,
    skill,
)
from helm_structext.results.tabular import Cell, Estimate, Table, format_count, section_tables

EMS_RENDERED = "earth_mover_similarity_rendered"
"""Of one answer the same as its EMS."""

SHOWN_DIGITS = 6
"""Of the name of a scene, which has 24; the whole one stands in the page's address."""

BINS = 20
"""Equal parts from 0 to 1 in which answers are counted by their EMS."""

SKILL = "skill"
METRICS = {**PUBLISHED_METRICS, **FURTHER_METRICS, SKILL: "Skill"}
"""Names to headers. Skill is a number of many answers, the others belong to each."""

WORDS = {
    "EMS": "earth mover similarity of two pictures, at most 1; 0 without a rendering, and less for some blank pages",
    "R": "share of answers that rendered",
    "Pixels": "share of equal pixels",
    "CIS": "cosine similarity of Inception features",
    "LPIPS": "learned perceptual image patch similarity",
    "SSIM": "structural similarity of pictures",
    "Edit sim.": "similarity of texts by edit distance",
    "Levenshtein": "similarity of texts by edit distance, letter by letter",
    "Layout": "texts and shapes at their place, in their size and color, as the engines that drew both pictures tell them",
    "Formula": "F1 of the symbols of a formula, those in another place counting half",
    "Notes": "notes with their pitch, onset and length, keys, times and lyrics, as LilyPond heard them",
    "Chart": "series, values, axes, categories, legend, title and colors of charts, as those that drew them tell",
    "Block EMD": "earth mover distance of blocks of pixels, less is better",
    "Skill": "how much of the way from a blank page's score to 1",
}
"""Short words to their meanings."""

LANGUAGES = {
    **dict.fromkeys(("latex", "latex_document", "tikz", "typst", "lilypond"), "tex"),
    **dict.fromkeys(("canvas", "matplotlib", "mermaid", "vega"), "code"),
}
"""Format to the family by which the page colors its code; all others are markup."""


def _subset_options() -> Iterator[tuple[str, str, str]]:
    """Values by which subsets are filtered, with labels and headings."""
    for name, domain in DOMAINS.items():
        label = LABELS[name]
        yield name, f"{label}, all", label
        if name in PUBLISHED_DOMAINS:
            yield f"{name}/code", f"{label}, not wild", label
        if any(subset != "wild" for subset in domain.wild_subsets):
            yield f"{name}/wild", f"{label}, wild", label
        for subset in (*domain.subsets, *domain.wild_subsets):
            if subset != "wild":
                yield f"{name}/{subset}", subset, label


FACETS = [
    Facet(
        "subset",
        "Subset",
        {value: label for value, label, _ in _subset_options()},
        {value: heading for value, _, heading in _subset_options()},
    ),
    Facet("difficulty", "Difficulty", {name: name for name in ("easy", "medium", "hard")}),
    Facet("outcome", "Outcome", {"rendered": "rendered", "failed": "failed", **OUTCOMES}),
]


def _scene_facets(answers: Iterable[Image2StructResult]) -> list[Facet]:
    """What shows one scene beside itself in all languages, where there are such scenes."""
    scenes = group_values((one for one in answers if one.scene), lambda one: one.scene)
    shared = [ours[0] for ours in scenes.values() if len({one.domain for one in ours}) > 1]
    options = {one.scene: _scene_label(one) for one in shared}
    if not options:
        return []
    shared.sort(key=lambda one: (one.subset, options[one.scene]))
    return [
        Facet(
            "scene",
            "Scene",
            {one.scene: options[one.scene] for one in shared},
            {one.scene: one.subset for one in shared},
        )
    ]


def _scene_label(answer: Image2StructResult) -> str:
    """What tells a scene from others of its kind; its name alone if no more is known of it."""
    if not answer.scene_type:
        return answer.scene
    parts = answer.scene_type, answer.scene_language, answer.difficulty, answer.scene[:SHOWN_DIGITS]
    return " · ".join(filter(None, parts))


class Scope(NamedTuple):
    """A domain, or one of its subsets, in the charts."""

    result_set: Image2StructResultSet
    scores: Mapping[str, Mapping[str, Score]]  # by metric and model
    counts: tuple[int, int]  # of answers, the least and the most that a model has

    @property
    def label(self) -> str:
        """Its name below that of the domain."""
        return self.result_set.subset or ("wild" if self.result_set.wild else "all")

    @property
    def answers(self) -> str:
        """How many answers the models have: one number, or a range if they differ."""
        least, most = self.counts
        return f"{'' if least == most else f'{least} to '}{format_count(most, 'answer')}"

    @property
    def value(self) -> str:
        """By which its answers are filtered."""
        one = self.result_set
        subsets = list(one.subsets)
        part = subsets[0] if len(subsets) == 1 else "wild" if one.wild else "code"
        return f"{one.domain}/{part}"


def make_view(result_sets: Sequence[Image2StructResultSet]) -> View:
    """Returns a sheet for each condition: leaderboard, charts of the domains, correlations, tables.

    Args:
        result_sets: as from `helm_structext.image2struct.results.result_sets`.
    """
    names = [name for name in _metrics_of(_answers_of(result_sets)) if name != EMS_RENDERED]
    answers = [*_answers_of(result_sets)]
    difficulties = {answer.difficulty for answer in answers if answer.difficulty}
    known = {**FACETS[1].options, **{name: name for name in sorted(difficulties)}}
    return View(
        title="Image2Struct",
        metrics=[
            Metric(name, METRICS[name], words_in([METRICS[name]], WORDS), less=name in DISTANCES)
            for name in names
        ],
        score=EMS,
        facets=[
            *(FACETS[0], Facet("difficulty", "Difficulty", known), FACETS[2]),
            *mistake_facets(answers),
            *_scene_facets(answers),
        ],
        marks=FACET,
        sheets=[_sheet(ours) for ours in group_by_condition(result_sets)],
        plan="EMS plan",
    )


def describe_instance(answer: Image2StructResult) -> Instance:
    """Returns the picture to be drawn, and its code.

    Args:
        answer: any of those to the picture.
    """
    domain, subset = answer.domain, answer.subset
    label = LABELS[domain]
    is_wild = subset in DOMAINS[domain].wild_subsets
    reference = Code(
        title="Reference",
        text=clip(answer.reference_text),
        language=LANGUAGES.get(DOMAINS[domain].format, "markup"),
        card=False,
    )
    return Instance(
        part=f"{domain}/{subset}",
        label=label if label.lower() == subset else f"{label} · {subset}",
        tags={
            "subset": [
                *dict.fromkeys(
                    [domain, f"{domain}/{'wild' if is_wild else 'code'}", f"{domain}/{subset}"]
                )
            ],
            "difficulty": [answer.difficulty] if answer.difficulty else [],
            **({"scene": [answer.scene]} if answer.scene else {}),
        },
        remarks=[remark for remark in (answer.difficulty, answer.date) if remark],
        input=answer.picture,
        reference=answer.picture,
        resize=DOMAINS[domain].size_handling == "resize",
        panels=[reference] if answer.reference_text else [],
    )


def describe_answer(answer: Image2StructResult, *, plans: bool) -> AnswerCard:
    """Returns the rendering, the completion, and what of the rendering should move where.

    Args:
        answer: of a result set.
        plans: whether the EMS plan may be computed.
    """
    text, completion = clip(answer.text), clip(answer.completion)
    language = LANGUAGES.get(DOMAINS[answer.domain].format, "markup")
    panels: list[Panel] = [
        Code(
            title="Completion",
            text=completion,
            language=language,
            card=not answer.rendering,
        )
    ]
    panels += [*mistakes_panel(answer), *missing_panel(answer)]
    if text and answer.reference_text:
        title = "Completion, reduced to its content"
        panels.append(Code(title=title, text=text, language=language, card=False))
    ems = answer.scores.get(EMS)
    if plans and answer.rendering and ems is not None:
        handling = DOMAINS[answer.domain].size_handling
        computed = partial(plan, answer.rendering, answer.picture, handling, ems)
        panels.append(Transport(title="EMS plan", plan=computed))
    return AnswerCard(
        scores=answer.scores,
        tags={
            "outcome": outcomes_of(
                answer,
                answer.failure,
                rendered=bool(answer.rendering),
                failed=not answer.rendering,
            ),
            **mistake_tags(answer),
        },
        kind=answer.failure,
        error=clip(answer.error),
        input=answer.seen,
        output=answer.rendering,
        panels=panels,
    )


def _sheet(result_sets: Sequence[Image2StructResultSet]) -> Sheet:
    tables = section_tables(SECTIONS, [result_sets])
    ranked = [str(row[0]) for row in tables[0].rows]
    everyone = sorted({model for one in result_sets for model in one.models})
    ranking = list(dict.fromkeys([*ranked, *everyone]))  # those of wild pictures alone come last
    scopes = [
        _scope(part) for result_set in result_sets for part in [result_set, *result_set.parts()]
    ]
    return Sheet(
        label=result_sets[0].condition,
        result_sets=result_sets,
        ranking=ranking,
        sections=[
            Section("leaderboard", "Leaderboard", [_leaderboard(tables[0], scopes, ranking)]),
            _domains(result_sets, scopes, ranking),
            *_correlation_sections(result_sets),
            *tables_section(tables, WORDS),
        ],
    )


def _leaderboard(table: Table, scopes: Sequence[Scope], ranking: Sequence[str]) -> Board:
    """Win rates, and rendering, EMS, skill and ties of each domain, with their intervals."""
    first = scopes[0].result_set
    whole = [
        one for one in scopes if not one.result_set.subset and one.result_set.wild == first.wild
    ]
    metrics = [name for name in (RENDERED, EMS, SKILL) if any(name in s.scores for s in whole)]
    rates = {str(row[0]): _rate(row[1]) for row in table.rows}
    rivals = sum(row[1] is not None for row in table.rows)
    over = ", ".join(LABELS[one.result_set.domain] for one in whole)
    rate = (
        "Win rate",
        f"in rendering and EMS of {over} alone, among {rivals} models: mean share of the others that "
        "a model beats; the overview's is over all its columns",
    )
    columns = [BoardColumn("Win rate", "rendering, EMS", most=1, best=True)]
    cells: dict[str, list[BoardCell]] = {model: [rates.get(model)] for model in ranking}
    for scope in whole:
        domain = LABELS[scope.result_set.domain]
        group = domain if scope.label == "all" else f"{domain} · {scope.label}"
        for name in metrics:
            column = BoardColumn(METRICS[name], "", group, scope.answers, most=1, best=True)
            columns.append(column)
            for model in ranking:
                cells[model].append(scope.scores.get(name, {}).get(model))
        columns.append(BoardColumn(GROUP, "", group, scope.answers))
        groups = scope.result_set.grid.groups
        for model in ranking:
            cells[model].append(tie(groups, model))
    skilled = SKILL in metrics
    note = (
        f"{table.note} Ranges: 95%, percentile bootstrap over instances, those of one paper or "
        "repository together."
    )
    if skilled:
        note += " Skill: (EMS − floor) / (1 − floor), the floor being what a blank page scores."
    return Board(
        title="Leaderboard",
        note=note,
        words=[rate, *words_in(["EMS", "Skill" if skilled else "", GROUP, "95%", "strict"], WORDS)],
        keys=True,
        columns=columns,
        rows=[BoardRow(model, cells[model]) for model in ranking],
    )


def _rate(rate: Cell) -> Score | None:
    """A win rate with its interval, as the leaderboard has it."""
    return score(rate.value, rate.interval) if isinstance(rate, Estimate) else None


def _domains(
    result_sets: Sequence[Image2StructResultSet], scopes: Sequence[Scope], ranking: Sequence[str]
) -> Section:
    """A board for each domain: every metric of it and its subsets, what came of answers, and their EMS."""
    names = [name for name in METRICS if any(name in scope.scores for scope in scopes)]
    options = [METRICS[name] for name in names]
    boards = []
    for domain, whole in group_values(result_sets, lambda one: one.domain).items():
        ours = [scope for scope in scopes if scope.result_set.domain == domain]
        columns = [
            BoardColumn(
                scope.label,
                scope.answers,
                most=_most(scopes, name),
                show={"subset": scope.value},
                when=number,
            )
            for number, name in enumerate(names)
            for scope in ours
        ]
        columns += [
            BoardColumn("Outcomes", show={"subset": domain}),
            BoardColumn("Spread of EMS", "from 0 to 1"),
        ]
        rows = []
        for model in ranking:
            answers = [answer for one in whole for answer in one.of_model(model)]
            scores = [scope.scores.get(name, {}).get(model) for name in names for scope in ours]
            came = [_outcomes(answers), _spread(answers)] if answers else [None, None]
            rows.append(BoardRow(model, [*scores, *came]))
        boards.append(Board(title=LABELS[domain], heading=True, columns=columns, rows=rows))
    notes = [
        Note(
            when=number,
            words=_words(METRICS[name], "EMS"),
            note=f"{result_sets[0].condition}. "
            f"{'Less' if name in DISTANCES else 'More'} is better. Choose a bar to see its answers.",
        )
        for number, name in enumerate(names)
    ]
    first = options.index(METRICS[EMS]) if EMS in names else 0
    return Section("domains", "Domains", [*boards, *notes], "Metric", options, first)


def _most(scopes: Iterable[Scope], name: str) -> float:
    """Where bars of a metric end: those of distances with the longest."""
    if name not in DISTANCES:
        return 1
    means = (one.value or 0 for scope in scopes for one in scope.scores.get(name, {}).values())
    return max(means, default=1) or 1


def _words(*headers: str) -> list[Word]:
    return [*dict.fromkeys(word for header in headers for word in words_in([header], WORDS))]


def _outcomes(answers: Sequence[Image2StructResult]) -> Counts:
    counts = Counter(answer.failure or "rendered" for answer in answers)
    return Counts(
        "outcome", {name: counts[name] for name in ("rendered", *FAILURES) if counts[name]}
    )


def _spread(answers: Sequence[Image2StructResult]) -> Spread:
    known = [answer.scores[EMS] for answer in answers if EMS in answer.scores]
    places = (min(max(int(value * BINS), 0), BINS - 1) for value in known if math.isfinite(value))
    counts = Counter(places)
    return Spread([counts[place] for place in range(BINS)])


def _scope(result_set: Image2StructResultSet) -> Scope:
    """What charts show of a domain or a subset: each metric's means and intervals."""
    names = _metrics_of(_answers_of([result_set]))
    if not names:
        return Scope(result_set, {}, (0, 0))
    # All metrics share the resamples, which take most of the time.
    values = np.hstack([result_set.scores(name) for name in names])
    columns = [(name, model) for name in names for model in result_set.models]
    scores: dict[str, dict[str, Score]] = {name: {} for name in names}
    finite = np.isfinite(result_set.scores(RENDERED)).sum(axis=0).tolist()
    for (name, model), mean, interval in zip(
        columns,
        np.hstack([result_set.means(name) for name in names]).tolist(),  # as in tables, to the bit
        bootstrap_intervals(values, result_set.weights, clusters=result_set.clusters),
        strict=True,
    ):
        if found := score(mean, interval):
            scores[name][model] = found
    if result_set.blank_floor is not None:
        skills = skill(result_set.scores(EMS), result_set.blank_floor, result_set.weights).tolist()
        scores[SKILL] = {
            model: found
            for model, value in zip(result_set.models, skills, strict=True)
            if (found := score(value))
        }
    counts = [*filter(None, finite)] or [0]
    return Scope(result_set, scores, (min(counts), max(counts)))


def _correlation_sections(result_sets: Sequence[Image2StructResultSet]) -> list[Section]:
    """How metrics go together, over the answers that rendered, as in the paper's Table A1."""
    answers = [
        answer
        for answer in _answers_of(result_sets)
        if answer.model not in BOUNDS and answer.scores.get(RENDERED)
    ]
    domains = list(dict.fromkeys(one.domain for one in result_sets))
    items = [
        _correlations(
            [answer for answer in answers if domain in ("", answer.domain)], domain, number
        )
        for number, domain in enumerate(["", *domains])
    ]
    options = ["all", *(LABELS[domain] for domain in domains)]
    section = Section("metrics", "Metrics", items, "Domain", options, printed=False)
    return [section] if answers else []


def _correlations(answers: Sequence[Image2StructResult], domain: str, number: int) -> Matrix:
    names = [name for name in _metrics_of(answers) if name in CORRELATED_METRICS]
    values = [[answer.scores.get(name, np.nan) for name in names] for answer in answers]
    matrix = correlations(np.array(values).reshape(-1, len(names))).tolist() if names else []
    labels = [METRICS[name] for name in names]

    def cells(row: int) -> list[Figure | None]:
        return [
            None if row == column else figure(value) for column, value in enumerate(matrix[row])
        ]

    used = [i for i in range(len(names)) if any(cells(i))]
    rows = [MatrixRow(labels[i], [cells(i)[j] for j in used]) for i in used]
    return Matrix(
        title="Correlations of metrics",
        when=number,
        note="Pearson's correlation over the answers that rendered, oracle and blank page left out. "
        "Choose a cell to see its answers, and a point to open one.",
        words=_words(*(labels[i] for i in used)),
        columns=[labels[i] for i in used],
        rows=rows,
        pairs=True,
        leave_out=BOUNDS,
        plot={"outcome": "rendered", **({"subset": domain} if domain else {})},
    )


def _answers_of(result_sets: Iterable[Image2StructResultSet]) -> list[Image2StructResult]:
    return [a for one in result_sets for model in one.models for a in one.of_model(model)]


def _metrics_of(answers: Iterable[Image2StructResult]) -> list[str]:
    """Returns the metrics that occur among answers, in the order of `METRICS`."""
    found = {name for answer in answers for name in answer.scores}
    return [name for name in METRICS if name in found]
