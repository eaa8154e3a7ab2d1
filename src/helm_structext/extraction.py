"""From a completion to what the model meant: code, files."""

import re
from itertools import chain

from helm_structext.structeval.tasks import TEXT_FORMATS

FENCE_LANGUAGES = {
    "json": "json",
    "csv": "csv",
    "toml": "toml",
    "xml": "xml",
    "yaml": "yaml|yml",
    "angular": "angular|typescript|ts",
    "canvas": "canvas|html|javascript|js",
    "html": "html|xhtml|htm",
    "latex_document": "latex|tex",
    "markdown": "markdown|md",
    "matplotlib": "matplotlib|python3?|py",
    "mermaid": "mermaid",
    "react": "react|jsx|tsx|javascript|typescript|js|ts",
    "svg": "svg|xml|html",
    "tikz": "tikz|latex|tex",
    "typst": "typst|typ",
    "vega": "vega|vega-?lite|json",
    "vue": "vue|html",
}
"""Format of StructEval → the languages that a fence around it may name."""

TAGGED = re.compile(r"<\|BEGIN_CODE\|>(.*?)(?:<\|END_CODE\|>|\Z)", re.DOTALL | re.IGNORECASE)
OPENING = re.compile(r"BEGIN_CODE[|>]{0,4}", re.IGNORECASE)
CLOSING = re.compile(r"END_CODE", re.IGNORECASE)
THOUGHTS = re.compile(
    r"\A(?:\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z))+", re.DOTALL | re.IGNORECASE
)
END_OF_THOUGHTS = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)


def extract(completion: str, format: str, protocol: str = "published") -> str:
    r"""Returns the code of a completion, as StructEval finds it.

    Reasoning blocks are removed, and nothing is decoded or unescaped. Then

    - ``published``: what stands between ``<|BEGIN_CODE|>`` and ``<|END_CODE|>`` or in the first
      code fence, whichever begins first; but with the five formats of text, a fence anywhere wins
      over the tags. Tags and fences need not be closed. A malformed tag is none, so that a
      malformed closing one stays in the code.
    - ``corrected``: what stands between the tags, malformed or not, without a fence around the
      whole of it; where there are none, in the first fence of a language that suits the format, or
      else in the first one. A document in Markdown may hold fences of its own, so that only one
      of its own language counts there, or one around the whole of it; so may one in Typst that
      stands between the tags.

    Without tags and fences, the whole completion is code in both. (The published code raises there
    with formats that have pictures, and goes on with the code of the task before.)

    Args:
        completion: what the model wrote.
        format: a format of StructEval: ``json``, ``html``, ``latex_document``, …
        protocol: ``published`` or ``corrected``.

    Returns:
        The code without white space around it.

    Raises:
        ValueError: unknown format or protocol.

    Source: StructEval, section 3 and the extraction of its published code.

    >>> extract("Sure! <|BEGIN_CODE|>\n{}\n<|END_CODE|> Done.", "json")
    '{}'
    >>> both = "```\n{}\n``` or <|BEGIN_CODE|>[]|END_CODE|>"
    >>> extract(both, "json"), extract(both, "json", "corrected")
    ('{}', '[]')
    >>> extract("<think>Is {} enough?</think>[]", "json")
    '[]'
    """
    if format not in FENCE_LANGUAGES:
        raise ValueError(f"format is {format!r}; expected one of {', '.join(FENCE_LANGUAGES)}")
    if protocol not in ("published", "corrected"):
        raise ValueError(f"protocol is {protocol!r}; expected published or corrected")
    find = _published if protocol == "published" else _corrected
    return find(without_reasoning(completion), format).strip()


def without_reasoning(completion: str) -> str:
    """Returns a completion without the reasoning that it begins with.

    A block that is never closed leaves nothing. What precedes a closing tag that was never opened
    is reasoning too: some chat templates open it in the prompt.

    >>> without_reasoning("<think>2 + 2</think>4"), without_reasoning("2 + 2</think>4")
    ('4', '4')
    >>> without_reasoning("<think>2 + 2 is"), without_reasoning("<p><think></think></p>")
    ('', '<p><think></think></p>')
    """
    text = THOUGHTS.sub("", completion, count=1)
    first = END_OF_THOUGHTS.search(text)
    return text[first.end() :] if first and first[1] else text


def _published(text: str, format: str) -> str:
    before, opened, rest = text.partition("```")
    _, opened, rest = rest.partition("\n")
    tagged = TAGGED.search(text)
    if opened and (format in TEXT_FORMATS or not tagged or len(before) < tagged.start()):
        return rest.partition("```")[0]
    return tagged[1] if tagged else text


def _corrected(text: str, format: str) -> str:
    opening = OPENING.search(text)
    code, *rest = CLOSING.split(text[opening.end() :] if opening else text, maxsplit=1)
    if rest:
        # The beginning of the tag, such as <| or </.
        code = code[:-4] + code[-4:].rstrip("<|/")
    # Fences inside of a document in Markdown do not close the one around it, nor do those of Typst
    # between tags, where nothing else is to be found.
    markdown = format == "markdown"
    nested = markdown or (format == "typst" and (opening or rest))
    body = ".*" if nested else ".*?"
    fences = re.finditer(
        r"^[ \t]*(?P<fence>(?P<mark>[`~])(?P=mark){2,})(?P<language>[^\n`]*)\n"
        # Closed by a whole run of marks: what began inside of one would take quadratic time.
        rf"(?:(?P<code>{body})(?:^[ \t]*)?(?<!(?P=mark))(?P=fence)(?P=mark)*[ \t\r]*$"
        r"|(?P<rest>.*)\Z)",
        code,
        re.DOTALL | re.MULTILINE,
    )
    first = next(fences, None)
    if first is None:
        return code
    own = re.compile(rf"\s*(?:{FENCE_LANGUAGES[format]})\s*", re.IGNORECASE)
    suitable = (fence for fence in chain([first], fences) if own.fullmatch(fence["language"]))
    whole = first[0].strip() == code.strip()
    if opening or rest:
        chosen = (next(suitable, None) if markdown else first) if whole else None
    else:
        plain = whole and not first["language"].strip()
        chosen = next(suitable, first if plain or not markdown else None)
    return (chosen["code"] or chosen["rest"] or "") if chosen else code


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
