"""All kinds of scenes."""

from collections.abc import Mapping

from helm_structext.scenes.formula import KIND as FORMULA
from helm_structext.scenes.scene import SceneKind

KINDS: Mapping[str, SceneKind] = {kind.name: kind for kind in (FORMULA,)}
"""Name to kind."""
