"""What writers of several kinds share: signs that mean something to a language, strings, indentation."""

from collections.abc import Iterable

TEX_SIGNS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': r"\textquotedbl{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)
"""Signs that mean something to TeX, or that its old fonts lack, to how they are written: for `str.translate`."""


def write_string(text: str) -> str:
    r"""Returns a string as LilyPond and Typst have it.

    >>> print(write_string('a "b" \\ c'))
    "a \"b\" \\ c"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def indent(lines: Iterable[str]) -> list[str]:
    """Returns lines two blanks further in, but for empty ones.

    >>> indent(["a", "", "b"])
    ['  a', '', '  b']
    """
    return [f"  {line}" if line else "" for line in lines]
