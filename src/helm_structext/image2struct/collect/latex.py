"""Papers of arXiv → pictures of their equations, tables, algorithms and plots.

The picture of a draft is what the benchmark's renderer makes of its structure, in either protocol.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial

from PIL import ImageChops

from helm_structext.errors import ErrorKind, RenderError
from helm_structext.image2struct.collect import arxiv, filters
from helm_structext.image2struct.collect.excerpts import ENVIRONMENTS, Excerpt, excerpts
from helm_structext.image2struct.collect.macros import (
    Definition,
    add_definitions,
    definitions,
    find_needed,
    find_reachable,
    replace_edges,
)
from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Collector,
    Download,
    Draft,
    Filter,
    Tools,
    check,
)
from helm_structext.image2struct.collect.tex import (
    SOURCES,
    bounded_reader,
    documents,
    tokens,
)
from helm_structext.pictures import decode
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import Rendering, latex, tex_log
from helm_structext.renderers import render as rendered

MOST = 3
"""Instances of a subset from one paper."""
MAX_TRIES = 12
"""Excerpts of a subset that are tried for them."""
MAX_LENGTH = 20_000
"""Characters of an excerpt; longer ones are data more than code."""
MAX_STYLES = 2_000_000
"""Bytes of style files that are read for definitions."""
REFERENCES = (r"\ref{", r"\cite{", r"\eqref{", r"\cite[")
FILE_COMMANDS = frozenset(
    [
        *(
            "input",
            "@input",
            "@@input",
            "include",
            "InputIfFileExists",
            "openin",
            "read",
            "readline",
        ),
        *("openout", "write", "immediate", "special", "directlua", "ShellEscape"),
        *("lstinputlisting", "verbatiminput"),
    ]
)
"""Commands that read or write files or start programs."""
DISGUISES = frozenset(["csname", "catcode", "scantokens"])
"""Commands by which another one can be named without being written."""
ESCAPE = "^^"
"""By which TeX reads any character, such as a backslash."""
SECONDS = 10.0
"""For an excerpt: a third of what the benchmark gives to an answer."""
REFUSED_AS: Mapping[ErrorKind, str] = {
    "syntax": "not_rendered",
    "empty": "empty_page",
    "missing": "not_rendered",
    "timeout": "takes_too_long",
    "resource": "takes_too_much",
}


def toxic(download: Download, tools: Tools) -> str | None:
    """Returns why the text of a paper may not be published, or None: of its TeX files alone."""
    files = {name: one for name, one in download.files.items() if name.lower().endswith(SOURCES)}
    return filters.toxic(replace(download, files=files), tools)


def drafts(download: Download, tools: Tools) -> Iterator[Draft]:
    """Yields a paper's excerpts, those of each subset shuffled, `MAX_TRIES` at most.

    Their ``info["definitions"]`` are what the paper defines and they may need.

    Raises:
        CandidateRefused: ``no_excerpt``.
    """
    corrected = tools.settings.protocol == "corrected"
    texts = documents(download.files)
    known: list[Definition] = []
    if corrected:
        known = [one for text in [*_styles(download.files), *texts] for one in definitions(text)]
        texts = [replace_edges(text, known) for text in texts]
    # As published, an excerpt within another of its subset is one, too.
    found = [one for text in texts for one in excerpts(text, inner=not corrected)]
    if not found:
        raise CandidateRefused("no_excerpt", f"it has no {', '.join(ENVIRONMENTS)}")
    for subset in ENVIRONMENTS:
        own = list(dict.fromkeys(one for one in found if one.subset == subset))
        tools.random(download.candidate.name, subset).shuffle(own)
        for excerpt in own[:MAX_TRIES]:
            yield _draft(download, excerpt, known)


def _draft(download: Download, excerpt: Excerpt, known: Sequence[Definition]) -> Draft:
    reached = find_reachable(excerpt.code, known) if len(excerpt.code) <= MAX_LENGTH else []
    return Draft(
        candidate=download.candidate,
        subset=excerpt.subset,
        structure=excerpt.code,
        text=None,
        image=b"",
        length=0,
        info={"definitions": [asdict(one) for one in reached]},
    )


def _styles(files: Mapping[str, bytes]) -> list[str]:
    """The paper's own style files, as far as their sizes together allow."""
    read = bounded_reader(MAX_STYLES)
    return [read(files[name]) for name in sorted(files) if name.lower().endswith(".sty")]


def too_long(draft: Draft, tools: Tools) -> str | None:
    """Returns how long an excerpt is, if that is too long, or None."""
    length = len(draft.structure or "")
    return f"it has {length:,} characters" if length > MAX_LENGTH else None


def references(draft: Draft, tools: Tools) -> str | None:
    """Returns that an excerpt refers to another part of its paper, or None.

    The published collector refuses that by the precedence of its operators in just those subsets
    that demand a word, which none of these does.
    """
    if tools.settings.protocol == "published":
        return None
    found = [word for word in REFERENCES if word in (draft.structure or "")]
    return f"it has {found[0]}…" if found else None


def touches_files(draft: Draft, tools: Tools) -> str | None:
    """Returns with which command code would, or could, read or write files or start programs.

    Not everyone who renders the dataset has a sandbox.
    """
    code = draft.structure or ""
    names = [token.name for token in tokens(code) if token.kind == "command"]
    found = [f"\\{name}" for name in names if name in FILE_COMMANDS | DISGUISES]
    found += [ESCAPE] * (ESCAPE in code)
    return f"it uses {found[0]}" if found else None


EXCERPT_FILTERS: tuple[Filter[Draft], ...] = (too_long, references, touches_files)


def render(draft: Draft, tools: Tools) -> Draft:
    """Renders an excerpt, in ``corrected`` with those definitions that it needs before it.

    Raises:
        CandidateRefused: by `EXCERPT_FILTERS`; ``needs_macros`` for what is not defined; or as `REFUSED_AS`.
    """
    check(EXCERPT_FILTERS, draft, tools)
    known = [Definition(**one) for one in draft.info["definitions"]]
    try:
        carried = find_needed(
            draft.structure or "", known, partial(latex.find_undefined, timeout=SECONDS)
        )
        draft = replace(
            draft,
            structure=add_definitions(draft.structure or "", carried),
            info={"definitions": [name for one in carried for name in one.names]},
        )
        check(EXCERPT_FILTERS, draft, tools)
        rendering = _render_structure(draft, tools.settings.protocol)
    except RenderError as error:
        raise _refusal(error) from error
    text, image = rendering.text, rendering._repr_png_()
    return replace(draft, text=text, image=image, length=len(text))


def _render_structure(draft: Draft, protocol: ProtocolName) -> Rendering:
    return rendered("latex", draft.structure or "", protocol=protocol, timeout=SECONDS)


def _refusal(error: RenderError) -> CandidateRefused:
    # As TeX says it, without its full stop where the macro's name follows.
    no_macro = tex_log.UNDEFINED.rstrip(".") in error.message
    undefined = no_macro or tex_log.NO_NAME.search(error.message)
    return CandidateRefused("needs_macros" if undefined else REFUSED_AS[error.kind], str(error))


def differs_by_protocol(draft: Draft, tools: Tools) -> str | None:
    """Returns that the published steps would make another picture of a structure, or None.

    They cut the lowest fifth of the page and wrap in display math what does not compile without.
    """
    if tools.settings.protocol == "published":
        return None
    try:
        published = _render_structure(draft, "published")
    except RenderError as error:
        return f"as published it fails: {error.message}"
    ours, theirs = decode(draft.image), published.image
    if ours.size != theirs.size or ImageChops.difference(ours, theirs).getbbox():
        return f"its picture is {ours.size}, and as published {theirs.size}"
    return None


COLLECTOR = Collector(
    domain="latex",
    subsets=tuple(ENVIRONMENTS),
    addresses=arxiv.ADDRESSES,
    credentials=(),
    listings=arxiv.listings(),
    fetch_filters=(
        filters.malformed,
        filters.created_before_start,
        filters.created_after_end,
        filters.license_not_admitted,
    ),
    download=arxiv.download,
    file_filters=(toxic,),
    drafts=drafts,
    most=MOST,
    render=render,
    rendering_filters=(filters.white_image_in("latex"), differs_by_protocol),
)
