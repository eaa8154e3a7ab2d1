"""What runs of Image2Struct will take."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from helm_structext.data import NEWEST, Row
from helm_structext.image2struct.rows import read_problem, read_texts, rows_of
from helm_structext.image2struct.run_metrics import RunMetrics
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS, Domain
from helm_structext.planning.records import (
    Arguments,
    Dataset,
    Expected,
    Job,
    Planning,
    picture_tokens,
    text_tokens,
)
from helm_structext.protocols import DEFAULT_PROTOCOL, OWN_PROTOCOL, ProtocolName
from helm_structext.storage.cache import store

INSTANCES = 300
"""Of each published subset with a ground truth; a third of each difficulty."""
WILD_INSTANCES = 50


def _subsets(arguments: Arguments) -> tuple[str, ...]:
    subset: str = arguments["subset"]
    return DOMAINS[arguments["domain"]].subsets if subset == "all" else (subset,)


def _datasets(arguments: Arguments) -> list[Dataset]:
    name = DOMAINS[arguments["domain"]].dataset
    subsets = _subsets(arguments) if name else ()  # of ours, nothing is published
    return [Dataset(name, subset, ("validation",), arguments["revision"]) for subset in subsets]


def _expect(arguments: Arguments) -> list[Expected]:
    source, revision = arguments["source"], arguments["revision"]
    return [
        of_row
        for subset in _subsets(arguments)
        for level, of_row in _of_subset(arguments["domain"], subset, source, revision)
        if arguments["difficulty"] in ("all", level)
    ]


@lru_cache(maxsize=32)
def _of_subset(
    name: str, subset: str, source: str, revision: str
) -> Sequence[tuple[str, Expected]]:
    """The difficulty of each row, and what is expected of it."""
    rows = rows_of(name, subset, "all", source, revision)
    return [
        (
            row.text("difficulty") if row.has("difficulty") else "",
            _of_row(row, DOMAINS[name], subset),
        )
        for row in rows
    ]


def _of_row(row: Row, domain: Domain, subset: str) -> Expected:
    texts = read_texts(row, domain, subset)
    return Expected(
        text_tokens(texts["prompt"]) + picture_tokens(row.picture_size("image")),
        None if texts["oracle"] is None else text_tokens(texts["oracle"], code=True),
        pictures=1,
        format=domain.format,
    )


def _find_published(arguments: Arguments) -> tuple[int, Arguments]:
    difficulty, subset = arguments["difficulty"], arguments["subset"]
    wild = subset in DOMAINS[arguments["domain"]].wild_subsets
    total = WILD_INSTANCES if wild else INSTANCES * len(_subsets(arguments))
    sample = {"source": "sample", "revision": NEWEST, "difficulty": "all"}
    like = {**arguments, **sample, "subset": "wild" if wild else subset}
    return total if difficulty == "all" else total // 3, like


def _jobs(format: str) -> Iterator[Job]:
    """Yields what is done with an answer in one of the domains' formats, of all subsets in turn."""
    for name, domain in DOMAINS.items():
        if domain.format == format:
            protocol = DEFAULT_PROTOCOL if name in PUBLISHED_DOMAINS else OWN_PROTOCOL
            parts = [rows_of(name, subset, "all", "sample") for subset in domain.subsets]
            for rows in zip_longest(*parts):
                for row, subset in zip(rows, domain.subsets, strict=True):
                    if row is not None:
                        yield partial(_render_and_score, domain, row, subset, protocol)


def _render_and_score(domain: Domain, row: Row, subset: str, protocol: ProtocolName) -> None:
    from helm_structext.renderers import render

    problem = read_problem(row, domain, subset)
    assert problem.oracle is not None  # these subsets have a ground truth
    with TemporaryDirectory() as folder:
        reference = store(Path(folder), problem.picture, "png")
        drawn = render(
            domain.format, problem.oracle, protocol=protocol, assets=problem.assets, cache=folder
        )
        assert drawn.path is not None  # there is a cache
        run_metrics = RunMetrics(domain.size_handling, has_structure=True)
        run_metrics.rendered("the sample", (drawn.path, reference), (drawn.text, problem.text))


PLANNING = Planning(_datasets, _expect, _find_published, _jobs)
