"""Code → picture: sandboxed, parallel, the same bytes every time.

>>> from helm_structext.renderers import render
>>> rendered = render("latex", r"$e^{i\\pi} + 1 = 0$")
>>> rendered.image.mode, rendered.text
('RGB', '$e^{i\\\\pi} + 1 = 0$')
"""

import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from PIL import Image

from helm_structext.cache import content_key
from helm_structext.errors import RenderError
from helm_structext.renderers import latex, latex_document, lilypond, matplotlib, typst
from helm_structext.renderers.engine import PROTOCOLS, Engine, ProtocolName, shortened, write_file
from helm_structext.renderers.web import frameworks, html, markdown, mermaid, svg, vega, webpage
from helm_structext.sandbox import Limits, limits_for, run_job

__all__ = ["FORMATS", "PROGRAMS", "Rendered", "render"]

FORMATS: dict[str, Engine] = {
    "latex": latex.ENGINE,
    "lilypond": lilypond.ENGINE,
    "webpage": webpage.ENGINE,
    **html.ENGINES,
    **frameworks.ENGINES,
    **latex_document.ENGINES,
    "typst": typst.ENGINE,
    "matplotlib": matplotlib.ENGINE,
    "vega": vega.ENGINE,
    "markdown": markdown.ENGINE,
    "svg": svg.ENGINE,
    "mermaid": mermaid.ENGINE,
}

MAX_SOURCE = 10_000_000
"""Characters of a completion; a longer one is an error of kind ``resource``."""

PROGRAMS: dict[str, dict[str, str]] = {
    name: {"bwrap": "bubblewrap", **engine.packages} for name, engine in FORMATS.items()
}
"""Format → the programs that it needs, each with the Debian package that has it."""


@dataclass(frozen=True)
class Rendered:
    """A picture and where it came from.

    Args:
        image: RGB.
        source: the code that was finally compiled.
        text: the structure reduced to its content.
        log: the engine's own output.
        seconds: wall time of the rendering (of the first one, if this one is from the cache).
        path: the PNG file in the cache, if there is a cache.
    """

    image: Image.Image
    source: str
    text: str
    log: str
    seconds: float
    path: Path | None


def render(
    format: str,
    source: str,
    *,
    assets: Mapping[str, bytes | str | Path] | None = None,
    timeout: float | None = None,
    protocol: ProtocolName = "published",
    cache: str | Path | None = None,
) -> Rendered:
    r"""Renders what a model wrote.

    Safe to call from many threads: `HELM_STRUCTEXT_WORKERS` jobs run at a time.

    Args:
        format: one of `FORMATS`.
        source: the completion as the model wrote it, fences and all.
        assets: files that the code may use: relative name → path or content.
        timeout: seconds; by default those of the format's limits.
        protocol: ``published``, the benchmark's steps as they were run, or ``corrected``.
        cache: a folder for results and for errors of the code, shared by any number of
            processes; None renders anew.

    Raises:
        RenderError: the code is wrong, takes too long, takes too much or gives no page.
        SetupError: a program, the sandbox or space on the disk is missing.
        ValueError: unknown format or protocol, no timeout above 0, or an asset that does not stay
            in its folder.

    >>> render("latex", r"\undefined")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: line 25: Undefined control sequence.
    """
    if format not in FORMATS:
        raise ValueError(f"format is {format!r}; expected one of {', '.join(FORMATS)}")
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol is {protocol!r}; expected one of {', '.join(PROTOCOLS)}")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout is {timeout!r}; expected a number of seconds above 0")
    if len(source) > MAX_SOURCE:
        raise RenderError("resource", f"the completion has more than {MAX_SOURCE} characters")
    engine = FORMATS[format]
    limits = limits_for(format, engine.limits)
    if timeout is not None:
        limits = replace(limits, seconds=timeout)
    files = {name: _asset(name, content) for name, content in (assets or {}).items()}
    if cache is None:
        return _drawn(engine, source, files, protocol, limits)
    parts = [part for name in sorted(files) for part in (name, files[name])]
    key = content_key(format, engine.version(), protocol, repr(limits), source, *parts)
    picture = Path(cache) / f"{key}.png"
    return _read_cache(picture) or _write_cache(
        picture, lambda: _drawn(engine, source, files, protocol, limits)
    )


def _asset(name: str, content: bytes | str | Path) -> bytes:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise ValueError(f"assets has the name {name!r}; expected a path inside the job's folder")
    return content if isinstance(content, bytes) else Path(content).read_bytes()


def _drawn(
    engine: Engine,
    source: str,
    files: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
) -> Rendered:
    start = time.monotonic()
    try:
        drawing = run_job(lambda: engine.draw(source, files, protocol, limits))
    except RenderError as error:
        raise RenderError(error.kind, error.message, shortened(error.log)) from error
    seconds = time.monotonic() - start
    log = shortened(drawing.log)
    return Rendered(drawing.image, drawing.source, drawing.text, log, seconds, None)


def _read_cache(picture: Path) -> Rendered | None:
    """What the cache has, if it has both the picture and the record written after it."""
    try:
        record = json.loads(picture.with_suffix(".json").read_bytes())
    except FileNotFoundError:
        return None
    if "kind" in record:
        raise RenderError(**record)
    if not picture.exists():
        return None
    with Image.open(picture) as image:
        return Rendered(image=image.convert("RGB"), path=picture, **record)


def _write_cache(picture: Path, draw: Callable[[], Rendered]) -> Rendered:
    try:
        rendered = draw()
    except RenderError as error:
        record = {"kind": error.kind, "message": error.message, "log": error.log}
        write_file(picture.with_suffix(".json"), json.dumps(record).encode())
        raise
    png = io.BytesIO()
    rendered.image.save(png, "PNG", compress_level=1)  # a third larger, in two thirds of the time
    write_file(picture, png.getvalue())
    record = {name: getattr(rendered, name) for name in ("source", "text", "log", "seconds")}
    write_file(picture.with_suffix(".json"), json.dumps(record).encode())
    return replace(rendered, path=picture)
