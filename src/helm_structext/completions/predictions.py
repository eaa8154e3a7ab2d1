"""Requests of a dry run, written out for batch inference elsewhere, and read again with completions."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.models.answer_index import request_key
from helm_structext.results.runs import REMEDY, Run, read_as_helm_writes
from helm_structext.storage.files import read_json, read_json_lines


def export_requests(suite: Path) -> Iterator[dict[str, Any]]:
    """Yields each distinct request of a suite once, to be filled in and replayed or scored.

    The runs may be dry (`helm-run --dry-run`) or real; which model they name does not matter.

    Args:
        suite: a suite's folder, such as ``benchmark_output/runs/demo``.

    Yields:
        ``key`` (of the request's content), ``run``, ``instance`` and ``entry`` (where it first
        occurs, and the run entry under which it is scored), ``also`` (where else it occurs, if its
        completion is scored otherwise there), ``prompt`` (text), ``images`` (paths, in order),
        ``max_tokens``, ``temperature``, ``stop``, and ``completion``: None, to be filled in.

    Raises:
        SetupError: there are no runs in the folder, or one of them can't be read.
    """
    states = sorted(suite.glob("*/scenario_state.json"))
    if not states:
        raise SetupError(
            f"{suite} holds no runs; make them with "
            f"helm-run --dry-run --suite {suite.name} --conf-paths …"
        )
    found: dict[str, dict[str, Any]] = {}
    for path in states:
        with read_as_helm_writes(path.parent):
            run = Run(path.parent, read_json(path.with_name("run_spec.json"), REMEDY))
            for request_state in read_json(path, REMEDY)["request_states"]:
                request = _request(request_state)
                place = _place(run, request_state)
                first = found.setdefault(request["key"], {**request, **place, "also": []})
                scored = {"entry": place["entry"], "instance": place["instance"]}
                if place["entry"] and not any(
                    scored.items() <= known.items() for known in (first, *first["also"])
                ):
                    first["also"].append(place)
    yield from found.values()


def _request(request_state: dict[str, Any]) -> dict[str, Any]:
    request = request_state["request"]
    parts = request.get("multimodal_prompt", {}).get("media_objects", [])
    prompt = "".join(part.get("text", "") for part in parts) or request.get("prompt", "")
    images = [part["location"] for part in parts if "location" in part]
    return {
        "key": request_key(prompt, [Path(image).read_bytes() for image in images]),
        # Their places in the line; the values come later.
        **dict.fromkeys(("run", "instance", "entry", "also")),
        "prompt": prompt,
        "images": images,
        "max_tokens": request["max_tokens"],
        "temperature": request["temperature"],
        "stop": request.get("stop_sequences", []),
        "completion": None,
    }


def _place(run: Run, request_state: dict[str, Any]) -> dict[str, Any]:
    from helm_structext.benchmarks import entry_of_run  # which knows offline models

    instance = request_state["instance"]
    dataset = (instance.get("extra_data") or {}).get("dataset", "")
    return {
        "run": run.name,
        "instance": instance["id"],
        "entry": entry_of_run(run, dataset),
    }


@dataclass(frozen=True)
class RequestPlace:
    """Where a request occurs.

    Args:
        run: name of the run's folder, or "" where the file does not say.
        entry: the run entry under which its completion is scored.
        instance: id of the instance.
    """

    run: str
    entry: str
    instance: str


@dataclass(frozen=True)
class Prediction:
    """A line of a file of requests, or what another harness has instead (`helm_structext.completions.logs`).

    Args:
        line: its number, from 1.
        places: where the request occurs; at least one.
        completion: what a model wrote, or None where the line was not filled in.
        model: its name, or None where the file does not say.
        finish_reason: why it stopped, such as ``length``, or None where the file does not say.
    """

    line: int
    places: tuple[RequestPlace, ...]
    completion: str | None
    model: str | None
    finish_reason: str | None


def read_predictions(path: Path, entry: str | None = None) -> Iterator[Prediction]:
    """Yields the lines of a file of requests that was filled in, one at a time.

    Args:
        path: a file in JSON lines, as `export_requests` makes it. Of each line ``completion`` and
            ``instance`` are needed, and ``entry`` where `entry` is not given.
        entry: the run entry under which all lines are scored, whatever they say.

    Raises:
        SetupError: the file can't be read, or a line is not as it should be; the message has the
            line's number.
    """
    for number, record in read_objects(path):
        try:
            yield _prediction(number, record, entry)
        except ValueError as error:
            raise SetupError(f"{path}, line {number}: {error}") from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the objects in JSON lines, as `read_json_lines` does, with their lines' numbers.

    Raises:
        SetupError: the file can't be read, or a line is no object in JSON; the message has its number.
    """
    if not path.is_file():  # a pipe would be waited for, and could not be read twice
        raise SetupError(f"{path} can't be read: it is not a file")
    for number, value in read_json_lines(path):
        if not isinstance(value, dict):
            said = f"expected an object, not {type(value).__name__}"
            raise SetupError(f"{path}, line {number}: {said}")
        yield number, value


def _prediction(number: int, record: dict[str, Any], entry: str | None) -> Prediction:
    if "completion" not in record:
        raise ValueError("it has no 'completion'; null stands for one that was not made")
    also = record.get("also") or []
    if not isinstance(also, list) or not all(isinstance(place, dict) for place in also):
        raise ValueError("'also' is not a list of objects")
    places = [_place_of(record, entry)]
    if entry is None:
        places += [_place_of(place, None) for place in also]
    optional = {name: record.get(name) for name in ("completion", "model", "finish_reason")}
    for name, value in optional.items():
        if not isinstance(value, str | None):
            raise ValueError(f"'{name}' is not a string")
    return Prediction(number, tuple(places), **optional)


def _place_of(record: dict[str, Any], entry: str | None) -> RequestPlace:
    if not isinstance(record.get("instance"), str):
        raise ValueError("it has no 'instance', or one that is not a string")
    if entry is not None:
        return RequestPlace("", entry, record["instance"])
    if not isinstance(record.get("entry"), str):
        raise ValueError(
            "it has no 'entry' (a run entry); export the requests again, or name one by --benchmark"
        )
    run = record.get("run") or ""
    if not isinstance(run, str):
        raise ValueError("'run' is not a string")
    return RequestPlace(run, record["entry"], record["instance"])
