"""The reward for code that draws: the rendering against a picture, or against code."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from helm_structext.formats import check_format, rendered_formats
from helm_structext.image2struct.picture_scores import Scores, attempt
from helm_structext.image2struct.scores import (
    DISTANCES,
    NEURAL_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
    comparable_texts,
)
from helm_structext.metrics import SizeHandling
from helm_structext.metrics.layout import layout_similarity
from helm_structext.metrics.sizes import check_size_handling
from helm_structext.metrics.weights import WeightsMissing
from helm_structext.pictures import read_picture
from helm_structext.processes import run_in_process
from helm_structext.protocols import REWARD_PROTOCOL, ProtocolName, check_protocol
from helm_structext.renderers import Rendering, render_completion
from helm_structext.rewards.base import BaseReward, check_timeout
from helm_structext.rewards.embedded import find_embedded
from helm_structext.rewards.guards import EMBEDDED, OF_COMPLETIONS, OF_RENDERINGS, embeds, page
from helm_structext.rewards.references import (
    Known,
    Reference,
    as_reference,
    draw_reference,
    known,
)
from helm_structext.rewards.result import Measured
from helm_structext.scoring.handling import REFERENCE, Failure, handle

RENDERED = "compilation_success"
"""The component that is 1 for whatever renders."""

LAYOUT = "layout_similarity"
"""The component of what lies where (`helm_structext.metrics.layout`), which needs code of the reference."""

COMPONENTS = (RENDERED, *PICTURE_METRICS, *NEURAL_METRICS, *TEXT_METRICS, LAYOUT)


@dataclass(frozen=True)
class Reward(BaseReward):
    r"""Renders completions and compares them with references.

    A reference is a picture (a `pathlib.Path`, bytes or a PIL image), code as a string, which is
    rendered once and kept, or a `helm_structext.rewards.Reference`. Metrics of text need code, and so does
    ``layout_similarity``.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        components: metric to weight, of `COMPONENTS`: Image2Struct's metrics (section 3), and
            ``compilation_success``. By default those of ``PRESETS["image"]``.
        failure: the score of what does not render, or is noticed by a guard; see `BaseReward`, as
            for `guards`, `missing`, `machine_failures` and `batch_seconds`.
        protocol: see `helm_structext.renderers.render`.
        timeout: seconds of work for a rendering, which begin when it does; by default the format's.
        size_handling: see `helm_structext.metrics`.

    Raises:
        ValueError: an argument is not what it should be.
        SetupError: a component needs weights that are not there.

    >>> reward = Reward("latex", components={"earth_mover_similarity": 1.0})
    >>> reward("$x^2$", "$x^2$").score
    1.0
    >>> [result.error_kind for result in reward([r"\nothing", ""], ["$x^2$", "$x^2$"])]
    ['syntax', 'empty']
    """

    format: str
    components: Mapping[str, float] = field(default_factory=lambda: PRESETS["image"])
    protocol: ProtocolName = field(default=REWARD_PROTOCOL, kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)
    size_handling: SizeHandling = field(default="padding", kw_only=True)

    def __post_init__(self) -> None:
        check_format(self.format, rendered_formats())
        check_protocol(self.protocol)
        check_size_handling(self.size_handling)
        super().__post_init__()
        check_timeout(self.timeout)
        for name in self.components.keys() & NEURAL_METRICS.keys():
            if not (file := NEURAL_METRICS[name][1]).usable:
                raise WeightsMissing(file)

    def known_components(self) -> Collection[str]:
        return COMPONENTS

    @property
    def measured_by(self) -> ProtocolName:
        return self.protocol

    @property
    def lane(self) -> str:
        return self.format

    @property
    def engines(self) -> Collection[str] | None:
        return [self.format]

    def measure(self, completion: str, reference: Any) -> Measured:
        failed = {name: None if name in DISTANCES else 0.0 for name in COMPONENTS}
        try:
            given = as_reference(reference)
        except TypeError as error:
            return Measured({}, Failure(REFERENCE, str(error)))
        if refusal := self.noticed(OF_COMPLETIONS, completion, given.code or ""):
            return Measured(failed, refusal)
        truth = known(given, self.format, self.protocol)
        if truth.text is None and (texts := sorted(TEXT_METRICS & self.components.keys())):
            message = f"{' and '.join(texts)} need code or its text; there is a picture alone"
            return Measured({}, Failure(REFERENCE, message))
        if LAYOUT in self.components and given.code is None:
            return Measured(
                {}, Failure(REFERENCE, f"{LAYOUT} needs code; there is a picture alone")
            )
        rendering = handle(
            "rendering of a completion",
            lambda: render_completion(
                self.format,
                completion,
                assets=truth.assets,
                timeout=self.timeout,
                protocol=self.protocol,
                layout=LAYOUT in self.components or EMBEDDED in self.guards,
            ),
        )
        if isinstance(rendering, Failure):
            return Measured(failed, rendering)
        assert isinstance(rendering, Rendering)  # the format is one of pictures
        ours = page(rendering.image, rendering.text)
        if refusal := self.noticed(OF_RENDERINGS, ours, truth.page):
            return Measured(failed, refusal)
        if refusal := self._carries(completion, rendering, given):
            return Measured(failed, refusal)
        scores = self._scores(rendering, truth, given)
        for name, message in scores.errors.items():
            return Measured(scores.values, Failure("internal", f"{name}: {message}"))
        return Measured({RENDERED: 1.0, **scores.values})

    def _carries(self, completion: str, rendering: Rendering, given: Reference) -> Failure | None:
        """What the guard against pictures in answers sees on the rendering; a reference's code may have its own."""
        if EMBEDDED not in self.guards or rendering.layout is None or embeds(given.code or ""):
            return None
        reason = find_embedded(
            rendering.layout, self.format, completion, has_files=bool(given.assets)
        )
        return Failure(EMBEDDED, reason) if reason else None

    def _scores(self, rendering: Rendering, truth: Known, given: Reference) -> Scores:
        names = tuple(name for name in PICTURE_METRICS if name in self.components)
        pictures = Scores({}, {})
        if names:
            # Pixels as they are: to pack them takes longer than to carry them over.
            size, pixels = rendering.image.size, rendering.image.tobytes()
            pictures = run_in_process(
                compare, size, pixels, truth.picture, self.size_handling, names
            )
        neural = {
            name: NEURAL_METRICS[name][0] for name in self.components if name in NEURAL_METRICS
        }
        if neural:
            pair = (rendering.image, _recent(truth.picture), self.size_handling)
            pictures = _joined(pictures, attempt(neural, pair))
        texts = {name: TEXT_METRICS[name] for name in self.components if name in TEXT_METRICS}
        if texts:
            both = rendering.text, truth.text or ""
            both = comparable_texts(both, self.format, self.protocol)
            pictures = _joined(pictures, attempt(texts, both))
        if LAYOUT in self.components:
            pictures = _joined(pictures, self._layout_scores(rendering, given))
        return pictures

    def _layout_scores(self, rendering: Rendering, given: Reference) -> Scores:
        """The similarity of layouts; where an engine can't tell one, that is no fault of the completion."""
        truth = draw_reference(given, self.format, self.protocol, layout=True)
        for what, one in (("completion", rendering), ("reference", truth)):
            if one.layout is None:
                reason = f"what is on the picture of the {what} is not known: {one.layout_reason}"
                return Scores({}, {LAYOUT: reason})
        return attempt({LAYOUT: layout_similarity}, (rendering.layout, truth.layout))


def compare(
    size: tuple[int, int],
    pixels: bytes,
    reference: Path,
    size_handling: SizeHandling,
    names: Collection[str],
) -> Scores:
    """Computes picture metrics of a rendering, in a worker process.

    Args:
        size: width and height of the rendering.
        pixels: RGB, row by row.
        reference: a picture file.
        size_handling: see `helm_structext.metrics`.
        names: of `PICTURE_METRICS`.
    """
    pair = Image.frombytes("RGB", size, pixels), _recent(reference), size_handling
    return attempt({name: PICTURE_METRICS[name] for name in names}, pair)


# A group of completions of one prompt has one reference.
@lru_cache(4)
def _recent(reference: Path) -> Image.Image:
    return read_picture(reference)


def _joined(first: Scores, second: Scores) -> Scores:
    return Scores({**first.values, **second.values}, {**first.errors, **second.errors})


PRESETS: Mapping[str, Mapping[str, float]] = {
    "image": {"earth_mover_similarity_corrected": 0.5, "pixel_similarity": 0.5},
    "image_published": {"earth_mover_similarity": 0.5, "pixel_similarity": 0.5},
    "structure": {"levenshtein_similarity": 0.8, RENDERED: 0.2},
    "layout": {LAYOUT: 0.6, "earth_mover_similarity_corrected": 0.2, "pixel_similarity": 0.2},
}
"""Components for pictures alone, and for references of code, by benchmarks/reward_components.py: those
that fall most often with a step away from the reference, and most of the way to a blank page. With the published
similarity of ``image_published``, which has no lower bound, failing may pay more than drawing."""
