"""What is in a generated picture, and where: everything that a question may ask for."""

from dataclasses import dataclass

from helm_structext.mmr.generate.colors import RGB
from helm_structext.mmr.generate.texts import Rect


@dataclass(frozen=True)
class PaintedText:
    """A text as it was painted.

    Args:
        role: what it is: ``title``, ``author``, ``price`` and so on.
        text: its words; lines are joined as they are read.
        box: of its ink, in pixels.
        color: name of its color.
        ink: its color.
        height: of a capital letter, in pixels.
        lines: how many lines it has.
        angle: by how many degrees it is turned counter-clockwise.
    """

    role: str
    text: str
    box: Rect
    color: str
    ink: RGB
    height: float
    lines: int
    angle: float


@dataclass(frozen=True)
class SceneObject:
    """An object as it was drawn.

    Args:
        name: one of `helm_structext.mmr.generate.shapes.drawings`.
        box: of what is to be seen of it, in pixels.
        shown: share of it that nothing covers.
    """

    name: str
    box: Rect
    shown: float


@dataclass(frozen=True)
class PaintedScene:
    """A picture's contents.

    Args:
        kind: such as ``book cover``.
        language: of its texts, such as ``en``.
        difficulty: ``easy``, ``medium`` or ``hard``.
        size: width and height in pixels.
        texts: each once, none overlapping another.
        objects: each of another name.
    """

    kind: str
    language: str
    difficulty: str
    size: tuple[int, int]
    texts: tuple[PaintedText, ...]
    objects: tuple[SceneObject, ...]

    def text(self, role: str) -> PaintedText | None:
        """Returns the text of a role, if there is exactly one."""
        found = [text for text in self.texts if text.role == role]
        return found[0] if len(found) == 1 else None
