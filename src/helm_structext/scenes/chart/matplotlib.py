"""Charts as scripts for Matplotlib."""

from collections.abc import Callable, Iterator
from random import Random

from helm_structext.scenes.chart.code import literal, number, quote, row
from helm_structext.scenes.chart.layout import BAR_SHARE, BOX_SHARE
from helm_structext.scenes.chart.scene import BARS, ChartScene
from helm_structext.scenes.chart.themes import ink_on
from helm_structext.scenes.colors import mix_colors

FAMILIES = {"sans": "sans-serif", "serif": "serif"}
CHINESE = "WenQuanYi Micro Hei"


def write_matplotlib(scene: ChartScene, rng: Random) -> str:
    """Writes a chart as a script."""
    return _Script(scene, rng).write()


def plain(text: str) -> str:
    r"""Returns a text as code, without Matplotlib's signs for formulas.

    >>> print(plain("$5"))
    "\\$5"
    """
    return quote(text.replace("$", r"\$"))


def texts(values: list[str] | tuple[str, ...], start: int = 0) -> str:
    """Returns a list of texts as code."""
    return row([value.replace("$", r"\$") for value in values], 0, start)


class _Script:
    """A script while it is written."""

    def __init__(self, scene: ChartScene, rng: Random) -> None:
        self.scene = scene
        self.looped = rng.random() < 0.6
        self.commented = rng.random() < 0.5
        self.updated = rng.random() < 0.5
        self.tight = rng.random() < 0.5
        self.saved = rng.random() < 0.3
        self.ranged = rng.random() < 0.5
        self.colored = rng.random() < 0.5
        self.numpy = False
        self.names = rng.choice((("categories", "values"), ("labels", "data"), ("names", "values")))

    def write(self) -> str:
        scene = self.scene
        width, height = (side / 100 for side in scene.size)
        layout = "" if self.tight else ', layout="constrained"'
        body = [
            *self.section("Data", self.data()),
            f"fig, ax = plt.subplots(figsize=({number(width)}, {number(height)}){layout})",
            *MARKS[scene.type](self),
            "",
            *self.section("Axes and title", self.frame()),
            *self.notes(),
            *self.legend(),
        ]
        ending = ["fig.tight_layout()"] if self.tight else []
        ending += ['fig.savefig("chart.png", dpi=100)' if self.saved else "plt.show()"]
        imports = ["import matplotlib.pyplot as plt"]
        if self.numpy:
            imports.append("import numpy as np")
        if scene.type == "heat map":
            imports.append("from matplotlib.colors import LinearSegmentedColormap")
        lines = [*imports, "", *self.theme(), "", *body, "", *ending]
        return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"

    def section(self, name: str, lines: Iterator[str]) -> Iterator[str]:
        if self.commented:
            yield f"# {name}"
        yield from lines
        yield ""

    def theme(self) -> Iterator[str]:
        theme = self.scene.theme
        family = [CHINESE] if self.scene.language in ("zh", "ja") else FAMILIES[theme.font]
        settings = {
            "font.family": family,
            "figure.facecolor": theme.ground,
            "axes.facecolor": theme.ground,
            "savefig.facecolor": theme.ground,
            "text.color": theme.ink,
            "axes.labelcolor": theme.ink,
            "axes.edgecolor": theme.ink,
            "xtick.color": theme.ink,
            "ytick.color": theme.ink,
        }
        if theme.ground == "#ffffff":
            settings = {
                key: value for key, value in settings.items() if not key.endswith("facecolor")
            }
        shown = {
            key: row(value) if isinstance(value, list) else literal(value)
            for key, value in settings.items()
        }
        if self.updated:
            yield "plt.rcParams.update({"
            yield from (f'    "{key}": {value},' for key, value in shown.items())
            yield "})"
        else:
            yield from (f'plt.rcParams["{key}"] = {value}' for key, value in shown.items())

    # Data

    def data(self) -> Iterator[str]:
        scene, (names, values) = self.scene, self.names
        if scene.type == "histogram":
            yield f"{values} = {row(scene.series[0].values, 0, len(values) + 3)}"
            return
        if scene.categories and scene.type != "box plot":
            yield f"{names} = {texts(scene.categories, len(names) + 3)}"
        if scene.type == "scatter":
            yield f"{values} = {{"
            for series in scene.series:
                yield f"    {plain(series.name)}: ("
                yield f"        {row(series.at, 8)},"
                yield f"        {row(series.values, 8)},"
                yield "    ),"
            yield "}"
            if len(scene.series) > 1:
                yield f"colors = {row(self.colors())}"
            return
        if scene.numeric:
            yield f"x = {row(scene.series[0].at, 0, 4)}"
        if len(scene.series) == 1:
            yield f"{values} = {row(scene.series[0].values, 0, len(values) + 3)}"
        elif scene.type == "heat map":
            yield f"rows = {texts([series.name for series in scene.series], 7)}"
            yield f"{values} = ["
            yield from (f"    {row(series.values, 4)}," for series in scene.series)
            yield "]"
        else:
            yield f"{values} = {{"
            for series in scene.series:
                name = plain(series.name)
                yield f"    {name}: {row(series.values, 4, len(name) + 3)},"
            yield "}"
        if len(scene.series) > 1 and scene.type not in ("heat map", "box plot"):
            yield f"colors = {row(self.colors())}"

    def colors(self) -> list[str]:
        return list(self.scene.theme.palette[: len(self.scene.series)])

    def each(self) -> str:
        """The head of a loop over all series and their colors."""
        return f"for (name, series), color in zip({self.names[1]}.items(), colors):"

    # Marks

    def bar(self) -> Iterator[str]:
        scene, (names, values) = self.scene, self.names
        call = "barh" if scene.horizontal else "bar"
        labeled = "bars = " if scene.labels else ""
        size = "height" if scene.horizontal else "width"
        yield f'{labeled}ax.{call}({names}, {values}, {size}={BAR_SHARE}, color="{scene.theme.palette[0]}")'
        if scene.labels:
            yield "ax.bar_label(bars, padding=3, fontsize=9)"
        yield from self.top_down()

    def top_down(self) -> Iterator[str]:
        if self.scene.horizontal:
            yield "ax.invert_yaxis()"

    def bar_groups(self) -> Iterator[str]:
        scene, (names, values) = self.scene, self.names
        call, size = ("barh", "height") if scene.horizontal else ("bar", "width")
        count = len(scene.series)
        self.numpy = True
        yield f"{size} = {BAR_SHARE} / {count}"
        yield f"x = np.arange(len({names}))"
        if self.looped:
            yield f"for i, (name, series) in enumerate({values}.items()):"
            yield f"    offset = (i - {number((count - 1) / 2)}) * {size}"
            yield f"    ax.{call}(x + offset, series, {size}, label=name, color=colors[i])"
        else:
            for place, series in enumerate(scene.series):
                offset = number(place - (count - 1) / 2)
                yield (
                    f"ax.{call}(x + {offset} * {size}, {values}[{plain(series.name)}], {size}, "
                    f"label={plain(series.name)}, color=colors[{place}])"
                ).replace("+ -", "- ")
        axis = "y" if scene.horizontal else "x"
        yield f"ax.set_{axis}ticks(x, {names})"
        yield from self.top_down()

    def bar_stacks(self) -> Iterator[str]:
        scene, (names, _) = self.scene, self.names
        call, size, base = (
            ("barh", "height", "left") if scene.horizontal else ("bar", "width", "bottom")
        )
        self.numpy = True
        yield f"{base} = np.zeros(len({names}))"
        yield self.each()
        yield f"    ax.{call}({names}, series, {size}={BAR_SHARE}, {base}={base}, label=name, color=color)"
        yield f"    {base} += np.array(series)"
        yield from self.top_down()

    def line(self) -> Iterator[str]:
        scene, (names, values) = self.scene, self.names
        x = "x" if scene.numeric else names
        style = 'marker="o", markersize=5, linewidth=2'
        if len(scene.series) == 1:
            yield f'ax.plot({x}, {values}, {style}, color="{scene.theme.palette[0]}")'
        elif self.looped:
            yield self.each()
            yield f"    ax.plot({x}, series, {style}, label=name, color=color)"
        else:
            for place, series in enumerate(scene.series):
                yield (
                    f"ax.plot({x}, {values}[{plain(series.name)}], {style}, "
                    f"label={plain(series.name)}, color=colors[{place}])"
                )
        if not scene.numeric:
            yield f"ax.set_xlim(-0.5, {len(scene.categories) - 1}.5)"

    def area(self) -> Iterator[str]:
        scene, (x, values) = self.scene, self.names
        if len(scene.series) == 1:
            yield f'ax.fill_between({x}, {values}, color="{scene.theme.palette[0]}", linewidth=0)'
        else:
            yield f"ax.stackplot({x}, {values}.values(), labels={values}.keys(), colors=colors)"
        yield "ax.margins(x=0)"

    def scatter(self) -> Iterator[str]:
        scene, (_, values) = self.scene, self.names
        if len(scene.series) == 1:
            yield f"(x, y), = {values}.values()"
            yield f'ax.scatter(x, y, s=50, color="{scene.theme.palette[0]}")'
            return
        yield f"for (name, (x, y)), color in zip({values}.items(), colors):"
        yield "    ax.scatter(x, y, s=50, label=name, color=color)"

    def pie(self) -> Iterator[str]:
        scene, (_, values) = self.scene, self.names
        palette = scene.theme.palette[: len(scene.categories)]
        percent = scene.label_of(0).replace("%", "%%").replace("0", "%.0f", 1)
        wedge = {"edgecolor": scene.theme.ground, "linewidth": 1.5}
        if scene.hole:
            wedge |= {"width": 0.45}
        style = ", ".join(f'"{key}": {literal(value)}' for key, value in wedge.items())
        yield f"colors = {row(palette)}"
        yield "wedges, _, percents = ax.pie("
        yield f"    {values},"
        yield "    colors=colors,"
        yield f"    autopct={quote(percent)},"
        yield f"    pctdistance={0.775 if scene.hole else 0.68},"
        yield "    startangle=90,"
        yield "    counterclock=False,"
        yield f"    wedgeprops={{{style}}},"
        yield ")"
        inks = [ink_on(color) for color in palette]
        if len(set(inks)) == 1:
            yield f'plt.setp(percents, color="{inks[0]}")'
        else:
            yield f"for percent, color in zip(percents, {row(inks, 4, 37)}):"
            yield "    percent.set_color(color)"

    def histogram(self) -> Iterator[str]:
        scene, (_, values) = self.scene, self.names
        axis, theme = scene.x, scene.theme
        yield (
            f"ax.hist({values}, bins={self.range(axis.low, axis.high, axis.step)}, "
            f'color="{theme.palette[0]}", edgecolor="{theme.ground}")'
        )

    def range(self, low: int, high: int, step: int) -> str:
        """Numbers from one to another, that one too."""
        if self.ranged:
            return f"range({low}, {high + 1}, {step})"
        self.numpy = True
        return f"np.arange({low}, {high + 1}, {step})"

    def box(self) -> Iterator[str]:
        _, values = self.names
        theme, fill = self.scene.theme, self.scene.fill
        yield "ax.boxplot("
        yield f"    {values}.values(),"
        yield f"    tick_labels={values}.keys(),"
        yield f"    widths={BOX_SHARE},"
        yield "    patch_artist=True,"
        yield f'    boxprops={{"facecolor": "{fill}", "edgecolor": "{theme.ink}"}},'
        yield f'    medianprops={{"color": "{theme.ink}", "linewidth": 2}},'
        yield f'    whiskerprops={{"color": "{theme.ink}"}},'
        yield f'    capprops={{"color": "{theme.ink}"}},'
        yield f'    flierprops={{"markeredgecolor": "{theme.ink}"}},'
        yield ")"

    def cells(self) -> Iterator[str]:
        scene, (names, values) = self.scene, self.names
        ramp, axis = scene.theme.ramp, scene.y
        yield f'cmap = LinearSegmentedColormap.from_list("ramp", {row(ramp)})'
        yield f'image = ax.imshow({values}, cmap=cmap, vmin={axis.low}, vmax={axis.high}, aspect="auto")'
        yield f"ax.set_xticks(range(len({names})), {names})"
        yield "ax.set_yticks(range(len(rows)), rows)"
        yield f"bar = fig.colorbar(image, label={plain(axis.label)}, ticks={self.range(axis.low, axis.high, axis.step)})"
        yield "bar.outline.set_visible(False)"
        if scene.labels:
            first, second = ink_on(mix_colors(*ramp, 0)), ink_on(mix_colors(*ramp, 1))
            turn = turning_value(scene)
            yield f"for i, line in enumerate({values}):"
            yield "    for j, value in enumerate(line):"
            yield f'        color = "{first}" if value < {number(turn)} else "{second}"'
            yield '        ax.text(j, i, value, ha="center", va="center", color=color, fontsize=9)'

    # Around the plot

    def frame(self) -> Iterator[str]:
        scene = self.scene
        yield f'ax.set_title({plain(scene.title)}, fontsize=14, fontweight="bold", pad=14)'
        if scene.type == "pie":
            return
        below, beside = (scene.y, scene.x) if scene.horizontal else (scene.x, scene.y)
        yield f"ax.set_xlabel({plain(below.label)})"
        if scene.type != "heat map":
            yield f"ax.set_ylabel({plain(beside.label)})"
        for name, axis in (("x", below), ("y", beside)):
            if axis.step and scene.type != "heat map":
                yield f"ax.set_{name}lim({axis.low}, {axis.high})"
                yield f"ax.set_{name}ticks({self.range(axis.low, axis.high, axis.step)})"
        if scene.tilted:
            yield 'plt.setp(ax.get_xticklabels(), rotation=45, ha="right", rotation_mode="anchor")'
        if scene.type == "heat map":
            yield "ax.spines[:].set_visible(False)"
            yield "ax.tick_params(length=0)"
            return
        if scene.y.low < 0 and scene.type in BARS:
            call = "axvline" if scene.horizontal else "axhline"
            yield f'ax.{call}(0, color="{scene.theme.ink}", linewidth=0.8)'
        yield 'ax.spines[["top", "right"]].set_visible(False)'
        if scene.theme.grid:
            along = "x" if scene.horizontal else "y"
            which = "" if scene.numeric and scene.type != "histogram" else f'axis="{along}", '
            yield f'ax.grid({which}color="{scene.theme.rule}", linewidth=0.8)'
            yield "ax.set_axisbelow(True)"

    def notes(self) -> Iterator[str]:
        scene = self.scene
        ink = scene.theme.ink
        if scene.reference:
            at = number(scene.reference.value)
            yield f'ax.axhline({at}, color="{ink}", linestyle="--", linewidth=1.2)'
            yield "ax.text("
            yield f"    1.01, {at}, {plain(scene.reference.text)},"
            yield '    transform=ax.get_yaxis_transform(), va="center", fontsize=9,'
            yield ")"
        if scene.peak:
            series = scene.series[scene.peak.series]
            y = series.values[scene.peak.index]
            x = series.at[scene.peak.index] if series.at else scene.peak.index
            point = f"({number(x)}, {number(y)})"
            yield f'ax.plot({number(x)}, {number(y)}, "o", markersize=10, fillstyle="none", color="{ink}")'
            yield "ax.annotate("
            yield f"    {plain(scene.peak.text)}, {point}, xytext=(0, 9),"
            yield f'    textcoords="offset points", ha="{scene.peak_side}", fontsize=9,'
            yield ")"

    def legend(self) -> Iterator[str]:
        scene = self.scene
        if scene.legend == "none":
            return
        what = f"wedges, {self.names[0]}, " if scene.type == "pie" else ""
        if scene.legend == "right":
            across = 1.0 if scene.type == "pie" else 1.02
            yield f'ax.legend({what}loc="upper left", bbox_to_anchor=({across}, 1), frameon=False)'
        else:
            below = 0.02 if scene.type == "pie" else -0.13 - 0.15 * scene.tilted
            yield (
                f'ax.legend({what}loc="upper center", bbox_to_anchor=(0.5, {below:.2f}), '
                f"ncols={len(scene.entries)}, frameon=False)"
            )


def turning_value(scene: ChartScene) -> float:
    """Returns the value of a heat map from which on its texts have another color."""
    low, high = scene.theme.ramp
    shares = [place / 100 for place in range(101)]
    first = next(
        (share for share in shares if ink_on(mix_colors(low, high, share)) != ink_on(low)), 1.0
    )
    return round(scene.y.low + first * (scene.y.high - scene.y.low), 1)


MARKS: dict[str, Callable[[_Script], Iterator[str]]] = {
    "bar": _Script.bar,
    "grouped bars": _Script.bar_groups,
    "stacked bars": _Script.bar_stacks,
    "line": _Script.line,
    "area": _Script.area,
    "scatter": _Script.scatter,
    "pie": _Script.pie,
    "histogram": _Script.histogram,
    "box plot": _Script.box,
    "heat map": _Script.cells,
}
