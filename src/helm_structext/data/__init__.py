"""Where rows come from: the Hub, a folder in the same schema, or the embedded samples."""

from helm_structext.data.sources import Row, load_rows, source_label

__all__ = ["Row", "load_rows", "source_label"]
