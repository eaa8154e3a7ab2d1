"""HELM annotators: completions become pictures."""

from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.common.media_object import MediaObject

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.engine import ProtocolName

MAX_LOG = 4000
"""Characters of an engine's log that an annotation keeps, from its end."""


class RenderAnnotator(Annotator):
    """Renders completions, and lists the reference picture beside them for the viewer.

    The annotation is a list of two objects: first the rendering, with ``media_object``, ``text``
    (the structure reduced to its content) and ``seconds``, or else ``error``, ``kind`` and
    ``log``; second the reference.

    Args:
        format: a key of `helm_structext.renderers.FORMATS`.
        protocol: ``published`` or ``corrected``.
        file_storage_path: the folder in which HELM keeps this annotator's files; the cache of
            renderings, shared by runs and models.
    """

    name = "rendering"

    def __init__(self, format: str, protocol: ProtocolName, file_storage_path: str) -> None:
        self._format = format
        self._protocol = protocol
        self._cache = Path(file_storage_path)

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Renders the completion of a request.

        Raises:
            SetupError: this machine can't render; the run stops and can be resumed.
        """
        assert request_state.result is not None
        return [
            self._rendering(
                request_state.result.completions[0].text,
                (request_state.instance.extra_data or {}).get("assets", {}),
            ),
            _reference(request_state),
        ]

    def _rendering(self, completion: str, assets: dict[str, str]) -> dict[str, Any]:
        try:
            rendered = render(
                self._format, completion, assets=assets, protocol=self._protocol, cache=self._cache
            )
        except RenderError as error:
            return {"error": str(error), "kind": error.kind, "log": error.log[-MAX_LOG:]}
        return {
            "media_object": MediaObject(location=str(rendered.path), content_type="image/png"),
            "text": rendered.text,
            "seconds": rendered.seconds,
        }


def _reference(request_state: RequestState) -> dict[str, Any]:
    content = request_state.instance.references[0].output.multimedia_content
    assert content is not None
    return {"media_object": content.media_objects[0], "text": "(reference)"}
