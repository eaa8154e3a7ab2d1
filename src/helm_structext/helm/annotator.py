"""The annotator of all our runs: what a benchmark's scorer says of a completion, for HELM's viewer and metric."""

import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.benchmark.scenarios.scenario import Instance
from helm.common.cache import Cache, CacheConfig
from helm.common.media_object import MediaObject, MultimediaObject

from helm_structext.benchmarks import benchmark_named
from helm_structext.findings import findings_record
from helm_structext.helm.boxes import draw_boxes
from helm_structext.helm.judge import ModelJudge
from helm_structext.pictures import read_picture
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import Compute, Door, Kept, Scored, make_unhandled
from helm_structext.storage.cache import store, store_copy

if TYPE_CHECKING:
    from helm.clients.auto_client import AutoClient

MAX_LOG = 4000
"""Characters of an engine's log that an annotation keeps, from its end."""


class ScoreAnnotator(Annotator):
    """Scores completions, and shows what they became beside the reference.

    The annotation is a list. First comes what the completion became: ``media_object`` (the rendering, or
    the picture that was asked about with boxes on it), ``text`` and ``seconds`` as far as there are any,
    ``missing`` if it asked for what is not there (the fields of `helm_structext.errors.MissingResource`), ``findings``
    if what lies on the pictures was compared (`helm_structext.findings.findings_record`), ``error``, ``kind`` and ``log`` if it failed, and ``scores``, where None is for no value. The judge's
    verdict follows, if there is one, and the reference's picture, if it has one.

    Args:
        benchmark: the name of its package (`helm_structext.benchmarks`).
        file_storage_path: the folder in which HELM keeps this annotator's files: copies of the
            pictures, as HELM's viewer shows none from elsewhere.
        cache_config: of HELM's cache, which remembers what pairs of pictures came to.
        auto_client: HELM's client of all models, with its credentials, cache and retries, for a judge.
        arguments: of the run, those of the benchmark's `arguments`.
    """

    def __init__(
        self,
        benchmark: str,
        file_storage_path: str,
        cache_config: CacheConfig,
        auto_client: "AutoClient",
        **arguments: Any,
    ) -> None:
        self._pictures = Path(file_storage_path)
        self._cache = Cache(cache_config)
        self._client = auto_client
        self._judges: list[ModelJudge] = []
        door = Door(self._judge, self._remember)
        self._scorer = benchmark_named(benchmark).scorer(arguments, door)
        self.name = self._scorer.annotation
        self._statistics = [*dict.fromkeys([*self._scorer.statistics, INTERNAL_ERROR])]

    def prepare(self) -> None:
        """Says before a model is asked whether the judge can be, if there is one.

        Raises:
            SetupError: it can't, as far as that is known without asking.
        """
        for judge in self._judges:
            judge.prepare()

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Scores the completion of a request.

        Raises:
            SetupError: this machine can't render, or the judge can't be reached. The run stops; run
                again, it goes on where it stopped.
        """
        instance, result = request_state.instance, request_state.result
        assert result is not None
        completion = result.completions[0].text
        name = f"{instance.id} ({request_state.request.model})"

        def shown() -> list[dict[str, Any]]:
            kept = kept_of(instance, name)
            return self._shown(self._scorer.score(self._scorer.recall(kept), completion), kept)

        found = handle(f"{self.name} of instance {name}", shown)
        if isinstance(found, Failure):
            found = [self._said(make_unhandled(found))]
        return [*found, *_reference(instance)]

    def _shown(self, scored: Scored, kept: Kept) -> list[dict[str, Any]]:
        annotation: dict[str, Any] = {}
        if scored.picture is not None:
            annotation["media_object"] = _picture(store_copy(self._pictures, scored.picture))
        elif scored.boxes is not None and kept.picture is not None:
            file = io.BytesIO()
            draw_boxes(read_picture(kept.picture), *scored.boxes).save(
                file, "PNG", compress_level=1
            )
            annotation["media_object"] = _picture(store(self._pictures, file.getvalue(), "png"))
        if scored.text is not None:
            annotation["text"] = scored.text
        if scored.seconds is not None:
            annotation["seconds"] = scored.seconds
        if scored.missing:
            annotation["missing"] = [asdict(one) for one in scored.missing]
        if scored.findings is not None:
            annotation["findings"] = findings_record(scored.findings)
        verdict = [] if scored.verdict is None else [dict(scored.verdict)]
        return [annotation | self._said(scored), *verdict]

    def _said(self, scored: Scored) -> dict[str, Any]:
        scores = {name: scored.scores.get(name) for name in self._statistics}
        if (failure := scored.failure) is None:
            return {"scores": scores}
        log = failure.log[-MAX_LOG:]
        return {"error": str(failure), "kind": failure.kind, "log": log, "scores": scores}

    def _judge(self, name: str) -> ModelJudge:
        judge = ModelJudge(name, self._client, self._pictures)
        self._judges.append(judge)
        return judge

    def _remember(self, key: Mapping[str, str], compute: Compute) -> dict[str, float]:
        values, _ = self._cache.get(key, compute)
        return values


def kept_of(instance: Instance, name: str) -> Kept:
    """Returns an instance of ours as scorers take it.

    Args:
        instance: of a `BenchmarkScenario`.
        name: of the answer, for the log.
    """
    extra = instance.extra_data or {}
    output = instance.references[0].output if instance.references else None
    return Kept(
        name,
        output.text if output else "",
        next(_files(instance.input.multimedia_content), None),
        next(_files(output.multimedia_content if output else None), None),
        {name: Path(path) for name, path in extra.get("assets", {}).items()},
        extra,
        Path(extra["code"]) if "code" in extra else None,
    )


def _files(content: MultimediaObject | None) -> Iterator[Path]:
    for item in content.media_objects if content else ():
        if item.location is not None:
            yield Path(item.location)


def _reference(instance: Instance) -> list[dict[str, Any]]:
    contents = (reference.output.multimedia_content for reference in instance.references)
    return [
        {"media_object": _picture(file), "text": "(reference)"}
        for content in contents
        for file in _files(content)
    ]


def _picture(file: Path) -> MediaObject:
    return MediaObject(location=str(file), content_type="image/png")
