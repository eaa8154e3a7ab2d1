"""What every benchmark shares of HELM: completions become pictures, values become statistics."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.statistic import Stat
from helm.common.media_object import MediaObject

from helm_structext.protocols import ProtocolName
from helm_structext.renderers import Parsed, render_completion
from helm_structext.scoring.handling import INTERNAL, INTERNAL_ERROR, Failure, handle
from helm_structext.storage.cache import renderings_folder, store_copy

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
        annotation = annotated("rendering", request_state, lambda: self._rendered(request_state))
        return [annotation, *_references(request_state)]

    def _rendered(self, request_state: RequestState) -> dict[str, Any]:
        assert request_state.result is not None
        extra_data = request_state.instance.extra_data or {}
        result = render_completion(
            self._format or extra_data["format"],
            request_state.result.completions[0].text,
            assets=extra_data.get("assets"),
            protocol=self._protocol,
            cache=renderings_folder(),
        )
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


def annotated(
    what: str, request_state: RequestState, work: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Returns what is found about a completion, or else ``error``, ``kind`` and ``log``.

    Args:
        what: is found, for the log.
        request_state: of the completion.
        work: finds it.

    Raises:
        SetupError: see `helm_structext.scoring.handling.handle`.
    """
    found = handle(_named(what, request_state), work)
    if isinstance(found, Failure):
        return {"error": str(found), "kind": found.kind, "log": found.log[-MAX_LOG:]}
    return found


def instance_stats(
    request_state: RequestState,
    names: Iterable[str],
    compute: Callable[[], Mapping[str, float | None]],
) -> list[Stat]:
    """Returns a completion's statistics: what a metric's `evaluate_generation` is to return.

    Where a metric or an annotator before it failed for a mistake of ours, no statistic has a value
    but `INTERNAL_ERROR`.

    Args:
        request_state: of the completion.
        names: of all statistics.
        compute: returns the values; what it leaves out has none.

    Raises:
        SetupError: see `helm_structext.scoring.handling.handle`.
    """
    values: dict[str, float | None] = {**dict.fromkeys(names), INTERNAL_ERROR: 1.0}
    annotations = (request_state.annotations or {}).values()
    if not any(item.get("kind") == INTERNAL for items in annotations for item in items):
        computed = handle(_named("metrics", request_state), compute)
        if not isinstance(computed, Failure):
            values |= {INTERNAL_ERROR: 0.0, **computed}
    return stats_of(values)


def _named(what: str, request_state: RequestState) -> str:
    return f"{what} of instance {request_state.instance.id} ({request_state.request.model})"


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
