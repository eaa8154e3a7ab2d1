"""Names of models, and of those that answer without a server; `helm_structext.models` is what they do."""

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


def is_model_name(name: str) -> bool:
    """Says whether HELM can have a model of that name: it cuts names in run entries and of folders.

    >>> is_model_name("me/my-vlm"), is_model_name("my-vlm"), is_model_name("me/my:vlm")
    (True, False, False)
    """
    maker, _, engine = name.partition("/")
    return bool(maker and engine) and not set(engine) & set("/,=: ")
