"""HELM adapters of MMR: replies become readings, readings become statistics."""

import io
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat
from helm.common.media_object import MediaObject

from helm_structext.helm.adapters import annotated, instance_stats
from helm_structext.mmr.boxes import draw_boxes
from helm_structext.mmr.replies import UnreadableReply
from helm_structext.mmr.scores import LENIENT_METRICS, METRICS, reply_scores
from helm_structext.mmr.tasks import KINDS, TASKS, ParsedReply, read_answer, read_reply
from helm_structext.pictures import read_picture, size_of
from helm_structext.storage.cache import store


class MMRAnnotator(Annotator):
    """Says what was read of a reply, and draws boxes on the picture.

    The annotation is a list of one object with ``text``, or with ``error`` where the reply could
    not be read, and where the question asks for a box with ``media_object``: the picture with the
    true box in green and the predicted one in dashed magenta.

    Args:
        file_storage_path: the folder in which HELM keeps this annotator's files.
    """

    name = "reading"

    def __init__(self, file_storage_path: str) -> None:
        self._folder = Path(file_storage_path)

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Reads the completion of a request by the published rules.

        Raises:
            SetupError: the picture can't be written.
        """
        return [annotated("reading", request_state, lambda: self._read(request_state))]

    def _read(self, request_state: RequestState) -> dict[str, Any]:
        kind, truth = _question(request_state)
        reading = None
        try:
            reading = read_reply(kind, _completion(request_state))
            annotation: dict[str, Any] = {"text": f"read as {KINDS[kind].write(reading)}"}
            if truth.box is not None:
                annotation["text"] += " (dashed magenta; green: the true box)"
        except UnreadableReply as error:
            annotation = {"error": str(error)}
        if truth.box is not None:
            picture = read_picture(Path(_picture(request_state)))
            drawn = draw_boxes(picture, truth.box, reading.box if reading else None)
            buffer = io.BytesIO()
            drawn.save(buffer, "PNG", compress_level=1)
            location = str(store(self._folder, buffer.getvalue(), "png"))
            annotation["media_object"] = MediaObject(location=location, content_type="image/png")
        return annotation


class MMRMetric(Metric):
    """Scores replies as `helm_structext.mmr.scores.reply_scores` does.

    Args:
        lenient: the scale in which boxes are read leniently, for a second set of scores, or
            ``none``.
    """

    def __init__(self, lenient: str) -> None:
        self._lenient = lenient

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each metric of one instance."""
        names = (*METRICS, *LENIENT_METRICS)
        return instance_stats(request_state, names, lambda: self._values(request_state))

    def _values(self, request_state: RequestState) -> dict[str, float | None]:
        kind, truth = _question(request_state)
        return reply_scores(
            kind,
            truth,
            _completion(request_state),
            self._lenient,
            lambda: size_of(Path(_picture(request_state)).read_bytes()),
        )


def _question(request_state: RequestState) -> tuple[str, ParsedReply]:
    instance = request_state.instance
    assert instance.extra_data is not None
    kind = TASKS[instance.extra_data["task"]]
    return kind, read_answer(kind, instance.references[0].output.text)


def _completion(request_state: RequestState) -> str:
    assert request_state.result is not None
    return request_state.result.completions[0].text


def _picture(request_state: RequestState) -> str:
    content = request_state.instance.input.multimedia_content
    assert content is not None
    (location,) = (item.location for item in content.media_objects if item.location is not None)
    return location
