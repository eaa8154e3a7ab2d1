"""Names of models, and of those that answer without a server; `helm_structext.models` is what they do."""

import re

from helm_structext.errors import SetupError
from helm_structext.texts import one_line, quote_value

MAX_NAME = 100
"""Characters of a name in a message."""

ORACLE = "structext/oracle"
BLANK = "structext/blank"
OCR = "structext/ocr"
OCR_JUDGE = "structext/ocr-judge"

BASELINES = (ORACLE, BLANK, OCR)
"""The bounds and floors of every score: no models, and no rivals of models."""

REPLAY_PREFIX = "structext/replay-"


def is_offline(name: str) -> bool:
    """Says whether a model is one of this package, which answers without a server.

    >>> is_offline("structext/replay-mine"), is_offline("openai/gpt-4o")
    (True, False)
    """
    return name in (*BASELINES, OCR_JUDGE) or name.startswith(REPLAY_PREFIX)


def require_model_name(name: object) -> None:
    """Checks that HELM can have a model of that name: it cuts names in run entries and of folders.

    Raises:
        SetupError: it can't; the message says another name.

    >>> require_model_name("me/my:vlm")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: 'me/my:vlm' is no model name for HELM; write it as me/my-vlm
    """
    maker, _, engine = str(name).partition("/")
    if not isinstance(name, str) or not maker or not engine or {*engine} & {*"/,=: "}:
        wanted = re.sub("[/,=: ]+", "-", engine or maker)
        said = f"{quote_value(name)} is no model name for HELM"
        raise SetupError(f"{said}; write it as me/{one_line(wanted, MAX_NAME)}")
