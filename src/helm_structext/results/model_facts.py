"""What is known of models beside their answers: whether their weights are open, and how many parameters they have.

A small file says so, beside HELM's files of models; `helm-structext add-model` writes it, and people do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from helm_structext.baselines import require_model_name
from helm_structext.errors import SetupError
from helm_structext.results.tabular import Cell, Column, Table
from helm_structext.storage.files import read_text
from helm_structext.texts import describe_error, quote_value

FILE = "model_facts.yaml"
KEY = "models"
"""The name of the file, and the key of its list."""

ACCESS = ("open", "closed")
"""Weights that anyone can have, and models that only their provider runs."""

MAX_BYTES = 2**18
"""Of the file: thousands of models."""
MAX_PARAMETERS = 1e5
"""Billions."""

REMEDY = f"helm-structext add-model NAME --access open --parameters 7 writes it to {FILE}"
"""What to do where tables need facts."""


@dataclass(frozen=True)
class ModelFacts:
    """What is known of a model.

    Args:
        access: one of `ACCESS`, or None.
        parameters: billions, above 0, or None.

    Raises:
        SetupError: a value is none of these.

    >>> ModelFacts(access="free")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: access: expected open or closed, got 'free'
    """

    access: str | None = None
    parameters: float | None = None

    def __post_init__(self) -> None:
        if self.access is not None and self.access not in ACCESS:
            expected = " or ".join(ACCESS)
            raise SetupError(f"access: expected {expected}, got {quote_value(self.access)}")
        size = self.parameters
        if size is None:
            return
        if type(size) not in (int, float) or not 0 < size <= MAX_PARAMETERS:
            raise SetupError(
                f"parameters: expected billions, such as 7, above 0 and up to {MAX_PARAMETERS:,.0f}, "
                f"got {quote_value(size)}"
            )


def read_facts(folder: Path) -> dict[str, ModelFacts]:
    """Reads what a user's file says of models; nothing where there is no file.

    Args:
        folder: of HELM's local configuration.

    Returns:
        Name to facts.

    Raises:
        SetupError: the file can't be read, is too large, names a model twice, or says what is not possible.
    """
    path = folder / FILE
    try:
        if not path.exists():
            return {}
        document = YAML(typ="safe", pure=True).load(read_text(path, MAX_BYTES))
    except (OSError, ValueError, RecursionError, YAMLError) as error:
        raise SetupError(f"{path} can't be read: {describe_error(error)}") from error
    entries = document.get(KEY) if isinstance(document, dict) else document
    if entries is None and document in (None, {KEY: None}):
        return {}
    if not isinstance(entries, list) or document is entries:
        raise SetupError(
            f"{path} holds no list {KEY}: of entries such as {{name: me/my-vlm, access: open, parameters: 7}}"
        )
    found: dict[str, ModelFacts] = {}
    for number, entry in enumerate(entries, 1):
        try:
            name, facts = _read_entry(entry)
            if name in found:
                raise SetupError(f"{name} is there twice")
        except SetupError as error:
            raise SetupError(f"{path}, entry {number}: {error}") from error
        found[name] = facts
    return found


def _read_entry(entry: Any) -> tuple[str, ModelFacts]:
    known = ["name", *(field.name for field in fields(ModelFacts))]
    if not isinstance(entry, dict) or "name" not in entry or not entry.keys() <= {*known}:
        raise SetupError(f"expected {', '.join(known)}, got {quote_value(entry)}")
    name = entry["name"]
    require_model_name(name)
    return name, ModelFacts(**{field: value for field, value in entry.items() if field != "name"})


def fact_columns(
    facts: Mapping[str, ModelFacts], models: Sequence[str]
) -> dict[Column, Sequence[Cell]]:
    """Returns columns of access and size, each where it is known of any of the models.

    Args:
        facts: name to facts.
        models: of the rows.

    >>> facts = {"a": ModelFacts("open", 7.0), "b": ModelFacts("closed")}
    >>> {column.name: cells for column, cells in fact_columns(facts, ["b", "a", "c"]).items()}
    {'Access': ['closed', 'open', None], 'Size (B)': [None, 7.0, None]}
    """
    ours = [facts.get(model, ModelFacts()) for model in models]
    columns: dict[Column, Sequence[Cell]] = {
        Column("Access"): [one.access for one in ours],
        Column("Size (B)", "g"): [
            None if one.parameters is None else float(one.parameters) for one in ours
        ],
    }
    return {c: cells for c, cells in columns.items() if any(cell is not None for cell in cells)}


def add_facts(table: Table, facts: Mapping[str, ModelFacts]) -> Table:
    """Returns a table of models with columns of access and size behind their names, where any is known.

    Args:
        table: with a row for each model; any other stays as it is.
        facts: name to facts.

    >>> table = Table("t", "T", "", [Column("Model"), Column("EMS")], [["a", 0.5], ["b", 0.4]])
    >>> add_facts(table, {"a": ModelFacts("open")}).rows
    [['a', 'open', 0.5], ['b', None, 0.4]]
    """
    if table.columns[0].name != "Model":
        return table
    added = fact_columns(facts, [str(row[0]) for row in table.rows])
    if not added:
        return table
    return replace(
        table,
        note=f"{table.note} {SIZE_NOTE}" if any(c.name != "Access" for c in added) else table.note,
        columns=[table.columns[0], *added, *table.columns[1:]],
        rows=[
            [row[0], *cells, *row[1:]]
            for row, *cells in zip(table.rows, *added.values(), strict=True)
        ],
    )


SIZE_NOTE = "Size: parameters in billions."
