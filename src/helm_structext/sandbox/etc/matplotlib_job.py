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
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.animation
import matplotlib.pyplot as plt
import mpl_toolkits.axes_grid1
import mpl_toolkits.mplot3d  # noqa: F401
import numpy as np
import pandas as pd
import pandas.plotting._matplotlib
from PIL import Image
from python_server import Failure

FILE = "plot.py"
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
    picture(figure)
    plt.close("all")


def draw(source: str) -> bytes:
    """Runs the code and draws its current figure, or else the last that it saved or showed.

    Without any figure it returns nothing.
    """
    stop_the_clock()
    repeat_chance()
    seen = watch_figures()
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
            return last if isinstance(last, bytes) else picture(last)
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
    return f"{name}: {error}", (lines or [0])[-1], 0


def picture(figure: Any) -> bytes:
    """The figure as a PNG file, on white where it is transparent."""
    if figure.canvas.callbacks.callbacks.get("draw_event"):
        figure.canvas.draw()  # An animation begins when its figure is first drawn.
    for timer in list(started):
        timer.stop()
        timer._on_timer()
    drawn = io.BytesIO()
    save(figure, drawn, format="png", bbox_inches="tight")
    with Image.open(drawn) as image:
        page = Image.new("RGBA", image.size, "white")
        page.alpha_composite(image.convert("RGBA"))
    png = io.BytesIO()
    page.convert("RGB").save(png, "PNG", compress_level=1)
    return png.getvalue()


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
            seen[-1] = picture(figure)
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
