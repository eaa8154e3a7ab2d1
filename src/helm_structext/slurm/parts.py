"""What differs from HELM's own run where a job asks for a part of the instances, or puts parts together.

HELM's runner makes the requests of a run, executes them, annotates them, and applies the metrics. A
part does so with a slice of the requests, and keeps them as they are after that. The job that puts
parts together takes them from there, in order, and leaves all else to HELM: so it writes the files
that one job would have written, byte for byte. Scores that the parts computed are found in HELM's
cache (`helm_structext.slurm.caches`).
"""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.annotation_executor import AnnotationExecutionSpec, AnnotationExecutor
from helm.benchmark.executor import ExecutionSpec, Executor
from helm.common.request import Request

from helm_structext.errors import SetupError
from helm_structext.storage.cache import keep, read_kept, read_record

STATES = "states.pickle"
"""What a part found; objects that annotators made, with their types, are what metrics expect.

It lies in a folder that only the user can open, and its hash beside it."""


def part_of(number: int, part: int, parts: int) -> slice:
    """Returns which of a number of requests a part has: neighbors, as many as every other part.

    >>> [list(range(7))[part_of(7, part, 3)] for part in range(3)]
    [[0, 1], [2, 3], [4, 5, 6]]
    """
    return slice(number * part // parts, number * (part + 1) // parts)


class PartExecutor(Executor):
    """Executes one part of the requests, and leaves the others out.

    Args:
        execution_spec: HELM's.
        part: from 0 on.
        parts: of the run.
    """

    def __init__(self, execution_spec: ExecutionSpec, part: int, parts: int) -> None:
        super().__init__(execution_spec)
        self._part, self._parts = part, parts

    def execute(self, scenario_state: ScenarioState) -> ScenarioState:
        """Returns the part's requests with results."""
        states = scenario_state.request_states
        own = states[part_of(len(states), self._part, self._parts)]
        answered: ScenarioState = super().execute(replace(scenario_state, request_states=own))
        return answered


class KeepingAnnotationExecutor(AnnotationExecutor):
    """Keeps what it annotated.

    Args:
        execution_spec: HELM's.
        folder: of the job.
    """

    def __init__(self, execution_spec: AnnotationExecutionSpec, folder: Path) -> None:
        super().__init__(execution_spec)
        self._folder = folder

    def execute(self, scenario_state: ScenarioState) -> ScenarioState:
        """Returns the requests with annotations."""
        annotated: ScenarioState = super().execute(scenario_state)
        keep(self._folder / STATES, pickle.dumps(annotated.request_states))
        return annotated


class MergingExecutor(Executor):
    """Takes requests with results and annotations from parts, instead of asking.

    Args:
        execution_spec: HELM's.
        folders: of the parts' jobs, in order.
    """

    def __init__(self, execution_spec: ExecutionSpec, folders: Sequence[Path]) -> None:
        super().__init__(execution_spec)
        self._folders = folders

    def execute(self, scenario_state: ScenarioState) -> ScenarioState:
        """Returns the requests of all parts.

        Raises:
            SetupError: they are not those of this run.
        """
        found = [state for folder in self._folders for state in _read_states(folder)]
        made = scenario_state.request_states
        if list(map(_find_asked, found)) != list(map(_find_asked, made)):
            raise SetupError(
                "the data of a split run changed while its parts ran: delete "
                f"{self._folders[0].parent} and start again"
            )
        # HELM's metrics look for requests by the very objects that they are about.
        states = [replace(a, instance=b.instance) for a, b in zip(found, made, strict=True)]
        return replace(scenario_state, request_states=states)


class AnnotatedAlready(AnnotationExecutor):
    """Leaves annotations as they are."""

    def execute(self, scenario_state: ScenarioState) -> ScenarioState:
        """Returns what it gets."""
        return scenario_state


def _find_asked(state: RequestState) -> tuple[dict[str, Any], Request, int]:
    return vars(state.instance), state.request, state.train_trial_index


def _read_states(folder: Path) -> list[RequestState]:
    path = folder / STATES
    record = read_record(path.with_suffix(".json"))
    data = None if record is None else read_kept(path, record)
    if data is None:
        raise SetupError(f"{path} is missing or damaged: delete {folder} and start again")
    states: list[RequestState] = pickle.loads(data)
    return states
