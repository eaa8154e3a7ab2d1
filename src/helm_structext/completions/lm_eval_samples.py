"""Samples of lm-evaluation-harness and lmms-eval: JSON lines, one for each document and filter.

Source: github.com/EleutherAI/lm-evaluation-harness, ``lm_eval/evaluator.py`` and
``lm_eval/loggers/evaluation_tracker.py`` (0.4.13); github.com/EvolvingLMMs-Lab/lmms-eval (0.7.3).
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from helm_structext.completions.instances import instance_of, number_tasks, place_of
from helm_structext.completions.predictions import Prediction, read_objects
from helm_structext.errors import SetupError
from helm_structext.results.tabular import format_count
from helm_structext.storage.files import read_json


def read_samples(path: Path, entry: str | None, epoch: int | None) -> Iterator[Prediction]:
    """Yields the answers in a file of samples: what the model wrote, before any filter.

    Where a task has several filters, each answer is there once for each; those of the first count.

    Args:
        path: the file that ``--log_samples`` writes.
        entry: the run entry under which all are scored; by default each document names it.
        epoch: which answer to take, from 1, where a document was answered several times (``repeats``).

    Raises:
        SetupError: the file can't be read, or a line is not as it should be.
    """
    model = _model(path)
    named = cache(
        lambda: number_tasks((_number(record), document) for _, record, document in _records(path))
    )
    filters: list[object] = []
    for number, record, document in _records(path):
        filters = filters or [record.get("filter")]
        if record.get("filter") not in filters:
            continue
        try:
            instance = instance_of(document, _number(record), named)
            if instance is None:
                raise ValueError(
                    "its document names no instance: it has none of the columns 'instance', "
                    "'uuid', 'task_id' and 'task'"
                )
            place = place_of(instance, document, entry)
            completion = _completion(record, epoch)
        except ValueError as error:
            raise SetupError(f"{path}, line {number}: {error}") from error
        yield Prediction(number, (place,), completion, model, None)


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    """Yields the number of each line, what is in it, and the document that it is about."""
    for number, record in read_objects(path):
        document = record.get("doc")
        if not isinstance(document, dict):
            raise SetupError(f"{path}, line {number}: it has no 'doc', or one that is no object")
        yield number, record, document


def _number(record: Mapping[str, Any]) -> int | None:
    number = record.get("doc_id")
    return number if isinstance(number, int) else None


def _completion(record: Mapping[str, Any], epoch: int | None) -> str | None:
    """What the model answered, or None: one request with a list of answers, or the list itself.

    >>> _completion({"resps": [["a"]]}, None), _completion({"filtered_resps": "a"}, None)
    ('a', 'a')
    >>> _completion({"resps": [["a", "b"]]}, 2)
    'b'
    """
    # lmms-eval leaves answers out that a filter did not change.
    answers = record.get("resps", record.get("filtered_resps"))
    if isinstance(answers, list) and len(answers) == 1 and isinstance(answers[0], list):
        answers = answers[0]
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
        raise ValueError("its 'resps' are no completion of one request, but likelihoods or nothing")
    if not answers:
        return None
    if len(answers) < (epoch or 1) or (len(answers) > 1 and epoch is None):
        raise ValueError(
            f"it has {format_count(len(answers), 'answer')} to one document; say which to score by --epoch"
        )
    answer: str = answers[(epoch or 1) - 1]
    return answer


def _model(path: Path) -> str:
    """The model's name: as the results beside the samples say, or else as their folder is called."""
    folder = path.absolute().parent
    before, lmms, _ = path.name.partition("_samples_")
    date = before if lmms and not path.name.startswith("samples_") else path.stem.rpartition("_")[2]
    for file in sorted(folder.glob("*.json")):  # empty where the folder can't be listed
        if file.name == f"{date}_results.json" or file.name.endswith(f"_{date}.json"):
            results = read_json(
                file, "it should be of the same evaluation as the samples beside it"
            )
            name = results.get("model_name") if isinstance(results, dict) else None
            if isinstance(name, str) and name:
                return name
    return folder.name
