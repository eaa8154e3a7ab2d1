"""Vega's example data: where public charts find it, and the file of the locked package."""

from helm_structext.patterns import Pattern
from helm_structext.renderers.web.javascript import packages
from helm_structext.renderers.web.local_files import local_reply
from helm_structext.renderers.web.tab import PageResponse

FOLDERS = "vega-datasets/data", "vega-datasets-1/data"
"""Of the newest release, and of the last one that has files which later ones lack."""
ADDRESS = Pattern(r"(?:(?:[\w.@-]+/){0,9}data/)([\w.-]+)")


def read_example_data(path: str) -> PageResponse | None:
    """Returns the file of example data that a path leads to, or None: it is not one.

    Args:
        path: below a host or a repository of Vega's, or relative, as examples have it.

    >>> read_example_data("vega-datasets/data/cars.json").type
    'application/json'
    >>> read_example_data("data/sales.csv") is None, read_example_data("cars.json") is None
    (True, True)
    """
    if (found := ADDRESS.fullmatch(path)) is None:
        return None
    replies = (local_reply(packages(), f"{folder}/{found[1]}") for folder in FOLDERS)
    return next(filter(None, replies), None)
