"""Image2Struct, MMR and StructEval in HELM."""

from helm_structext.extras import advise

__version__ = "0.1.0"

advise()
