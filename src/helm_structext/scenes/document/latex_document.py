"""Documents in LaTeX: pdfTeX for Latin letters, XeTeX for all others."""

import textwrap
from collections.abc import Sequence
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
    place_cells,
)
from helm_structext.scenes.formula.latex import LatexMath, indent_lines
from helm_structext.scenes.writing import TEX_SIGNS

ESCAPES = TEX_SIGNS | str.maketrans(
    {NO_BREAK_SPACE: "~", "\u2212": "$-$", "|": r"\textbar{}", "`": r"\textasciigrave{}"}
)
LATIN = ("en", "de", "fr", "es")
FONTS = {
    "ru": "Liberation",
    "el": "Liberation",
    "zh": "WenQuanYi Micro Hei",
    "ja": "WenQuanYi Micro Hei",
}


def escape_latex(text: str) -> str:
    r"""Returns a text as LaTeX writes it.

    >>> escape_latex("50 % of A&B_1")
    '50 \\% of A\\&B\\_1'
    """
    return text.translate(ESCAPES)


def write_latex_document(scene: DocumentScene, rng: Random) -> str:
    """Writes a document with its preamble.

    >>> from helm_structext.scenes.document.scene import draw_document
    >>> write_latex_document(draw_document(Random(1), "easy", "en"), Random(1)).splitlines()[-1]
    '\\\\end{document}'
    """
    return LatexDocument(scene, rng).write()


class LatexDocument:
    """One person's way to write one document.

    Args:
        scene: the document.
        rng: the lot that decides on the way.
    """

    def __init__(self, scene: DocumentScene, rng: Random) -> None:
        self.scene = scene
        self.math = LatexMath(rng)
        self.starred = rng.random() < 0.6
        # \maketitle leaves much room, which a full page lacks.
        self.title_command = scene.centered and rng.random() < 0.6 and scene.level != "hard"
        self.listings = rng.random() < 0.4
        self.wrapped = rng.random() < 0.5 and scene.language not in ("zh", "ja")
        self.comments = rng.random() < 0.25
        self.indent = rng.choice(("  ", "  ", "    ", ""))
        self.brackets = rng.random() < 0.7
        self.colored = scene.accent != "#000000"

    def write(self) -> str:
        """Returns the code."""
        body = "\n\n".join([self.title(), *map(self.block, self.scene.blocks)])
        preamble = "\n".join(self.preamble(body))
        return f"{preamble}\n\n\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"

    def preamble(self, body: str) -> list[str]:
        """Returns the lines before the document: what its body needs."""
        scene = self.scene
        lines = ["\\documentclass[11pt]{article}", "\\usepackage[a4paper, margin=2cm]{geometry}"]
        if scene.language in LATIN:
            lines += [
                "\\usepackage[utf8]{inputenc}",
                "\\usepackage[T1]{fontenc}",
                "\\usepackage{lmodern}",
            ]
            if not scene.serif:
                lines += ["\\renewcommand{\\familydefault}{\\sfdefault}"]
        elif scene.language in ("ru", "el"):
            font = FONTS[scene.language]
            lines += [
                "\\usepackage{fontspec}",
                f"\\setmainfont{{{font} {'Serif' if scene.serif else 'Sans'}}}",
                f"\\setmonofont[Scale=MatchLowercase]{{{font} Mono}}",
            ]
        else:
            lines += [
                "\\usepackage{xeCJK}",
                f"\\setCJKmainfont[AutoFakeBold]{{{FONTS[scene.language]}}}",
                "\\setCJKmonofont{WenQuanYi Micro Hei Mono}",
            ]
            if not scene.serif:
                lines += [
                    f"\\setCJKsansfont[AutoFakeBold]{{{FONTS[scene.language]}}}",
                    "\\renewcommand{\\familydefault}{\\sfdefault}",
                ]
        if "\\[" in body or "equation*" in body or "$" in body:
            lines.append("\\usepackage{amsmath}")
        if "\\toprule" in body:
            lines.append("\\usepackage{booktabs}")
        if "\\multirow" in body:
            lines.append("\\usepackage{multirow}")
        if "lstlisting" in body:
            lines += [
                "\\usepackage{listings}",
                "\\lstset{basicstyle=\\ttfamily, columns=fullflexible, keepspaces=true, upquote=true}",
            ]
        if "lstlisting" in body or "verbatim" in body:
            lines.append("\\usepackage{upquote}")
        if "\\item" in body:
            lines.append("\\usepackage{enumitem}")
        lines += ["\\usepackage{xcolor}"] * self.colored
        lines.append("\\usepackage{titlesec}")
        if "\\href" in body:
            lines.append("\\usepackage[colorlinks, urlcolor=blue, linkcolor=black]{hyperref}")
        lines.append("")
        if self.comments:
            lines.append("% Look of the page")
        color = ""
        if self.colored:
            lines.append(f"\\definecolor{{accent}}{{HTML}}{{{scene.accent[1:].upper()}}}")
            color = "\\color{accent}"
        lines += [
            f"\\titleformat*{{\\section}}{{\\large\\bfseries{color}}}",
            "\\titlespacing*{\\section}{0pt}{12pt}{0pt}",
        ]
        if "\\subsection" in body:
            lines += [
                f"\\titleformat*{{\\subsection}}{{\\normalsize\\bfseries{color}}}",
                "\\titlespacing*{\\subsection}{0pt}{10pt}{0pt}",
            ]
        if "\\item" in body:
            lines.append("\\setlist{nosep}")
        if "{tabular}" in body:
            lines.append("\\renewcommand{\\arraystretch}{1.2}")
        lines += [
            "\\setlength{\\parindent}{0pt}",
            "\\setlength{\\parskip}{6pt}",
            "\\raggedright",
            "\\pagestyle{empty}",
        ]
        if not self.starred:
            lines.append("\\setcounter{secnumdepth}{0}")
        if self.title_command:
            style = "\\bfseries\\color{accent} " if self.colored else "\\bfseries "
            lines += [
                "",
                f"\\title{{{style}{escape_latex(scene.title)}}}",
                f"\\author{{{escape_latex(scene.byline)}}}",
                "\\date{}",
            ]
        return lines

    def title(self) -> str:
        """Returns the title and the line below it."""
        scene = self.scene
        if self.title_command:
            return "\\maketitle\n\\thispagestyle{empty}"
        color = "\\color{accent}" if self.colored else ""
        lines = [f"{{\\LARGE\\bfseries{color} {escape_latex(scene.title)}\\par}}"]
        if scene.byline:
            lines += ["\\smallskip", f"{escape_latex(scene.byline)}\\par"]
        text = "\n".join(lines)
        return f"\\begin{{center}}\n{text}\n\\end{{center}}" if scene.centered else text

    def block(self, block: DocumentBlock) -> str:
        """Returns a block's code."""
        match block:
            case Heading(text, level):
                command = "section" if level == 1 else "subsection"
                return f"\\{command}{'*' * self.starred}{{{escape_latex(text)}}}"
            case Paragraph(spans):
                return self.lines(self.spans(spans))
            case ItemList():
                return self.item_list(block)
            case TableBlock():
                return self.table(block)
            case DisplayFormula(tree):
                code = self.math.write(tree)
                if self.brackets:
                    return f"\\[\n{indent_lines(code, self.indent)}\n\\]"
                return (
                    f"\\begin{{equation*}}\n{indent_lines(code, self.indent)}\n\\end{{equation*}}"
                )
            case CodeBlock(language, code):
                return self.code(language, code)
            case QuoteBlock(spans):
                body = indent_lines(self.lines(self.spans(spans)), self.indent)
                return f"\\begin{{quote}}\n{body}\n\\end{{quote}}"

    def lines(self, text: str) -> str:
        if not self.wrapped:
            return text
        return textwrap.fill(text, 78, break_long_words=False, break_on_hyphens=False)

    def spans(self, spans: Spans) -> str:
        return "".join(map(self.span, spans))

    def span(self, span: TextSpan) -> str:
        text = escape_latex(span.text)
        match span.style:
            case "formula":
                assert span.tree is not None
                return f"${self.math.write(span.tree)}$"
            case "link":
                address = span.address.replace("%", "\\%").replace("#", "\\#")
                return f"\\href{{{address}}}{{{text}}}"
            case "note":
                return f"\\footnote{{{text}}}"
            case "plain":
                return text
        return f"\\{ ({'emphasis': 'emph', 'strong': 'textbf', 'code': 'texttt'}[span.style]) }{{{text}}}"

    def item_list(self, block: ItemList) -> str:
        environment = "enumerate" if block.numbered else "itemize"
        lines = []
        for item in block.items:
            lines.append(f"{self.indent}\\item {self.spans(item.spans)}")
            match item.below:
                case ItemList():
                    lines.append(indent_lines(self.item_list(item.below), self.indent * 2))
                case CodeBlock(language, code):
                    # Blanks before a line of code are part of it.
                    lines.append(self.code(language, code))
        body = "\n".join(lines)
        return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"

    def code(self, language: str, code: str) -> str:
        if not self.listings:
            return f"\\begin{{verbatim}}\n{code}\n\\end{{verbatim}}"
        return f"\\begin{{lstlisting}}[language={language}]\n{code}\n\\end{{lstlisting}}"

    def table(self, block: TableBlock) -> str:
        """Returns a table: with booktabs, or lines around all cells."""
        ruled = self.scene.ruled
        columns = len(block.numeric)
        letters = ["r" if numeric else "l" for numeric in block.numeric]
        form = "".join(letters) if ruled else f"|{'|'.join(letters)}|"
        head = [self.row(row, block, bold=True) for row in place_cells(block.head, columns)]
        lines = ["\\toprule" if ruled else "\\hline"]
        for place, row in enumerate(head):
            lines.append(row)
            if place + 1 < len(head):
                lines += self.partial_rules(block.head, columns, place)
        lines.append("\\midrule" if ruled else "\\hline")
        placed = place_cells(block.body, columns)
        for place, cells in enumerate(placed):
            lines.append(self.row(cells, block))
            if place + 1 == len(placed):
                break
            below = placed[place + 1]
            starts = any(cell and cell.rows > 1 for cell, _ in below)
            if ruled and starts:
                lines.append("\\midrule")
            elif not ruled:
                lines.append(write_rule(below))
        lines.append("\\bottomrule" if ruled else "\\hline")
        body = indent_lines("\n".join(lines), self.indent)
        table = f"\\begin{{tabular}}{{{form}}}\n{body}\n\\end{{tabular}}"
        if not block.caption:
            return table
        return f"\\textbf{{{escape_latex(block.caption)}}}\n\n{table}"

    def partial_rules(
        self, rows: Sequence[Sequence[TableCell]], columns: int, place: int
    ) -> list[str]:
        """Returns the rules between two rows of headers: not below cells that reach further."""
        if not self.scene.ruled:
            return [write_rule(place_cells(rows, columns)[place + 1])]
        rules = []
        column = 1
        for cell, width in place_cells(rows, columns)[place]:
            if cell and cell.columns > 1:
                rules.append(f"\\cmidrule(lr){{{column}-{column + width - 1}}}")
            column += width
        return rules

    def row(
        self, cells: list[tuple[TableCell | None, int]], block: TableBlock, *, bold: bool = False
    ) -> str:
        codes = []
        column = 0
        for cell, width in cells:
            text = escape_latex(cell.text) if cell else ""
            if bold and text:
                text = f"\\textbf{{{text}}}"
            if cell and cell.rows > 1:
                text = f"\\multirow{{{cell.rows}}}{{*}}{{{text}}}"
            if width > 1:
                letter = "c" if block.numeric[column] else "l"
                bars = "" if self.scene.ruled else "|"
                left = bars if column == 0 else ""
                text = f"\\multicolumn{{{width}}}{{{left}{letter}{bars}}}{{{text}}}"
            codes.append(text)
            column += width
        return f"{' & '.join(codes)} \\\\".replace("  ", " ").lstrip()


def write_rule(below: Sequence[tuple[TableCell | None, int]]) -> str:
    """Returns the rule above a row: not through cells that come from rows above.

    >>> write_rule([(None, 1), (TableCell("a", columns=2), 2), (None, 1)])
    '\\\\cline{2-3}'
    """
    if all(cell for cell, _ in below):
        return "\\hline"
    rules = []
    column = 1
    for cell, width in below:
        if cell:
            rules.append(f"\\cline{{{column}-{column + width - 1}}}")
        column += width
    return " ".join(rules)
