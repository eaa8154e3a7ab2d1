"""The three domains of Image2Struct: what is asked, in which words, and how pictures are compared.

Prompts: Appendix C of the paper, in the wording that the published runs sent.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from helm_structext.data import NEWEST
from helm_structext.protocols import DEFAULT_PROTOCOL, MissingRule, ProtocolName

if TYPE_CHECKING:
    from helm_structext.metrics.sizes import SizeHandling

INSTRUCTIONS = "Just give a short answer without answering in a complete sentence."
CHAIN_OF_THOUGHT = (
    "First think step by step about what the image shows and how to write it. "
    "Then give the final answer in one fenced code block."
)
WORDINGS = {"default": INSTRUCTIONS, "cot": CHAIN_OF_THOUGHT}
"""The instructions that precede every prompt, by their label in a run entry."""

MAX_TOKENS = 2000
DIFFICULTIES = ("all", "easy", "medium", "hard")


@dataclass(frozen=True)
class Domain:
    """What is particular to one of the benchmark's domains.

    Args:
        dataset: name of the published dataset; it has one config for each subset.
        format: the renderer's format.
        subsets: those of the published tables; ``all`` stands for these together.
        wild_subsets: pictures that were not made from code of this format.
        structured: whether the rows of `subsets` hold the code behind their picture.
        prompt: the text before the picture.
        size_handling: what makes two pictures comparable whose sizes differ.
        blank: width and height of the white picture that an empty answer renders to.
    """

    dataset: str
    format: str
    subsets: tuple[str, ...]
    wild_subsets: tuple[str, ...]
    structured: bool
    prompt: str
    size_handling: "SizeHandling"
    blank: tuple[int, int]

    def has_structure(self, subset: str) -> bool:
        """Says whether the rows of a subset hold the code behind their picture."""
        return self.structured and subset not in self.wild_subsets


DOMAINS = {
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


@dataclass(frozen=True)
class Image2StructArguments:
    """What describes a run; `helm_structext.image2struct.run_specs` says what values mean.

    `domain` is a key of `DOMAINS`, and `wording` the label of the instructions. Where what can't be drawn
    for what is missing scores 0, `missing` is None.
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

    @property
    def subsets(self) -> tuple[str, ...]:
        """The domain's subsets that are read."""
        return DOMAINS[self.domain].subsets if self.subset == "all" else (self.subset,)
