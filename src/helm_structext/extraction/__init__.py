"""Completion → code, for every format."""

from helm_structext.extraction.rules import RULES, extract

__all__ = ["RULES", "extract"]
