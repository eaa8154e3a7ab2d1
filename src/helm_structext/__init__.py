"""Image2Struct, MMR and StructEval in HELM."""

__version__ = "0.2.0"
