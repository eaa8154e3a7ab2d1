"""Papers of ours for arXiv's loopback server: written ones, and any number of generated ones."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from random import Random

from support.archives import END, header, padded
from support.arxiv_server import EXCLUSIVE, GZIP, Record
from support.hosts import Reply

FOLDER = Path(__file__).with_name("papers")
SETS = ("physics", "math", "cs", "q-bio", "q-fin", "stat", "eess", "econ")
FIRST = date(2026, 10, 1)

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Catalog>> endobj\ntrailer <<>>\n%%EOF\n"


def packed(files: Mapping[str, bytes]) -> bytes:
    """A tar.gz archive, the same bytes each time."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def files_of(name: str) -> dict[str, bytes]:
    """The files of a written paper: those of its folder, or its only one."""
    folder = FOLDER / name
    if folder.is_dir():
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    return {f"{name}.tex": (FOLDER / f"{name}.tex").read_bytes()}


def single(name: str) -> bytes:
    """The only file of a paper, gzipped without a tar archive."""
    (content,) = files_of(name).values()
    return gzip.compress(content, mtime=0)


def linked() -> bytes:
    """An archive with a link, and a file at an absolute path."""
    link = header("figure.tex", kind=b"2")
    link = link[:157] + b"/etc/passwd".ljust(100, b"\0") + link[257:]
    blank = link[:148] + b" " * 8 + link[156:]
    link = blank[:148] + b"%06o\0 " % sum(blank) + blank[156:]
    paper = padded(b"\\begin{equation} x \\end{equation}")
    return gzip.compress(link + header("/etc/paper.tex", 33) + paper + END, mtime=0)


def bomb() -> bytes:
    """A few kB that unpack to more than an archive may hold."""
    return gzip.compress(bytes(80 * 2**20), mtime=0)


def written() -> list[Record]:
    """Every paper that is written by hand, on days of October 2026."""
    latin = {"main.tex": files_of("genes")["genes.tex"].decode().encode("latin-1")}
    sources: list[tuple[str, str, bytes | Reply]] = [
        ("math", "lattices", packed(files_of("lattices"))),
        ("physics", "spinchain", single("spinchain")),
        ("cs", "sorting", packed(files_of("sorting"))),
        ("math", "functors", packed(files_of("functors"))),
        ("q-bio", "genes", packed(latin)),
        ("stat", "bootstrap", files_of("bootstrap")["bootstrap.tex"]),
        ("eess", "signals", packed(files_of("signals"))),
        ("econ", "auction", single("auction")),
        ("cs", "endless", single("endless")),
        ("cs", "hostile", single("hostile")),
        ("physics", "plain", single("plain")),
        ("cs", "verbatims", single("verbatims")),
        ("cs", "pseudocode", single("pseudocode")),
        ("stat", "white", single("white")),
        ("q-fin", "a PDF file", PDF),
        ("q-fin", "an archive of one", packed({"paper.pdf": PDF, "00README": b"nohypertex"})),
        ("physics", "PostScript", gzip.compress(b"%!PS-Adobe-2.0\n", mtime=0)),
        ("physics", "an archive without TeX", packed({"data.csv": b"1,2"})),
        ("cs", "links", linked()),
        ("cs", "a bomb", bomb()),
        ("cs", "an archive that is cut off", packed(files_of("sorting"))[:300]),
        ("cs", "an error as a page", Reply("<!DOCTYPE html><p>Not now</p>")),
        ("econ", "nothing", Reply("gone", 404)),
    ]
    return [
        Record(
            name=f"2610.{number:05}",
            sets=(subject,),
            created=(FIRST + timedelta(number % 28)).isoformat(),
            source=source,
            kind=GZIP,
        )
        for number, (subject, _, source) in enumerate(sources, 1)
    ]


NAMES = {
    **{"lattices": 1, "spinchain": 2, "sorting": 3, "functors": 4, "genes": 5, "bootstrap": 6},
    **{"signals": 7, "auction": 8, "endless": 9, "hostile": 10, "plain": 11, "verbatims": 12},
    **{"pseudocode": 13, "white": 14, "pdf": 15, "pdf in an archive": 16, "PostScript": 17},
    **{"no TeX": 18, "links": 19, "bomb": 20, "cut off": 21, "page": 22, "nothing": 23},
}


def identifier(name: str) -> str:
    """The identifier of a written paper."""
    return f"2610.{NAMES[name]:05}"


# Generated papers

MACROS = r"""
\newcommand{\R}{\mathbb{R}}
\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}
\DeclareMathOperator{\tr}{tr}
\definecolor{ink}{rgb}{0.1,0.2,0.6}
\tikzset{point/.style={circle, draw=ink, fill=ink!30}}
"""


def papers(count: int, seed: int) -> list[Record]:
    """Returns papers whose excerpts differ: two or three of each subset in each of them."""
    return [_generated(number, Random(f"{seed} {number}")) for number in range(count)]


def _generated(number: int, chance: Random) -> Record:
    makers = (_equation, _table, _plot, _algorithm)
    parts = [maker(chance) for maker in makers for _ in range(chance.randrange(2, 4))]
    chance.shuffle(parts)
    body = "\n\n".join(parts)
    text = f"\\documentclass{{article}}\n{MACROS}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    return Record(
        name=f"2611.{number:05}",
        sets=(SETS[number % len(SETS)],),
        created=(FIRST + timedelta(number % 28)).isoformat(),
        source=packed({"main.tex": text.encode()}),
        license=EXCLUSIVE if number % 5 == 4 else Record.license,
    )


def _letter(chance: Random) -> str:
    return chance.choice([*"abcdfghkmnpqrstuvwxyz", r"\alpha", r"\beta", r"\gamma", r"\sigma"])


def _term(chance: Random) -> str:
    a, b, n = _letter(chance), _letter(chance), chance.randrange(2, 99)
    return chance.choice(
        [
            rf"\frac{{{a}^{{{n}}}}}{{{b} + {n}}}",
            rf"\sum_{{{a}=1}}^{{{n}}} {b}_{{{a}}}",
            rf"\sqrt{{{n} {a} + {b}^2}}",
            rf"\int_0^{{{n}}} {a}({b}) \, d{b}",
            rf"\norm{{{a} - {b}}}^{{{n}}}",
            rf"\tr\left({a}^{{{n}}}\right)",
            rf"\begin{{pmatrix}} {a} & {n} \\ 0 & {b} \end{{pmatrix}}",
            rf"{n} {a} {b}",
        ]
    )


def _sum(chance: Random) -> str:
    return " + ".join(_term(chance) for _ in range(chance.randrange(1, 5)))


def _equation(chance: Random) -> str:
    name = chance.choice(["equation", "align", "gather", "multline", "displaymath"])
    rows = 1 if name in ("equation", "displaymath") else chance.randrange(2, 6)
    mark = "&" if name == "align" else ""
    lines = [rf"  {_letter(chance)} {mark}= {_sum(chance)}" for _ in range(rows)]
    return "\n".join([rf"\begin{{{name}}}", " \\\\\n".join(lines), rf"\end{{{name}}}"])


def _word(chance: Random) -> str:
    length = chance.randrange(3, 12)
    return "".join(chance.choice("aeiou" if i % 2 else "bcdfglmnprstv") for i in range(length))


def _table(chance: Random) -> str:
    columns, rows = chance.randrange(2, 6), chance.randrange(2, 10)
    ruled = chance.random() < 0.5
    form = "|".join(chance.choice("lcr") for _ in range(columns))
    cells = [
        [
            _word(chance) if chance.random() < 0.5 else f"{chance.uniform(0, 1e4):.2f}"
            for _ in range(columns)
        ]
        for _ in range(rows)
    ]
    lines = [" & ".join(row) + (r" \\ \hline" if ruled else r" \\") for row in cells]
    caption = rf"\caption{{{_word(chance)} {_word(chance)}}}" if chance.random() < 0.5 else ""
    body = "\n".join(lines)
    return (
        f"\\begin{{table}}\n\\centering {caption}\n\\begin{{tabular}}{{{form}}}\n\\hline\n{body}\n"
        "\\hline\n\\end{tabular}\n\\end{table}"
    )


def _plot(chance: Random) -> str:
    points = [(chance.randrange(-4, 5), chance.randrange(-3, 4)) for _ in range(6)]
    lines = [
        rf"  \draw[{chance.choice(['thick', 'dashed', 'ink', 'very thick'])}] ({x}, {y}) -- "
        rf"({chance.randrange(-4, 5)}, {chance.randrange(-3, 4) + 0.5});"
        for x, y in points
    ]
    x, y = chance.choice(points)
    shapes = [
        rf"  \node[point] at ({x}, {y}) {{${_letter(chance)}$}};",
        rf"  \fill[ink!{chance.randrange(20, 90)}] ({y}, {x}) circle ({chance.randrange(2, 12)}mm);",
        rf"  \draw ({x}, {y}) rectangle ({x + 1 + chance.randrange(3)}, {y + 1});",
    ]
    chosen = [*lines[: chance.randrange(1, 6)], *chance.sample(shapes, chance.randrange(1, 4))]
    return "\n".join([r"\begin{tikzpicture}", *chosen, r"\end{tikzpicture}"])


def _steps(chance: Random, depth: int = 0) -> list[str]:
    lines = []
    for _ in range(chance.randrange(1, 4)):
        kind = chance.choice(["For", "While", "If", "State", "State"]) if depth < 3 else "State"
        said = f"{_letter(chance)} \\in {_term(chance)}"
        if kind == "State":
            lines.append(rf"\State ${_letter(chance)} \gets {_term(chance)}$ {_word(chance)}")
        else:
            lines += [rf"\{kind}{{${said}$}}", *_steps(chance, depth + 1), rf"\End{kind}"]
    return lines


def _algorithm(chance: Random) -> str:
    body = "\n".join([r"\begin{algorithmic}[1]", *_steps(chance), r"\end{algorithmic}"])
    if chance.random() < 0.5:
        return body
    return f"\\begin{{algorithm}}\n\\caption{{{_word(chance)}}}\n{body}\n\\end{{algorithm}}"
