"""The token that requests to a server must have: from a variable, or from a file."""

import os
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.texts import describe_error

TOKEN = "HELM_STRUCTEXT_SERVE_TOKEN"
"""The variable with the token."""
MAX_TOKEN_FILE = 10_000
"""Bytes."""


def read_token(file: Path | None) -> str | None:
    """Returns the token of a file, or else that of the variable, or None if there is none.

    Raises:
        SetupError: the file can't be read as one.
    """
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_TOKEN_FILE).decode("ascii").strip()
    except (OSError, ValueError) as error:
        raise SetupError(f"{file} holds no token: {describe_error(error)}") from error
