"""Image2Struct, MMR and StructEval in HELM."""

from helm_structext.extras import advise

__version__ = "0.3.0.dev0"

advise()
