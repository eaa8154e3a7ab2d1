"""Pages that are not sheet music, set by Typst from random words."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from PIL import Image

from helm_structext.image2struct.collect.classifier.pieces import SYLLABLES, word, words
from helm_structext.pictures import decode

DPI = 150
SERIFS = ("Libertinus Serif", "New Computer Modern", "Liberation Serif", "C059", "P052")
SANS = ("Liberation Sans", "DejaVu Sans", "Nimbus Sans", "URW Gothic")
SCRIPTS = ("Z003", "Lobster Two", "TeXGyreChorus")
"""Fonts by their looks. Typst takes its own serifs where one is not installed."""

Body = Callable[[Random], str]
"""Makes what stands on a page, in Typst's language."""


def typst_page(random: Random, body: Body) -> Image.Image:
    """Returns a page of a random size, font and margin.

    Args:
        random: the source of chance.
        body: one of the functions below.
    """
    paper = random.choice(("a4", "a4", "a4", "us-letter", "a5", "jis-b5"))
    flipped = random.random() < 0.12
    margin = random.randint(12, 30)
    size = random.uniform(6, 14) * (0.75 if paper in {"a5", "jis-b5"} else 1)
    dpi = DPI * (1.35 if paper in {"a5", "jis-b5"} else 1)
    font = random.choice(SERIFS + SANS)
    numbering = random.choice(("none", "none", '"1"', '"— 1 —"'))
    source = (
        f'#set page("{paper}", margin: {margin}mm, numbering: {numbering}, '
        f"flipped: {str(flipped).lower()})\n"
        f'#set text(font: "{font}", size: {size:.1f}pt)\n'
        f"#set par(justify: {str(random.random() < 0.6).lower()})\n"
        f"{body(random)}"
    )
    made = _compiler().compile(source.encode(), format="png", ppi=dpi)
    png = made[0] if isinstance(made, list) else made
    return decode(png).convert("L")


@cache
def _compiler() -> Any:
    import typst

    return typst.Compiler()


def paragraphs(random: Random, least: int = 6, most: int = 12) -> str:
    """Returns paragraphs, some with a heading."""
    text = ""
    for _ in range(random.randint(least, most)):
        if random.random() < 0.25:
            text += f"= {words(random, 1, 5)}\n"
        sentences = (f"{words(random, 5, 20)}." for _ in range(random.randint(2, 7)))
        text += " ".join(sentences) + "\n\n"
    return text


def prose(random: Random) -> str:
    """A page of a book."""
    return paragraphs(random)


def columns(random: Random) -> str:
    """A page of an encyclopedia."""
    return f"#columns({random.randint(2, 3)})[{paragraphs(random, 14, 22)}]"


def _number(random: Random) -> str:
    """A figure as tables have them: whole, with decimals, a range, a share, negative."""
    whole, part = random.randint(0, 10 ** random.randint(1, 4)), random.randint(0, 99)
    return random.choice(
        (f"{whole}", f"{whole}.{part}", f"{part}–{whole}", f"{part} %", f"−{part}")
    )


def _cells(random: Random, count: int, numbers: float) -> str:
    return ", ".join(
        f"[{_number(random)}]" if random.random() < numbers else f"[{words(random, 1, 3)}]"
        for _ in range(count)
    )


def table(random: Random) -> str:
    """Tables with rules, few or many."""
    text = ""
    for _ in range(random.randint(1, 3)):
        width, height = random.randint(3, 16), random.randint(8, 40)
        numbers = random.choice((0.6, 0.6, 1))
        stroke = random.choice(
            ("0.4pt", "0.8pt", "(x: none, y: 0.4pt)", "(x: 0.3pt, y: none)", "none")
        )
        text += (
            f"{words(random, 3, 12)}.\n#set text(size: {random.uniform(4, 11):.1f}pt)\n"
            f"#table(columns: {width}, stroke: {stroke}, "
            f"inset: {random.uniform(2, 5):.1f}pt, {_cells(random, width * height, numbers)})\n"
        )
    return text


def thin_rules(random: Random) -> str:
    """A ledger: close horizontal rules, some columns, numbers here and there."""
    width = random.randint(3, 8)
    rows = random.randint(35, 70)
    cells = ", ".join(
        f"[{random.randint(1, 999)}]" if random.random() < 0.3 else "[]"
        for _ in range(width * rows)
    )
    return (
        f"#set text(size: {random.uniform(5, 8):.1f}pt)\n#table(columns: (1fr,) * {width}, "
        f"rows: {random.uniform(3, 6):.1f}mm, inset: 1pt, "
        f"stroke: (x: {random.choice(('none', '0.2pt'))}, y: 0.25pt), {cells})"
    )


def title_page(random: Random) -> str:
    """A cover: few large words in the middle, rules, a publisher."""
    lines = [
        f"#text(size: {random.randint(14, 54)}pt, weight: "
        f'"{random.choice(("regular", "bold"))}")[{words(random, 1, 4)}]'
        for _ in range(random.randint(2, 6))
    ]
    rule = "#line(length: 40%)" if random.random() < 0.5 else "#v(1cm)"
    gap = f"\n#v({random.uniform(0.5, 2):.1f}cm)\n"
    text = gap.join([*lines[:-1], rule, lines[-1]])
    return f"#align(center + horizon)[{text}]\n#align(center + bottom)[{words(random, 3, 8)}]"


def blank(random: Random) -> str:
    """Nothing, or a line in the middle."""
    if random.random() < 0.6:
        return "#v(1cm)"
    return f"#align(center + horizon)[{words(random, 2, 8)}]"


def _verse(random: Random) -> str:
    return " \\\n".join(words(random, 4, 8) for _ in range(random.randint(4, 8)))


def lyrics(random: Random) -> str:
    """Words of songs, in stanzas."""
    stanzas = "\n\n".join(
        f"{number}. {_verse(random)}" for number in range(1, random.randint(5, 12))
    )
    aligned = f"#set align({random.choice(('left', 'center'))})\n#set par(justify: false)\n"
    return f"= {words(random, 1, 4)}\n#columns({random.randint(1, 2)})[{aligned}{stanzas}]"


def contents(random: Random) -> str:
    """A table of contents with dotted leaders."""
    leader = random.choice(
        ("repeat[.]", "repeat[. ]", "line(length: 100%, stroke: 0.3pt)", "h(1fr)")
    )
    lines = (
        f"{number}. {words(random, 1, 6)} #box(width: 1fr, {leader}) {number * 3} \\\n"
        for number in range(1, random.randint(20, 45))
    )
    return f"= {words(random, 1, 2)}\n{''.join(lines)}"


def form(random: Random) -> str:
    """A form to fill in: labels, lines, boxes."""
    rows = ""
    for _ in range(random.randint(14, 26)):
        rows += random.choice(
            (
                f"{words(random, 1, 3)}: #box(width: 1fr, line(length: 100%, stroke: 0.5pt))\n\n",
                f"#box(width: 3mm, height: 3mm, stroke: 0.5pt) {words(random, 2, 6)}\n\n",
                f"#rect(width: 100%, height: {random.randint(8, 25)}mm)[{words(random, 1, 3)}]\n",
                f"{words(random, 1, 2)} #box(grid(columns: (6mm,) * 8, rows: 7mm, stroke: 0.4pt))"
                + "\n\n",
            )
        )
    return rows


def catalogue(random: Random) -> str:
    """A list of works with numbers and prices."""
    return "".join(
        f"#strong[{random.randint(100, 9999)}] {words(random, 2, 9)} #h(1fr) "
        f"{random.randint(1, 60)}.{random.randint(10, 99)} \\\n"
        for _ in range(random.randint(25, 50))
    )


def dictionary(random: Random) -> str:
    """A glossary: a term, its meaning, some musical signs."""
    entries = (
        f"/ {word(random)}: {words(random, 3, 18)} {random.choice(('', '', '♯', '♭', '♩', '♪'))}"
        for _ in range(random.randint(18, 34))
    )
    return "\n".join(entries)


def mathematics(random: Random) -> str:
    """Formulas between sentences."""
    formulas = (
        "sum_(k=1)^n a_k x^k = integral_0^1 f(t) dif t",
        "mat(a, b, c; d, e, f; 1, 0, 1) vec(x, y, z) = vec(0, 1, 2)",
        "lim_(n -> oo) (1 + 1/n)^n = e",
        "cases(x + y = 3, x - y = sqrt(2), z >= 0)",
    )
    return "".join(
        f"{words(random, 8, 30)} ${random.choice('abxyz')}_{random.randint(1, 9)}$.\n"
        f"$ {random.choice(formulas)} $\n"
        for _ in range(random.randint(7, 12))
    )


def code(random: Random) -> str:
    """A listing of a program."""
    lines = "\n".join(
        "  " * random.randint(0, 4) + f"{word(random)}({word(random)}, {random.randint(0, 99)});"
        for _ in range(random.randint(40, 65))
    )
    return f"#set text(size: 9pt)\n```\n{lines}\n```"


def letter(random: Random) -> str:
    """A letter as if by hand."""
    font = random.choice(SCRIPTS)
    size = random.randint(13, 20)
    return (
        f'#set text(font: "{font}", size: {size}pt)\n#set par(justify: false)\n'
        f"#align(right)[{words(random, 2, 3)}]\n{paragraphs(random, 3, 6).replace('= ', '')}"
    )


def chant_text(random: Random) -> str:
    """Words to be chanted: divided into syllables, red rules, large initials, no notes."""
    lines = ""
    for _ in range(random.randint(12, 22)):
        sung = " -- ".join(random.choices(SYLLABLES, k=random.randint(6, 12)))
        initial = f"#text(size: 26pt, fill: rgb(180, 30, 30))[{random.choice('ABDEGKLMPRS')}]"
        rule = "#line(length: 100%, stroke: 0.5pt + rgb(180, 30, 30))\n"
        lines += f"{initial if random.random() < 0.3 else ''}{sung} #h(1fr) "
        lines += f"#sym.dagger.double \\\n{rule if random.random() < 0.4 else ''}"
    return lines


def timetable(random: Random) -> str:
    """A dense grid of small numbers."""
    width, height = random.randint(10, 16), random.randint(25, 45)
    cells = ", ".join(
        f"[{random.randint(0, 23)}:{random.randint(10, 59)}]" for _ in range(width * height)
    )
    return (
        f"#set text(size: 6.5pt)\n#table(columns: (1fr,) * {width}, "
        f"inset: 2.5pt, stroke: 0.3pt, {cells})"
    )


def report(random: Random) -> str:
    """A critical report: bar numbers, parts, musical signs, no notes."""
    rows = "".join(
        f"[{random.randint(1, 300)}], [{random.choice(('Vl. I', 'Ob.', 'Pf. r.', 'B.'))}], "
        f"[{words(random, 2, 9)} {random.choice('♯♭♮♩♪♫')}{random.choice('abcdefg')}#super[2]], "
        for _ in range(random.randint(25, 45))
    )
    return f"= {words(random, 2, 4)}\n#table(columns: (auto, auto, 1fr), stroke: none, {rows})"


def cover(random: Random) -> str:
    """A cover with a frame and ornaments."""
    frames = "".join(
        f"#place(rect(width: {100 - 2 * step}%, height: {100 - 2 * step}%, "
        f"radius: {random.randint(0, 20)}pt, stroke: {random.uniform(0.3, 3):.1f}pt), "
        f"dx: {step}%, dy: {step}%)\n"
        for step in range(random.randint(2, 5))
    )
    ornaments = " ".join(random.choices("✦❦✿❖❧✤♪♫", k=random.randint(3, 9)))
    return (
        f"{frames}#align(center + horizon)[#text(size: {random.randint(30, 60)}pt)"
        f"[{words(random, 1, 2)}]\n\n#text(size: 24pt)[{ornaments}]\n\n{words(random, 2, 5)}]"
    )
