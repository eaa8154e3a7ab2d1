r"""Charts as TikZ with pgfplots; pies as paths."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from helm_structext.scenes.chart.code import LINE, fill, number
from helm_structext.scenes.chart.layout import BAR_SHARE, BOX_SHARE, entry_width, lay_out
from helm_structext.scenes.chart.matplotlib import CHINESE, turning_value
from helm_structext.scenes.chart.scene import BARS, ChartScene
from helm_structext.scenes.chart.themes import ink_on
from helm_structext.scenes.writing import TEX_SIGNS

CENTIMETERS = 0.02
"""Of a pixel."""
PDFTEX_LANGUAGES = ("en", "de", "fr", "es")
SYSTEM_FONTS = {
    "sans": ("DejaVu Sans", "Liberation Sans"),
    "serif": ("DejaVu Serif", "Liberation Serif"),
}
ESCAPES = TEX_SIGNS | str.maketrans({"−": "$-$", "\N{NO-BREAK SPACE}": "~"})


def write_tikz(scene: ChartScene, rng: Random) -> str:
    """Writes a chart as a document, or as a picture alone where it needs no font or color of its own."""
    return _TexPicture(scene, rng).write()


def escape_tex(text: str) -> str:
    r"""Returns a text as TeX reads it.

    >>> print(escape_tex("50 % & more"))
    50 \% \& more
    """
    return text.translate(ESCAPES)


def brace(text: str) -> str:
    """Returns a text as the value of an option."""
    return f"{{{escape_tex(text)}}}"


def centimeters(pixels: float) -> str:
    """Returns a length.

    >>> centimeters(430)
    '8.6cm'
    """
    return f"{round(pixels * CENTIMETERS, 2):g}cm"


class _TexPicture:
    """A picture while it is written."""

    def __init__(self, scene: ChartScene, rng: Random) -> None:
        self.scene, self.place = scene, lay_out(scene)
        self.tabular = rng.random() < 0.4
        self.listing = rng.random() < 0.4
        self.titled_first = rng.random() < 0.5
        self.commented = rng.random() < 0.4
        self.alone = rng.random() < 0.4
        self.family = rng.choice(SYSTEM_FONTS[scene.theme.font])
        self.xetex = scene.language not in PDFTEX_LANGUAGES
        # The Chinese font has no bold face.
        chinese = scene.language in ("zh", "ja")
        self.title_font = r"\large" if chinese else r"\large\bfseries"
        if chinese:
            self.family = CHINESE
        self.many = len(scene.series) > 1
        self.words = rng.choice(
            (
                ("first", "second", "third", "fourth", "fifth", "sixth"),
                [f"color{sign}" for sign in "ABCDEF"],
            )
        )

    def write(self) -> str:
        scene = self.scene
        picture = [r"\begin{tikzpicture}", *PICTURES[scene.type](self), r"\end{tikzpicture}"]
        plain = not self.xetex and scene.theme.font == "serif" and scene.theme.ground == "#ffffff"
        if plain and self.alone and scene.type != "box plot":
            return "\n".join([*self.colors(), *picture]) + "\n"
        whole = [*self.preamble(), *self.colors(), *self.ground(), r"\begin{document}"]
        return "\n".join([*whole, *picture, r"\end{document}"]) + "\n"

    def preamble(self) -> Iterator[str]:
        scene = self.scene
        yield r"\documentclass[border=8pt]{standalone}"
        if self.xetex:
            yield r"\usepackage{fontspec}"
            yield rf"\setmainfont{{{self.family}}}"
            if scene.language in ("zh", "ja"):
                yield r"\usepackage{xeCJK}"
                yield rf"\setCJKmainfont{{{CHINESE}}}"
                yield r"\xeCJKsetup{CJKecglue={}}"
        else:
            yield r"\usepackage[T1]{fontenc}"
            if scene.theme.font == "sans":
                yield r"\usepackage[scaled]{helvet}"
                yield r"\usepackage{sansmath}"
                yield r"\renewcommand{\familydefault}{\sfdefault}"
                yield r"\sansmath"
            else:
                yield r"\usepackage{lmodern}"
        if scene.type == "pie":
            yield r"\usepackage{tikz}"
        else:
            yield r"\usepackage{pgfplots}"
            numbers = ", /pgf/number format/assume math mode=true" if self.xetex else ""
            yield rf"\pgfplotsset{{compat=1.18{numbers}}}"
        if scene.type == "box plot":
            yield r"\usepgfplotslibrary{statistics}"

    def ground(self) -> Iterator[str]:
        theme = self.scene.theme
        if theme.ground != "#ffffff":
            yield r"\pagecolor{ground}"

    def colors(self) -> Iterator[str]:
        scene, theme = self.scene, self.scene.theme
        found = {"ink": theme.ink}
        if theme.ground != "#ffffff":
            found["ground"] = theme.ground
        if theme.grid and scene.type not in ("pie", "heat map"):
            found["rule"] = theme.rule
        if scene.type == "heat map":
            found |= dict(zip(("low", "high"), theme.ramp, strict=True))
        elif scene.type == "box plot":
            found["box"] = scene.fill
        else:
            found |= dict(zip(self.words, (color for _, color in scene.entries), strict=False))
        for name, color in found.items():
            yield rf"\definecolor{{{name}}}{{HTML}}{{{color[1:].upper()}}}"

    def paper(self) -> str:
        """The color behind all."""
        return "ground" if self.scene.theme.ground != "#ffffff" else "white"

    # The axis

    def plot(self) -> Iterator[str]:
        yield r"\begin{axis}["
        yield from (f"  {option}," for option in self.options())
        yield "]"
        if self.commented:
            yield "% Data"
        yield from MARKS[self.scene.type](self)
        yield from self.notes()
        yield r"\end{axis}"

    def options(self) -> Iterator[str]:
        scene, place, theme = self.scene, self.place, self.scene.theme
        below, beside = (scene.y, scene.x) if scene.horizontal else (scene.x, scene.y)
        size = [f"width={centimeters(place.width)}", f"height={centimeters(place.height)}"]
        if not self.titled_first:
            yield from ("scale only axis", *size)
        yield f"title={brace(scene.title)}"
        yield f"title style={{font={self.title_font}, text=ink, yshift=4pt}}"
        yield f"xlabel={brace(below.label)}"
        if scene.type != "heat map":
            yield f"ylabel={brace(beside.label)}"
        if self.titled_first:
            yield from (", ".join(size), "scale only axis")
        yield r"label style={font=\small, text=ink}"
        numbers = "/pgf/number format/1000 sep={}"
        yield rf"tick label style={{font=\footnotesize, text=ink, {numbers}}}"
        yield "scaled ticks=false"
        yield from self.type_options()
        for name, axis in (("x", below), ("y", beside)):
            if axis.step and scene.type != "heat map":
                yield f"{name}min={axis.low}, {name}max={axis.high}"
                yield f"{name}tick={{{axis.low},{axis.low + axis.step},...,{axis.high}}}"
        if scene.categories:
            yield from self.category_options()
        if scene.type == "heat map":
            return
        yield "axis lines*=left"
        yield "axis line style={ink}"
        yield (
            "tick style={ink}"
            if scene.numeric
            else f"tick style={{ink}}, {self.across()}tick style={{draw=none}}"
        )
        yield "tick align=outside"
        if theme.grid:
            both = scene.numeric and scene.type != "histogram"
            yield f"{'' if both else self.along()}{'grid=major' if both else 'majorgrids'}"
            yield "grid style={rule}"
        if scene.legend != "none":
            yield from self.legend_options()
        if scene.reference:
            yield "clip=false"
        elif scene.peak or scene.type == "line":
            yield "clip mode=individual"

    def across(self) -> str:
        return "y" if self.scene.horizontal else "x"

    def along(self) -> str:
        return "x" if self.scene.horizontal else "y"

    def type_options(self) -> Iterator[str]:
        scene = self.scene
        if scene.type in BARS:
            stacked = " stacked" if scene.stacked else "=0pt"
            yield f"{self.along()}bar{stacked}"
            yield f"bar width={centimeters(self.thickness())}"
            if scene.labels:
                yield "nodes near coords"
                yield r"nodes near coords style={font=\footnotesize, text=ink}"
        elif scene.type == "area" and self.many:
            yield "stack plots=y"
        elif scene.type == "histogram":
            yield "ybar interval"
            yield "xmajorgrids=false, x tick label as interval=false"
        elif scene.type == "box plot":
            yield "boxplot/draw direction=y"
            yield f"boxplot/box extend={BOX_SHARE}"
            yield "boxplot/every median/.style={very thick}"

    def thickness(self) -> float:
        """Of a bar, in pixels."""
        scene = self.scene
        room = self.place.height if scene.horizontal else self.place.width
        side_by_side = 1 if scene.stacked else len(scene.series)
        return room / len(scene.categories) * BAR_SHARE / side_by_side

    def category_options(self) -> Iterator[str]:
        scene = self.scene
        count = len(scene.categories)
        name = self.across()
        if scene.type == "heat map":
            yield "enlargelimits=false"
        elif scene.type == "area":
            yield f"xmin=1, xmax={count}"
        else:
            yield f"{name}min=0.5, {name}max={count}.5"
        yield f"{name}tick={{1,...,{count}}}"
        yield f"{name}ticklabels={{{self.name_list(scene.categories)}}}"
        if scene.horizontal:
            yield "y dir=reverse"
        if scene.tilted:
            yield "x tick label style={rotate=45, anchor=north east, inner sep=2pt}"
        if scene.type == "heat map":
            rows = [series.name for series in scene.series]
            yield f"ytick={{1,...,{len(rows)}}}"
            yield f"yticklabels={{{self.name_list(rows)}}}"
            yield "y dir=reverse"
            yield "axis line style={draw=none}"
            yield "tick style={draw=none}"
            yield "colormap={ramp}{color=(low) color=(high)}"
            yield "colorbar"
            yield f"point meta min={scene.y.low}, point meta max={scene.y.high}"
            ticks = f"ytick={{{scene.y.low},{scene.y.low + scene.y.step},...,{scene.y.high}}}"
            label = rf"ylabel={brace(scene.y.label)}, ylabel style={{font=\small, text=ink}}"
            yield f"colorbar style={{{label}, {ticks}, axis line style={{draw=none}}}}"

    def name_list(self, names: Sequence[str]) -> str:
        return ", ".join(brace(name) for name in names)

    def legend_options(self) -> Iterator[str]:
        scene = self.scene
        look = r"draw=none, fill=none, font=\small, text=ink"
        if scene.legend == "right":
            where = "at={(1.03,1)}, anchor=north west, cells={anchor=west}"
        else:
            below = -(scene.size[1] - self.place.bottom - 36) / self.place.height
            columns = "legend columns=-1, /tikz/every even column/.append style={column sep=10pt}"
            where = f"at={{(0.5,{below:.2f})}}, anchor=north, {columns}"
        yield f"legend style={{{where}, {look}}}"
        if scene.type in BARS or scene.type == "area":
            box = r"\fill[#1] (0cm,-0.1cm) rectangle (0.28cm,0.18cm); \path (0.36cm,0cm);"
            yield f"legend image code/.code={{{box}}}"

    # Data

    def addplot(
        self, look: str, points: Sequence[tuple[float, ...]], closing: str = ""
    ) -> Iterator[str]:
        """A plot of points: in one line, in several, or as a table."""
        pairs = [[number(part) for part in point] for point in points]
        start = rf"\addplot[{look}]"
        parts = [f"({x},{y})" for x, y in pairs]
        line = f"{start} coordinates {{{' '.join(parts)}}}{closing};"
        if self.tabular and len(points) > 3:
            yield f"{start} table {{"
            yield from (f"  {x} {y}" for x, y in pairs)
        elif len(line) > LINE + 20:
            yield f"{start} coordinates {{"
            yield from (text.replace("),", ")") for text in fill(parts, 2))
        else:
            yield line
            return
        yield f"}}{closing};"

    def entry(self, place: int) -> Iterator[str]:
        if self.scene.legend != "none" and not self.listing:
            yield rf"\addlegendentry{brace(self.scene.series[place].name)}"

    def spots(self, place: int) -> list[tuple[float, ...]]:
        """Points of a series: categories count from 1."""
        series = self.scene.series[place]
        at = series.at or tuple(range(1, len(series.values) + 1))
        points = zip(at, series.values, strict=True)
        return [(y, x) if self.scene.horizontal else (x, y) for x, y in points]

    def series(self) -> Iterator[str]:
        """Bars, lines, areas and points."""
        looks = {
            "line": "{0}, very thick, mark=*, mark size=2pt, mark options={{solid, fill={0}}}",
            "area": "draw=none, fill={0}",
            "scatter": "only marks, mark=*, mark size=2.6pt, {0}",
        }
        look = looks.get(self.scene.type, "fill={0}, draw=none")
        count = len(self.scene.series)
        for place in range(count):
            closing = r" \closedcycle" if self.scene.type == "area" else ""
            color = self.words[place]
            if self.scene.type == "grouped bars" and self.scene.horizontal:
                # Bars would go upwards, though the axis goes down.
                color += f", bar shift={centimeters(((count - 1) / 2 - place) * self.thickness())}"
            yield from self.addplot(look.format(color), self.spots(place), closing)
            yield from self.entry(place)
        if self.scene.legend != "none" and self.listing:
            yield rf"\legend{{{self.name_list([series.name for series in self.scene.series])}}}"

    def bins(self) -> Iterator[str]:
        scene = self.scene
        points = list(zip(scene.x.ticks, [*scene.counts, 0], strict=True))
        yield from self.addplot(f"fill={self.words[0]}, draw={self.paper()}", points)

    def boxes(self) -> Iterator[str]:
        for place, box in enumerate(self.scene.boxes, 1):
            yield r"\addplot[fill=box, draw=ink, semithick, mark=o, boxplot prepared={"
            yield f"  draw position={place},"
            yield f"  lower whisker={number(box.low)}, lower quartile={number(box.lower)},"
            yield f"  median={number(box.median)},"
            yield f"  upper quartile={number(box.upper)}, upper whisker={number(box.high)},"
            outliers = [(0.0, value) for value in box.outliers]
            points = " ".join(f"({place},{number(value)})" for _, value in outliers)
            yield f"}}] coordinates {{{points}}};"

    def cells(self) -> Iterator[str]:
        scene = self.scene
        shown = ""
        if scene.labels:
            first, second = (ink_on(color) for color in scene.theme.ramp)
            names = {"#000000": "black", "#ffffff": "white"}
            turn = turning_value(scene)
            shown = (
                ", nodes near coords={\\pgfmathfloattofixed{\\pgfplotspointmeta}%\n"
                f"    \\ifdim\\pgfmathresult pt<{number(turn)}pt \\color{{{names[first]}}}\\else\\color{{{names[second]}}}\\fi\n"
                "    \\pgfmathprintnumber{\\pgfplotspointmeta}},\n"
                "  nodes near coords style={anchor=center, font=\\footnotesize}"
            )
        yield rf"\addplot[matrix plot*, point meta=explicit, mesh/cols={len(scene.categories)}{shown}] table[meta=value] {{"
        yield "  x y value"
        for row, series in enumerate(scene.series, 1):
            for column, value in enumerate(series.values, 1):
                yield f"  {column} {row} {number(value)}"
        yield "};"

    def last(self) -> float:
        """The end of an axis of categories."""
        return len(self.scene.categories) + 0.5

    def notes(self) -> Iterator[str]:
        scene = self.scene
        if scene.y.low < 0 and scene.type in BARS:
            edges = (0.5, len(scene.categories) + 0.5)
            ends = (
                f"(axis cs:0,{at})" if scene.horizontal else f"(axis cs:{at},0)" for at in edges
            )
            yield rf"\draw[ink] {' -- '.join(ends)};"
        if scene.reference:
            at, note = number(scene.reference.value), brace(scene.reference.text)
            low, high = (scene.x.low, scene.x.high) if scene.numeric else (0.5, self.last())
            end = rf"node[right, text=ink, font=\footnotesize] {note}"
            yield (
                rf"\draw[ink, dashed, thick] (axis cs:{number(low)},{at}) -- "
                rf"(axis cs:{number(high)},{at}) {end};"
            )
        if scene.peak:
            x, y = self.spots(scene.peak.series)[scene.peak.index]
            side, shift = NODE_SIDES[scene.peak_side]
            at = f"(axis cs:{number(x)},{number(y)})"
            yield rf"\draw[ink, thick] {at} circle[radius=4pt];"
            yield rf"\node[{side}, {shift}font=\footnotesize, text=ink] at {at} {brace(scene.peak.text)};"

    # Pies

    def pie(self) -> Iterator[str]:
        scene, place = self.scene, self.place
        radius = min(place.width, place.height) / 2 * CENTIMETERS
        inner = radius * 0.55 if scene.hole else 0
        middle = radius * (0.775 if scene.hole else 0.68)
        values = scene.series[0].values
        turn = 90.0
        entries = list(zip(scene.entries, values, strict=True))
        yield rf"\node[font={self.title_font}, text=ink] at (0,{number(round(radius + 0.8, 2))}) {brace(scene.title)};"
        for index, ((_, color), value) in enumerate(entries):
            end = turn - 360 * value / sum(values)
            first, last = number(round(turn, 2)), number(round(end, 2))
            out = number(round(radius, 2))
            if inner:
                back = f"-- ({last}:{inner:.2f}) arc[start angle={last}, end angle={first}, radius={inner:.2f}] -- cycle"
                begin = f"({first}:{inner:.2f}) -- ({first}:{out})"
            else:
                back, begin = "-- cycle", f"(0,0) -- ({first}:{out})"
            yield (
                rf"\filldraw[fill={self.words[index]}, draw={self.paper()}, thick] {begin} "
                rf"arc[start angle={first}, end angle={last}, radius={out}] {back};"
            )
            ink = {"#000000": "black", "#ffffff": "white"}[ink_on(color)]
            at = f"({number(round((turn + end) / 2, 2))}:{number(round(middle, 2))})"
            yield rf"\node[text={ink}, font=\small] at {at} {brace(scene.label_of(value))};"
            turn = end
        if self.commented:
            yield "% Legend"
        for index, (name, _) in enumerate(scene.entries):
            if scene.legend == "right":
                x, y = radius + 1.2, radius - 0.3 - 0.5 * index
            else:
                left, line = place.legend
                x = (left - (place.left + place.right) / 2) * CENTIMETERS
                from_left = sum(
                    entry_width(other) * CENTIMETERS for other, _ in scene.entries[:index]
                )
                x, y = x + from_left, -radius - (line - place.bottom) * CENTIMETERS
            yield rf"\fill[{self.words[index]}] ({x:.2f},{y - 0.14:.2f}) rectangle +(0.28,0.28);"
            yield rf"\node[anchor=base west, font=\small, text=ink] at ({x + 0.3:.2f},{y - 0.1:.2f}) {brace(name)};"


NODE_SIDES = {
    "left": ("above right=4pt", "xshift=-10pt, "),
    "center": ("above=4pt", ""),
    "right": ("above left=4pt", "xshift=10pt, "),
}
"""How the text of a marked point is aligned, to where its node is."""
PICTURES: dict[str, Callable[[_TexPicture], Iterator[str]]] = {
    **dict.fromkeys(
        (*BARS, "line", "area", "scatter", "histogram", "box plot", "heat map"), _TexPicture.plot
    ),
    "pie": _TexPicture.pie,
}
MARKS: dict[str, Callable[[_TexPicture], Iterator[str]]] = {
    **dict.fromkeys((*BARS, "line", "area", "scatter"), _TexPicture.series),
    "histogram": _TexPicture.bins,
    "box plot": _TexPicture.boxes,
    "heat map": _TexPicture.cells,
}
