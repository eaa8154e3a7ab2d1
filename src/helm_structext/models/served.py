"""By which names a server knows its models: the list at ``/models`` of OpenAI's protocol."""

import json
from collections.abc import Sequence
from urllib.request import Request, urlopen

SECONDS = 3.0
"""How long a server may take."""
MAX_BYTES = 1 << 20
"""Of a list."""


def list_models(base_url: str) -> list[str] | None:
    """Asks a server once which models it has.

    Args:
        base_url: of the server, with ``http://`` or ``https://``.

    Returns:
        Their names, or None where no list comes: nothing answers, or the server has none.
    """
    request = Request(f"{base_url.rstrip('/')}/models", headers={"Accept": "application/json"})
    try:
        with urlopen(request, timeout=SECONDS) as reply:
            listed = json.loads(reply.read(MAX_BYTES))["data"]
            return [one["id"] for one in listed if isinstance(one["id"], str)]
    except (OSError, ValueError, LookupError, TypeError):  # no server, no JSON, another list
        return None


def served_name(name: str, listed: Sequence[str]) -> str | None:
    """Returns the name in a server's list under which it has a model, if that is clear.

    Args:
        name: HELM's name of the model, with a slash.
        listed: names, as the server writes them.

    >>> served_name("Org/Name-1B", ["Org/Name-1B", "Name-1B"])
    'Org/Name-1B'
    >>> served_name("me/Name-1B", ["other", "Org/name-1b"]), served_name("me/my-vlm", ["/models/x.gguf"])
    ('Org/name-1b', '/models/x.gguf')
    >>> served_name("me/my-vlm", ["a", "b"])
    """
    engine = name.partition("/")[2]
    for wanted, key in (
        (name, str),
        (engine, str),
        (engine.lower(), lambda one: one.rpartition("/")[2].lower()),
    ):
        found = [one for one in listed if key(one) == wanted]
        if len(found) == 1:
            return found[0]
    return listed[0] if len(listed) == 1 else None
