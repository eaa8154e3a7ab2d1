"""Image2Struct, MMR and StructEval in HELM."""

__version__ = "0.1.0"
