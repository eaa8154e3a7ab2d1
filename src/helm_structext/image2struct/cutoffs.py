"""The last day of models' training data: as users say, and as far as providers have told."""

import calendar
from datetime import date
from pathlib import Path

from helm_structext.errors import RenderError, SetupError
from helm_structext.metrics.structures import parse_structure
from helm_structext.texts import quote_value

KNOWN = Path(__file__).parent / "cutoffs.yaml"


def read_cutoffs(file: Path) -> dict[str, date]:
    """Reads a YAML file that maps models to the last day, or month, of their training data.

    Raises:
        SetupError: the file can't be read, is no such mapping, or a value is no date.
    """
    try:
        content = parse_structure(file.read_text(encoding="utf-8"), "yaml")
    except (OSError, UnicodeDecodeError, RenderError) as error:
        raise SetupError(f"{file} can't be read: {error}") from error
    if not isinstance(content, dict) or not all(isinstance(model, str) for model in content):
        raise SetupError(f"{file} holds no mapping, such as `openai/gpt-4o-2024-05-13: 2023-10-01`")
    return {model: _day(value, f"{file}, {model}") for model, value in content.items()}


def known_cutoffs() -> dict[str, date]:
    """Returns the cut-offs that providers have published, by HELM's names of models.

    The file says for each where its provider does.

    >>> known_cutoffs()["openai/gpt-4o-2024-05-13"]
    datetime.date(2023, 10, 1)
    """
    return read_cutoffs(KNOWN)


def _day(value: object, where: str) -> date:
    # YAML reads 2023-10-01 as a date, but 2023-10 as text.
    if type(value) is date:
        return value
    try:
        year, month = map(int, f"{value}".split("-"))
        return date(year, month, calendar.monthrange(year, month)[1])
    except (ValueError, OverflowError, calendar.IllegalMonthError) as error:
        raise SetupError(
            f"{where}: expected YYYY-MM-DD or YYYY-MM, got {quote_value(value)}"
        ) from error
