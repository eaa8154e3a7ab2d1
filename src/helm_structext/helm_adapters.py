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
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import Parsed, Rendering, render_completion

MAX_LOG = 4000
"""Characters of an engine's log that an annotation keeps, from its end."""


class RenderAnnotator(Annotator):
    """Renders completions, and lists the reference picture beside them for the viewer.

    The annotation is a list: first the rendering, with ``media_object``, ``text`` (the structure
    reduced to its content) and ``seconds``, or else ``error``, ``kind`` and ``log``; second the
    reference picture, if there is one. A format of text is parsed instead, and has no picture.

    Args:
        format: a key of `helm_structext.formats.FORMATS`, or None where each instance says its own,
            as ``format`` in its extra data.
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
        try:
            result = render_completion(
                self._format or extra_data["format"],
                completion,
                assets=extra_data.get("assets"),
                protocol=self._protocol,
                cache=renderings_folder(),
            )
            annotation = self._annotation(result)
        except RenderError as error:
            annotation = {"error": str(error), "kind": error.kind, "log": error.log[-MAX_LOG:]}
        return [annotation, *_references(request_state)]

    def _annotation(self, result: Rendering | Parsed) -> dict[str, Any]:
        if isinstance(result, Parsed):
            return {"text": result.text}
        assert result.path is not None
        location = str(store_copy(self._pictures, result.path))
        return {
            "media_object": MediaObject(location=location, content_type="image/png"),
            "text": result.text,
            "seconds": result.seconds,
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
