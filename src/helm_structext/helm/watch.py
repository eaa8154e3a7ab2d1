"""What `helm-run` says in the end: why runs failed, each reason in one line, or that there were none.

HELM logs why a run failed where it failed, which may be thousands of lines before the end, goes on
with the others, and ends with the names of the failed ones. Here each failure is noted too. Nothing
is swallowed: HELM logs, raises and ends as it does without us, but for a call that has no runs at
all, which HELM takes for success; for pictures that a model can't read, which HELM would send three times
each; and for a server that is down: HELM tries five times, which takes two and a half minutes, and would
do so again in each of the runs that follow.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION_MULTIMODAL
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.annotation_executor import AnnotationExecutorError
from helm.benchmark.executor import Executor, ExecutorError
from helm.benchmark.presentation.run_entry import RunEntry
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import Runner, RunnerError
from helm.clients.auto_client import AutoClient
from helm.common.request import Request, RequestResult

from helm_structext.errors import SetupError
from helm_structext.models.advice import READS_SOME, SAMPLES, UNREACHABLE, add_advice
from helm_structext.models.registry import reads_pictures
from helm_structext.progress import answering
from helm_structext.texts import describe_error, one_line

OURS = "helm_structext."
"""How the dotted names of our own classes begin."""

PROGRAMS = ("helm-run", "run.py")
"""What starts HELM's runs: its command, and ``python -m helm.benchmark.run``."""

MAX_REASON = 600
"""Characters of a reason."""

MAX_KINDS = 10
"""Reasons that are shown."""

FILTERS = {
    "models_to_run": "models-to-run",
    "groups_to_run": "groups-to-run",
    "priority": "priority",
}
"""What may leave no runs: HELM's name of an argument, and of the option."""

Failed = tuple[str, Exception]
"""The name of a run, and why it failed."""


class RunsFailed(RunnerError):
    """HELM's error of runs that failed, where they failed in other processes.

    Args:
        failed: the runs, and why.

    >>> print(RunsFailed([("mmr:task=font_color", SetupError("no such task"))]))
    Failed runs: ["mmr:task=font_color"]
    """

    def __init__(self, failed: Sequence[Failed]) -> None:
        super().__init__("Failed runs: [" + ", ".join(f'"{name}"' for name, _ in failed) + "]")
        self.failed = failed


MakeRuns = Callable[..., list[RunSpec]]
MakeRequest = Callable[[AutoClient, Request], RequestResult]


@runtime_checkable
class Prepares(Protocol):
    """An annotator that can say before the model is asked that it won't be able to work."""

    def prepare(self) -> None: ...


def watch() -> None:
    """Makes this process say in the end why runs failed, if it is `helm-run`."""
    if Path(sys.argv[0]).name not in PROGRAMS:
        return
    failed = note_failures()
    for module in filter(None, map(sys.modules.get, ("__main__", "helm.benchmark.run"))):
        _refuse_no_runs(module)
    previous = sys.excepthook

    def say_reasons(kind: Any, error: BaseException, trace: Any) -> None:
        from helm_structext.terminal import complain

        elsewhere = error.failed if isinstance(error, RunsFailed) else []
        for line in reasons([*failed, *elsewhere]):
            complain(line)
        previous(kind, error, trace)

    sys.excepthook = say_reasons


def note_failures() -> list[Failed]:
    """Lets HELM's runner fail early where it can, and returns the list that it will note failures in."""
    failed: list[Failed] = []
    begun: list[str] = []
    Runner.run_one = _note_failures(Runner.run_one, failed, begun)  # type: ignore[method-assign]
    Executor.execute = _count_requests(Executor.execute, begun)  # type: ignore[method-assign]
    AutoClient.make_request = _patient_once(AutoClient.make_request)  # type: ignore[method-assign,assignment]
    return failed


def _note_failures(
    run_one: Callable[..., None], failed: list[Failed], begun: list[str]
) -> Callable[..., None]:
    def noted(self: Runner, run_spec: RunSpec) -> None:
        begun.append(f"{run_spec.name.partition(',')[0]}: ")
        try:
            done = _is_done(self, run_spec)
            if not done:
                _prepare(self, run_spec)
            run_one(self, run_spec)
            if not done:
                _note_passport(self, run_spec)
        except Exception as error:
            failed.append((run_spec.name, error))
            raise

    return noted


def _count_requests(
    execute: Callable[[Executor, ScenarioState], ScenarioState], begun: Sequence[str]
) -> Callable[..., Any]:
    """Says how far a run is while its requests are made: HELM writes nothing before the last one."""

    def counted(self: Executor, state: ScenarioState) -> ScenarioState:
        advice = (
            f"An answer may have up to {state.adapter_spec.max_tokens:,} tokens here. On a server that takes "
            "minutes for one, stop (Ctrl-C; what is answered is kept), and allow fewer: "
            "num_output_tokens=500 in the run entry, or --max-tokens 500 of helm-structext run"
        )
        process = self.process
        with answering(len(state.request_states), next(reversed(begun), ""), advice) as answered:

            def noted(request_state: RequestState) -> RequestState:
                done = process(request_state)
                answered()
                return done

            self.process = noted  # type: ignore
            try:
                return execute(self, state)
            finally:
                del self.process

    return counted


def _is_done(runner: Runner, run_spec: RunSpec) -> bool:
    """Whether HELM will leave a run as it is, which was finished before."""
    return runner.skip_completed_runs and runner._is_run_completed(runner._get_run_path(run_spec))


def _scores_nothing(runner: Runner) -> bool:
    return runner.dry_run or runner.skip_instances or runner.cache_instances_only


def _prepare(runner: Runner, run_spec: RunSpec) -> None:
    """Asks annotators whether they will be able to work, where HELM is about to ask the model.

    Raises:
        SetupError: one won't.
    """
    if _scores_nothing(runner):
        return
    for spec in run_spec.annotators or ():
        if spec.class_name.startswith(OURS):
            annotator = runner.annotator_executor.factory.get_annotator(spec)
            if isinstance(annotator, Prepares):
                annotator.prepare()


def _note_passport(runner: Runner, run_spec: RunSpec) -> None:
    """Writes beside a run of ours what its scores depended on."""
    folder = Path(runner._get_run_path(run_spec))
    # With all engines, which who only loads the plugin does not need.
    from helm_structext.results.passports import write_passport

    ours = run_spec.scenario_spec.class_name.startswith(OURS)
    if ours and folder.is_dir() and not _scores_nothing(runner):
        parts = (run_spec.scenario_spec, *(run_spec.annotators or ()), *run_spec.metric_specs)
        write_passport(folder, {name: one for part in parts for name, one in part.args.items()})


def _patient_once(make_request: MakeRequest) -> MakeRequest:
    """Leaves retries at a server that is down to HELM, but once: until it answers again.

    Each later request is still tried, as HELM's cache may have its answer.
    """
    down: set[str] = set()

    def made(self: AutoClient, request: Request) -> RequestResult:
        name = request.model_deployment
        try:
            if name in down:
                result = self._get_client(name).make_request(request)
            else:
                result = make_request(self, request)
        except Exception as error:
            if _is_down(describe_error(error)):
                down.add(name)
            raise
        if result.success and not result.cached:
            down.discard(name)
        elif not result.success and _is_down(result.error or ""):
            down.add(name)
        return result

    return made


def _is_down(message: str) -> bool:
    return any(words in message.lower() for words in UNREACHABLE)


def reasons(failed: Iterable[Failed]) -> Iterator[str]:
    """Yields a line for each kind of reason: how many runs it concerns, and what to do.

    Reasons are of one kind if they differ in nothing but what a run's name says, such as a subset,
    and in numbers and keys of instances.

    >>> wrong = [(f"mmr:task={t}", SetupError(f"no task {t} there")) for t in ("font", "color")]
    >>> list(reasons([*wrong, ("mmr:task=font", ValueError("what?"))]))
    ['2 runs failed: no task font there (such as mmr:task=font)', '1 run failed: ValueError: what? (mmr:task=font)']
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for run, error in failed:
        text = reason(error)
        kinds.setdefault(_kind(text, run), []).append((text, run))
    shown = sorted(kinds.values(), key=len, reverse=True)
    for those in shown[:MAX_KINDS]:
        text, run = those[0]
        example = run if len(those) == 1 else f"such as {run}"
        yield f"{_runs(len(those))} failed: {text} ({example})"
    if others := sum(map(len, shown[MAX_KINDS:])):
        yield f"{_runs(others)} failed for other reasons: each stands in the log"


def _runs(number: int) -> str:
    return f"{number} run{'s' if number > 1 else ''}"


def reason(error: BaseException) -> str:
    """Returns why a run failed, in one line, and what to do where that is known."""
    helms = ExecutorError, AnnotationExecutorError
    while isinstance(error, helms) and error.__cause__ is not None:
        error = error.__cause__
    said = str(error) if isinstance(error, (SetupError, *helms)) else describe_error(error)
    said = said.partition(" Request: Request(")[0]  # HELM appends the whole request
    ours = type(error).__module__.startswith(OURS)  # which say what to do
    return one_line(said if ours else add_advice(said), MAX_REASON)


def _kind(reason: str, run: str) -> str:
    names = {name for name in run.replace("=", ",").replace(":", ",").split(",") if len(name) > 2}
    return " ".join(
        word
        for word in reason.split()
        if not any(name in word for name in names)
        and not (len(word) > 8 and any(letter.isdigit() for letter in word))
    )


def _refuse_no_runs(module: ModuleType) -> None:
    make: MakeRuns | None = getattr(module, "run_entries_to_run_specs", None)
    if make is None:
        return

    def made(run_entries: list[RunEntry], **options: Any) -> list[RunSpec]:
        runs = make(run_entries, **options)
        if not runs:
            raise SystemExit(f"helm-run: {one_line(no_runs(make, run_entries, options))}")
        if unfit := unreadable_runs(runs):
            raise SystemExit(f"helm-run: {one_line(unfit, MAX_REASON)}")
        return runs

    module.run_entries_to_run_specs = made  # type: ignore[attr-defined]


def unreadable_runs(runs: Iterable[RunSpec]) -> str | None:
    """Returns which of our runs would show pictures to models that read none, and what to do; None if none would."""
    blind: dict[str, list[str]] = {}
    for run in runs:
        if shows_pictures(run) and not reads_pictures(run.adapter_spec.model):
            blind.setdefault(run.adapter_spec.model, []).append(run.name.partition(":")[0])
    if not blind:
        return None
    model, entries = next(iter(blind.items()))
    return (
        f"{', '.join(blind)} read{'s' if len(blind) == 1 else ''} no pictures, which "
        f"{_runs(sum(map(len, blind.values())))} would show ({', '.join(dict.fromkeys(entries))}); for "
        f"models of text take --conf-paths {SAMPLES[False]}; {READS_SOME.format(model)}"
    )


def shows_pictures(run: RunSpec) -> bool:
    """Says whether a run of ours has pictures in its prompts."""
    ours = run.scenario_spec.class_name.startswith(OURS)
    return ours and run.adapter_spec.method == ADAPT_GENERATION_MULTIMODAL


def no_runs(make: MakeRuns, entries: list[RunEntry], options: dict[str, Any]) -> str:
    """Returns which option leaves no runs, and what to do.

    Args:
        make: HELM's function from entries and options to runs.
        entries: that give no runs with these options.
        options: HELM's names of arguments to values.
    """
    if not entries:
        return "there is nothing to run; name a conf file (--conf-paths) or run entries (-r)"
    for argument, option in FILTERS.items():
        runs = make(entries, **{**options, argument: None}) if options.get(argument) else []
        if not runs:
            continue
        value = options[argument]
        value = " ".join(value) if isinstance(value, list) else value
        said = f"--{option} {value} leaves none of {_runs(len(runs))}"
        if argument == "models_to_run":
            models = sorted({run.adapter_spec.model for run in runs})
            return (
                f"{said}, whose entries name other models ({', '.join(models)}); leave the option "
                f"out, or take a conf file for any model, such as {SAMPLES[True]}"
            )
        if argument == "groups_to_run":
            groups = sorted({group for run in runs for group in run.groups})
            return f"{said}; their groups are {', '.join(groups)}"
        return f"{said}; leave the option out"
    return f"{len(entries)} run entries give no run: no model fits; name one with --models-to-run"
