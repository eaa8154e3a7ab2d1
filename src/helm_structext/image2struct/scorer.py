"""Asks and scores what Image2Struct's runs do, without HELM."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.data import Row
from helm_structext.image2struct.comparison import Comparison
from helm_structext.image2struct.perturbations import perturb
from helm_structext.image2struct.rows import (
    Problem,
    read_problem,
    rows_of,
    rows_of_run,
    store_assets,
)
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.processes import map_in_threads
from helm_structext.renderers import render_completion
from helm_structext.results.runs import InstanceKey
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import Input, Scored, Scorer, scored
from helm_structext.storage.cache import cache_folder, mark_used, renderings_folder, store


@dataclass(frozen=True)
class Reference:
    """What a completion is compared with, and what it may use.

    Args:
        id: of the instance.
        picture: a PNG file.
        text: the structure reduced to its content; empty where there is none.
        assets: name to file.
    """

    id: str
    picture: Path
    text: str
    assets: Mapping[str, Path]


def scorer(arguments: Mapping[str, Any]) -> Scorer[Reference]:
    """Returns what a run asks, and how completions are scored.

    Args:
        arguments: all that the parts of the run get (`helm_structext.results.runs.Run.all_arguments`).
    """
    name, protocol = arguments["domain"], arguments["protocol"]
    domain = DOMAINS[name]
    comparison = Comparison(arguments["size_handling"], arguments["has_structure"])
    subset = arguments["subset"]
    rows = arguments["difficulty"], arguments["source"], arguments["revision"]
    worse = arguments["perturbation"], arguments["severity"]

    def read(found: tuple[Row, str]) -> Input:
        row, part = found
        problem = read_problem(row, domain, part)
        seen = perturb(problem.picture, *worse)
        key = InstanceKey(part, problem.uuid)
        return Input(key, problem.prompt, seen, problem.text, row.dataset)

    def inputs() -> Iterator[Input]:
        return map_in_threads(read, rows_of_run(name, subset, *rows))

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, Reference]]:
        for part in domain.subsets if subset == "all" else (subset,):
            for row in rows_of(name, part, *rows):
                if (uuid := row.text("uuid")) in ids:
                    yield InstanceKey(part, uuid), _kept(read_problem(row, domain, part))

    def score(reference: Reference, completion: str) -> Scored:
        what = f"instance {reference.id}"
        for path in (reference.picture, *reference.assets.values()):
            mark_used(path)
        rendering = handle(
            f"rendering of {what}",
            lambda: render_completion(
                domain.format,
                completion,
                assets=reference.assets,
                protocol=protocol,
                cache=renderings_folder(),
            ),
        )
        if isinstance(rendering, Failure):
            kind = rendering.kind
            return scored(f"metrics of {what}", lambda: comparison.failed(kind), [rendering])
        picture, text = rendering.path, rendering.text
        assert picture is not None  # there is a cache
        return scored(
            f"metrics of {what}",
            lambda: comparison.rendered(what, (picture, reference.picture), (text, reference.text)),
            picture=picture,
        )

    return Scorer([*comparison.failed(None), INTERNAL_ERROR], inputs, find, score)


def _kept(problem: Problem) -> Reference:
    """Puts a problem's files where other processes find them: pictures are compared in some."""
    folder = cache_folder() / "references"
    picture = store(folder, problem.picture, "png")
    return Reference(problem.uuid, picture, problem.text, store_assets(folder, problem))
