"""What people say of answers: categories of a list of their own, in files, and counted.

The report's page writes these files and reads them (`helm_structext.report`), as CSV and as Label Studio's
JSON.

Source: Image2Struct, Appendix I, where 7 answers of each subdomain were looked at and their errors counted.
"""

import csv
import string
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from helm_structext.errors import SetupError
from helm_structext.results.agreement import cohens_kappa, krippendorffs_alpha
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.runs import InstanceResult
from helm_structext.results.spreadsheets import csv_rows
from helm_structext.results.statistics import wilson_interval
from helm_structext.results.tabular import Cell, Column, Table, list_some
from helm_structext.storage.files import read_json, read_text
from helm_structext.texts import describe_error, one_line, quote_value

RESERVED = "acdfjkmotzM"
"""Letters that do something else in the report's large view."""

MAX_LIST = 2**16
"""Bytes of a list of categories."""
MAX_LABELS = 2**27
"""Bytes of a file of labels: some 10^6 rows."""
MAX_CATEGORY = 80
"""Characters of a category's name."""
SEPARATOR = ";"
"""Between the categories of an answer in a file, so that no name has one."""

NO_CATEGORY = "(no category)"
"""The row of answers to which none applies."""

REMEDY = "save it from the report's page, or export it from Label Studio as JSON"

Answer = tuple[str, str, str]
"""Run, model and instance, which tell an answer from all others of a suite."""


@dataclass(frozen=True)
class Categories:
    """The categories that a report offers, and where the browser keeps what was chosen.

    Args:
        store: a name that no other suite has.
        names: key to name.
    """

    store: str
    names: Mapping[str, str]


@dataclass(frozen=True)
class AnswerLabel:
    """What an annotator says of an answer that they have looked at.

    Args:
        answer: its run, model and instance.
        annotator: a name.
        categories: names of those that apply; none may.
        place: where the file says it.
    """

    answer: Answer
    annotator: str
    categories: frozenset[str]
    place: str


def read_categories(path: Path) -> dict[str, str]:
    """Reads a list of categories: key to name, in its order.

    Args:
        path: a text file with a category in each line, such as ``n missing newline``, or a mapping in YAML
            (``.yaml`` or ``.yml``), such as ``n: missing newline``. Empty lines, and those that begin with
            ``#``, are left out.

    Raises:
        SetupError: it can't be read, is empty or too long, a key is no letter, is taken or is there
            twice, or a name is empty, too long, has a semicolon or is there twice.
    """
    text = read_text(path, MAX_LIST)
    pairs = _yaml_pairs(path, text) if path.suffix in (".yaml", ".yml") else _line_pairs(path, text)
    found: dict[str, str] = {}
    for place, key, name in pairs:
        name = one_line(name)
        if len(key) != 1 or key not in string.ascii_letters or key in RESERVED:
            free = "".join(sorted({*string.ascii_letters} - {*RESERVED, *found}))
            raise SetupError(
                f"{place}: {quote_value(key)} can't be a key; one of these letters can: {free}"
            )
        if key in found or name in found.values():
            raise SetupError(f"{place}: an earlier category has the same key or name")
        if not 0 < len(name) <= MAX_CATEGORY or SEPARATOR in name:
            raise SetupError(
                f"{place}: a category has a name of up to {MAX_CATEGORY} characters without "
                f"a semicolon, not {quote_value(name)}"
            )
        found[key] = name
    if not found:
        raise SetupError(f"{path} has no category; each line is one, such as `n missing newline`")
    return found


def _line_pairs(path: Path, text: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            key, _, name = line.strip().partition(" ")
            yield f"{path}, line {number}", key, name


def _yaml_pairs(path: Path, text: str) -> Iterator[tuple[str, str, str]]:
    """Of nodes, in which a key that is there twice is seen, and each scalar is a text."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SetupError(f"{path} is not YAML: {describe_error(error)}") from error
    if not isinstance(root, yaml.MappingNode):
        raise SetupError(f"{path} holds no mapping, such as `n: missing newline`")
    for key, name in root.value:
        place = f"{path}, line {key.start_mark.line + 1}"
        if not all(isinstance(node, yaml.ScalarNode) for node in (key, name)):
            raise SetupError(f"{place}: expected a letter and a name, such as `n: missing newline`")
        yield place, key.value, name.value


def read_answer_labels(path: Path) -> list[AnswerLabel]:
    """Reads what people say of answers, as the report or Label Studio writes it.

    Args:
        path: a file in JSON (``.json``): a list of Label Studio's tasks, whose ``data`` has ``run``, ``model``
            and ``answer``; or in CSV, with the columns ``answer``, ``model``, ``run``, ``categories`` (names, with
            semicolons between them) and maybe ``annotator``. Who has no name there has the file's.

    Raises:
        SetupError: it can't be read, holds something else, or says two things of an answer.
    """
    rows = _studio_labels if path.suffix == ".json" else _csv_labels
    found: dict[tuple[str, Answer], AnswerLabel] = {}
    for label in rows(path):
        first = found.setdefault((label.annotator, label.answer), label)
        if first.categories != label.categories:
            raise SetupError(
                f"{label.place}: {label.annotator} says something else of the same answer in "
                f"{first.place.removeprefix(f'{path}, ')}"
            )
    return list(found.values())


def _csv_labels(path: Path) -> Iterator[AnswerLabel]:
    try:
        rows = csv_rows(read_text(path, MAX_LABELS))
    except csv.Error as error:
        raise SetupError(f"{path} can't be read as CSV: {error}") from error
    for number, row in enumerate(rows, 1):
        place = f"{path}, row {number}"
        missing = [name for name in ("answer", "model", "run", "categories") if name not in row]
        if missing:
            raise SetupError(f"{place}: no column {', '.join(missing)}; {REMEDY}")
        names = row["categories"].split(SEPARATOR)
        answer = (row["run"], row["model"], row["answer"])
        yield _label(path, place, answer, row.get("annotator", ""), names)


def _studio_labels(path: Path) -> Iterator[AnswerLabel]:
    tasks = read_json(path, REMEDY)
    if not isinstance(tasks, list):
        raise SetupError(f"{path} holds no list of tasks; {REMEDY}")
    for number, task in enumerate(tasks, 1):
        place = f"{path}, task {number}"
        match task:
            case {"data": {"run": str(run), "model": str(model), "answer": str(id)}}:
                for annotation in _dicts(task.get("annotations")):
                    if not annotation.get("was_cancelled"):
                        who, names = _annotator(annotation), _choices(annotation)
                        yield _label(path, place, (run, model, id), who, names)
            case _:
                raise SetupError(
                    f"{place}: its data has no run, model and answer, as the tasks of a report have; "
                    "leave it out"
                )


def _label(
    path: Path, place: str, answer: Answer, annotator: str, names: Iterable[str]
) -> AnswerLabel:
    categories = frozenset(name for text in names if (name := one_line(text)))
    return AnswerLabel(answer, one_line(annotator) or path.stem, categories, place)


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _choices(annotation: Mapping[str, Any]) -> Iterator[str]:
    for result in _dicts(annotation.get("result")):
        match result:
            case {"value": {"choices": [*names]}}:
                yield from (name for name in names if isinstance(name, str))


def _annotator(annotation: Mapping[str, Any]) -> str:
    match annotation.get("completed_by"):
        case {"email": str(name)} | {"id": int() | str() as name} | (int() | str() as name):
            return str(name)
    return ""


def category_tables(
    result_sets: Sequence[ResultSet[Any]], labels: Iterable[AnswerLabel]
) -> Iterator[Table]:
    """Yields how often each category was chosen, by model, and how far annotators agree.

    Where several annotators looked at an answer, it counts by the share of them who chose a category.

    Args:
        result_sets: whose answers count.
        labels: what was said of these, and maybe of others, which the table names.

    Raises:
        SetupError: there is no label of any answer.
    """
    answers: dict[Answer, tuple[ResultSet[Any], InstanceResult]] = {}
    for one in result_sets:
        for answer in one.answers.values():
            answers.setdefault((answer.run, answer.model, answer.instance), (one, answer))
    labels = list(labels)
    known = [label for label in labels if label.answer in answers]
    unknown = [label for label in labels if label.answer not in answers]
    said = list_some(
        [
            f"{answer} of {run}"
            for run, _, answer in dict.fromkeys(label.answer for label in unknown)
        ],
        3,
    )
    if not known:
        raise SetupError(
            f"no label is of an answer that is shown{f'; they name {said}' if said else ''}"
        )
    note = (
        "Looked at: answers of the model that somebody looked at. Chosen: those to which the category "
        "applies; of several annotators, the share of them counts. 95%: Wilson's interval of the share, "
        "which takes answers as independent."
    )
    if unknown:
        note += (
            f" {len(unknown)} labels are of answers that are not shown and do not count: {said}."
        )
    names = sorted({name for label in known for name in label.categories})
    votes = group_values(known, lambda label: label.answer)
    wholes = {key: _group(*answers[key]) for key in votes}
    parts = {key: _group(*answers[key], of_part=True) for key in votes}
    yield _tally_table("categories", "Categories", note, names, votes, wholes)
    by_part = _tally_table("categories-parts", "Categories by part", note, names, votes, parts)
    yield replace(by_part, printed=False)
    annotators = sorted({label.annotator for label in known})
    if len(annotators) > 1:
        yield from _agreement_tables(names, annotators, list(votes.values()))


def _group(
    one: ResultSet[Any], answer: InstanceResult, *, of_part: bool = False
) -> tuple[str, str]:
    """The model, and what the answer is of: answers of two conditions never count together."""
    place = f"{one.label}: {answer.part}" if of_part else one.label
    return answer.model, f"{place} ({one.condition})" if one.condition else place


def _tally_table(
    name: str,
    title: str,
    note: str,
    categories: Sequence[str],
    votes: Mapping[Answer, Sequence[AnswerLabel]],
    groups: Mapping[Answer, tuple[str, str]],
) -> Table:
    columns = ("Model", "Of", "Category", "Chosen", "Looked at", "Share", "95%")
    rows = [
        [*group, category, *_tally(category, [votes[key] for key in keys])]
        for group, keys in sorted(group_values(votes, groups.__getitem__).items())
        for category in (*categories, NO_CATEGORY)
    ]
    return Table(name, title, note, [*map(Column, columns)], rows)


def _tally(category: str, votes: Sequence[Sequence[AnswerLabel]]) -> list[Cell]:
    chosen = sum(
        fmean(category in (label.categories or [NO_CATEGORY]) for label in ours) for ours in votes
    )
    count: Cell = int(chosen) if chosen == int(chosen) else chosen
    return [count, len(votes), chosen / len(votes), wilson_interval(chosen, len(votes))]


def _agreement_tables(
    names: Sequence[str], annotators: Sequence[str], votes: Sequence[Sequence[AnswerLabel]]
) -> Iterator[Table]:
    rows: list[Sequence[Cell]] = []
    for name in names:
        units = [[name in label.categories for label in ours] for ours in votes if len(ours) > 1]
        same = [len({*unit}) == 1 for unit in units]
        share = sum(same) / len(same) if same else None
        rows.append([name, len(units), share, krippendorffs_alpha(units)])
    yield Table(
        "categories-agreement",
        "Agreement of annotators",
        f"Of {len(annotators)} annotators. Answers: those that two or more looked at. Agreement: the share of "
        "these of which all say the same. α: Krippendorff's, which is 0 for as good as chance.",
        [*map(Column, ("Category", "Answers", "Agreement", "α"))],
        rows,
    )
    by_annotator: dict[str, dict[Answer, Collection[str]]] = defaultdict(dict)
    for label in (label for ours in votes for label in ours):
        by_annotator[label.annotator][label.answer] = label.categories
    pairs: list[Sequence[Cell]] = []
    for one, other in combinations(annotators, 2):
        ours, theirs = by_annotator[one], by_annotator[other]
        both = [(ours[answer], theirs[answer]) for answer in ours if answer in theirs]
        for name in names if both else ():
            said = [(name in first, name in second) for first, second in both]
            agreed = sum(first == second for first, second in said) / len(said)
            pairs.append([f"{one} and {other}", name, len(said), agreed, cohens_kappa(said)])
    yield Table(
        "categories-pairs",
        "Agreement of two annotators",
        "Of the answers that both looked at. κ: Cohen's, which is 0 for as good as chance.",
        [*map(Column, ("Annotators", "Category", "Answers", "Agreement", "κ"))],
        pairs,
    )
