"""HELM's door without HELM's runner: completions of instances, annotated and measured."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import CORRECT_TAG, Input, Instance, Output, Reference
from helm.common.cache import SqliteCacheConfig
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import GeneratedOutput, Request, RequestResult

from helm_structext.helm.annotator import ScoreAnnotator
from helm_structext.helm.metric import ScoreMetric
from helm_structext.helm.scenario import BenchmarkScenario

ARGUMENTS: dict[str, dict[str, Any]] = {
    "image2struct": {
        "domain": "image2struct_latex",
        "subset": "equation",
        "difficulty": "all",
        "source": "sample",
    },
    "mmr": {"source": "sample"},
    "structeval": {
        "task": "all",
        "subset": "all",
        "source": "sample",
        "protocol": "published",
    },
}


def instances(folder: Path, benchmark: str, **arguments: Any) -> list[Instance]:
    """Returns the instances of a run, whose files lie in a folder."""
    scenario = BenchmarkScenario(benchmark, **{**ARGUMENTS[benchmark], **arguments})
    return scenario.get_instances(str(folder))


def annotator(folder: Path, benchmark: str, client: Any = None, **arguments: Any) -> ScoreAnnotator:
    """Returns the annotator of a run, whose files lie in a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    cache = SqliteCacheConfig(str(folder / "score.sqlite"))
    arguments = {**ARGUMENTS[benchmark], **arguments}
    return ScoreAnnotator(benchmark, str(folder / "score"), cache, client, **arguments)


def media(picture: Path) -> MediaObject:
    """Returns a picture as HELM has it."""
    return MediaObject(location=str(picture), content_type="image/png")


def answered(
    completion: str,
    extra_data: dict[str, Any],
    *,
    text: str = "Question?",
    picture: Path | None = None,
    target: str | None = None,
    target_picture: Path | None = None,
) -> RequestState:
    """Returns the state of a request with a completion."""
    asked = Input(text=text)
    if picture is not None:
        words = MediaObject(text=text, content_type="text/plain")
        asked = Input(multimedia_content=MultimediaObject([words, media(picture)]))
    references = []
    if target is not None:
        shown = MultimediaObject([media(target_picture)]) if target_picture else None
        references = [Reference(Output(text=target, multimedia_content=shown), [CORRECT_TAG])]
    instance = Instance(asked, references, id="id7", extra_data=extra_data)
    result = RequestResult(True, [], [GeneratedOutput(completion, 0.0, [])], False)
    request = Request(model="me/model")
    return RequestState(instance, None, None, 0, None, request, result, 0, False)


def values_of(annotator: ScoreAnnotator, state: RequestState) -> dict[str, float | None]:
    """Returns the statistics of an answer: name to value, None where it has no count."""
    return measured(annotator, annotator.annotate(state), state)


def measured(
    annotator: ScoreAnnotator, found: list[dict[str, Any]], state: RequestState
) -> dict[str, float | None]:
    """Returns the statistics of an answer that was annotated."""
    state = replace(state, annotations={annotator.name: found})
    stats = ScoreMetric().evaluate_generation(AdapterSpec(), state, None, "")
    return {stat.name.name: stat.mean if stat.count else None for stat in stats}
