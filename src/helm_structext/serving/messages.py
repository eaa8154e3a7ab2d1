"""What is said over HTTP: the request for scores, and what is answered."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    FiniteFloat,
    InstanceOf,
    Tag,
)

from helm_structext.metrics import SizeHandling
from helm_structext.protocols import MissingRule, ProtocolName

MAX_TIMEOUT = 3600
"""Seconds of work that a request may give a rendering."""

# A completion may hold lone surrogates, as JSON can; a `str` of pydantic's may not.
AnyText = InstanceOf[str]
Components = Annotated[
    dict[str, FiniteFloat],
    Field(description="Metric to weight; the score is the weighted sum."),
]
Failure = Annotated[FiniteFloat, Field(description="The score of a completion that failed.")]
Missing = Annotated[
    MissingRule,
    Field(description="What comes of a completion that can't be drawn for what is missing here."),
]
Protocol = Annotated[ProtocolName, Field(description="How code is read and rendered.")]
Timeout = Annotated[
    FiniteFloat,
    Field(gt=0, le=MAX_TIMEOUT, description="Seconds of work for a rendering, from its start."),
]
Guards = Annotated[list[str], Field(description="Names of guards; by default all.")]
Sizes = Annotated[SizeHandling, Field(description="What is done about pictures of two sizes.")]
WithFindings = Annotated[
    bool, Field(description="Whether results say what is wrong with the picture; by default not.")
]
Lenient = Annotated[
    Literal["none", "fraction", "thousand", "pixel"],
    Field(description="The scale in which boxes are read leniently."),
]


class Message(BaseModel):
    """Anything that is said: nothing but what its fields name, and of their types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FileContent(Message):
    """A file: its content, or where the server finds it."""

    base64: str | None = Field(default=None, description="Its bytes in base64.")
    path: str | None = Field(
        None,
        description="Below a folder that the server was allowed (--allow); it may be relative.",
    )


class PictureReference(FileContent):
    """A picture, or code that is rendered once; metrics of text need code or its text."""

    code: str | None = Field(default=None, description="Code that draws it.")
    text: str | None = Field(default=None, description="The code reduced to its content.")
    assets: dict[str, FileContent] = Field(
        default_factory=dict, description="Files that code may use, by their relative names."
    )


class StructEvalReference(Message):
    """The columns of StructEval's dataset that say what to look for."""

    raw_output_metric: list[str] = Field(description="Paths, or keywords.")
    VQA: list[dict[str, str]] = Field(
        default_factory=list, description="Pairs of question and answer."
    )


class MMRReference(Message):
    """An answer to one of MMR's questions, and the size of its picture."""

    answer: str = Field(description="As in the dataset's column Answer.")
    size: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="Width and height in pixels, where boxes are read leniently."
    )


class _Options(Message):
    components: Components | None = None
    failure: Failure | None = None
    guards: Guards | None = None
    missing: Missing | None = None


class _Item(_Options):
    completion: AnyText = Field(description="What the model wrote, fences and all.")


class PictureItem(_Item):
    """A completion that draws, and what it should look like."""

    format: str = Field(description="One of GET /v1/formats.")
    reference: str | PictureReference = Field(description="A picture, or code (as a string).")
    protocol: Protocol | None = None
    timeout: Timeout | None = None
    size_handling: Sizes | None = None
    findings: WithFindings | None = None


class StructEvalItem(_Item):
    """An answer to one of StructEval's tasks, and what it should hold."""

    task: str = Field(description="One of StructEval's 44, such as text_to_json.")
    reference: list[str] | StructEvalReference = Field(description="Paths or keywords.")
    protocol: Protocol | None = None
    timeout: Timeout | None = None


class MMRItem(_Item):
    """A reply to one of MMR's questions, and the answer."""

    kind: str = Field(description="choice, text, box or text_box.")
    reference: str | MMRReference
    lenient: Lenient | None = None


class InstanceItem(_Item):
    """A completion of an instance of a run entry that the server knows."""

    entry: str = Field(description="One of those that the server was started with (--entries).")
    reference: str = Field(description="The id of the instance.")


NAMES = {"format": PictureItem, "task": StructEvalItem, "kind": MMRItem, "entry": InstanceItem}
"""What an item is: the field that says so."""


def _which(item: Any) -> str | None:
    given = item if isinstance(item, Mapping) else vars(item) if isinstance(item, _Item) else ()
    return next((name for name in NAMES if name in given), None)


Item = Annotated[
    Annotated[PictureItem, Tag("format")]
    | Annotated[StructEvalItem, Tag("task")]
    | Annotated[MMRItem, Tag("kind")]
    | Annotated[InstanceItem, Tag("entry")],
    Discriminator(
        _which,
        custom_error_type="item",
        custom_error_message="an item has one of the fields format, task, kind and entry",
    ),
]


class ScoreRequest(_Options):
    """Completions to be scored, each with its reference; what an item leaves out is the batch's."""

    items: list[Item] = Field(description="In the order of the results.")
    seconds: FiniteFloat | None = Field(
        default=None, gt=0, description="After which what is not finished has no score."
    )
    protocol: Protocol | None = None
    timeout: Timeout | None = None
    size_handling: Sizes | None = None
    lenient: Lenient | None = None
    findings: WithFindings | None = None


class FindingMessage(Message):
    """One thing that is wrong with a picture."""

    kind: str = Field(description="Such as text missing.")
    text: str = Field(description="What it is about.")
    there: list[float] | None = Field(
        description="Left, top, right and bottom on the completion's picture, in its pixels."
    )
    should: list[float] | None = Field(description="The same on the reference's.")
    size: float = Field(description="Of the mistake, from 0 to 1.")


class FindingsMessage(Message):
    """What is wrong with a picture, by what lies on it and on the reference's."""

    sentence: str = Field(description="All of it in short, for people and models.")
    reason: str = Field(description="Why nothing is known, or an empty text.")
    scores: dict[str, float | None] = Field(description="Name to value from 0 to 1.")
    findings: list[FindingMessage] = Field(description="The largest of each kind first.")
    left_out: int = Field(description="How many more there are.")


class ItemResult(Message):
    """A score, what it is made of, and what went wrong."""

    score: float | None = Field(
        description="The weighted sum, or `failure`; null where the completion could not be scored "
        "for no fault of its own."
    )
    components: dict[str, float | None] = Field(description="Metric to value.")
    error_kind: str | None = Field(
        description="syntax, timeout, resource, empty or the name of a guard: the completion's "
        "failure. internal, setup, reference, unfinished or judge: not its fault. missing: what it needs "
        "is not here, and `missing` of the request says whether that has a score."
    )
    message: str = Field(description="One line about the failure, or an empty text.")
    waited: float = Field(description="Seconds in the queue.")
    worked: float = Field(description="Seconds from the start of its work to the end.")
    findings: FindingsMessage | None = Field(
        default=None, description="Where the request asks for them and there is a picture."
    )


class NumberedResult(ItemResult):
    """A line of results as they come."""

    item: int = Field(description="The number of the item, from 0.")


class ScoreResponse(Message):
    """The results of a batch, in the order of its items."""

    results: list[ItemResult]


class Problem(Message):
    """What is wrong with a request."""

    item: int | None = Field(
        default=None, description="The number of the item, from 0; null for none."
    )
    field: str = Field(default="", description="Where in the item, or in the request.")
    reason: str


class Refusal(Message):
    """Why a request is not answered."""

    message: str
    problems: list[Problem] = Field(default_factory=list, description="The first ones of them.")


class PassportInfo(Message):
    """All that can change a picture or a score of a server."""

    passport: str = Field(description="A hash of the parts.")
    parts: dict[str, str] = Field(
        description="Engines, fonts, libraries and our own: each with its version."
    )


class FormatInfo(Message):
    """A format that is rendered."""

    name: str = Field(description="For people.")
    seconds: float = Field(description="Of work that a rendering has by default.")


class TaskInfo(Message):
    """One of StructEval's tasks."""

    format: str
    rendered: bool


class Formats(Message):
    """What can be scored, and by what."""

    formats: dict[str, FormatInfo]
    tasks: dict[str, TaskInfo]
    kinds: list[str]
    components: dict[Literal["format", "task", "kind"], list[str]]
    entries: dict[str, list[str]] = Field(
        description="Run entries whose instances can be scored, and their components."
    )
    guards: list[str]
    protocols: list[str]
    max_items: int = Field(description="Of a request.")
    max_bytes: int = Field(description="Of a request's body.")
