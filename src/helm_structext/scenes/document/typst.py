"""Documents in Typst."""

from random import Random

from helm_structext.scenes.document.scene import (
    NO_BREAK_SPACE,
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
    TableCell,
    TextSpan,
)
from helm_structext.scenes.formula.latex import indent_lines
from helm_structext.scenes.formula.typst import TypstMath
from helm_structext.scenes.writing import write_string

ESCAPES = str.maketrans({NO_BREAK_SPACE: "~", **{sign: f"\\{sign}" for sign in "\\*_`$#<>@[]~\"'"}})
UNBOLD = ("zh", "ja")
"""Languages whose font has no bold letters: a thin stroke makes them bold."""
STARTS = ("= ", "- ", "+ ", "/ ")


def escape_typst(text: str) -> str:
    r"""Returns a text as Typst writes it.

    >>> escape_typst("#1 for 5 $")
    '\\#1 for 5 \\$'
    """
    escaped = text.translate(ESCAPES).replace("//", "/\\/")
    return f"\\{escaped}" if escaped.startswith(STARTS) else escaped


def write_typst(scene: DocumentScene, rng: Random) -> str:
    """Writes a document.

    >>> from helm_structext.scenes.document.scene import draw_document
    >>> write_typst(draw_document(Random(1), "easy", "en"), Random(1)).startswith("#set page(")
    True
    """
    return TypstDocument(scene, rng).write()


class TypstDocument:
    """One person's way to write one document.

    Args:
        scene: the document.
        rng: the lot that decides on the way.
    """

    def __init__(self, scene: DocumentScene, rng: Random) -> None:
        self.scene = scene
        self.math = TypstMath(rng)
        self.called = rng.random() < 0.3
        self.comments = rng.random() < 0.25
        self.named = rng.random() < 0.5 and scene.accent != "#000000"
        self.arrays = rng.random() < 0.4
        self.short_quotes = rng.random() < 0.4
        self.margin = rng.choice(("2cm", "20mm"))
        self.split = rng.random() < 0.3

    def write(self) -> str:
        """Returns the code."""
        blocks = [self.block(block) for block in self.scene.blocks]
        return "\n\n".join(["\n".join(self.rules()), self.title(), *blocks]) + "\n"

    def rules(self) -> list[str]:
        """Returns the rules of the whole document."""
        scene = self.scene
        latin = "Libertinus Serif" if scene.serif else "Liberation Sans"
        font = f'"{latin}"'
        if scene.language in UNBOLD:
            font = f'({font}, "WenQuanYi Micro Hei")'
        lines = [f'#set page(paper: "a4", margin: {self.margin})']
        if self.comments:
            lines.insert(0, "// Look of the page")
        if self.split:
            lines += [
                f"#set text(font: {font}, size: 11pt)",
                f'#set text(lang: "{scene.language}")',
            ]
        else:
            lines.append(f'#set text(font: {font}, size: 11pt, lang: "{scene.language}")')
        if self.named:
            lines.append(f'#let accent = rgb("{scene.accent}")')
        if looks := ", ".join(self.looks()):
            lines.append(f"#show heading: set text({looks})")
        if scene.language in UNBOLD:
            lines.append("#show strong: set text(stroke: 0.025em)")
        lines.append("#show heading.where(level: 1): set text(size: 12pt)")
        if any(block.level == 2 for block in scene.blocks if isinstance(block, Heading)):
            lines.append("#show heading.where(level: 2): set text(size: 11pt)")
        lines.append("#show heading: set block(above: 1.5em, below: 0.8em)")
        if holds_code(scene.blocks):
            lines.append("#set raw(theme: none)")
        if any(span.style == "link" for span in spans_of(scene.blocks)):
            lines.append("#show link: set text(fill: blue)")
        return lines

    def looks(self) -> list[str]:
        """Returns what title and headings share."""
        accent = "accent" if self.named else f'rgb("{self.scene.accent}")'
        looks = [] if self.scene.accent == "#000000" else [f"fill: {accent}"]
        if self.scene.language in UNBOLD:
            looks.append(f"stroke: 0.025em + {accent}")
        return looks

    def title(self) -> str:
        """Returns the title and the line below it."""
        scene = self.scene
        looks = ", ".join(["size: 17pt", 'weight: "bold"', *self.looks()])
        title = f"#text({looks})[{escape_typst(scene.title)}]"
        lines = [title, escape_typst(scene.byline)] if scene.byline else [title]
        if scene.centered:
            return f"#align(center)[\n{indent_lines(f'{chr(10) * 2}'.join(lines), '  ')}\n]"
        return "\n\n".join(lines)

    def block(self, block: DocumentBlock) -> str:
        """Returns a block's code."""
        match block:
            case Heading(text, level):
                if self.called and level > 1:
                    return f"#heading(level: {level})[{escape_typst(text)}]"
                return f"{'=' * level} {escape_typst(text)}"
            case Paragraph(spans):
                return self.spans(spans)
            case ItemList():
                return self.item_list(block)
            case TableBlock():
                return self.table(block)
            case DisplayFormula(tree):
                return f"$ {self.math.write(tree)} $"
            case CodeBlock(language, code):
                # Three backticks would end the fence in which an answer stands.
                string = write_string(code).replace("\n", "\\n")
                return f'#raw(block: true, lang: "{language}", {string})'
            case QuoteBlock(spans):
                inner = self.spans(spans) if self.short_quotes else f"\n  {self.spans(spans)}\n"
                return f"#quote(block: true)[{inner}]"

    def spans(self, spans: Spans) -> str:
        """Marks need a blank or punctuation beside them; where there is none, functions stand."""
        codes = []
        for place, span in enumerate(spans):
            before = spans[place - 1].text[-1:] if place else ""
            after = spans[place + 1].text[:1] if place + 1 < len(spans) else ""
            codes.append(self.span(span, before.isalnum() or after.isalnum()))
        return "".join(codes)

    def span(self, span: TextSpan, inside: bool) -> str:
        text = escape_typst(span.text)
        match span.style:
            case "formula":
                assert span.tree is not None
                return f"${self.math.write(span.tree)}$"
            case "link":
                return f'#link("{span.address}")[{text}]'
            case "note":
                return f"#footnote[{text}]"
            case "code":
                return f"`{span.text}`"
            case "emphasis" | "strong":
                if inside:
                    return f"#{'emph' if span.style == 'emphasis' else 'strong'}[{text}]"
                mark = "_" if span.style == "emphasis" else "*"
                return f"{mark}{text}{mark}"
        return text

    def item_list(self, block: ItemList) -> str:
        mark = "+" if block.numbered else "-"
        loose = any(isinstance(item.below, CodeBlock) for item in block.items)
        lines = []
        for item in block.items:
            below = f"\n{indent_lines(self.block(item.below), '  ')}" if item.below else ""
            lines.append(f"{mark} {self.spans(item.spans)}{below}")
        return ("\n\n" if loose else "\n").join(lines)

    def table(self, block: TableBlock) -> str:
        """Returns a table with few lines, or lines around all cells."""
        sides = ["right" if numeric else "left" for numeric in block.numeric]
        columns = f"(auto,) * {len(sides)}" if self.arrays else f"{len(sides)}"
        lines = [f"columns: {columns},", f"align: ({', '.join(sides)}),"]
        if self.scene.ruled:
            lines += ["stroke: none,", "table.hline(),"]
        else:
            lines.append("stroke: 0.5pt,")
        head = [
            ", ".join(self.cell(cell, row, bold=True) for cell in row)
            + ("," * (len(block.head) > 1))
            for row in block.head
        ]
        if len(head) == 1:
            lines.append(f"table.header({head[0]}),")
        else:
            inner = "\n".join(f"  {row}" for row in head)
            lines.append(f"table.header(\n{inner}\n),")
        if self.scene.ruled:
            lines.append("table.hline(stroke: 0.5pt),")
        for place, row in enumerate(block.body):
            if self.scene.ruled and place and any(cell.rows > 1 for cell in row):
                lines.append("table.hline(stroke: 0.5pt),")
            lines.append(", ".join(self.cell(cell, row) for cell in row) + ",")
        if self.scene.ruled:
            lines.append("table.hline(),")
        table = "#table(\n" + indent_lines("\n".join(lines), "  ") + "\n)"
        return f"*{escape_typst(block.caption)}*\n\n{table}" if block.caption else table

    def cell(self, cell: TableCell, row: tuple[TableCell, ...], *, bold: bool = False) -> str:
        text = escape_typst(cell.text)
        text = f"[*{text}*]" if bold and text else f"[{text}]"
        spans = [f"colspan: {cell.columns}"] if cell.columns > 1 else []
        if cell.columns > 1 and row[0] is not cell:
            spans.append("align: center")
        if cell.rows > 1:
            spans += [f"rowspan: {cell.rows}", "align: horizon + left"]
        return f"table.cell({', '.join(spans)}){text}" if spans else text


def holds_code(blocks: tuple[DocumentBlock, ...]) -> bool:
    """Says whether there are lines of code, in lists too."""
    below = [item.below for block in blocks if isinstance(block, ItemList) for item in block.items]
    return any(isinstance(block, CodeBlock) for block in (*blocks, *below))


def spans_of(blocks: tuple[DocumentBlock, ...]) -> list[TextSpan]:
    """Returns all spans of paragraphs, quotations and lists."""
    found: list[TextSpan] = []
    for block in blocks:
        match block:
            case Paragraph(spans) | QuoteBlock(spans):
                found += spans
            case ItemList(items):
                found += [span for item in items for span in item.spans]
    return found
