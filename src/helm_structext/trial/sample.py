"""One instance of an embedded sample, all the way that it goes in HELM, from row to scores."""

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from helm.benchmark.adaptation.adapters.adapter_factory import AdapterFactory
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator_factory import AnnotatorFactory
from helm.benchmark.metrics.metric import create_metric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.presentation.run_entry import RunEntry
from helm.benchmark.run import run_entries_to_run_specs
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.scenarios.scenario import create_scenario
from helm.benchmark.window_services.tokenizer_service import TokenizerService
from helm.common.cache_backend_config import BlackHoleCacheBackendConfig
from helm.common.local_context import LocalContext
from helm.common.request import RequestResult

from helm_structext.errors import error_values
from helm_structext.renderers import Parsed, render_completion
from helm_structext.scoring.handling import INTERNAL, INTERNAL_ERROR
from helm_structext.trial.candidate import Candidate, Speed, was_cut
from helm_structext.trial.checks import CheckFailed


class Entry(NamedTuple):
    """A run entry in LaTeX, and what its answers have in them unless they are prose: LaTeX sets that, too."""

    description: str
    signs: tuple[str, ...]


WITH_PICTURE = Entry(
    "image2struct_latex:subset=equation,difficulty=easy,source=sample,protocol=corrected",
    ("\\", "$"),
)
OF_TEXT = Entry("structeval:task=text_to_latex,source=sample,judge=none", ("\\",))


@dataclass
class Trial:
    """What became of one answer, as far as it went.

    Attributes:
        prompt: what was asked.
        completion: what the model answered.
        error: why that gave no picture.
        rendering: the answer's picture.
        reference: the picture that it should be.
        scores: metric to value; None where the answer has no picture, or another form than was asked for.
        speed: how fast the answer came.
        wrong: what is wrong with its picture, in a sentence, or "".
    """

    prompt: str = ""
    completion: str = ""
    error: str = ""
    rendering: Path | None = None
    reference: Path | None = None
    scores: Mapping[str, float] | None = None
    speed: Speed | None = None
    wrong: str = ""


def try_answer(candidate: Candidate, folder: Path, trial: Trial) -> str:
    """Asks a model for one answer of an embedded sample, and has it rendered and scored.

    Args:
        candidate: whose steps have all been taken.
        folder: for pictures.
        trial: gets what is found.

    Returns:
        What was found, in short.

    Raises:
        CheckFailed: there is no answer, or none in the right form.
        SetupError: this machine can't render.
    """
    entry = WITH_PICTURE if candidate.reads_pictures else OF_TEXT
    context = candidate.context
    assert context is not None
    (spec,) = run_entries_to_run_specs(
        [RunEntry(f"{entry.description},model={candidate.name}", 1, None)], max_eval_instances=1
    )
    state = _ask(candidate, context, spec, folder, trial)
    state = _annotate(context, spec, folder, state)
    rendering, *references = (state.annotations or {})["rendering"]
    trial.rendering = _location(rendering)
    trial.reference = _location(references[0]) if references else _draw_reference(state, folder)
    trial.error = rendering.get("error", "")
    trial.wrong = rendering.get("findings", {}).get("sentence", "")

    assert state.result is not None
    if was_cut(state.result.completions[0]):
        raise CheckFailed(
            "model",
            f"its answer was cut off at {state.request.max_tokens} tokens: does it end its turn? "
            "The chat template may be another model's",
        )
    if rendering.get("kind") == INTERNAL:
        raise CheckFailed(
            "model", f"its answer met a mistake of ours ({trial.error}); please report it"
        )
    if trial.error:
        raise CheckFailed(
            "model", f"its answer does not render ({trial.error}); the completion says more"
        )
    if not any(sign in trial.completion for sign in entry.signs):
        raise CheckFailed(
            "model",
            "its answer is prose, without code, which LaTeX sets like any text: an evaluation counts it as "
            "rendered; the completion says more",
        )
    trial.scores = _score(context, spec, folder, state)
    return f"its answer to {spec.name.partition(':')[0]} renders"


def _ask(
    candidate: Candidate, context: LocalContext, spec: RunSpec, folder: Path, trial: Trial
) -> RequestState:
    instance, *_ = create_scenario(spec.scenario_spec).get_instances(str(folder))
    adapter = AdapterFactory.get_adapter(spec.adapter_spec, TokenizerService(context))
    (state,) = adapter.adapt([instance], parallelism=1)
    content = state.request.multimodal_prompt
    parts = [state.request.prompt, *(o.text for o in (content.media_objects if content else ()))]
    trial.prompt = "\n".join(filter(None, parts))
    answer = candidate.ask(state.request)
    trial.completion, trial.speed = answer.text, candidate.speed
    result = RequestResult(success=True, embedding=[], completions=[answer], cached=False)
    return replace(state, result=result)


def _annotate(
    context: LocalContext, spec: RunSpec, folder: Path, state: RequestState
) -> RequestState:
    # What HELM's factory prints is for its log.
    with contextlib.redirect_stdout(io.StringIO()):
        factory = AnnotatorFactory(
            context.client.credentials, str(folder), BlackHoleCacheBackendConfig()
        )
    annotators = [factory.get_annotator(annotator) for annotator in spec.annotators or ()]
    return replace(state, annotations={a.name: a.annotate(state) for a in annotators})


def _score(
    context: LocalContext, spec: RunSpec, folder: Path, state: RequestState
) -> dict[str, float]:
    """The benchmark's own scores; the others are of HELM."""
    stats = create_metric(spec.metric_specs[0]).evaluate_generation(
        spec.adapter_spec, state, MetricService(context), str(folder)
    )
    hidden = {*error_values(None), INTERNAL_ERROR, "metric_errors"}
    values = {stat.name.name: stat.mean for stat in stats if stat.name.name not in hidden}
    return {name: value for name, value in values.items() if value is not None}


def _location(item: Mapping[str, Any]) -> Path | None:
    return Path(item["media_object"].location) if "media_object" in item else None


def _draw_reference(state: RequestState, folder: Path) -> Path | None:
    """Draws the reference of an instance that has code alone, written as a model is to answer."""
    answer = state.instance.references[0].output.text
    drawn = render_completion((state.instance.extra_data or {})["format"], answer)
    if isinstance(drawn, Parsed):
        return None
    path = folder / "reference.png"
    drawn.image.save(path)
    return path
