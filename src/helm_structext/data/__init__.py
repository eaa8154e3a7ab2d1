"""Where rows come from: the Hub, a folder in the same schema, or the embedded samples."""

from helm_structext.data.hub import NEWEST
from helm_structext.data.sources import Row, load_rows, provenance, source_label

__all__ = ["NEWEST", "Row", "load_rows", "provenance", "source_label"]
