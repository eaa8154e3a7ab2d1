"""What a report shows of MMR: Table 1, a radar chart, and every question with its answers."""

from collections.abc import Sequence

from helm_structext.mmr.results import COLUMN_NAMES, COLUMNS, MMRResult, MMRResultSet
from helm_structext.mmr.tables import SECTIONS
from helm_structext.mmr.tasks import TASK_NAMES, ParsedReply
from helm_structext.patterns import Pattern
from helm_structext.report.panels import Boxes, Code, Panel, Text, clip
from helm_structext.report.parts import (
    OUTCOMES,
    AnswerCard,
    Board,
    BoardColumn,
    BoardRow,
    Facet,
    Instance,
    Metric,
    Radar,
    Score,
    Section,
    Sheet,
    View,
    brief_metrics,
    outcomes_of,
    tables_section,
    tie,
)
from helm_structext.report.words import words_in
from helm_structext.results.comparisons import GROUP
from helm_structext.results.tabular import section_tables
from helm_structext.scoring.handling import INTERNAL

MAX_REPLY = 2_000
"""Characters of one reply that a report shows."""
MAX_SAID = 300
"""Characters that it shows of a text that was read of a reply."""

WORDS = {
    "PNLS": "similarity of a text to the best fitting part of another (partial normalized Levenshtein)",
    "IoU": "intersection of two boxes, as a share of their union",
    "O-Box": "box of an object",
    "T-PNLS": "text and its box: the text",
    "T-Box": "text and its box: the box",
}
"""Short words to their meanings."""

RIGHT = "correct"
METRICS = {"pnls": "PNLS", "iou": "IoU"}
"""Shown of an answer beside whether it is right."""

FACETS = [
    Facet("task", "Task", TASK_NAMES),
    Facet(
        "outcome",
        "Outcome",
        {
            "right": "right",
            "wrong": "wrong",
            "unreadable": "unreadable",
            **OUTCOMES,
            INTERNAL: "not handled",
        },
    ),
]

_BOX = r"\[[^\[\]]*\]"
_BARE_BOX = Pattern(rf'(?s)\A\s*(?:".*?",? )?{_BOX}\s*\z')


def make_view(result_sets: Sequence[MMRResultSet]) -> View:
    """Returns a sheet for each condition: Table 1, the radar chart, and the other tables.

    Args:
        result_sets: as from `helm_structext.mmr.results.result_sets`.
    """
    return View(
        title="MMR",
        metrics=[
            Metric(RIGHT, "Right", verdict=True),
            *brief_metrics(METRICS, WORDS),
        ],
        score=RIGHT,
        facets=FACETS,
        sheets=[_sheet(one) for one in result_sets],
        unit="question",
        boxes=True,
    )


def describe_instance(answer: MMRResult) -> Instance:
    """Returns a question, its picture, and what is true.

    Args:
        answer: any of those to the question.
    """
    truth = answer.truth
    bare = [truth.text, truth.box and say(ParsedReply(box=truth.box), ""), truth.choice]
    return Instance(
        part=answer.task,
        label=TASK_NAMES[answer.task],
        tags={"task": [answer.task]},
        input=answer.picture,
        panels=[
            Text(title="Question", text=answer.question),
            Code(
                title="Truth",
                text=clip(say(truth, answer.question), MAX_SAID),
                compared="\n".join(str(one) for one in bare if one),
            ),
            *_boxes(truth),
        ],
    )


def describe_answer(answer: MMRResult, *, plans: bool) -> AnswerCard:
    """Returns the reply, and what was read of it.

    Args:
        answer: of a result set.
        plans: there are none.
    """
    reading = answer.reading
    right = answer.scores.get(RIGHT)
    kind = answer.failure
    return AnswerCard(
        scores={name: answer.scores[name] for name in (RIGHT, *METRICS) if name in answer.scores},
        tags={
            "outcome": outcomes_of(
                answer,
                kind,
                right=right == 1,
                wrong=right is not None and right < 1,
                unreadable=reading is None and not answer.unhandled,
            )
        },
        kind=kind,
        panels=[
            Text(
                title="What was read of the reply",
                text=say(reading, answer.question) if reading else "not readable",
            ),
            Code(
                title="Reply",
                text=clip(answer.completion, MAX_REPLY),
                card=not says_all(reading, answer.completion),
            ),
            *(_boxes(reading) if reading else []),
        ],
    )


def say(reading: ParsedReply, question: str) -> str:
    """Returns what an answer or a reply says, for readers: a choice with its words.

    Args:
        reading: what was read.
        question: whose lines name the choices.

    >>> say(ParsedReply(choice=2), "Which? 1. this\\n2. that"), say(ParsedReply(choice=7), "Which?")
    ('2. that', '7')
    >>> say(ParsedReply(text="EMMA", box=(0.1, 0.2, 0.5, 0.4)), "Where is it?")
    '“EMMA” [0.100, 0.200, 0.500, 0.400]'
    """
    choice = reading.choice
    lines = (line for line in question.split("\n") if line.startswith((f"{choice}.", f"{choice})")))
    return " ".join(
        [
            *([] if choice is None else [next(lines, str(choice))]),
            *([] if reading.text is None else [f"“{clip(reading.text, MAX_SAID)}”"]),
            *([] if not reading.box else [f"[{', '.join(f'{v:.3f}' for v in reading.box)}]"]),
        ]
    )


def says_all(reading: ParsedReply | None, reply: str) -> bool:
    """Returns whether a reply holds nothing but what was read of it."""
    if reading is None:
        return False
    if reading.box:
        return bool(_BARE_BOX.search(reply))
    read = reading.text if reading.choice is None else str(reading.choice)
    return _bare(read or "") == _bare(reply)


def _bare(text: str) -> str:
    return "".join(letter for letter in text if letter not in '"“”' and not letter.isspace())


def _boxes(reading: ParsedReply) -> list[Panel]:
    return [Boxes(title="Box", boxes=[reading.box])] if reading.box else []


def _sheet(result_set: MMRResultSet) -> Sheet:
    ranking = result_set.ranking
    counts = {model: result_set.counts(model) for model in ranking}
    sizes = result_set.sizes
    tables = section_tables(SECTIONS, [[result_set]])
    radar = Radar(
        title="Shares of right answers",
        axes={COLUMN_NAMES[column]: size for column, size in sizes.items() if size},
        lines={
            model: [of_model.get(column) for column, size in sizes.items() if size]
            for model, of_model in counts.items()
        },
    )
    board = _leaderboard(result_set, tables[0].note)
    return Sheet(
        label=result_set.condition,
        result_sets=[result_set],
        ranking=ranking,
        sections=[
            Section("leaderboard", "Leaderboard", [board, radar]),
            *tables_section(tables[1:], WORDS),
        ],
    )


def _leaderboard(result_set: MMRResultSet, note: str) -> Board:
    """Table 1, with what each count is out of."""
    sizes, groups = result_set.sizes, result_set.grid.groups
    whole = sum(sizes.values())

    def count(number: int | None, size: int) -> Score | None:
        return None if number is None else Score(str(number), number, title=f"{number} of {size}")

    rows = []
    for model in result_set.ranking:
        counts = result_set.counts(model)
        cells = [count(counts.get(column), size) for column, size in sizes.items()]
        total = count(sum(counts.values()), whole)
        rows.append(BoardRow(model, [*cells, total, tie(groups, model)]))
    return Board(
        title="Table 1",
        note=note,
        words=words_in(["PNLS IoU", GROUP], WORDS),
        show={"outcome": "wrong"},
        columns=[
            *(
                BoardColumn(name, f"of {sizes[column]}", best=True, show={"task": task})
                for (column, (task, _)), name in zip(
                    COLUMNS.items(), COLUMN_NAMES.values(), strict=True
                )
            ),
            BoardColumn("Total", f"of {whole}", best=True),
            BoardColumn(GROUP),
        ],
        rows=rows,
    )
