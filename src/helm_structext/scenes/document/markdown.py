"""Documents in Markdown, as GitHub shows them."""

from random import Random

from helm_structext.scenes.document.html import write_table
from helm_structext.scenes.document.scene import (
    CodeBlock,
    DisplayFormula,
    DocumentBlock,
    DocumentScene,
    Heading,
    ItemList,
    Paragraph,
    QuoteBlock,
    Spans,
    TableBlock,
    TextSpan,
    find_notes,
)
from helm_structext.scenes.formula.latex import LatexMath, indent_lines

ESCAPES = str.maketrans(
    {**{sign: f"\\{sign}" for sign in "\\`*_[]$~|"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
STARTS = ("# ", "- ", "+ ", "> ")


def escape_markdown(text: str) -> str:
    r"""Returns a text as Markdown writes it.

    >>> escape_markdown("a_b < 5 * c")
    'a\\_b &lt; 5 \\* c'
    """
    escaped = text.replace(" & ", "\0").translate(ESCAPES).replace("\0", " & ")
    return f"\\{escaped}" if escaped.startswith(STARTS) else escaped


def write_markdown(scene: DocumentScene, rng: Random) -> str:
    """Writes a document; a table with spanned cells is one of HTML.

    >>> from helm_structext.scenes.document.scene import draw_document
    >>> write_markdown(draw_document(Random(1), "easy", "en"), Random(1)).startswith("# ")
    True
    """
    return MarkdownDocument(scene, rng).write()


class MarkdownDocument:
    """One person's way to write one document.

    Args:
        scene: the document.
        rng: the lot that decides on the way.
    """

    def __init__(self, scene: DocumentScene, rng: Random) -> None:
        self.scene = scene
        self.math = LatexMath(rng)
        self.bullet = rng.choice(("-", "-", "*"))
        self.emphasis = rng.choice(("*", "_"))
        self.padded = rng.random() < 0.6
        self.fenced = rng.random() < 0.4
        self.underlined = rng.random() < 0.15
        self.ones = rng.random() < 0.2
        self.notes = 0

    def write(self) -> str:
        """Returns the code."""
        scene = self.scene
        parts = [self.heading(scene.title, 1)]
        if scene.byline:
            parts.append(escape_markdown(scene.byline))
        parts += [self.block(block) for block in scene.blocks]
        notes = find_notes(scene.blocks)
        if notes:
            parts.append(
                "\n".join(f"[^{n}]: {escape_markdown(note)}" for n, note in enumerate(notes, 1))
            )
        return "\n\n".join(parts) + "\n"

    def heading(self, text: str, level: int) -> str:
        # Below a bar, dashes would make a table.
        if self.underlined and level < 3 and "|" not in text:
            return f"{escape_markdown(text)}\n{'=-'[level - 1] * max(len(text), 3)}"
        return f"{'#' * level} {escape_markdown(text)}"

    def block(self, block: DocumentBlock) -> str:
        """Returns a block's code."""
        match block:
            case Heading(text, level):
                return self.heading(text, level + 1)
            case Paragraph(spans):
                return self.spans(spans)
            case ItemList():
                return self.item_list(block)
            case TableBlock():
                return self.table(block)
            case DisplayFormula(tree):
                begin, end = ("```math", "```") if self.fenced else ("$$", "$$")
                return f"{begin}\n{self.math.write(tree)}\n{end}"
            case CodeBlock(language, code):
                return f"```{language}\n{code}\n```"
            case QuoteBlock(spans):
                return f"> {self.spans(spans)}"

    def spans(self, spans: Spans) -> str:
        return "".join(map(self.span, spans))

    def span(self, span: TextSpan) -> str:
        text = escape_markdown(span.text)
        match span.style:
            case "formula":
                assert span.tree is not None
                return f"${self.math.write(span.tree)}$"
            case "link":
                return f"[{text}]({span.address})"
            case "note":
                self.notes += 1
                return f"[^{self.notes}]"
            case "code":
                return f"`{span.text}`"
            case "emphasis":
                return f"{self.emphasis}{text}{self.emphasis}"
            case "strong":
                return f"**{text}**"
        return text

    def item_list(self, block: ItemList) -> str:
        lines = []
        for place, item in enumerate(block.items, 1):
            mark = f"{1 if self.ones else place}." if block.numbered else self.bullet
            lines.append(f"{mark} {self.spans(item.spans)}")
            if item.below:
                gap = "\n" if isinstance(item.below, CodeBlock) else ""
                below = indent_lines(self.block(item.below), " " * (len(mark) + 1))
                lines.append(f"{gap}{below}{gap}")
        return "\n".join(lines).rstrip("\n")

    def table(self, block: TableBlock) -> str:
        """Returns a table with pipes, or of HTML where cells cover several places."""
        caption = f"**{escape_markdown(block.caption)}**\n\n" if block.caption else ""
        if block.spanned:
            return caption + write_table(block, "  ", styled=False)
        rows = [[escape_markdown(cell.text) for cell in row] for row in (*block.head, *block.body)]
        widths = [max(3, *(len(row[n]) for row in rows)) for n in range(len(block.numeric))]
        if not self.padded:
            widths = [3] * len(widths)
        rules = [
            "-" * (width - numeric) + ":" * numeric
            for width, numeric in zip(widths, block.numeric, strict=True)
        ]
        lines = []
        for row in (rows[0], rules, *rows[1:]):
            cells = [
                text.rjust(width) if numeric and self.padded else text.ljust(width * self.padded)
                for text, width, numeric in zip(row, widths, block.numeric, strict=True)
            ]
            lines.append(f"| {' | '.join(cells)} |")
        return caption + "\n".join(lines)
