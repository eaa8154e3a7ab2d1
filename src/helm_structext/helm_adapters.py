"""What every benchmark shares of HELM: completions become pictures, values become statistics."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.statistic import Stat
from helm.common.media_object import MediaObject

from helm_structext.cache import renderings_folder, store_copy
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.metrics.structures import holds_nothing, parse_structure
from helm_structext.renderers import render
from helm_structext.renderers.engine import ProtocolName
from helm_structext.structeval.tasks import TEXT_FORMATS

MAX_LOG = 4000
"""Characters of an engine's log that an annotation keeps, from its end."""


class RenderAnnotator(Annotator):
    """Renders completions, and lists the reference picture beside them for the viewer.

    The annotation is a list: first the rendering, with ``media_object``, ``text`` (the structure
    reduced to its content) and ``seconds``, or else ``error``, ``kind`` and ``log``; second the
    reference picture, if there is one. A format of text is parsed instead, and has no picture.

    Args:
        format: a key of `helm_structext.renderers.FORMATS`, or None where each instance says its
            own, as ``format`` in its extra data: one of these or of
            `helm_structext.structeval.tasks.TEXT_FORMATS`.
        protocol: ``published`` or ``corrected``.
        file_storage_path: the folder in which HELM keeps this annotator's files: copies of the
            pictures, as HELM's viewer shows none from elsewhere.
    """

    name = "rendering"

    def __init__(self, format: str | None, protocol: ProtocolName, file_storage_path: str) -> None:
        self._format = format
        self._protocol = protocol
        self._pictures = Path(file_storage_path)

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Renders the completion of a request.

        Raises:
            SetupError: this machine can't render; the run stops and can be resumed.
        """
        assert request_state.result is not None
        completion = request_state.result.completions[0].text
        extra_data = request_state.instance.extra_data or {}
        format = self._format or extra_data["format"]
        try:
            if format in TEXT_FORMATS:
                code = extract(completion, format, self._protocol)
                if holds_nothing(parse_structure(code, format)):
                    raise RenderError("empty", f"it is {format}, but holds nothing")
                annotation: dict[str, Any] = {"text": f"parsed as {format}"}
            else:
                annotation = self._rendering(format, completion, extra_data.get("assets", {}))
        except RenderError as error:
            annotation = {"error": str(error), "kind": error.kind, "log": error.log[-MAX_LOG:]}
        return [annotation, *_references(request_state)]

    def _rendering(self, format: str, completion: str, assets: dict[str, str]) -> dict[str, Any]:
        rendered = render(
            format, completion, assets=assets, protocol=self._protocol, cache=renderings_folder()
        )
        assert rendered.path is not None
        location = str(store_copy(self._pictures, rendered.path))
        return {
            "media_object": MediaObject(location=location, content_type="image/png"),
            "text": rendered.text,
            "seconds": rendered.seconds,
        }


def _references(request_state: RequestState) -> list[dict[str, Any]]:
    contents = (ref.output.multimedia_content for ref in request_state.instance.references)
    return [
        {"media_object": content.media_objects[0], "text": "(reference)"}
        for content in contents
        if content is not None
    ]


def stats_of(values: Mapping[str, float | None]) -> list[Stat]:
    """Returns HELM's statistics of one instance: those of None have a count of 0.

    So they say that there is no value, without a warning from helm-summarize.

    >>> [(stat.name.name, stat.count) for stat in stats_of({"iou": 0.5, "pnls": None})]
    [('iou', 1), ('pnls', 0)]
    """
    stats = {name: Stat(MetricName(name)) for name in values}
    return [
        stats[name] if value is None else stats[name].add(value) for name, value in values.items()
    ]
