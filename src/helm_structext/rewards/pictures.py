"""The reward for code that draws: the rendering against a picture, or against code."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from helm_structext.findings import compare_told
from helm_structext.formats import check_format, rendered_formats
from helm_structext.image2struct.picture_scores import Scores, attempt, measurable, score_layouts
from helm_structext.image2struct.scores import (
    LAYOUT_METRICS,
    NEURAL_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
    comparable_texts,
    failed_scores,
)
from helm_structext.layouts import PictureLayout
from helm_structext.metrics import SizeHandling
from helm_structext.metrics.sizes import check_size_handling
from helm_structext.metrics.weights import WeightsMissing
from helm_structext.pictures import read_picture
from helm_structext.processes import run_in_process
from helm_structext.protocols import REWARD_PROTOCOL, ProtocolName, check_protocol
from helm_structext.renderers import Rendering, render_completion
from helm_structext.renderers.limits import check_timeout
from helm_structext.renderers.page_layout import Told
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.carried import notice_carried
from helm_structext.rewards.guards import EMBEDDED, OF_COMPLETIONS, OF_RENDERINGS, page
from helm_structext.rewards.references import (
    Known,
    Reference,
    as_reference,
    known,
    told_layout,
)
from helm_structext.rewards.result import Measured
from helm_structext.scoring.handling import REFERENCE, Failure, handle

RENDERED = "compilation_success"
"""The component that is 1 for whatever renders."""

COMPONENTS = (
    RENDERED,
    *PICTURE_METRICS,
    *NEURAL_METRICS,
    *TEXT_METRICS,
    *LAYOUT_METRICS,
)


@dataclass(frozen=True)
class Reward(BaseReward):
    r"""Renders completions and compares them with references.

    A reference is a picture (a `pathlib.Path`, bytes or a PIL image), code as a string, which is
    rendered once and kept, or a `helm_structext.rewards.Reference`. Metrics of text need code, and so do those of
    what lies on the picture (`helm_structext.image2struct.scores.LAYOUT_METRICS`), and findings.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        components: metric to weight, of `COMPONENTS`: Image2Struct's metrics (section 3), and
            ``compilation_success``. By default those of `preset_for` the format; a reference that has not
            what these compare, such as a picture without code, is compared by the first of `INSTEAD` that it can be.
        failure: the score of what does not render, or is noticed by a guard; see `BaseReward`, as
            for `guards`, `missing`, `machine_failures` and `batch_seconds`.
        protocol: see `helm_structext.renderers.render`.
        timeout: seconds of work for a rendering, which begin when it does; by default the format's.
        size_handling: see `helm_structext.metrics`.
        findings: whether results say what is wrong with the picture (`RewardResult.findings`).

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
    components: Mapping[str, float] = field(default_factory=dict)
    protocol: ProtocolName = field(default=REWARD_PROTOCOL, kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)
    size_handling: SizeHandling = field(default="padding", kw_only=True)
    findings: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_format(self.format, rendered_formats())
        check_protocol(self.protocol)
        check_size_handling(self.size_handling)
        if not self.components:
            object.__setattr__(self, "components", preset_for(self.format))
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
        found = self._measure(completion, reference)
        if self.components == preset_for(self.format):
            for preset in map(PRESETS.__getitem__, INSTEAD):
                if found.failure is None or found.failure.kind != REFERENCE:
                    break
                other = replace(self, components=preset)
                found = replace(other._measure(completion, reference), weights=preset)
        return found

    def _measure(self, completion: str, reference: Any) -> Measured:
        failed = failed_scores(COMPONENTS)
        try:
            given = as_reference(reference)
        except TypeError as error:
            return Measured({}, Failure(REFERENCE, str(error)))
        if refusal := self.noticed(OF_COMPLETIONS, completion, given.code or ""):
            return Measured(failed, refusal)
        wanted: Told = None, ""
        if self._compares_layouts:
            wanted = told_layout(given, self.format, self.protocol)
        truth = known(given, self.format, self.protocol)
        if reason := self._lacking(truth, wanted):
            return Measured({}, Failure(REFERENCE, reason))
        rendering = handle(
            "rendering of a completion",
            lambda: render_completion(
                self.format,
                completion,
                assets=truth.assets,
                timeout=self.timeout,
                protocol=self.protocol,
                layout=self._compares_layouts or EMBEDDED in self.guards,
            ),
        )
        if isinstance(rendering, Failure):
            return Measured(failed, rendering)
        assert isinstance(rendering, Rendering)  # the format is one of pictures
        told_most = goes_by_layouts(self.components)
        ours = page(rendering.image, rendering.text, told=told_most)
        if refusal := self.noticed(OF_RENDERINGS, ours, truth.page):
            return Measured(failed, refusal)
        if refusal := self._carries(completion, rendering, given):
            return Measured(failed, refusal)
        told: Told = rendering.layout, rendering.layout_reason
        scores = self._scores(rendering, truth, wanted[0])
        failure = self._unscored(scores)
        values = scores.values if failure else {RENDERED: 1.0, **scores.values}
        return Measured(values, failure, compare_told(told, wanted) if self.findings else None)

    @property
    def _compares_layouts(self) -> bool:
        return self.findings or bool(self._of(LAYOUT_METRICS))

    def _carries(self, completion: str, rendering: Rendering, given: Reference) -> Failure | None:
        """What the guard against pictures in answers sees on the rendering."""
        if EMBEDDED not in self.guards:
            return None
        written, files = given.code or "", bool(given.assets)
        reason = notice_carried(rendering.layout, self.format, completion, written, has_files=files)
        return Failure(EMBEDDED, reason) if reason else None

    def _of(self, metrics: Collection[str]) -> tuple[str, ...]:
        """Those of some metrics that are components."""
        return tuple(name for name in metrics if name in self.components)

    def _lacking(self, truth: Known, wanted: Told) -> str:
        """What the reference does not have and the components need, or ""."""
        if truth.text is None and (texts := sorted(self._of(TEXT_METRICS))):
            return f"{' and '.join(texts)} need code or its text; there is a picture alone"
        if wanted[0] is None and (layouts := self._of(LAYOUT_METRICS)):
            return f"{' and '.join(layouts)} need what is on the reference's picture: {wanted[1]}"
        return ""

    def _unscored(self, scores: Scores) -> Failure | None:
        """Why a rendering has no score: a metric failed, or the reference has nothing of what one compares."""
        for name, message in scores.errors.items():
            return Failure("internal", f"{name}: {message}")
        if without := [name for name in self._of(LAYOUT_METRICS) if name not in scores.values]:
            said = f"the reference has nothing that {' and '.join(without)} could compare"
            return Failure(REFERENCE, said)
        return None

    def _scores(self, rendering: Rendering, truth: Known, wanted: PictureLayout | None) -> Scores:
        scores = Scores({}, {})
        if names := self._of(PICTURE_METRICS):
            # Pixels as they are: to pack them takes longer than to carry them over.
            size, pixels = rendering.image.size, rendering.image.tobytes()
            scores = run_in_process(compare, size, pixels, truth.picture, self.size_handling, names)
        if names := self._of(NEURAL_METRICS):
            pair = (rendering.image, _recent(truth.picture), self.size_handling)
            scores = _joined(
                scores, attempt({name: NEURAL_METRICS[name][0] for name in names}, pair)
            )
        if names := self._of(TEXT_METRICS):
            texts = comparable_texts((rendering.text, truth.text or ""), self.format, self.protocol)
            scores = _joined(scores, attempt({name: TEXT_METRICS[name] for name in names}, texts))
        if (names := self._of(LAYOUT_METRICS)) and wanted:
            scores = _joined(scores, _layout_scores(rendering, wanted, names))
        return scores


def _layout_scores(rendering: Rendering, wanted: PictureLayout, names: Collection[str]) -> Scores:
    """What the engine told of the reference and can't of the answer is 0: else a completion could choose no score."""
    if rendering.layout is None:
        return Scores(dict.fromkeys(measurable(wanted).intersection(names), 0.0), {})
    values, errors = score_layouts(rendering.layout, wanted, names)
    without = {*names} - values.keys() - errors.keys()
    untold = without & measurable(wanted) if without else ()
    return Scores({**values, **dict.fromkeys(sorted(untold), 0.0)}, errors)


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
    "layout": {
        "layout_similarity": 0.6,
        "earth_mover_similarity_corrected": 0.2,
        "pixel_similarity": 0.2,
    },
    "whole": {
        "layout_similarity": 0.4,
        "levenshtein_similarity": 0.2,
        "earth_mover_similarity_corrected": 0.15,
        "pixel_similarity": 0.15,
        RENDERED: 0.1,
    },
    "formula": {
        "formula_similarity": 0.6,
        "earth_mover_similarity_corrected": 0.2,
        "pixel_similarity": 0.2,
    },
    "notes": {
        "note_similarity": 0.6,
        "earth_mover_similarity_corrected": 0.2,
        "pixel_similarity": 0.2,
    },
    "chart": {"chart_similarity": 0.5, "layout_similarity": 0.3, "pixel_similarity": 0.2},
}
"""Components for pictures alone, and for references of code, by benchmarks/reward_components.py: those
that fall most often with a step away from the reference, and most of the way to a blank page. With the published
similarity of ``image_published``, which has no lower bound, failing may pay more than drawing."""

SUITED: Mapping[str, str] = {
    "latex": "whole",
    "latex_document": "whole",
    "tikz": "whole",
    "lilypond": "notes",
    "matplotlib": "chart",
    "vega": "chart",
}
"""Format → the preset for references of its code, where it is another one than ``layout``: codes of TeX are written
alike before they are compared, so that their likeness says something of the picture, too; and what draws nothing but
charts tells their data."""

TOLD = 0.375
"""Share of the weight that metrics of layouts have, from which on a reward goes by them."""

INSTEAD = ("layout", "image")
"""Presets for references that have not what the default compares, in the order in which they are tried."""


def goes_by_layouts(components: Mapping[str, float]) -> bool:
    """Returns whether metrics of layouts have `TOLD` of the weight: they see what else guards guess from pixels.

    Args:
        components: metric to weight.

    >>> [name for name, preset in PRESETS.items() if goes_by_layouts(preset)]
    ['layout', 'whole', 'formula', 'notes', 'chart']
    """
    told = sum(weight for name, weight in components.items() if name in LAYOUT_METRICS)
    return told >= TOLD * sum(map(abs, components.values()))


def preset_for(format: str) -> Mapping[str, float]:
    """Returns the components that see most of what may be wrong in a format, for references of code: a reward's default.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.

    Raises:
        ValueError: there is no such format, or it is not rendered.

    >>> preset_for("tikz") == PRESETS["whole"], preset_for("svg") == PRESETS["layout"]
    (True, True)
    """
    return PRESETS[suited_preset(format)]


def suited_preset(format: str) -> str:
    """Returns the name of the preset that `preset_for` takes.

    Args:
        format: as there.

    >>> suited_preset("lilypond"), suited_preset("html")
    ('notes', 'layout')
    """
    check_format(format, rendered_formats())
    return SUITED.get(format, "layout")
