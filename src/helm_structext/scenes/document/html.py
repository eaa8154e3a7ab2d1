"""Documents in HTML."""

import html
import textwrap
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
    find_notes,
)
from helm_structext.scenes.formula.latex import LatexMath, indent_lines

KATEX = "https://cdn.jsdelivr.net/npm/katex@0.16.11/dist"
SERIFS = ("Georgia, 'Times New Roman', serif", "'Times New Roman', Times, serif")
SANS = ("Arial, sans-serif", "Helvetica, Arial, sans-serif")


def escape_html(text: str) -> str:
    """Returns a text as HTML writes it.

    >>> escape_html("A & B < C")
    'A &amp; B &lt; C'
    """
    return html.escape(text, quote=False).replace(NO_BREAK_SPACE, "&nbsp;")


def write_html(scene: DocumentScene, rng: Random) -> str:
    """Writes a document as a page with its styles.

    >>> from helm_structext.scenes.document.scene import draw_document
    >>> write_html(draw_document(Random(1), "easy", "en"), Random(1)).splitlines()[0]
    '<!DOCTYPE html>'
    """
    return HtmlDocument(scene, rng).write()


class HtmlDocument:
    """One person's way to write one document.

    Args:
        scene: the document.
        rng: the lot that decides on the way.
    """

    def __init__(self, scene: DocumentScene, rng: Random) -> None:
        self.scene = scene
        self.math = LatexMath(rng)
        self.indent = rng.choice(("  ", "  ", "    "))
        self.outer = rng.choice(("", "article", "main"))
        self.wrapped = rng.random() < 0.4 and scene.language not in ("zh", "ja")
        self.font = rng.choice(SERIFS if scene.serif else SANS)
        self.relative = rng.random() < 0.5
        self.header = rng.random() < 0.5
        self.notes = 0

    def write(self) -> str:
        """Returns the code."""
        scene = self.scene
        blocks = [self.title(), *map(self.block, scene.blocks)]
        if notes := find_notes(scene.blocks):
            items = "\n".join(
                f'{self.indent}<li id="note-{place}">{escape_html(note)}</li>'
                for place, note in enumerate(notes, 1)
            )
            blocks.append(f'<ol class="footnotes">\n{items}\n</ol>')
        body = "\n".join(blocks)
        if self.outer:
            body = f"<{self.outer}>\n{self.nest(body)}\n</{self.outer}>"
        head = [
            '<meta charset="utf-8">',
            f"<title>{escape_html(scene.title)}</title>",
            f"<style>\n{indent_lines(self.styles(body), self.indent)}\n</style>",
        ]
        if "\\(" in body or "\\[" in body:
            head += [
                f'<link rel="stylesheet" href="{KATEX}/katex.min.css">',
                f'<script defer src="{KATEX}/katex.min.js"></script>',
                f'<script defer src="{KATEX}/contrib/auto-render.min.js"\n'
                f'{self.indent}onload="renderMathInElement(document.body)"></script>',
            ]
        inner = "\n".join(head)
        return (
            f'<!DOCTYPE html>\n<html lang="{scene.language}">\n<head>\n'
            f"{indent_lines(inner, self.indent)}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
        )

    def nest(self, body: str) -> str:
        """Returns lines with blanks before them, but for those of code."""
        lines = []
        inside = False
        for line in body.split("\n"):
            lines.append(line if inside or not line else f"{self.indent}{line}")
            inside = (inside or "<pre>" in line) and "</pre>" not in line
        return "\n".join(lines)

    def styles(self, body: str) -> str:
        """Returns the rules of what the body has."""
        scene = self.scene
        outer = self.outer or "body"
        side = "text-align: center; " if scene.centered else ""
        rules = [
            f"body {{ font-family: {self.font}; font-size: 16px; line-height: 1.5; color: #000; margin: 0 }}",
            f"{outer} {{ max-width: 720px; margin: 0 auto; padding: {'2rem' if self.relative else '32px'} }}",
            f"h1 {{ {side}font-size: {'1.6rem' if self.relative else '26px'}; margin: 0 0 8px }}",
        ]
        if scene.accent != "#000000":
            rules.append(f"h1, h2, h3 {{ color: {scene.accent} }}")
        if scene.byline:
            rules.append(f".byline {{ {side}margin: 0 0 20px }}")
        if "<h2" in body:
            rules.append(
                f"h2 {{ font-size: {'1.2rem' if self.relative else '19px'}; margin: 24px 0 8px }}"
            )
        if "<h3" in body:
            rules.append(
                f"h3 {{ font-size: {'1rem' if self.relative else '16px'}; margin: 20px 0 8px }}"
            )
        if "<pre" in body:
            rules.append("pre { margin: 8px 0; line-height: 1.35 }")
        if "<table" in body:
            rules.append("table { border-collapse: collapse; margin: 16px 0 }")
            if "<caption" in body:
                rules.append(
                    "caption { font-weight: bold; text-align: left; padding-bottom: 6px; white-space: nowrap }"
                )
            if scene.ruled:
                rules += [
                    "table { border-top: 2px solid #000; border-bottom: 2px solid #000 }"
                    if "<caption" not in body
                    else "thead { border-top: 2px solid #000 } tbody { border-bottom: 2px solid #000 }",
                    "thead, .group { border-bottom: 1px solid #000 }"
                    if 'class="group"' not in body
                    else "thead, tbody:not(:last-child) { border-bottom: 1px solid #000 }",
                    "th, td { padding: 4px 12px }",
                ]
            else:
                rules.append("th, td { border: 1px solid #000; padding: 4px 12px }")
            rules.append("th { text-align: left }")
            if 'class="number"' in body:
                rules.append(".number { text-align: right }")
            if 'class="middle"' in body:
                rules.append(".middle { text-align: center }")
        if "<blockquote" in body:
            rules.append("blockquote { margin: 16px 40px }")
        if 'class="footnotes"' in body:
            rules.append(
                ".footnotes { border-top: 1px solid #000; font-size: 0.85em; margin-top: 32px; padding-top: 8px }"
            )
        return "\n".join(rules)

    def title(self) -> str:
        """Returns the title and the line below it."""
        lines = [f"<h1>{escape_html(self.scene.title)}</h1>"]
        if self.scene.byline:
            lines.append(f'<p class="byline">{escape_html(self.scene.byline)}</p>')
        text = "\n".join(lines)
        return f"<header>\n{indent_lines(text, self.indent)}\n</header>" if self.header else text

    def block(self, block: DocumentBlock) -> str:
        """Returns a block's code."""
        match block:
            case Heading(text, level):
                return f"<h{level + 1}>{escape_html(text)}</h{level + 1}>"
            case Paragraph(spans):
                return self.lines(f"<p>{self.spans(spans)}</p>")
            case ItemList():
                return self.item_list(block)
            case TableBlock():
                return write_table(block, self.indent)
            case DisplayFormula(tree):
                return f"<p>\\[{escape_html(self.math.write(tree))}\\]</p>"
            case CodeBlock(_, code):
                return f"<pre><code>{escape_html(code)}</code></pre>"
            case QuoteBlock(spans):
                return f"<blockquote>\n{self.indent}{self.spans(spans)}\n</blockquote>"

    def lines(self, text: str) -> str:
        if not self.wrapped:
            return text
        return textwrap.fill(text, 90, break_long_words=False, break_on_hyphens=False)

    def spans(self, spans: Spans) -> str:
        return "".join(map(self.span, spans))

    def span(self, span: TextSpan) -> str:
        text = escape_html(span.text)
        match span.style:
            case "formula":
                assert span.tree is not None
                return f"\\({escape_html(self.math.write(span.tree))}\\)"
            case "link":
                return f'<a href="{html.escape(span.address)}">{text}</a>'
            case "note":
                self.notes += 1
                return f'<sup><a href="#note-{self.notes}">{self.notes}</a></sup>'
            case "plain":
                return text
        tag = {"emphasis": "em", "strong": "strong", "code": "code"}[span.style]
        return f"<{tag}>{text}</{tag}>"

    def item_list(self, block: ItemList) -> str:
        tag = "ol" if block.numbered else "ul"
        lines = []
        for item in block.items:
            text = self.spans(item.spans)
            match item.below:
                case None:
                    lines.append(f"{self.indent}<li>{text}</li>")
                case ItemList():
                    below = indent_lines(self.item_list(item.below), self.indent * 2)
                    lines.append(f"{self.indent}<li>{text}\n{below}\n{self.indent}</li>")
                case CodeBlock():
                    lines.append(
                        f"{self.indent}<li>{text}\n{self.block(item.below)}\n{self.indent}</li>"
                    )
        body = "\n".join(lines)
        return f"<{tag}>\n{body}\n</{tag}>"


def write_table(block: TableBlock, indent: str, *, styled: bool = True) -> str:
    """Writes a table.

    Args:
        block: the table.
        indent: blanks of one step.
        styled: whether classes say how cells are aligned; else attributes do.
    """

    def write_row(row: tuple[TableCell, ...], tag: str, depth: int, first: int) -> str:
        column = first
        cells = []
        for cell in row:
            spans = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
            spans += f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            numeric = column < len(block.numeric) and block.numeric[column]
            side = ("center" if cell.columns > 1 else "right") if numeric else ""
            if side and styled:
                spans += f' class="{"middle" if side == "center" else "number"}"'
            elif side:
                spans += f' align="{side}"'
            elif not styled and tag == "th":
                spans += ' align="left"'
            cells.append(f"<{tag}{spans}>{escape_html(cell.text)}</{tag}>")
            column += cell.columns
        inner = indent * depth
        return f"{inner}<tr>{''.join(cells)}</tr>"

    columns = len(block.numeric)
    head = "\n".join(write_row(row, "th", 2, columns - width_of_row(row)) for row in block.head)
    parts = [f"{indent}<thead>\n{head}\n{indent}</thead>"]
    groups: list[list[str]] = []
    for row in block.body:
        if not groups or any(cell.rows > 1 for cell in row):
            groups.append([])
        groups[-1].append(write_row(row, "td", 2, columns - width_of_row(row)))
    mark = ' class="group"' if styled and len(groups) > 1 else ""
    for group in groups:
        body = "\n".join(group)
        parts.append(f"{indent}<tbody{mark}>\n{body}\n{indent}</tbody>")
    caption = ""
    if block.caption:
        text = escape_html(block.caption)
        caption = f"{indent}<caption>{text}</caption>\n" if styled else ""
    body = "\n".join(parts)
    return f"<table>\n{caption}{body}\n</table>"


def width_of_row(row: tuple[TableCell, ...]) -> int:
    """Returns how many columns a row's own cells cover; those before them belong to rows above."""
    return sum(cell.columns for cell in row)
