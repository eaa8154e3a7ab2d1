"""Scores completions of Image2Struct's runs without HELM."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.cache import cache_folder, mark_used, renderings_folder, store
from helm_structext.handling import Failure, handle
from helm_structext.image2struct.comparison import Comparison
from helm_structext.image2struct.rows import Problem, read_problem, rows_of, store_assets
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.renderers import render_completion
from helm_structext.results.runs import InstanceKey
from helm_structext.scoring import Scored, Scorer, scored


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
    """Returns how the completions of a run are scored.

    Args:
        arguments: all that the parts of the run get (`helm_structext.results.runs.Run.all_arguments`).
    """
    name, protocol = arguments["domain"], arguments["protocol"]
    domain = DOMAINS[name]
    comparison = Comparison(arguments["size_handling"], arguments["has_structure"])
    subset = arguments["subset"]
    rows = arguments["difficulty"], arguments["source"], arguments["revision"]

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

    return Scorer(find, score)


def _kept(problem: Problem) -> Reference:
    """Puts a problem's files where other processes find them: pictures are compared in some."""
    folder = cache_folder() / "references"
    picture = store(folder, problem.picture, "png")
    return Reference(problem.uuid, picture, problem.text, store_assets(folder, problem))
