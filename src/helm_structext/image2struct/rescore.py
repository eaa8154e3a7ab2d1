"""An existing HELM suite of Image2Struct, rendered and scored again without asking any model.

HELM's own runs (``image2latex``, ``image2webpage``, ``image2musicsheet``) hold the completions and
the paths of the pictures; its scores are compared with ours.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.image2struct.scores import DISTANCES, PICTURE_METRICS, TEXT_METRICS
from helm_structext.image2struct.scoring import attempt, score_pictures
from helm_structext.image2struct.tasks import DOMAINS, Domain
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName
from helm_structext.renderers import render_completion
from helm_structext.results.answers import unhandled_note
from helm_structext.results.runs import REMEDY, read_as_helm_writes
from helm_structext.results.tabular import markdown
from helm_structext.sandbox import worker_count
from helm_structext.scoring.handling import INTERNAL, INTERNAL_ERROR, Failure, handle
from helm_structext.storage.cache import content_key
from helm_structext.storage.files import read_json
from helm_structext.threads import thread_pool

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
class Rescored:
    """One answer's scores before and now.

    Args:
        key: of the answer, how it was scored and by which release.
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

    key: str
    run: str
    model: str
    domain: str
    subset: str
    instance: str
    old: dict[str, float]
    new: dict[str, float]
    error: str


def rescore(
    folder: Path,
    root: Path,
    cache: Path,
    protocol: ProtocolName = DEFAULT_PROTOCOL,
    done: int = 0,
) -> Iterator[Rescored]:
    """Renders and scores every completion of a suite of HELM's own Image2Struct runs.

    Args:
        folder: the suite, such as ``benchmark_output/runs/v1.0.1``.
        root: the folder that HELM ran in: the pictures' paths are relative to it.
        cache: a folder for renderings.
        protocol: ``published`` or ``corrected``.
        done: how many of the first ones are left out.

    Raises:
        SetupError: there are no such runs, a picture is missing, or this machine can't render.
    """
    with thread_pool(worker_count()) as pool:
        for run in _runs(folder):
            with read_as_helm_writes(run):
                states = _states(run)
                rest = states[done:]
                done -= len(states) - len(rest)
                if not rest:
                    continue
                spec = read_json(run / "run_spec.json", REMEDY)
                domain = _domain(run)
                subset = spec["scenario_spec"]["args"].get("subset", "all")
                old = _old_scores(run / "per_instance_stats.json")
                scored = pool.map(
                    lambda state, domain=domain, subset=subset: _handled(
                        state,
                        DOMAINS[domain],
                        DOMAINS[domain].has_structure(subset),
                        root,
                        cache,
                        protocol,
                    ),
                    rest,
                )
                for state, (new, error) in zip(rest, scored, strict=True):
                    instance = state["instance"]["id"]
                    yield Rescored(
                        key=_key(run.name, protocol, state),
                        run=run.name,
                        model=spec["adapter_spec"]["model"],
                        domain=domain,
                        subset=subset,
                        instance=instance,
                        old=old.get(instance, {}),
                        new=new,
                        error=error,
                    )


def answer_keys(folder: Path, protocol: ProtocolName) -> Iterator[str]:
    """Yields the key of each result of `rescore`, without rendering anything.

    Raises:
        SetupError: there are no such runs, or one can't be read.
    """
    for run in _runs(folder):
        with read_as_helm_writes(run):
            yield from (_key(run.name, protocol, state) for state in _states(run))


def _runs(folder: Path) -> list[Path]:
    runs = [path.parent for path in sorted(folder.glob("*/scenario_state.json"))]
    ours = [run for run in runs if run.name.partition(":")[0] in HELM_DOMAINS]
    if not ours:
        raise SetupError(f"{folder} holds no runs of {', '.join(HELM_DOMAINS)}")
    return ours


def _domain(run: Path) -> str:
    return HELM_DOMAINS[run.name.partition(":")[0]]


def _states(run: Path) -> list[dict[str, Any]]:
    states: list[dict[str, Any]] = read_json(run / "scenario_state.json", REMEDY)["request_states"]
    return states


def _key(run: str, protocol: ProtocolName, state: Mapping[str, Any]) -> str:
    completion = state["result"]["completions"][0]["text"]
    instance = json.dumps(state["instance"])
    return content_key(__version__, protocol, run, instance, completion)[:16]


def _handled(
    state: dict[str, Any],
    domain: Domain,
    structured: bool,
    root: Path,
    cache: Path,
    protocol: ProtocolName,
) -> tuple[dict[str, float], str]:
    texts = TEXT_METRICS if structured else {}
    what = f"scores of instance {state['instance']['id']}"
    scored = handle(what, lambda: _score(state, domain, texts, root, cache, protocol))
    if not isinstance(scored, Failure):
        return scored
    if scored.kind == INTERNAL:
        return {INTERNAL_ERROR: 1.0}, str(scored)
    zeros = dict.fromkeys((*(PICTURE_METRICS.keys() - DISTANCES), *texts), 0.0)
    return {"compilation_success": 0.0, **zeros}, str(scored)


def _score(
    state: dict[str, Any],
    domain: Domain,
    texts: TextMetrics,
    root: Path,
    cache: Path,
    protocol: ProtocolName,
) -> tuple[dict[str, float], str]:
    references = state["instance"]["references"]
    completion = state["result"]["completions"][0]["text"]
    rendered = render_completion(
        domain.format,
        completion,
        protocol=protocol,
        assets=_assets(references, root),
        cache=cache,
    )
    output = references[0]["output"]
    reference = root / output["multimedia_content"]["media_objects"][0]["location"]
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
    if errors:
        values[INTERNAL_ERROR] = 1.0
    return values, "; ".join(f"{name}: {error}" for name, error in errors.items())


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
    """Returns tables of old and new means, with each model's rank by EMS before and now."""
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
        lost = {
            model: sum(r.model == model and INTERNAL_ERROR in r.new for r in ours)
            for model in models
        }
        note = unhandled_note(lost)
        title = f"{domain}, {subset}: {count} instances{'.' if note else ''}{note}"
        tables.append(f"{title}\n\n{markdown(header, rows)}")
    return "\n\n".join(tables)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _ranks(means: dict[str, float | None]) -> dict[str, int]:
    """Ranks from 1 on, higher means first; equal means share a rank."""
    ordered = sorted((-1.0 if mean is None else mean for mean in means.values()), reverse=True)
    return {
        model: ordered.index(-1.0 if mean is None else mean) + 1 for model, mean in means.items()
    }
