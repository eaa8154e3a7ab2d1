"""Asks and scores what Image2Struct's runs do.

Image2Struct: Benchmarking Structure Extraction for Vision-Language Models. Roberts, Lee, Wong,
Yasunaga, Mai and Liang, NeurIPS 2024 (Datasets and Benchmarks).

A model sees a picture and writes the code that draws it. A completion that did not render scores 0 in
every similarity and has no distance; ``earth_mover_similarity_rendered`` leaves it out. A metric that
fails on a pair that rendered is left out too, counted in ``metric_errors`` and named in the log:
never a silent 0. Metrics whose weights are not there are left out with one line in the log.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from helm_structext.data import Row
from helm_structext.findings import Findings, compare_told
from helm_structext.formats import FORMATS
from helm_structext.image2struct.perturbations import perturb
from helm_structext.image2struct.picture_scores import measurable
from helm_structext.image2struct.reference_layouts import reference_layout
from helm_structext.image2struct.rows import (
    Image2StructQuestion,
    read_problem,
    round_of,
    rows_of,
    rows_of_run,
    scene_of,
    store_assets,
)
from helm_structext.image2struct.run_metrics import Known, RunMetrics, compute_anew
from helm_structext.image2struct.scores import comparable_texts
from helm_structext.image2struct.tasks import DOMAINS, Image2StructArguments
from helm_structext.processes import map_in_threads
from helm_structext.renderers import Rendering, render_completion
from helm_structext.renderers.page_layout import Told
from helm_structext.scoring.handling import INTERNAL_ERROR, MISSING_RESOURCES, Failure, handle
from helm_structext.scoring.scorer import (
    SCORES_VERSION,
    Compute,
    Door,
    Input,
    InstanceKey,
    Kept,
    Remember,
    Scored,
    Scorer,
    make_scored,
)
from helm_structext.storage.cache import (
    cache_folder,
    content_key,
    mark_used,
    read_stored,
    renderings_folder,
    store,
)


@dataclass(frozen=True)
class PictureTarget:
    """What a completion is compared with, and what it may use.

    Args:
        id: of the instance.
        picture: a PNG file.
        text: the structure reduced to its content; empty where there is none.
        assets: name to file.
        code: a file of what draws the picture, where what lies on it is compared; else None.
    """

    id: str
    picture: Path
    text: str
    assets: Mapping[str, Path]
    code: Path | None = None


def scorer(arguments: Image2StructArguments, door: Door) -> Scorer[PictureTarget]:
    """Returns what a run asks, and how completions are scored.

    Args:
        arguments: those of the run.
        door: remembers what pairs of pictures and of texts came to.
    """
    name = arguments.domain
    domain = DOMAINS[name]
    structured = domain.has_structure(arguments.subset)
    # The paper has no such metrics, so that its runs stay what they were.
    has_layout = structured and arguments.protocol == "corrected"
    run_metrics = RunMetrics(domain.size_handling, structured, has_layout)
    counts = [MISSING_RESOURCES, INTERNAL_ERROR]
    metrics = [*run_metrics.failed(None), *counts]  # says now which are left out
    rows = arguments.difficulty, arguments.source, arguments.revision

    def read(found: tuple[Row, str]) -> Input:
        row, part = found
        problem = read_problem(row, domain, part)
        details = {column: row.text(column) for column in ("difficulty", "date") if row.has(column)}
        if of_round := round_of(row):
            details["round"] = of_round
        details |= scene_of(row)
        if row.has("download_url"):  # several pictures may come from one paper
            details["origin"] = row.text("download_url")
        return Input(
            InstanceKey(part, problem.uuid),
            problem.prompt,
            domain.format,
            perturb(problem.picture, arguments.perturbation, arguments.severity),
            problem.text,
            problem.picture,
            problem.oracle,
            FORMATS[domain.format].blank,
            problem.assets,
            details,
            row.dataset,
            problem.oracle if has_layout else None,
        )

    def inputs() -> Iterator[Input]:
        # Most of the time goes to decoding pictures, which threads do at once.
        return map_in_threads(read, rows_of_run(name, arguments.subset, *rows))

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, PictureTarget]]:
        for part in arguments.subsets:
            for row in rows_of(name, part, *rows):
                if (uuid := row.text("uuid")) in ids:
                    problem = read_problem(row, domain, part)
                    yield InstanceKey(part, uuid), _keep_target(problem, has_code=has_layout)

    def recall(kept: Kept) -> PictureTarget:
        assert kept.target_picture is not None
        return PictureTarget(kept.id, kept.target_picture, kept.target, kept.assets, kept.code)

    def score(reference: PictureTarget, completion: str) -> Scored:
        what = f"instance {reference.id}"
        code = [reference.code] if reference.code else []
        for path in (reference.picture, *reference.assets.values(), *code):
            mark_used(path)
        rendering = handle(
            f"rendering of {what}",
            lambda: render_completion(
                domain.format,
                completion,
                assets=reference.assets,
                protocol=arguments.protocol,
                cache=renderings_folder(),
                layout=has_layout,
            ),
        )
        wanted: Told = None, ""
        if has_layout:
            wanted = reference_layout(
                domain.format, reference.code, reference.assets, arguments.protocol
            )
        if isinstance(rendering, Failure):
            kind = rendering.kind
            return make_scored(
                f"metrics of {what}",
                lambda: run_metrics.failed(kind, measurable(wanted[0])),
                [rendering.excuse(arguments.missing)],
                missing=rendering.missing,
            )
        assert isinstance(rendering, Rendering)  # the format is one of pictures
        picture, text = rendering.path, rendering.text
        told: Told = rendering.layout, rendering.layout_reason
        assert picture is not None  # there is a cache
        pictures = picture, reference.picture
        texts = comparable_texts((text, reference.text), domain.format, arguments.protocol)

        def compare() -> dict[str, float | None]:
            known = _remember_values(door.remember, run_metrics, pictures, texts)
            layouts = (told[0], wanted[0]) if told[0] and wanted[0] else None
            return run_metrics.rendered(what, pictures, texts, known, layouts)

        return make_scored(
            f"metrics of {what}",
            compare,
            missing=rendering.missing,
            blank=bool(rendering.cause),
            picture=picture,
            text=text,
            seconds=rendering.seconds,
            findings=_findings(what, told, wanted) if has_layout else None,
        )

    return Scorer(
        metrics=metrics,
        statistics=[*run_metrics.names, MISSING_RESOURCES],
        inputs=inputs,
        find=find,
        recall=recall,
        score=score,
        parted=arguments.subset == "all",
        split="valid",
    )


def _remember_values(
    remember: Remember | None,
    run_metrics: RunMetrics,
    pictures: tuple[Path, Path],
    texts: tuple[str, str],
) -> Known:
    """Remembers what the same pictures and texts came to."""
    if remember is None:
        return compute_anew
    rendering, reference = pictures
    pair = content_key(rendering.read_bytes(), read_stored(reference), run_metrics.size_handling)
    contents = {"pictures": pair, "neural": pair, "texts": content_key(*texts)}

    def known(group: str, compute: Compute) -> dict[str, float]:
        key = {"version": SCORES_VERSION, "group": group, "content": contents[group]}
        return remember(key, compute)

    return known


def _findings(what: str, told: Told, wanted: Told) -> Findings | None:
    """What is wrong with a picture; None where that can't be found out for a mistake of ours, which the log has."""
    found = handle(f"findings of {what}", lambda: compare_told(told, wanted))
    return None if isinstance(found, Failure) else found


def _keep_target(problem: Image2StructQuestion, *, has_code: bool) -> PictureTarget:
    """Puts a problem's files where other processes find them: pictures are compared in some."""
    folder = cache_folder() / "references"
    picture = store(folder, problem.picture, "png")
    code = None
    if has_code and problem.oracle is not None:
        code = store(folder, problem.oracle.encode("utf-8", "replace"), "txt")
    return PictureTarget(problem.uuid, picture, problem.text, store_assets(folder, problem), code)
