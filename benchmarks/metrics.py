"""Times our metrics and HELM's on the same pairs, in one run on one core.

    python benchmarks/metrics.py

Prints Markdown tables within about five minutes, most of which are HELM's. Times are those of the
processor, in one thread, so that other programs on the machine matter little. Needs the packages
of the `dev` extra and the pictures in tests/golden. Networks are timed with the weights that are
there, else with random ones: time does not depend on them.
"""

import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from helm.benchmark.metrics.vision_language import emd_utils
from helm.benchmark.metrics.vision_language.image_metrics import AnnotatedImageMetrics
from helm.benchmark.metrics.vision_language.image_utils import pixel_similarity, preprocess_image
from helm.common.cache import BlackHoleCacheConfig, Cache
from PIL import Image
from torchvision.models import inception_v3, vgg16

from helm_structext import metrics
from helm_structext.image2struct.scores import PICTURE_METRICS
from helm_structext.metrics import EmsSettings, ems, neural, weights
from helm_structext.metrics.sharing import shared_steps
from helm_structext.storage.cache import cache_folder

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"
Pair = tuple[Any, Any]
Metric = Callable[[Any, Any], float]


class Row(NamedTuple):
    """A metric of ours, and the one of HELM that it replaces."""

    name: str
    ours: Metric
    helm: Metric | None
    same: bool  # whether both are meant to give the same value


def main() -> None:
    """Prints all tables."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    torch.manual_seed(0)
    # On many processors HELM's matrix product misses white by one bit, which changes its values.
    to_gray = emd_utils.to_gray
    setattr(emd_utils, "to_gray", lambda image: np.round(to_gray(image), 13))  # noqa: B010

    helm = AnnotatedImageMetrics("latex", [])
    helm._cache = Cache(BlackHoleCacheConfig())
    helm._inception_model = inception_v3(transform_input=False, init_weights=False).eval()
    os.environ["HELM_STRUCTEXT_WEIGHTS"] = str(weights.weights_folder())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HELM_STRUCTEXT_CACHE"] = folder
        if weights.missing_weights():
            os.environ["HELM_STRUCTEXT_WEIGHTS"] = folder
            torch.save(helm._inception_model.state_dict(), weights.INCEPTION_V3.path)
            torch.save(vgg16(init_weights=False).state_dict(), weights.VGG_16.path)
            setattr(neural, "check_weights", lambda file: None)  # noqa: B010 (they are not those)
        helm._inception_model.load_state_dict(torch.load(weights.INCEPTION_V3.path))
        pictures, texts = _golden_pairs(), _text_pairs()
        print("| metric | ours, median ms | HELM, median ms | ratio, median | largest Δ |")
        print("|---|---|---|---|---|")
        for row in _picture_rows(helm):
            print(_line(row, pictures))
        for row in _text_rows(helm):
            print(_line(row, texts))
    large = [tuple(x.resize((1920, 1080)) for x in pair) for pair in pictures]
    print("\nAll but the neural picture metrics on 1920×1080, median: ", end="")
    quick = _picture_rows(helm)[:6]
    sums = [sum(_timed(row.ours, pair).seconds for row in quick) for pair in large]
    scored = [_timed(_cold(_scored), pair).seconds for pair in large]
    print(
        f"{1000 * statistics.median(scored):.0f} ms as an answer is scored, "
        f"{1000 * statistics.median(sums):.0f} ms if each of them begins anew"
    )
    _print_growth(helm, large[-3])


def _scored(*pair: Any) -> float:
    """Computes all metrics of an answer's picture but the neural ones."""
    with shared_steps():
        return sum(metric(*pair) for metric in PICTURE_METRICS.values())


def _picture_rows(helm: AnnotatedImageMetrics) -> list[Row]:
    def on_gray(metric: Metric) -> Metric:
        return lambda *pair: metric(*(preprocess_image(picture) for picture in pair))

    published_pixels = on_gray(pixel_similarity)
    return [
        Row("earth_mover_similarity", _cold(metrics.earth_mover_similarity), helm.ems, True),
        Row("earth_mover_similarity_corrected", _cold(metrics.earth_mover_similarity_corrected), None, False),
        Row("earth_mover_distance", metrics.earth_mover_distance, None, False),
        Row("pixel_similarity", metrics.pixel_similarity, published_pixels, False),
        Row("pixel_similarity_published", metrics.pixel_similarity_published, published_pixels, True),
        Row("structural_similarity", metrics.structural_similarity, on_gray(helm.compute_ssim), True),
        Row("earth_mover_similarity, known reference", _new(metrics.earth_mover_similarity), None, False),
        Row("fid_similarity", _cold(metrics.fid_similarity), helm.fid_similarity, True),
        Row("inception_similarity", _cold(metrics.inception_similarity), helm.fid_similarity, False),
        Row("lpips_similarity", _cold(metrics.lpips_similarity), None, False),
        Row("fid_similarity, known reference", _elsewhere(metrics.fid_similarity), None, False),
        Row("inception_similarity, known reference", _elsewhere(metrics.inception_similarity), None, False),
        Row("lpips_similarity, known reference", metrics.lpips_similarity, None, False),
    ]  # fmt: skip


def _new(metric: Metric) -> Metric:
    """Returns the metric as it is on a pair that was not seen before."""

    def forgetful(*pair: Any) -> float:
        ems._plan_of_contents.cache_clear()
        return metric(*pair)

    return forgetful


def _cold(metric: Metric) -> Metric:
    """Returns the metric as it is when nothing is kept of any reference either."""

    def forgetful(*pair: Any) -> float:
        ems._bases.clear()
        shutil.rmtree(cache_folder() / "networks", ignore_errors=True)
        return _elsewhere(_new(metric))(*pair)

    return forgetful


def _elsewhere(metric: Metric) -> Metric:
    """Returns a neural metric as it is in a process that saw no reference, but others did."""

    def forgetful(*pair: Any) -> float:
        neural._kept.clear()
        return metric(*pair)

    return forgetful


def _text_rows(helm: AnnotatedImageMetrics) -> list[Row]:
    return [
        Row("edit_similarity", metrics.edit_similarity, helm.compute_edit_sim, True),
        Row("levenshtein_similarity", metrics.levenshtein_similarity, None, False),
    ]


def _line(row: Row, pairs: Sequence[Pair]) -> str:
    row.ours(*pairs[0])  # imports what it needs
    ours = [_timed(row.ours, pair) for pair in pairs]
    cells = [row.name, _median_ms(ours), "–", "–", "–"]
    if row.helm:
        row.helm(*pairs[0])
        helm = [_timed(row.helm, pair, repeats=1) for pair in pairs]
        both = list(zip(ours, helm, strict=True))
        ratio = statistics.median(theirs.seconds / mine.seconds for mine, theirs in both)
        cells[2:4] = _median_ms(helm), f"{ratio:.1f}"
        if row.same:
            cells[4] = f"{max(abs(mine.value - theirs.value) for mine, theirs in both):.1e}"
    return f"| {' | '.join(cells)} |"


def _print_growth(helm: AnnotatedImageMetrics, pair: Pair) -> None:
    """Shows how the cost of EMS grows with size and with the number of patches."""
    print("\n| one webpage | patches | ours, ms | HELM, ms | ratio | Δ |")
    print("|---|---|---|---|---|---|")
    cases = [(width, 100) for width in (320, 640, 1280, 1920, 3840)]
    cases += [(1280, patches) for patches in (25, 50, 200, 400)]
    for width, patches in cases:
        size = (width, width * 9 // 16)
        scaled = [picture.resize(size) for picture in pair]
        settings = EmsSettings(max_num_patches=patches)

        ours = _cold(partial(metrics.earth_mover_similarity, settings=settings))
        mine = _timed(ours, scaled)
        line = f"| {width}×{size[1]} | {patches} | {1000 * mine.seconds:.0f} |"
        if patches <= 200:  # 400 would take minutes
            other = _timed(partial(helm.ems, max_num_patches=patches), scaled, repeats=1)
            line += f" {1000 * other.seconds:.0f} | {other.seconds / mine.seconds:.0f} |"
            line += f" {abs(mine.value - other.value):.1e} |"
        else:
            line += " – | – | – |"
        print(line)


class Timed(NamedTuple):
    seconds: float
    value: float


def _timed(metric: Metric, pair: Sequence[Any], repeats: int = 3) -> Timed:
    def once() -> Timed:
        start = time.process_time()
        value = metric(*pair)
        return Timed(time.process_time() - start, float(value))

    return min(once() for _ in range(repeats))


def _median_ms(timed: Sequence[Timed]) -> str:
    return f"{1000 * statistics.median(one.seconds for one in timed):.2f}"


def _golden_pairs() -> list[Pair]:
    def read(name: str) -> Image.Image:
        return Image.open(GOLDEN / "images" / name)

    return [
        metrics.match_sizes(read(row["prediction"]), read(row["reference"]), row["size_handling"])
        for row in json.loads((GOLDEN / "image_metrics.json").read_text())
    ]


def _text_pairs() -> list[Pair]:
    """Returns texts of 50 to 3,000 words and copies in which every tenth word differs."""
    rng = np.random.default_rng(0)
    words = np.array(["\\frac", "{", "}", "x_i", "^2", "&", "\\hline", "the", "value", "of", "="])
    pairs = []
    for length in np.geomspace(50, 3000, 12).astype(int):
        text = rng.choice(words, length)
        other = np.where(rng.random(length) < 0.1, rng.choice(words, length), text)
        pairs.append((" ".join(other), " ".join(text)))
    return pairs


if __name__ == "__main__":
    main()
