"""The eleven tasks of MMR: what is asked, how replies are read, and what they score.

Source: "MMR: Evaluating Reading Ability of Large Multimodal Models" (Chen et al., 2024), sections
3.3 and 4.1, and the prompts that its published code sends, which differ from Appendix A in a few words, and
in that a question is not said twice.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from helm_structext.data import NEWEST
from helm_structext.mmr import replies as extraction
from helm_structext.mmr.replies import Box

DEFAULT_LIMIT = 50
MAX_TOKENS = 800
"""As the published runs of GPT-4 asked for."""

SYSTEMS = {
    "scale": (
        "Coordinates are fractions of the image's width and height, from 0 at the left and top "
        "edges to 1 at the right and bottom edges."
    ),
    "none": "",
}
"""What precedes a question that asks for a box. The sentence is ours, and the same for all models. The
published runs of GPT-4 and Claude said as much in system prompts of their own; others were not told."""
DEFAULT_SYSTEM = "scale"
RENAMED_SYSTEMS = {"published": "scale"}
"""What release 0.2.0 called them, in suites, logs and files of completions."""


@dataclass(frozen=True)
class MMRArguments:
    """What describes a run; `helm_structext.mmr.run_specs.mmr` says what values mean."""

    task: str = "all"
    source: str = "hub"
    limit: int = DEFAULT_LIMIT
    system: str = DEFAULT_SYSTEM
    lenient: str = "none"
    revision: str = NEWEST

    @property
    def tasks(self) -> tuple[str, ...]:
        """Keys of `TASKS`."""
        return tuple(TASKS) if self.task == "all" else (self.task,)


@dataclass(frozen=True)
class ParsedReply:
    """What an answer or a reply says, as far as the kind of question asks for it.

    Args:
        choice: index of a choice, from 1.
        text: a text, without double quotes.
        box: a box, in fractions of the picture's width and height.
    """

    choice: int | None = None
    text: str | None = None
    box: Box | None = None


@dataclass(frozen=True)
class QuestionKind:
    """One of the four kinds of questions.

    Args:
        format: the format that is asked for, as offline models know it.
        suffix: what follows the question in a prompt, after a newline.
        answer: reads the column `Answer` of a row.
        reply: reads what a model wrote, as published.
        write: writes a reply that `reply` reads.
        blank: a reply that says nothing; of a box, the whole picture.
    """

    format: str
    suffix: str
    answer: Callable[[str], ParsedReply]
    reply: Callable[[str], ParsedReply]
    write: Callable[[ParsedReply], str]
    blank: str

    @property
    def grounding(self) -> bool:
        """Whether a box is asked for."""
        return "bounding box" in self.suffix


def _text_and_box(answer: str) -> ParsedReply:
    said, numbers = json.loads(answer)
    return ParsedReply(text=extraction.text(said), box=extraction.box(json.dumps(numbers)))


def _read_text_and_box(reply: str) -> ParsedReply:
    said, box = extraction.text_and_box(reply)
    return ParsedReply(text=said, box=box)


BOX_SUFFIX = (
    "Please write the position as a bounding box, and output the [x_min, y_min, x_max, y_max] "
    "coordinates in float numbers in python list.\n"
)

KINDS = {
    "choice": QuestionKind(
        format="mmr_choice",
        suffix="Only print the index of the correct choice as answer, such as 1, 2, 3, or 4",
        answer=lambda answer: ParsedReply(choice=int(answer)),
        reply=lambda reply: ParsedReply(choice=extraction.choice(reply)),
        write=lambda reading: str(reading.choice),
        blank="",
    ),
    "text": QuestionKind(
        format="mmr_text",
        suffix="Only print the text; do not include any other descriptions.",
        answer=lambda answer: ParsedReply(text=extraction.text(answer)),
        reply=lambda reply: ParsedReply(text=extraction.text(reply)),
        write=lambda reading: str(reading.text),
        blank="",
    ),
    "box": QuestionKind(
        format="mmr_box",
        suffix=f"{BOX_SUFFIX}Output the text only.",
        answer=lambda answer: ParsedReply(box=extraction.box(answer)),
        reply=lambda reply: ParsedReply(box=extraction.box(reply)),
        write=lambda reading: json.dumps(reading.box),
        blank="[0, 0, 1, 1]",
    ),
    "text_box": QuestionKind(
        format="mmr_text_box",
        suffix=(
            f"{BOX_SUFFIX}Output the text and bounding box only. For example, "
            '"Hello world", [x_min, y_min, x_max, y_max]'
        ),
        answer=_text_and_box,
        reply=_read_text_and_box,
        write=lambda reading: f'"{reading.text}", {json.dumps(reading.box)}',
        blank='"", [0, 0, 1, 1]',
    ),
}

TASKS = {
    "recognition_label": "text",
    "recognition_pos": "text",
    "font_size": "choice",
    "font_color": "choice",
    "localize_o": "choice",
    "localize_t": "choice",
    "spatial_ot": "choice",
    "spatial_oo": "choice",
    "spatial_tt": "choice",
    "grounding_o": "box",
    "grounding_t": "text_box",
}
"""The tasks in the order of Table 1, each with its kind of question."""

TASK_NAMES = {
    "recognition_label": "text by label",
    "recognition_pos": "text by position",
    "font_size": "font size",
    "font_color": "font color",
    "localize_o": "place of an object",
    "localize_t": "place of a text",
    "spatial_ot": "object and text",
    "spatial_oo": "two objects",
    "spatial_tt": "two texts",
    "grounding_o": "box of an object",
    "grounding_t": "text and its box",
}
"""The tasks in words."""

TASK_TYPES = {
    "recognition": "Text",
    "font": "Font",
    "localize": "Localization",
    "spatial": "Spatial relation",
    "grounding": "Grounding",
}
"""What tasks' names begin with, to the heading that they stand under in Table 1."""

AREAS = (
    ("top left", "top center", "top right"),
    ("middle left", "center", "middle right"),
    ("bottom left", "bottom center", "bottom right"),
)
"""Names of the ninths of a picture, row by row."""


def prompt_of(question: str, kind: str, system: str) -> str:
    """Returns the text that a model gets with the picture.

    Args:
        question: as the row has it.
        kind: a key of `KINDS`.
        system: a key of `SYSTEMS`, which says how a box is to be written; other kinds do without.

    >>> print(prompt_of("What is the title in the image?", "text", "scale"))
    What is the title in the image?
    Only print the text; do not include any other descriptions.
    """
    scale = SYSTEMS[system] if KINDS[kind].grounding else ""
    return "\n".join(part for part in (scale, question, KINDS[kind].suffix) if part)


def read_answer(kind: str, answer: str) -> ParsedReply:
    """Reads the column `Answer` of a row.

    Args:
        kind: a key of `KINDS`.
        answer: the index of a choice, a text that may have stray quotes, a list of four numbers,
            or a list of a text and such a list; lists in JSON.

    Raises:
        ValueError: the answer is not of its kind.

    >>> read_answer("text_box", '["Emma", [0.1, 0.2, 0.5, 0.4]]')
    ParsedReply(choice=None, text='Emma', box=(0.1, 0.2, 0.5, 0.4))
    """
    try:
        return KINDS[kind].answer(answer)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{answer[:200]!r} is no answer of kind {kind}: {error}") from error


def read_reply(kind: str, reply: str) -> ParsedReply:
    """Reads what a model wrote, by the published rules.

    Args:
        kind: a key of `KINDS`.
        reply: the whole completion.

    Raises:
        helm_structext.mmr.replies.UnreadableReply: it is not in the format that was asked for.
    """
    return KINDS[kind].reply(reply)


def read_reply_leniently(kind: str, reply: str, scale: str, size: tuple[int, int]) -> ParsedReply:
    """Reads a box out of fences and prose, in the scale that is given.

    Args:
        kind: ``box`` or ``text_box``.
        reply: what the model wrote.
        scale: one of `helm_structext.mmr.replies.SCALES`.
        size: width and height of the picture in pixels.

    Raises:
        helm_structext.mmr.replies.UnreadableReply: there is no box in it.
    """
    if kind == "box":
        return ParsedReply(box=extraction.lenient_box(reply, scale, size))
    said, box = extraction.lenient_text_and_box(reply, scale, size)
    return ParsedReply(text=said, box=box)


def area_of(box: Box) -> str:
    """Returns in which ninth of the picture a box has its center, in the dataset's words.

    Source: MMR, section 3.4 ("Spatial location").

    >>> area_of((0.1, 0.8, 0.9, 0.9)), area_of((0.4, 0.4, 0.6, 0.6)), area_of((0, 0.4, 0.1, 0.5))
    ('bottom center', 'center', 'middle left')
    """
    x_min, y_min, x_max, y_max = box
    column, row = (min(max(int(1.5 * total), 0), 2) for total in (x_min + x_max, y_min + y_max))
    return AREAS[row][column]
