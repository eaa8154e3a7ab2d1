"""Requests of a dry run, written out for batch inference elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.models.answer_index import request_key
from helm_structext.results.runs import REMEDY, read_as_helm_writes
from helm_structext.texts import read_json


def export_requests(suite: Path) -> Iterator[dict[str, Any]]:
    """Yields each distinct request of a suite once, to be filled in and replayed.

    The runs may be dry (`helm-run --dry-run`) or real; which model they name does not matter.

    Args:
        suite: a suite's folder, such as ``benchmark_output/runs/demo``.

    Yields:
        ``key`` (of the request's content), ``run`` and ``instance`` (where it first occurs),
        ``prompt`` (text), ``images`` (paths, in order), ``max_tokens``, ``temperature``, ``stop``,
        and ``completion``: None, to be filled in.

    Raises:
        SetupError: there are no runs in the folder, or one of them can't be read.
    """
    states = sorted(suite.glob("*/scenario_state.json"))
    if not states:
        raise SetupError(
            f"{suite} holds no runs; make them with "
            f"helm-run --dry-run --suite {suite.name} --conf-paths …"
        )
    seen = set()
    for path in states:
        with read_as_helm_writes(path.parent):
            state = read_json(path, REMEDY)
            for request_state in state["request_states"]:
                request = request_state["request"]
                parts = request.get("multimodal_prompt", {}).get("media_objects", [])
                prompt = "".join(part.get("text", "") for part in parts) or request.get(
                    "prompt", ""
                )
                images = [part["location"] for part in parts if "location" in part]
                key = request_key(prompt, [Path(image).read_bytes() for image in images])
                if key in seen:
                    continue
                seen.add(key)
                yield {
                    "key": key,
                    "run": path.parent.name,
                    "instance": request_state["instance"]["id"],
                    "prompt": prompt,
                    "images": images,
                    "max_tokens": request["max_tokens"],
                    "temperature": request["temperature"],
                    "stop": request.get("stop_sequences", []),
                    "completion": None,
                }
