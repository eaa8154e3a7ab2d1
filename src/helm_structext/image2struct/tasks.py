"""The domains of Image2Struct: what is asked, in which words, and how pictures are compared.

The three of the paper have the prompts of its Appendix C, in the wording that the published runs sent. The
others are ours and in no paper: one for each rendered format, with one prompt for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helm_structext.data import NEWEST
from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.protocols import DEFAULT_PROTOCOL, MissingRule, ProtocolName

if TYPE_CHECKING:
    from helm_structext.metrics.sizes import SizeHandling

INSTRUCTIONS = "Just give a short answer without answering in a complete sentence."
CHAIN_OF_THOUGHT = (
    "First think step by step about what the image shows and how to write it. "
    "Then give the final answer in one fenced code block."
)
WORDINGS = {"cot": CHAIN_OF_THOUGHT}
"""Instructions that precede every prompt in place of the domain's, by their label in a run entry."""

MAX_TOKENS = 2000
DIFFICULTIES = ("all", "easy", "medium", "hard")


def difficulties(lengths: Sequence[int]) -> list[str]:
    """Returns the difficulty of each length among all of them.

    Up to the value at rank n/3 it is ``easy``, up to the one at rank 2n/3 ``medium``, else ``hard``.

    >>> difficulties([30, 10, 20]), difficulties([5, 5, 5, 9])
    (['hard', 'easy', 'medium'], ['easy', 'easy', 'easy', 'hard'])
    """
    ranked = sorted(lengths)
    low, middle = (ranked[-(-third * len(ranked) // 3) - 1] if ranked else 0 for third in (1, 2))
    return [
        "easy" if length <= low else "medium" if length <= middle else "hard" for length in lengths
    ]


@dataclass(frozen=True)
class Domain:
    """What is particular to one of the benchmark's domains.

    Args:
        dataset: name of the published dataset, which has one config for each subset; of ours, "".
        format: the renderer's format.
        subsets: those of the published tables; ``all`` stands for these together.
        wild_subsets: pictures that were not made from code of this format.
        structured: whether the rows of `subsets` hold the code behind their picture.
        prompt: the text before the picture.
        size_handling: what makes two pictures comparable whose sizes differ.
        blank: width and height of the white picture that an empty answer renders to.
        instructions: what precedes the prompt, unless a run has another wording.
        max_tokens: of a completion.
    """

    dataset: str
    format: str
    subsets: tuple[str, ...]
    wild_subsets: tuple[str, ...]
    structured: bool
    prompt: str
    size_handling: "SizeHandling"
    blank: tuple[int, int]
    instructions: str = INSTRUCTIONS
    max_tokens: int = MAX_TOKENS

    def has_structure(self, subset: str) -> bool:
        """Says whether the rows of a subset hold the code behind their picture."""
        return self.structured and subset not in self.wild_subsets


PUBLISHED_DOMAINS = {
    "image2struct_latex": Domain(
        dataset="stanford-crfm/image2struct-latex-v1",
        format="latex",
        subsets=("equation", "table", "plot", "algorithm"),
        wild_subsets=("wild", "wild_legacy"),
        structured=True,
        prompt=(
            "Please provide the LaTeX code used to generate this image. Only generate the code "
            "relevant to what you see. Your code will be surrounded by all the imports necessary "
            "as well as the begin and end document delimiters."
        ),
        size_handling="padding",
        blank=(1700, 1760),
    ),
    "image2struct_webpage": Domain(
        dataset="stanford-crfm/image2struct-webpage-v1",
        format="webpage",
        subsets=("css", "html", "javascript"),
        wild_subsets=("wild", "wild_legacy"),
        structured=True,
        prompt=(
            "Please generate the source code to generate a webpage that looks like this image as "
            "much as feasibly possible.\n"
            "You should output a json object associating each file name with its content.\n"
            "\n"
            "Here is a simple example of the expected structure (that does not correspond to the "
            "image). In this example, 3 files are created: index.html, style.css and script.js.\n"
            "[\n"
            "  {\n"
            '    "filename": "index.html",\n'
            '    "content": "<!DOCTYPE html>\\n<html>\\n<head>\\n<title>Title of the document'
            "</title>\\n</head>\\n<body>\\n\\n<p>Content of the document......</p>\\n\\n</body>"
            '\\n</html>"\n'
            "  },\n"
            "  {\n"
            '    "filename": "style.css",\n'
            '    "content": "body {\\n  background-color: lightblue;\\n}\\nh1 {\\n  color: white;'
            '\\n  text-align: center;\\n}"\n'
            "  },\n"
            "  {\n"
            '    "filename": "script.js",\n'
            '    "content": "document.getElementById(\\"demo\\").innerHTML = '
            '\\"Hello JavaScript!\\";"\n'
            "  }\n"
            "]\n"
            "You do not have to create files with the same names. Create as many files as you "
            "need, you can even use directories if necessary, they will be created for you "
            "automatically. Try to write some realistic code keeping in mind that it should look "
            "like the image as much as feasibly possible."
        ),
        size_handling="resize",
        blank=(1920, 1080),
    ),
    "image2struct_music": Domain(
        dataset="stanford-crfm/image2struct-musicsheet-v1",
        format="lilypond",
        subsets=("music",),
        wild_subsets=(),
        structured=False,
        prompt=(
            "Please generate the Lilypond code to generate a music sheet that looks like this "
            "image as much as feasibly possible.\n"
            "This music sheet was created by me, and I would like to recreate it using Lilypond."
        ),
        size_handling="padding",
        blank=(835, 945),
    ),
}
"""Those of the paper, by the names of their run entries."""

FORMATS_ENTRY = "image2struct"
"""The run entry of our own domains."""
SCENES = ("chart", "diagram", "document", "page", "drawing", "score", "formula")
FILES = "files"
"""The subset of files of code that people have; `SCENES` are generated."""

WINDOW = (1280, 720)
IN_WINDOW = "It is opened in a window of 1280×720 pixels, and the whole page is the picture."
CDN = "Packages of npm and fonts of Google can be loaded from their usual hosts, and no other file."
MODULES = "Its usual packages can be imported; styles in a file of their own follow in a second code block."
TEX_PICTURE = "The first page is the picture."

ENVIRONMENTS: dict[str, tuple[str, tuple[int, int]]] = {
    "latex": (
        "Write what stands between \\begin{document} and \\end{document}: the usual packages are loaded. "
        "The first page is the picture, cropped to its ink.",
        (1700, 2200),
    ),
    "webpage": (
        "Write a JSON list of files, each an object with its filename and its content; index.html is shown "
        "in a window of 1920×1080 pixels, without scrolling.",
        (1920, 1080),
    ),
    "lilypond": ("It is engraved by LilyPond 2.24, and cropped to its ink.", (835, 1181)),
    "angular": (f"Write one standalone component for Angular 20. {MODULES} {IN_WINDOW}", WINDOW),
    "canvas": (
        f"Write an HTML page that draws on a canvas, with or without a library. {CDN} {IN_WINDOW}",
        WINDOW,
    ),
    "html": (f"Write one HTML page with its styles and scripts. {CDN} {IN_WINDOW}", WINDOW),
    "latex_document": (
        f"Write a whole document for pdfLaTeX or XeLaTeX. {TEX_PICTURE}",
        (2550, 3300),
    ),
    "markdown": (
        f"Write Markdown as GitHub reads it, with formulas in dollar signs. {IN_WINDOW}",
        WINDOW,
    ),
    "matplotlib": (
        "Write a Python script with Matplotlib; NumPy, pandas, SciPy and seaborn are there. The figure that "
        "is current in the end is the picture.",
        (660, 500),
    ),
    "mermaid": (f"Write one diagram for Mermaid 11. {IN_WINDOW}", WINDOW),
    "react": (
        f"Write one file whose default export is a component for React 18 or 19. {MODULES} {IN_WINDOW}",
        WINDOW,
    ),
    "svg": (f"Write one SVG image. {IN_WINDOW}", WINDOW),
    "tikz": (
        "Write a tikzpicture, with the libraries that it loads, or a whole document around it. "
        "The picture is cropped to the drawing.",
        (135, 135),
    ),
    "typst": (f"Write one Typst document. {TEX_PICTURE}", (2480, 3508)),
    "vega": (f"Write one specification for Vega or Vega-Lite in JSON. {IN_WINDOW}", WINDOW),
    "vue": (f"Write one single-file component for Vue 3. {MODULES} {IN_WINDOW}", WINDOW),
}
"""Format to what a model has to know of how its code is drawn, and the size of a blank picture in pixels."""


def format_domain(format: str) -> str:
    """Returns the name of our own domain of a rendered format.

    >>> format_domain("svg") in DOMAINS
    True
    """
    return f"image2struct_format_{format}"


def _domain_of(format: str) -> Domain:
    environment, blank = ENVIRONMENTS.get(format, ("Write all of it.", WINDOW))
    return Domain(
        dataset="",
        format=format,
        subsets=(*SCENES, FILES),
        wild_subsets=(),
        structured=True,
        prompt=(
            f"Please write the {FORMATS[format].name} code that draws this picture as closely as you can: the "
            "same texts, values, colors, sizes and places.\n"
            f"{environment}\n"
            "Answer with the whole code in one fenced code block."
        ),
        size_handling="resize" if format == "webpage" else "padding",
        blank=blank,
        instructions="",
        max_tokens=8000,
    )


DOMAINS = {
    **PUBLISHED_DOMAINS,
    **{format_domain(format): _domain_of(format) for format in rendered_formats()},
}


@dataclass(frozen=True)
class Image2StructArguments:
    """What describes a run; `helm_structext.image2struct.run_specs` says what values mean.

    `domain` is a key of `DOMAINS`, and `wording` the label of the instructions. Where what can't be drawn
    for what is missing scores 0, `missing` is None. `format` is that of our own domains, else None.
    """

    domain: str
    subset: str
    difficulty: str
    source: str
    revision: str = NEWEST
    protocol: ProtocolName = DEFAULT_PROTOCOL
    perturbation: str = "none"
    severity: int = 3
    wording: str = "default"
    missing: MissingRule | None = None
    format: str | None = None

    @property
    def subsets(self) -> tuple[str, ...]:
        """The domain's subsets that are read."""
        return DOMAINS[self.domain].subsets if self.subset == "all" else (self.subset,)
