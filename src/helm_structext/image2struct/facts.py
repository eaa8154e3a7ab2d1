"""What describes the rows of Image2Struct's datasets."""

import json
from collections.abc import Iterator
from functools import partial

from helm_structext.data.sources import Row, find_configs
from helm_structext.image2struct.format_rows import format_rows, formats_of
from helm_structext.image2struct.results import LABELS
from helm_structext.image2struct.rows import read_texts, rows_of
from helm_structext.image2struct.tasks import DOMAINS, FORMATS_ENTRY, format_domain
from helm_structext.results.descriptions import RowFacts


def describe_source(entry: str, source: str, revision: str) -> Iterator[RowFacts]:
    """Yields what describes each row of a domain, whichever subset it is of.

    Args:
        entry: the name of the run entry; of ours, which has no domain of its own, all formats are described.
        source: ``hub``, ``sample`` or a folder.
        revision: of the published dataset.

    Raises:
        SetupError: the source can't be read, or a row is not as it should be.
    """
    if entry == FORMATS_ENTRY:
        if source == "hub":  # of ours, nothing is published
            return
        for format in formats_of(source):
            for subset in DOMAINS[format_domain(format)].subsets:
                for row in format_rows(format, subset, source):
                    yield _of_row(row, format_domain(format), subset)
        return
    domain = DOMAINS[entry]
    seen = set()  # a folder of pictures alone has the same ones for each subset
    for subset in find_configs(
        source,
        benchmark=entry,
        dataset=domain.dataset,
        configs=(*domain.wild_subsets, *domain.subsets),
        splits=("validation",),
        revision=revision,
    ):
        for row in rows_of(entry, subset, "all", source, revision):
            if (uuid := row.text("uuid")) not in seen:
                seen.add(uuid)
                yield _of_row(row, entry, subset)


def _of_row(row: Row, domain: str, subset: str) -> RowFacts:
    found = read_texts(row, DOMAINS[domain], subset)
    groups = {"Domain": LABELS[domain], "Subset": subset}
    if row.has("difficulty"):
        groups["Difficulty"] = row.text("difficulty")
    code = found["oracle"]
    if DOMAINS[domain].format == "webpage" and code is not None:  # which is files in JSON
        code = "\n".join(file["content"] for file in json.loads(code))
    texts = {"Code": code, "Text": found["text"] or None}
    return RowFacts(
        groups,
        {"Assets": float(len(found["assets"]))} if found["assets"] else {},
        {name: text for name, text in texts.items() if text is not None},
        row.text("uuid"),
        size=row.picture_size("image"),
        load=partial(row.picture, "image"),
    )
