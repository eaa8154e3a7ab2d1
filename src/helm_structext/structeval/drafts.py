"""Drafts of new questions for StructEval, made as its authors made theirs: a model writes, checks sort out, people review.

The prompt of conversions of text is the printed one. The other three subsets have no printed prompt:
theirs are ours, in the same outline, and ask for what section 2.1 says that an example consists of.

Source: StructEval, section 2.2, "Keyword Matching Score" of section 3, and Figure 8.
"""

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helm_structext.errors import RenderError
from helm_structext.extraction.reasoning import without_reasoning
from helm_structext.metrics.structures import (
    CsvTable,
    check_path,
    parse_structure,
    path_exists,
    split_path,
)
from helm_structext.patterns import Pattern
from helm_structext.renderers import render_completion
from helm_structext.results.spreadsheets import csv_text
from helm_structext.storage.cache import write_atomically
from helm_structext.structeval.tasks import CODES, NAMES, TASKS, TYPE_FORMATS, StructEvalTask
from helm_structext.texts import utf8

TRIES = 3
"""Replies that a question may take: a task gives up after so many times the number that is wanted."""
MAX_REPLY = 100_000
"""Characters of a reply."""
MAX_ITEMS = 200
"""Keywords, requirements or pairs of a draft."""
MAX_TEXT = 2_000
"""Characters of one of these."""
MAX_NODES = 20_000
"""Of an input, when its names are looked at."""

CODE = Pattern(r"(?s)<code>\s*(.*?)\s*</code>")

_ASSISTANT = """\
You are a prompt-design assistant building benchmark items for {kind} tasks.

{formats}

Your task: Think silently through the checklist and then output a single JSON object with:

"""

CONVERSION = (
    _ASSISTANT.format(
        kind="conversion", formats="Input Format: {input_type}\nOutput Format: {output_type}"
    )
    + """\
- "raw_output_metric": dot-paths for the expected keys/attributes in the {output_type} structure
- "query": A generated input format {input_type} code inside <code>...</code> tags.

Assumed Mapping Rule (state it implicitly in the paths):

- No XML attributes unless absolutely necessary. If an attribute is required, map it to a key prefixed with "@", and include that in dot-paths.

CHECKLIST (INTERNAL – DO NOT OUTPUT)

1. Pick a super creative and random domain.
2. Generate {input_type} code with:
   - At least two levels of nesting
   - At least one list inside an object/element
3. Avoid XML attributes where possible; prefer child elements.
4. Wrap the code in <code>...</code> tags.
5. Dot-path rules:
   - JSON / YAML / TOML: parent.child, list[0].child
   - XML: element.child or element.@attr (only if used)
   - CSV: csv::Header{unused}

OUTPUT FORMAT

"""
)
"""Figure 8. What follows its last line there is not printed: `_SHAPES` is ours. Where the output is CSV, the
words "(not used here)" are left out."""

_PLAIN = """\
CHECKLIST (INTERNAL – DO NOT OUTPUT)

1. Pick a super creative and random domain.
{steps}

OUTPUT FORMAT

"""
_KEYWORDS = '- "raw_output_metric": words that have to stand in the {output_type} code, such as texts and names\n'
_PAIRS = (
    '- "VQA": pairs of a question about the rendered picture and its short expected answer; each can be '
    "answered by looking at the picture alone\n"
)
_REQUIREMENTS = (
    '- "task": one sentence that says what to make\n'
    '- "feature_requirements": what it has to have, one sentence each, with all texts and names\n'
)

PROMPTS: Mapping[str, str] = {
    "t_conversion": CONVERSION,
    "t_generation": _ASSISTANT.format(kind="generation", formats="Output Format: {output_type}")
    + _REQUIREMENTS
    + '- "raw_output_metric": dot-paths for the keys that the requirements ask for\n\n'
    + _PLAIN.format(
        steps="2. Ask for at least two levels of nesting and one list, as far as the format has them.\n"
        "3. Name every key of the dot-paths in the requirements, in quotes.\n"
        "4. Dot-path rules:\n"
        "   - JSON / YAML / TOML: parent.child, list[0].child\n"
        "   - XML: element.child or element.@attr (only if used)\n"
        "   - CSV: csv::Header"
    ),
    "v_generation": _ASSISTANT.format(kind="generation", formats="Output Format: {output_type}")
    + _REQUIREMENTS
    + _KEYWORDS
    + _PAIRS
    + "\n"
    + _PLAIN.format(steps="2. Everything that is asked for can be seen without a click or a wait."),
    "v_conversion": _ASSISTANT.format(
        kind="conversion", formats="Input Format: {input_type}\nOutput Format: {output_type}"
    )
    + '- "query": A generated input format {input_type} code inside <code>...</code> tags.\n'
    + _KEYWORDS
    + _PAIRS
    + "\n"
    + _PLAIN.format(steps="2. The code is complete and renders by itself, without other files."),
}
"""Subset to what a model is asked, with the names of the two formats left open."""

_SHAPES: Mapping[str, Any] = {
    "task": "...",
    "feature_requirements": ["..."],
    "query": "<code>...</code>",
    "raw_output_metric": ["..."],
    "VQA": [{"question": "...?", "answer": "..."}],
}

Ask = Callable[[str, int], str]
"""Returns a model's reply to a prompt; the number tells requests with the same prompt apart."""


@dataclass(frozen=True)
class QuestionDraft:
    """What a model wrote for a task, and what became of it.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        reply: as the model wrote it.
        query: the question, or "" where the reply could not be read so far.
        requirements: sentences, of a generation.
        code: the input, of a conversion.
        keywords: paths of text, words of what renders.
        pairs: questions about the picture, with answers.
        reason: why it is rejected, or "".
        id: its task id, or "" where it is rejected.
    """

    task: str
    reply: str
    query: str = ""
    requirements: Sequence[str] = ()
    code: str = ""
    keywords: Sequence[str] = ()
    pairs: Sequence[Mapping[str, str]] = ()
    reason: str = ""
    id: str = field(default="", kw_only=True)


class _Rejected(Exception):
    """A draft can't be used; the message says why."""


def drafting_prompt(task: str) -> str:
    """Returns what a model is asked in order to draft a question.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`.

    >>> print(drafting_prompt("yaml_to_xml")[:100])
    You are a prompt-design assistant building benchmark items for conversion tasks.
    <BLANKLINE>
    Input Format: YAML
    >>> drafting_prompt("text_to_csv").splitlines()[-1]
    '{"task": "...", "feature_requirements": ["..."], "raw_output_metric": ["..."]}'
    """
    kind = TASKS[task]
    outline = PROMPTS[kind.subset].format(
        input_type=NAMES[kind.input],
        output_type=NAMES[kind.output],
        unused="" if kind.output == "csv" else " (not used here)",
    )
    fields = (name for name in _SHAPES if f'- "{name}":' in outline)
    return outline + json.dumps({name: _SHAPES[name] for name in fields})


def make_drafts(task: str, count: int, ask: Ask) -> Iterator[QuestionDraft]:
    """Yields drafts until `count` of them can be used, or a model has replied `TRIES` times as often.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        count: how many questions are wanted.
        ask: asks a model.
    """
    prompt = drafting_prompt(task)
    kind = TASKS[task]
    seen: set[str] = set()
    for number in range(TRIES * count):
        draft = check_draft(read_draft(task, ask(prompt, number)))
        mark = " ".join((draft.code or draft.query).casefold().split())
        if not draft.reason and mark in seen:
            draft = _change(draft, reason="it is the same as an earlier one")
        if not draft.reason:
            draft = _change(draft, id=f"{CODES[kind.input]}{CODES[kind.output]}{len(seen):02}")
            seen.add(mark)
        yield draft
        if len(seen) == count:
            return


def _change(draft: QuestionDraft, **changes: str) -> QuestionDraft:
    return QuestionDraft(**{**vars(draft), **changes})


def read_draft(task: str, reply: str) -> QuestionDraft:
    """Reads a model's reply: a JSON object, whatever stands around it.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        reply: as the model wrote it.

    Returns:
        What could be read; `QuestionDraft.reason` says what could not.

    >>> read_draft("text_to_csv", "Sorry.").reason
    'the reply holds no JSON object'
    """
    kind = TASKS[task]
    try:
        said = _object(reply)
        keywords = _texts(said, "raw_output_metric")
        pairs = _pairs(said) if kind.rendered else ()
        if kind.input == "text":
            requirements = _texts(said, "feature_requirements")
            wanted = _text("task", said.get("task"))
            numbered = "\n".join(f"{n}. {line}" for n, line in enumerate(requirements, 1))
            query = f"{wanted}\n\nFeature Requirements:\n{numbered}"
            code = ""
        else:
            found = CODE.search(_text("query", said.get("query"), MAX_REPLY))
            if found is None or not found[1]:
                raise _Rejected("query has no <code>...</code>")
            requirements, code = (), found[1]
            query = (
                f"Convert the {NAMES[kind.input]} code below to {NAMES[kind.output]}. Keep all names, "
                f"values and levels as they are.\n\n<code>\n{code}\n</code>"
            )
    except _Rejected as error:
        return QuestionDraft(task, reply[:MAX_REPLY], reason=str(error))
    return QuestionDraft(
        task,
        reply,
        f"Please output {NAMES[kind.output]} code.\n\nTask:\n{query}",
        requirements,
        code,
        keywords,
        pairs,
    )


def _object(reply: str) -> Mapping[str, Any]:
    if len(reply) > MAX_REPLY:
        raise _Rejected(f"the reply is longer than {MAX_REPLY:,} characters")
    text = without_reasoning(reply)
    try:
        said = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError) as error:
        raise _Rejected("the reply holds no JSON object") from error
    assert isinstance(said, dict)
    return said


def _text(name: str, said: Any, most: int = MAX_TEXT) -> str:
    if not isinstance(said, str) or not said.strip():
        raise _Rejected(f"{name} is no text")
    if len(said) > most:
        raise _Rejected(f"{name} has more than {most:,} characters")
    if said.encode("utf-8", "replace").decode() != said:
        raise _Rejected(f"{name} has half a character in it")
    return said.strip()


def _items(said: Mapping[str, Any], name: str) -> Sequence[Any]:
    items = said.get(name)
    if not isinstance(items, list) or not items:
        raise _Rejected(f"{name} is no list, or an empty one")
    if len(items) > MAX_ITEMS:
        raise _Rejected(f"{name} has more than {MAX_ITEMS} items")
    return items


def _texts(said: Mapping[str, Any], name: str) -> Sequence[str]:
    texts = [_text(f"an item of {name}", item) for item in _items(said, name)]
    return list(dict.fromkeys(texts))


def _pairs(said: Mapping[str, Any]) -> Sequence[Mapping[str, str]]:
    pairs = []
    for number, pair in enumerate(_items(said, "VQA"), 1):
        both = pair if isinstance(pair, dict) else {}
        found = {
            name: _text(f"{name} {number} of VQA", both.get(name))
            for name in ("question", "answer")
        }
        if not found["question"].endswith("?"):
            raise _Rejected(f"question {number} of VQA does not end with a question mark")
        pairs.append(found)
    if len({pair["question"].casefold() for pair in pairs}) < len(pairs):
        raise _Rejected("VQA asks a question twice")
    return pairs


# The checks


def check_draft(draft: QuestionDraft) -> QuestionDraft:
    """Returns a draft with the reason to reject it, if there is one.

    The input of a conversion has to parse or render. Of text it has two levels and a list, as Figure 8
    asks, unless it is CSV, and all dot-paths lead to something in it. Where there is no input, the query
    names what they lead to.

    Args:
        draft: as from `read_draft`.

    Raises:
        SetupError: the machine can't render.

    >>> reply = {"query": "<code>a: {b: [1]}</code>", "raw_output_metric": ["a.b[0]", "a.c"]}
    >>> check_draft(read_draft("yaml_to_json", json.dumps(reply))).reason
    'path a.c leads to nothing in the input'
    """
    if draft.reason:
        return draft
    kind = TASKS[draft.task]
    try:
        if kind.input != "text" and kind.rendered:
            _check_rendering(draft.code, TYPE_FORMATS[kind.input])
        elif kind.input != "text":
            structure = _parse(draft.code, kind.input)
            chains = _chains(structure)
            _check_input(structure, chains)
            for path in draft.keywords:
                _check_path(path, kind)
                # XML has a root and names for items, and a row of CSV has no levels: what can be held against
                # these is that the names are the input's, and stand in the same order below each other.
                free = {"xml", "csv"} & {kind.input, kind.output}
                if not (_follows(_names(path), chains) if free else path_exists(structure, path)):
                    raise _Rejected(f"path {path} leads to nothing in the input")
        elif not kind.rendered:
            query = draft.query.casefold()
            for path in draft.keywords:
                _check_path(path, kind)
                if missing := [name for name in _names(path) if name.casefold() not in query]:
                    raise _Rejected(f"path {path}: the query does not name {missing[0]}")
    except _Rejected as error:
        return _change(draft, reason=str(error))
    return draft


def _check_rendering(code: str, format: str) -> None:
    try:
        render_completion(format, code)
    except RenderError as error:
        raise _Rejected(f"the input does not render: {error}") from error


def _check_input(structure: Any, chains: Collection[Sequence[str]]) -> None:
    if isinstance(structure, CsvTable):
        if not structure.rows:
            raise _Rejected("the input has no rows")
    elif max(map(len, chains), default=0) < 2:
        raise _Rejected("the input has no two levels of nesting")
    elif not any(isinstance(node, list) for _, node in _nodes(structure)):
        raise _Rejected("the input has no list")


def _parse(code: str, type_: str) -> Any:
    try:
        return parse_structure(code, TYPE_FORMATS[type_])
    except RenderError as error:
        raise _Rejected(f"the input is not {NAMES[type_]}: {error}") from error


def _check_path(path: str, kind: StructEvalTask) -> None:
    try:
        check_path(path)
    except ValueError as error:
        raise _Rejected(str(error)) from error
    if path.startswith("csv::") != (kind.output == "csv"):
        raise _Rejected(f"path {path} is not one of {NAMES[kind.output]}")
    if not _names(path):
        raise _Rejected(f"path {path} names nothing")


def _names(path: str) -> Sequence[str]:
    """The names on a path, without indices and marks of attributes.

    >>> _names("a.list[0].@id"), _names("csv::a.b")
    (['a', 'list', 'id'], ['a', 'b'])
    """
    steps = path[5:].split(".") if path.startswith("csv::") else split_path(path)
    return [step.removeprefix("@") for step in steps if step and step[0] not in "[*"]


def _nodes(structure: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields what is in a structure, each with the names that lead there, and `MAX_NODES` of these at most."""
    if isinstance(structure, CsvTable):
        yield from ((tuple(header.split(".")), header) for header in structure.header)
        return
    left: list[tuple[tuple[str, ...], Any]] = [((), structure)]
    for _ in range(MAX_NODES):
        if not left:
            return
        names, node = left.pop()
        yield names, node
        if isinstance(node, dict):
            left += (((*names, str(key).removeprefix("@")), node[key]) for key in node)
        elif isinstance(node, list):
            left += ((names, item) for item in node)


def _chains(structure: Any) -> set[tuple[str, ...]]:
    return {names for names, _ in _nodes(structure)}


def _follows(names: Sequence[str], chains: Collection[Sequence[str]]) -> bool:
    """Whether the last name ends a chain on which the others stand before it, those that are on any."""
    known = {name for chain in chains for name in chain}
    ours = [name for name in names if name in known]
    if not ours or ours[-1] != names[-1]:
        return False
    for chain in chains:
        left = iter(chain)
        if chain and chain[-1] == ours[-1] and all(name in left for name in ours):
            return True
    return False


# What is written

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("task_id", "query", "feature_requirements")),
        *((name, pa.string()) for name in ("task_name", "input_type", "output_type")),
        ("query_example", pa.string()),
        ("VQA", pa.list_(pa.struct([("question", pa.string()), ("answer", pa.string())]))),
        ("raw_output_metric", pa.list_(pa.string())),
        ("rendering", pa.bool_()),
    ]
)
"""Columns of the published dataset."""

REVIEW = ("task_id", "task", "rejected", "query", "raw_output_metric", "VQA", "reply")
"""Columns of the file for people."""


def write_drafts(drafts: Sequence[QuestionDraft], folder: Path) -> None:
    """Writes ``train.parquet`` with what can be used, if anything can, and ``review.csv`` with everything.

    The first is in the schema of the published dataset, so that ``structeval:source=FOLDER`` reads it.

    Args:
        drafts: of all tasks.
        folder: where to write; made if it is not there.
    """
    rows = [_row(draft) for draft in drafts if not draft.reason]
    if rows:
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), buffer, compression="zstd")
        write_atomically(folder / "train.parquet", buffer.getvalue())
    lines = (
        [
            *(draft.id, draft.task, draft.reason, draft.query),
            *(json.dumps(found, ensure_ascii=False) for found in (draft.keywords, draft.pairs)),
            draft.reply,
        ]
        for draft in drafts
    )
    text = csv_text([REVIEW, *lines])
    write_atomically(folder / "review.csv", utf8(text))


def _row(draft: QuestionDraft) -> Mapping[str, Any]:
    kind = TASKS[draft.task]
    return {
        "task_id": draft.id,
        "query": draft.query,
        "feature_requirements": "\n".join(
            f"{number}. {line}" for number, line in enumerate(draft.requirements, 1)
        ),
        "task_name": kind.name,
        "input_type": NAMES[kind.input],
        "output_type": NAMES[kind.output],
        "query_example": "",
        "VQA": draft.pairs,
        "raw_output_metric": draft.keywords,
        "rendering": kind.rendered,
    }
