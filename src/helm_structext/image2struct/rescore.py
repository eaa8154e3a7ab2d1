"""An existing HELM suite of Image2Struct, rendered and scored again without asking any model.

HELM's own runs (``image2latex``, ``image2webpage``, ``image2musicsheet``) hold the completions and
the paths of the pictures; its scores are compared with ours.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from helm_structext.errors import MISSING, MissingResource, SetupError
from helm_structext.image2struct.picture_scores import attempt, score_pictures
from helm_structext.image2struct.scores import PICTURE_METRICS, TEXT_METRICS, failed_scores
from helm_structext.image2struct.tasks import DOMAINS, Domain
from helm_structext.renderers import render_completion
from helm_structext.results.answers import Unscored, undrawn_note, unscored_note
from helm_structext.results.defects import CheckedAnswer, defects_text
from helm_structext.results.missing_resources import missing_text
from helm_structext.results.runs import REMEDY, read_as_helm_writes
from helm_structext.results.tabular import markdown
from helm_structext.scoring.handling import INTERNAL, INTERNAL_ERROR, UNDRAWN, Failure, handle
from helm_structext.scoring.rescoring import RescoredAnswer, Rescoring, RescoringOptions
from helm_structext.scoring.scorer import SCORES_VERSION
from helm_structext.storage.cache import content_key, renderings_folder
from helm_structext.storage.files import read_json

HELM_DOMAINS = {
    "image2latex": "image2struct_latex",
    "image2webpage": "image2struct_webpage",
    "image2musicsheet": "image2struct_music",
}
OUR_NAMES = {
    "ssim_similarity": "structural_similarity",
    "pixel_similarity": "pixel_similarity_published",
}
"""HELM's metrics that have another name here; its others keep theirs."""


TextMetrics = Mapping[str, Callable[[str, str], float]]


@dataclass(frozen=True)
class Rescored(RescoredAnswer):
    """One answer's scores before and now.

    Args:
        key: of the answer, how it was scored and by which release. See `RescoredAnswer`, as for `missing`
            and `passport`.
        run: name of the run's folder.
        model: name of the model.
        domain: our name of the domain.
        subset: such as ``equation``.
        instance: id of the instance in the run.
        old: HELM's scores under our names.
        new: our scores; a metric that does not apply is absent, and so are those of an answer that
            could not be handled (`helm_structext.scoring.handling`), which is counted instead.
        error: why the completion did not render, or a metric has no value; "" if all is well.
    """

    run: str
    model: str
    domain: str
    subset: str
    instance: str
    old: dict[str, float]
    new: dict[str, float]
    error: str


@dataclass(frozen=True)
class HelmAnswer:
    """A request of a run of HELM's own, with its completion and the scores that HELM gave it."""

    run: str
    model: str
    domain: str
    subset: str
    instance: Mapping[str, Any]
    completion: str
    old: Mapping[str, float]


def prepare_rescoring(folder: Path, options: RescoringOptions) -> Rescoring[HelmAnswer]:
    """Returns how a suite of HELM's own Image2Struct runs is scored again.

    Args:
        folder: the suite, such as ``benchmark_output/runs/v1.0.1``.
        options: of which ``root`` counts, to which the pictures' paths are relative, and the protocol.
    """
    return Rescoring(
        Rescored,
        lambda: _answers(folder),
        lambda answer: _key(answer, options),
        lambda answer: _rescore(answer, options),
        summary,
    )


def _answers(folder: Path) -> Iterator[HelmAnswer]:
    for run in _runs(folder):
        with read_as_helm_writes(run):
            spec = read_json(run / "run_spec.json", REMEDY)
            old = _old_scores(run / "per_instance_stats.json")
            for state in read_json(run / "scenario_state.json", REMEDY)["request_states"]:
                yield HelmAnswer(
                    run.name,
                    spec["adapter_spec"]["model"],
                    HELM_DOMAINS[run.name.partition(":")[0]],
                    spec["scenario_spec"]["args"].get("subset", "all"),
                    state["instance"],
                    state["result"]["completions"][0]["text"],
                    old.get(state["instance"]["id"], {}),
                )


def _runs(folder: Path) -> list[Path]:
    runs = [path.parent for path in sorted(folder.glob("*/scenario_state.json"))]
    ours = [run for run in runs if run.name.partition(":")[0] in HELM_DOMAINS]
    if not ours:
        raise SetupError(f"{folder} holds no runs of {', '.join(HELM_DOMAINS)}")
    return ours


def _key(answer: HelmAnswer, options: RescoringOptions) -> str:
    instance = json.dumps(answer.instance)
    parts = SCORES_VERSION, options.protocol, answer.run, instance, answer.completion
    return content_key(*parts)[:16]


def _rescore(answer: HelmAnswer, options: RescoringOptions) -> Rescored:
    domain, instance = DOMAINS[answer.domain], answer.instance["id"]
    texts = TEXT_METRICS if domain.has_structure(answer.subset) else {}
    scored = handle(
        f"scores of instance {instance}", lambda: _score(answer, domain, texts, options)
    )
    if isinstance(scored, Failure):
        failed = failed_scores([*PICTURE_METRICS, *texts])
        known = {name: value for name, value in failed.items() if value is not None}
        new = {"compilation_success": 0.0, **known}
        if scored.kind == MISSING:
            new[UNDRAWN] = 1.0
        unknown = scored.kind == INTERNAL
        values = {INTERNAL_ERROR: 1.0} if unknown else new
        error, missing = str(scored), None if unknown else scored.missing
    else:
        values, error, missing = scored
    return Rescored(
        key=_key(answer, options),
        run=answer.run,
        model=answer.model,
        domain=answer.domain,
        subset=answer.subset,
        instance=instance,
        old=dict(answer.old),
        new=values,
        error=error,
        missing=missing,
    )


def _score(
    answer: HelmAnswer, domain: Domain, texts: TextMetrics, options: RescoringOptions
) -> tuple[dict[str, float], str, Sequence[MissingResource]]:
    references = answer.instance["references"]
    rendered = render_completion(
        domain.format,
        answer.completion,
        protocol=options.protocol,
        assets=_assets(references, options.root),
        cache=renderings_folder(),
    )
    output = references[0]["output"]
    reference = options.root / output["multimedia_content"]["media_objects"][0]["location"]
    if not reference.is_file():
        raise SetupError(
            f"the picture {reference} of the suite is missing; "
            f"--root names the folder that HELM ran in"
        )
    assert rendered.path is not None  # there is a cache
    pictures = score_pictures(rendered.path, reference, domain.size_handling)
    written = attempt(texts, (rendered.text, output["text"]))
    errors = {**pictures.errors, **written.errors}
    values = {"compilation_success": 1.0, **pictures.values, **written.values}
    if rendered.cause:
        values[UNDRAWN] = 1.0
    if errors:
        values[INTERNAL_ERROR] = 1.0
    said = "; ".join(f"{name}: {error}" for name, error in errors.items())
    return values, said, rendered.missing


def _assets(references: list[dict[str, Any]], root: Path) -> dict[str, Path]:
    """HELM keeps the assets' paths and names in two more references."""
    tagged = {tag: reference["output"] for reference in references for tag in reference["tags"]}
    if "asset_path" not in tagged:
        return {}
    paths = [
        item["location"] for item in tagged["asset_path"]["multimedia_content"]["media_objects"]
    ]
    names = [item["text"] for item in tagged["asset_name"]["multimedia_content"]["media_objects"]]
    return {name: root / path for name, path in zip(names, paths, strict=True)}


def _old_scores(path: Path) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for entry in read_json(path, REMEDY):
        values = {
            OUR_NAMES.get(stat["name"]["name"], stat["name"]["name"]): stat["mean"]
            for stat in entry["stats"]
            if stat["count"]
        }
        scores.setdefault(entry["instance_id"], {}).update(values)
    return scores


def summary(results: Sequence[Rescored]) -> str:
    """Returns tables of old and new means, with each model's rank by EMS, and of what looks wrong."""
    tables = []
    for domain, subset in sorted({(result.domain, result.subset) for result in results}):
        ours = [r for r in results if (r.domain, r.subset) == (domain, subset)]
        models = sorted({result.model for result in ours})
        mean = {
            (model, when, metric): _mean(
                getattr(result, when).get(metric) for result in ours if result.model == model
            )
            for model in models
            for when in ("old", "new")
            for metric in ("compilation_success", "earth_mover_similarity")
        }
        ranks = {
            when: _ranks({m: mean[m, when, "earth_mover_similarity"] for m in models})
            for when in ("old", "new")
        }
        rows = [
            [
                model,
                *(
                    mean[model, when, metric]
                    for metric in ("compilation_success", "earth_mover_similarity")
                    for when in ("old", "new")
                ),
                f"{ranks['old'][model]} → {ranks['new'][model]}",
            ]
            for model in sorted(models, key=ranks["new"].__getitem__)
        ]
        header = ["Model", "rendered, old", "new", "EMS, old", "new", "rank"]
        count = len({result.instance for result in ours})
        lost: Unscored = Counter((INTERNAL, r.model) for r in ours if INTERNAL_ERROR in r.new)
        note = undrawn_note(sum(UNDRAWN in r.new for r in ours)) + unscored_note(lost)
        title = f"{domain}, {subset}: {count} instances{'.' if note else ''}{note}"
        tables.append(f"{title}\n\n{markdown(header, rows)}")
    lacking = missing_text((result.missing, UNDRAWN in result.new) for result in results)
    return "\n\n".join(filter(None, [*tables, lacking, defects_text(checked_answers(results))]))


def checked_answers(results: Iterable[Rescored]) -> Iterator[CheckedAnswer]:
    """Yields the answers that HELM scored as `find_defects` reads them."""
    for result in results:
        if {"compilation_success", "earth_mover_similarity"} <= result.old.keys():
            yield CheckedAnswer(
                f"{result.model}, {result.domain}, {result.subset}",
                result.instance,
                result.old["earth_mover_similarity"],
                result.old["compilation_success"] > 0,
                drawn=result.new["compilation_success"] > 0
                if "compilation_success" in result.new
                else None,
            )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _ranks(means: dict[str, float | None]) -> dict[str, int]:
    """Ranks from 1 on, higher means first; equal means share a rank."""
    ordered = sorted((-1.0 if mean is None else mean for mean in means.values()), reverse=True)
    return {
        model: ordered.index(-1.0 if mean is None else mean) + 1 for model, mean in means.items()
    }
