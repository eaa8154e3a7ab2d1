"""Python code that draws with Matplotlib → PNG of its figure."""

import contextlib
import datetime
import io
import os
import random
import sys
import time
import traceback
import types
import unicodedata
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

import matplotlib as mpl
import matplotlib._mathtext
import matplotlib._text_helpers
import matplotlib.animation
import matplotlib.pyplot as plt
import mpl_toolkits.axes_grid1
import mpl_toolkits.mplot3d  # noqa: F401
import numpy as np
import pandas as pd
import pandas.plotting._matplotlib
from matplotlib.font_manager import fontManager
from matplotlib_charts import watch_boxplots
from matplotlib_layout import noted
from PIL import Image
from python_server import Failure, lack, layout_wanted, protocol, tell_layout

FILE = "plot.py"
FALLBACK = "WenQuanYi Micro Hei"
"""Has the signs that the fonts before it lack."""
FIRST_IDEOGRAPH = "\u2e80"
"""From here on, formulas take signs of the fallback."""
ALIASES = {
    "Arial": "Liberation Sans",
    "Helvetica": "Liberation Sans",
    "Times": "Liberation Serif",
    "Times New Roman": "Liberation Serif",
    "Courier": "Liberation Mono",
    "Courier New": "Liberation Mono",
}
"""Families to those that have the same widths."""
ADVICE = {
    "has no attribute 'get_cmap'": "plt.get_cmap(name) or matplotlib.colormaps[name]",
    "has no attribute 'register_cmap'": "matplotlib.colormaps.register(cmap)",
    "got an unexpected keyword argument 'projection'": "figure.add_subplot(projection=…)",
    "'seaborn-": "'seaborn-v0_8-…', as 'seaborn-v0_8-whitegrid'",
    "'seaborn' is not": "'seaborn-v0_8'",
    "keyword argument 'use_line_collection'": "leave it out",
    "property 'normed'": "density=True",
    "keyword argument 'normed'": "density=True",
    "has no attribute 'set_axis_bgcolor'": "axes.set_facecolor(color)",
    "has no attribute 'w_xaxis'": "axes.xaxis",
    "has no attribute 'w_yaxis'": "axes.yaxis",
    "has no attribute 'w_zaxis'": "axes.zaxis",
    "has no attribute 'set_window_title'": "figure.canvas.manager.set_window_title(title)",
    "has no attribute 'plot_date'": "axes.plot(dates, values)",
    "'DataFrame' object has no attribute 'append'": "pandas.concat",
    "'Series' object has no attribute 'append'": "pandas.concat",
    "has no attribute 'iteritems'": "items()",
    "has no attribute 'trapz'": "numpy.trapezoid or scipy.integrate.trapezoid",
    "has no attribute 'in1d'": "numpy.isin",
    "has no attribute 'simps'": "scipy.integrate.simpson",
    "cannot import name 'trapz'": "trapezoid",
    "cannot import name 'simps'": "simpson",
    "cannot import name 'cumtrapz'": "cumulative_trapezoid",
    "cannot import name 'interp2d'": "RectBivariateSpline",
    "cannot import name 'plot_confusion_matrix'": "ConfusionMatrixDisplay.from_estimator",
}
"""What libraries say of what they no longer have, and what took its place, where they don't say it."""
NOW = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
"""The present, in seconds since 1970."""
save = mpl.figure.Figure.savefig
clear = mpl.figure.Figure.clear
film = matplotlib.animation.Animation.save
started: dict[Any, None] = {}
"""Timers that the code has started, such as those of animations."""


def prepare() -> None:
    """Draws once what is made at the first use."""
    figure, (line, table) = plt.subplots(1, 2)
    line.plot([1, 2], label="Warm $x^2$")
    line.set_title("Warm", fontweight="bold", fontstyle="italic")
    line.legend()
    days = pd.date_range("2024-01-01", periods=2)
    pd.DataFrame({"a": [1, 2]}, index=days).plot(ax=table)
    picture(figure, False)
    plt.close("all")


def draw(source: str) -> bytes:
    """Runs the code and draws its current figure, or else the last that it saved or showed.

    Without any figure it returns nothing.
    """
    stop_the_clock()
    repeat_chance()
    if protocol() == "corrected":
        complete_fonts()
    watch_resources()
    seen = watch_figures()
    if layout_wanted():
        watch_boxplots()
    module = types.ModuleType("__main__")
    # As in the published code, `plt` is there before it is imported.
    module.__dict__.update(__file__=FILE, plt=plt)
    sys.modules["__main__"] = module
    sys.argv = [FILE]
    Path(FILE).write_text(source, "utf-8")
    try:
        try:
            exec(compile(source, FILE, "exec"), module.__dict__)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
        current = [plt.gcf()] if plt.get_fignums() else []
        # What has nothing on it has often been saved, and then cleared.
        drawn = [figure for figure in current if figure.get_children() != [figure.patch]]
        for last in (drawn or seen or current)[-1:]:
            page: bytes
            page, told = last if isinstance(last, tuple) else picture(last, layout_wanted())
            if told:
                tell_layout(told)
            return page
    except MemoryError:
        raise
    except BaseException as error:
        traceback.print_exc()
        raise Failure("syntax", *reason(error)) from error
    return b""


def reason(error: BaseException) -> tuple[str, int, int]:
    """What went wrong, and in which line of the code, or 0; no column."""
    name = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return f"{name}: {error.msg}", error.lineno or 0, 0
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if frame.filename == FILE]
    said = f"{name}: {error}"
    advice = next((advice for old, advice in ADVICE.items() if old in said), "")
    return said + f" (use {advice})" * bool(advice), (lines or [0])[-1], 0


def picture(figure: Any, telling: bool) -> tuple[bytes, bytes]:
    """The figure as a PNG file, on white where it is transparent, and what tells what is on it, if it is to."""
    if figure.canvas.callbacks.callbacks.get("draw_event"):
        figure.canvas.draw()  # An animation begins when its figure is first drawn.
    for timer in list(started):
        timer.stop()
        timer._on_timer()
    drawn = io.BytesIO()
    with noted(figure) if telling else contextlib.nullcontext([]) as told:
        save(figure, drawn, format="png", bbox_inches="tight")
    with Image.open(drawn) as image:
        page = Image.new("RGBA", image.size, "white")
        page.alpha_composite(image.convert("RGBA"))
    png = io.BytesIO()
    page.convert("RGB").save(png, "PNG", compress_level=1)
    return png.getvalue(), b"".join(told)


def complete_fonts() -> None:
    """Gives the usual names to fonts of the same widths, and each text a font for other scripts."""
    fonts: Any = fontManager
    fonts.ttflist += [
        replace(font, name=alias)
        for alias, family in ALIASES.items()
        for font in fonts.ttflist
        if font.name == family
    ]
    find, fallback = fonts._find_fonts_by_props, fonts.findfont(FALLBACK)
    fonts._find_fonts_by_props = lambda *arguments, **options: [
        *find(*arguments, **options),
        fallback,
    ]
    formulas: Any = matplotlib._mathtext.UnicodeFonts
    find_glyph, others = formulas._get_glyph, matplotlib.font_manager.get_font(fallback)

    def find_any_glyph(self: Any, fontname: str, font_class: str, sign: str) -> Any:
        if FIRST_IDEOGRAPH <= sign < "\U00020000" and others.get_char_index(ord(sign)):
            return others, ord(sign), False
        return find_glyph(self, fontname, font_class, sign)

    formulas._get_glyph = find_any_glyph


def lack_font(family: str) -> None:
    """Notes a font that is not there."""
    lack("font", "", family)


def lack_glyph(codepoint: int) -> None:
    """Notes a sign that no font has, by its script if it is a letter."""
    sign = chr(codepoint)
    script = unicodedata.name(sign, "").partition(" ")[0] if sign.isalpha() else ""
    lack_font(f"with {script or f'U+{codepoint:04X}'}")


def watch_resources() -> None:
    """Notes fonts, signs and addresses that are asked for in vain."""
    helpers: Any = matplotlib._text_helpers
    warn = helpers.warn_on_missing_glyph

    def warn_on_missing_glyph(codepoint: int, fonts: str) -> None:
        lack_glyph(codepoint)
        warn(codepoint, fonts)

    def read_warning(record: Any) -> bool:
        match record.msg.partition(" %")[0], record.args:
            case "findfont: Font family", (family,):
                lack_font(str(family))
            case "findfont: Generic family", (_, families):
                lack_font(str(families))
            case "Font", (_, _, int(codepoint)):
                lack_glyph(codepoint)
        return True

    def refuse(self: Any, request: Any, *arguments: Any, **options: Any) -> Any:
        url = str(getattr(request, "full_url", request))
        if urlsplit(url).scheme in ("http", "https", "ftp"):
            lack("data", urlsplit(url).hostname or "", "", url)
            raise URLError(f"there is no network: {url}")
        return ask(self, request, *arguments, **options)

    helpers.warn_on_missing_glyph = warn_on_missing_glyph
    for module in (matplotlib.font_manager, matplotlib._mathtext):
        module._log.addFilter(read_warning)
    opener: Any = urllib.request.OpenerDirector
    ask, opener.open = opener.open, refuse


def watch_figures() -> list[Any]:
    """Returns a list that grows by each figure which the code saves or shows.

    One that the code clears next becomes the picture that it was. To save where no folder is, is no
    error here, nor is a backend that would open windows. An animation shows its first frame, or the
    last one where the code saves it.
    """
    seen: list[Any] = []

    def savefig(figure: Any, *arguments: Any, **options: Any) -> None:
        seen.append(figure)
        with contextlib.suppress(OSError):
            save(figure, *arguments, **options)

    def keep_and_clear(figure: Any, *arguments: Any, **options: Any) -> None:
        if seen and seen[-1] is figure:
            seen[-1] = picture(figure, layout_wanted())
        clear(figure, *arguments, **options)

    def save_animation(animation: Any, *arguments: Any, **options: Any) -> None:
        seen.append(animation._fig)
        film(animation, "", writer=NoFilm())
        animation._fig.canvas.mpl_disconnect(animation._first_draw_id)
        animation.pause()

    figures: Any = mpl.figure.Figure
    figures.savefig = savefig
    figures.clear = keep_and_clear
    animations: Any = matplotlib.animation.Animation
    animations.save = save_animation
    timers: Any = mpl.backend_bases.TimerBase
    timers._timer_start = lambda timer: started.setdefault(timer)
    timers._timer_stop = lambda timer: started.pop(timer, None)
    figures.show = lambda figure, *arguments, **options: seen.append(figure)
    pyplot: Any = plt
    pyplot.show = lambda *arguments, **options: seen.extend(
        [plt.gcf()] if plt.get_fignums() else []
    )
    pyplot.pause = lambda interval: None
    pyplot.switch_backend = lambda backend: None
    mpl.use = lambda backend, *, force=True: None
    return seen


class NoFilm(matplotlib.animation.AbstractMovieWriter):
    """Takes the frames of an animation and keeps none: it needs no program for films."""

    def setup(self, fig: Any, outfile: Any, dpi: Any = None) -> None:
        """Does nothing."""

    def grab_frame(self, **options: Any) -> None:
        """Does nothing."""

    def finish(self) -> None:
        """Does nothing."""


def repeat_chance() -> None:
    """Gives all generators the same seed every time, those too that ask the system for one."""
    random.seed(0)
    np.random.seed(0)
    generators: Any = np.random.bit_generator
    generators.randbits = lambda bits: 0


class Kind(type):
    """The class of a class that counts all instances of its base as its own."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__mro__[1])


def stop_the_clock() -> None:
    """Makes it `NOW` for `time`, `datetime` and pandas."""

    class Date(datetime.date, metaclass=Kind):
        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(NOW)

    class DateTime(datetime.datetime, metaclass=Kind):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(NOW, tz)

        today = utcnow = now

    module: Any = datetime
    module.date, module.datetime = Date, DateTime
    stamps: Any = pd.Timestamp
    stamps.now = stamps.today = classmethod(lambda cls, tz=None: cls(NOW, unit="s", tz=tz))
    clock: Any = time
    clock.time, clock.time_ns = lambda: float(NOW), lambda: NOW * 10**9
