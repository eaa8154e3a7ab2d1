"""The tables of the StructEval paper for a finished suite.

Scores are per cent, with two decimals as in the paper. There are two averages. In the paper a task's
score is the mean over its instances, a subset's the unweighted mean of its tasks, and the average the
unweighted mean of the four subsets. On StructEval's leaderboard since 2026 all are means over examples.
The published tables are made of the published scores; the plain ones, by which models are compared, have a
leaderboard of their own. No table mixes two judges, nor two protocols.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

import numpy as np

from helm_structext.results import groups
from helm_structext.results.answers import (
    FAILURES,
    FLAWS,
    FLAWS_NOTE,
    shares,
    unscored_columns,
    unscored_note,
)
from helm_structext.results.comparisons import GROUP, groups_note, pair_tables
from helm_structext.results.difficulty import Difficulty, difficulty_tables
from helm_structext.results.missing_resources import missing_tables
from helm_structext.results.mistakes import mistake_tables, score_of
from helm_structext.results.tabular import (
    Cell,
    Table,
    for_each,
    format_count,
    list_some,
    markdown,
    model_table,
)
from helm_structext.structeval.evaluations import (
    DATASET_SIZE,
    MEANS,
    SUBSET_SIZES,
    ItemScore,
    PublishedEvaluation,
    ScoreFile,
    example_means,
    overall_of_subsets,
)
from helm_structext.structeval.judge import NO_JUDGE, add_tokens
from helm_structext.structeval.results import (
    DECIMALS,
    PUBLISHED_SCORE,
    SCORE,
    StructEvalResultSet,
)
from helm_structext.structeval.tasks import LABELS, NAMES, SUBSETS, TASKS

PARTS = {
    "t": {"syntax_score": "syntax", "path_score": "paths"},
    "v": {"syntax_score": "syntax", "keyword_score": "keywords", "vqa_score": "VQA"},
}
"""Of what the score is made, for text and for what is to be seen."""

UNREADABLE = {
    True: "replies that are no JSON object and nothing else, all pairs are wrong.",
    False: "replies without a verdict on each pair, whose answers have no VQA and no final score.",
}
"""What becomes of a judge's reply that can't be read, by whether the protocol is the published one."""

PUBLISHED = "Published scores: each rounded to two decimals, with the published syntax score."

HEADERS = {
    "overall": "Overall",
    "renderable": "Renderable",
    "non_renderable": "Not renderable",
    "render_rate": "Render rate",
    **LABELS,
}
"""Of means over examples."""

JUDGED = frozenset({"overall", "renderable", "v_generation", "v_conversion"})
"""Means, by their names in `HEADERS`, that depend on who judges pictures."""

TABLES = {
    "t_generation": {
        "8": [f"text_to_{name}" for name in ("json", "csv", "toml", "xml", "yaml")],
    },
    "v_generation": {
        "9": [
            f"text_to_{name}"
            for name in ("angular", "latex", "markdown", "matplotlib", "react", "svg", "tikz")
        ],
        "10": [f"text_to_{name}" for name in ("html", "mermaid", "typst", "vega", "vue", "canvas")],
    },
    "t_conversion": {
        "11": [
            *("csv_to_json", "json_to_csv", "xml_to_json", "json_to_xml", "yaml_to_json"),
            *("json_to_yaml", "xml_to_csv"),
        ],
        "12": [
            *("csv_to_xml", "xml_to_yaml", "yaml_to_xml", "yaml_to_csv", "toml_to_json"),
            *("csv_to_yaml", "toml_to_yaml"),
        ],
    },
    "v_conversion": {
        "13": [
            *("react_to_html", "vue_to_html", "markdown_to_react", "html_to_angular"),
            *("markdown_to_vue", "matplotlib_to_tikz"),
        ],
        "14": [
            *("markdown_to_html", "html_to_react", "html_to_vue", "vue_to_react"),
            *("markdown_to_angular", "react_to_angular"),
        ],
    },
}
"""The paper's tables of each subset, with their columns.

Tables 8, 11 and 12 are in the order of Table 7. What the columns of the others are follows from the numbers
in them, as their headers are turned and hard to read. A score has two decimals, so that the mean of n is a
multiple of 1/n: that tells the tasks of 13 and 14 apart, but for two of 30, of which Gemini 2.0 Flash has in one what it has elsewhere in
Angular (28 to 44), and in the other what both Geminis have in React from text and HTML (34 to 47). In 9 and
10 all tasks have 50. There the columns are where GPT-4.1 mini's later run on the leaderboard (June 2026) has
about the same means, such as Typst, of which nothing rendered in either. Of Vue and Canvas, which render
better since, Vue has what Markdown → Vue has.
"""


def leaderboards(result_set: StructEvalResultSet) -> Iterator[Table]:
    """Both published leaderboards, the one by which models are ranked first, and that of the plain score."""
    tables = {"tasks": paper_leaderboard(result_set), "examples": example_leaderboard(result_set)}
    yield tables.pop(result_set.average)
    yield from tables.values()
    yield plain_leaderboard(result_set)


def example_leaderboard(result_set: StructEvalResultSet) -> Table:
    """The leaderboard since 2026: means over examples; models that lack examples have no rank."""
    means = {model: example_means(_item_scores(result_set, model)) for model in result_set.models}
    numbers = {model: len(result_set.of_model(model)) for model in result_set.models}
    ranking = sorted(
        means, key=lambda m: (numbers[m] < DATASET_SIZE, -means[m].get("overall", -1), m)
    )
    rivals = [m for m in ranking if m not in result_set.apart and numbers[m] >= DATASET_SIZE]
    mark = result_set.judge_mark
    return _per_model(
        result_set,
        "leaderboard-examples",
        "means over examples (leaderboard since 2026)",
        f"Per cent. {PUBLISHED} Only models with all {DATASET_SIZE:,} examples have a rank. Render rate: of all "
        f"examples, text counts that parses. Overall is absent where some examples have no score.",
        {
            "Rank": [rivals.index(m) + 1 if m in rivals else None for m in result_set.models],
            **{
                f"{header}{mark if name in JUDGED else ''}": per_cent(
                    means[model].get(name) for model in result_set.models
                )
                for name, header in HEADERS.items()
            },
            f"n of {DATASET_SIZE:,}": [numbers[model] for model in result_set.models],
        },
        ranking=ranking,
    )


def _item_scores(result_set: StructEvalResultSet, model: str) -> list[ItemScore]:
    """A model's published scores; none where some of its answers have none, but for what could not be handled."""
    answers = [answer for answer in result_set.of_model(model) if not answer.unscored]
    if not all(PUBLISHED_SCORE in answer.scores for answer in answers):
        return []
    return [
        ItemScore(
            answer.task, _find_published_syntax(answer.scores), answer.scores[PUBLISHED_SCORE]
        )
        for answer in answers
    ]


def _find_published_syntax(scores: Mapping[str, float]) -> float:
    """The published syntax score; pictures of older suites have the plain one alone."""
    return scores.get("syntax_score_published", scores["syntax_score"])


def means_text(found: ScoreFile | Sequence[ScoreFile]) -> str:
    """Returns what a file of StructEval's scores says, and what its scores or means give.

    Args:
        found: scores alone, or the rows of the leaderboard.
    """
    if isinstance(found, ScoreFile):
        means = example_means(found.scores.values())
        header = ["", *HEADERS.values(), f"n of {DATASET_SIZE:,}"]
        rows: list[Sequence[Cell]] = [
            ["stated", *(_decimals(found.stated.get(name)) for name in MEANS), None],
            [
                "from the scores",
                *(_decimals(100 * means[name] if name in means else None) for name in MEANS),
                len(found.scores),
            ],
        ]
        note = PublishedEvaluation(found.name, (), found.unused).note
        text = f"{found.name}: means over examples, per cent\n\n{markdown(header, rows)}"
        return f"{text}\n\n{note}" if note else text
    rows = []
    for row in found:
        subsets = {name: row.stated[name] for name in SUBSETS if name in row.stated}
        whole = len(subsets) == len(SUBSETS)
        rows.append(
            [
                row.name,
                *(_decimals(subsets.get(name)) for name in SUBSETS),
                _decimals(row.stated.get("overall")),
                _decimals(overall_of_subsets(subsets, SUBSET_SIZES) if whole else None),
                _decimals(fmean(subsets.values()) if whole else None),
            ]
        )
    header = ["Model", *LABELS.values(), "Overall, stated", "over examples", "unweighted"]
    return f"Means of the subsets and what they give, per cent\n\n{markdown(header, rows)}"


def _decimals(value: float | None) -> Cell:
    return None if value is None else f"{value:{DECIMALS}}"


def paper_leaderboard(result_set: StructEvalResultSet) -> Table:
    """Table 6: the four subsets and their unweighted average, of the published scores."""
    return _leaderboard(result_set, PUBLISHED_SCORE, "leaderboard", "(Table 6)", PUBLISHED)


def plain_leaderboard(result_set: StructEvalResultSet) -> Table:
    """The same of the scores by which models are compared: not rounded, and of our syntax score."""
    return _leaderboard(
        result_set,
        SCORE,
        "leaderboard-plain",
        "plain scores",
        "Not rounded, by this package's parsers and renderers.",
    )


def _leaderboard(
    result_set: StructEvalResultSet, score: str, name: str, title: str, note: str
) -> Table:
    models = result_set.models
    columns = [[result_set.mean(score, m, _tasks(subset)) for m in models] for subset in SUBSETS]
    average = {
        model: None if None in means else fmean(mean or 0 for mean in means)
        for model, means in zip(models, zip(*columns, strict=True), strict=True)
    }
    headers = [
        f"{LABELS[subset]}{result_set.judge_mark if subset in JUDGED else ''}" for subset in SUBSETS
    ]
    return _per_model(
        result_set,
        name,
        title,
        f"Per cent. {note} {_facts(result_set)} Average: of the four subsets, for models that have all of "
        f"them.{groups_note([result_set.grid], result_set.grid.score)}",
        {
            **dict(zip(headers, map(per_cent, columns), strict=True)),
            f"Average{result_set.judge_mark}": per_cent(average.values()),
            GROUP: [result_set.grid.groups.get(model) for model in models],
        },
        ranking=sorted(average, key=lambda m: (average[m] is None, -(average[m] or 0), m)),
    )


def task_tables(result_set: StructEvalResultSet) -> Iterator[Table]:
    """Tables 8 to 14: each task of each subset."""
    for subset, places in TABLES.items():
        whole = _tasks(subset)
        # Tasks of formats of one's own follow those of the paper.
        more = [task for task in whole if not any(task in tasks for tasks in places.values())]
        present = set(result_set.tasks)
        mark = result_set.judge_mark if subset in JUDGED else ""
        for number, tasks in places.items():
            last = number == list(places)[-1]
            ours = [*tasks, *(more if last else [])]
            if not present & set(whole if last else ours):
                continue
            part = f", part {list(places).index(number) + 1}" if len(places) > 1 else ""
            columns = {
                f"{_header(task)}{mark}": [
                    result_set.task_mean(PUBLISHED_SCORE, m, task) for m in result_set.models
                ]
                for task in ours
            }
            if last:
                columns[f"Average{mark}"] = [
                    result_set.mean(PUBLISHED_SCORE, m, whole) for m in result_set.models
                ]
            yield _per_model(
                result_set,
                f"table-{number}",
                f"{LABELS[subset]}{part} (Table {number})",
                f"Per cent. {PUBLISHED}{f' Average: of all tasks of {LABELS[subset]}.' if last else ''}",
                {header: per_cent(cells) for header, cells in columns.items()},
            )


def part_tables(result_set: StructEvalResultSet) -> Iterator[Table]:
    """What the scores are made of, and what judging took."""
    columns: dict[str, Sequence[Cell]] = {}
    for kind, parts in PARTS.items():
        tasks = [task for task in result_set.tasks if TASKS[task].subset.startswith(kind)]
        for metric, header in parts.items():
            cells = per_cent(result_set.mean(metric, m, tasks) for m in result_set.models)
            if any(cell is not None for cell in cells):
                mark = result_set.judge_mark if metric == "vqa_score" else ""
                columns[f"{kind.upper()} {header}{mark}"] = cells
    if columns:
        yield _per_model(
            result_set,
            "parts",
            "scores in parts",
            "Per cent. Syntax: share that parses or renders. Score of T: 0.2 syntax + 0.8 paths; of V: "
            "0.2 syntax + 0.1 keywords + 0.7 VQA.",
            columns,
        )
    asked = [[a for a in result_set.of_model(m) if a.verdicts] for m in result_set.models]
    if not any(asked):
        return
    judged = [[a for a in answers if a.judge_reply is not None] for answers in asked]
    yield _per_model(
        result_set,
        "judge",
        "the judge's work",
        "Pairs of question and answer about pictures. Not rendered: nobody was asked, all pairs "
        f"are wrong. Unreadable: {UNREADABLE[_is_published(result_set)]} No verdict: pairs that readable replies "
        "leave out or call null, which are wrong. Tokens: as the provider counts them, pictures "
        "included; a request that two models share by giving the same picture is counted for both, "
        "and paid once.",
        {
            "Answers": [len(answers) for answers in asked],
            "Pairs": [sum(len(a.verdicts) for a in answers) for answers in asked],
            "Not rendered": [sum(a.judge_reply is None for a in answers) for answers in asked],
            "Requests": [
                round(sum(a.scores.get("judge_requests", 1) for a in answers)) for answers in judged
            ],
            "Unreadable": [sum(not a.judge_parsed for a in answers) for answers in asked],
            "No verdict": [
                sum(a.verdicts.count(None) for a in answers if a.judge_parsed) for answers in judged
            ],
            "Prompt tokens": [add_tokens(a.judge_tokens[0] for a in answers) for answers in asked],
            "Completion tokens": [
                add_tokens(a.judge_tokens[1] for a in answers) for answers in asked
            ],
        },
    )


def answer_tables(result_set: StructEvalResultSet) -> Iterator[Table]:
    """Why answers scored nothing, or less: cut, refused, empty, not rendered."""
    answers = [result_set.of_model(model) for model in result_set.models]
    of_pictures = [[a for a in of_model if a.kind.rendered] for of_model in answers]
    yield _per_model(
        result_set,
        "answers",
        "answers",
        f"Per cent of each model's answers. {FLAWS_NOTE} The next four: per cent of the answers of "
        "V, which did not render.",
        {
            "n": [len(of_model) for of_model in answers],
            **shares(answers, FLAWS, whole=100),
            **shares(of_pictures, FAILURES, whole=100),
        },
    )


def significance_tables(result_set: StructEvalResultSet) -> Iterator[Table]:
    """Which differences between two models are more than chance."""
    grid = result_set.grid
    scored = int(np.isfinite(grid.measures[grid.score]).any(axis=1).sum())
    if scored:
        without = " of T, as without a judge V has no score" if result_set.judge == NO_JUDGE else ""
        yield from pair_tables(
            grid,
            f"{result_set.condition}. Points of the average that tasks and subsets count the same in; "
            f"{format_count(scored, 'instance')}{without}.{unscored_note(result_set.unscored)}",
        )


DIFFICULTY = Difficulty(length=lambda answer: len(answer.keywords) or None, unit="keywords")
"""How much is looked for in the code."""

MISTAKES = {
    "Malformed tags": score_of("malformed_end_tag"),
    "Lost hierarchy": lambda answer: (lost := answer.scores.get("lost_paths")) and lost > 0,
    "Lost paths": score_of("lost_paths"),
}
"""Those of section 4.2."""

SECTIONS: dict[str, Callable[[Sequence[StructEvalResultSet]], Iterator[Table]]] = {
    "leaderboard": for_each(leaderboards),
    "scores": for_each(task_tables),
    **groups.SECTIONS,
    "metrics": for_each(part_tables),
    "answers": for_each(answer_tables),
    "missing": for_each(missing_tables),
    "difficulty": partial(difficulty_tables, DIFFICULTY),
    "mistakes": partial(
        mistake_tables,
        MISTAKES,
        "Malformed tags: a closing tag that is malformed, and none as it was asked for. Lost hierarchy: texts "
        "that parse and have the last key of a path, but not under its parents; Lost paths: the number of these "
        "paths. They are absent where a suite was scored without them (section 4.2).",
    ),
    "significance": for_each(significance_tables),
}
"""What to show of result sets, by the names that the sections of the other benchmarks have too."""


def _tasks(subset: str) -> list[str]:
    return [name for name, task in TASKS.items() if task.subset == subset]


def _header(task: str) -> str:
    kind = TASKS[task]
    output = NAMES[kind.output]
    return output if kind.input == "text" else f"{NAMES[kind.input]} → {output}"


def _per_model(
    result_set: StructEvalResultSet,
    name: str,
    title: str,
    note: str,
    columns: Mapping[str, Sequence[Cell]],
    ranking: Sequence[str] | None = None,
) -> Table:
    return model_table(
        f"{result_set.name}-{name}",
        f"{result_set.label}{'' if title.startswith('(') else ':'} {title}",
        f"{result_set.condition}. {note}".strip() + unscored_note(result_set.unscored),
        result_set.models,
        {**columns, **unscored_columns(result_set.unscored, result_set.models)},
        ranking=ranking,
        apart=result_set.apart,
        format=DECIMALS,
    )


def _is_published(result_set: StructEvalResultSet) -> bool:
    return ("protocol", "published") in result_set.conditions


def _facts(result_set: StructEvalResultSet) -> str:
    """Which tasks and instances there are, and what is special about them."""
    facts = [
        f"Unweighted means of tasks: {format_count(len(result_set.tasks), 'task')} of {len(TASKS)}, "
        f"{format_count(len(result_set.instances), 'instance')}."
    ]
    if result_set.incomplete:
        facts.append(f"Not all models have all instances: {list_some(result_set.incomplete)}.")
    unread = sum(not answer.judge_parsed for answer in result_set.answers.values())
    if unread and _is_published(result_set):
        facts.append(
            f"{unread} of the judge's replies could not be read: all that was asked there counts as wrong, "
            "as published (tables --show metrics)."
        )
    if result_set.judge == NO_JUDGE:
        facts.append("Without a judge, V has no score.")
    elif not result_set.comparable:
        facts.append(
            f"{result_set.judge} is no vision-language model: its scores show that everything works, "
            "and are comparable with no other judge's, nor with published ones."
        )
    return " ".join(facts) + result_set.data_note


def per_cent(values: Iterable[float | None]) -> list[Cell]:
    """Returns scores as the papers print them.

    >>> per_cent([0.5, None])
    [50.0, None]
    """
    return [None if value is None else 100 * value for value in values]
