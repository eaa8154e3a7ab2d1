"""From a completion to what the model meant: code, files."""

import re


def fenced(completion: str, tag: str) -> str:
    """Returns what stands in the first code fence, as the published annotators find it.

    A fence opened with `tag` comes first, then any other; the language after any other opening
    stays in the code, and a fence that is never closed is none.

    Source: Image2Struct's published code (HELM), the delimiters of its annotators.

    >>> fenced("Here you are:\\n```latex\\nx^2\\n```", "latex")
    '\\nx^2\\n'
    >>> fenced("```tex\\nx^2\\n```", "latex")
    'tex\\nx^2\\n'
    """
    for opening in (f"```{tag}", "```"):
        _, found, rest = completion.partition(opening)
        code, closed, _ = rest.partition("```")
        if found and closed:
            return code
    return completion


def fenced_corrected(completion: str, tag: str) -> str:
    """Returns what stands in the first code fence, whatever its language; an open one counts.

    >>> fenced_corrected("```tex\\nx^2\\n```", "latex")
    'x^2\\n'
    >>> fenced_corrected("```x^2```", "latex")
    'x^2'
    >>> fenced_corrected("Cut off: ```latex\\nx^2", "latex")
    'x^2'
    """
    language = rf"(?:[\w+.#-]*[ \t]*\r?\n|{re.escape(tag)}\b)"
    for opening in (re.escape(tag) + r"\b[ \t]*\n?", f"{language}?"):
        if match := re.search(rf"```{opening}(.*?)(?:```|\Z)", completion, re.DOTALL):
            return match.group(1)
    return completion
