"""Code → picture: sandboxed, parallel, the same bytes every time.

>>> from helm_structext.renderers import render
>>> rendering = render("latex", r"$e^{i\\pi} + 1 = 0$")
>>> rendering.image.mode, rendering.text
('RGB', '$e^{i\\\\pi} + 1 = 0$')
"""

import io
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

from PIL import Image

from helm_structext.errors import (
    ERROR_KINDS,
    MAX_MISSING,
    MissingResource,
    RenderError,
    SetupError,
    check_types,
)
from helm_structext.extraction import extract
from helm_structext.formats import check_format, load, rendered_formats
from helm_structext.layouts import (
    REVISION,
    LayoutLost,
    PictureLayout,
    layout_record,
    read_layout,
)
from helm_structext.pictures import open_png
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName, check_protocol
from helm_structext.renderers.engine import Draw, Engine, ReaderDied
from helm_structext.renderers.limits import MAX_SOURCE, check_timeout
from helm_structext.renderers.outcome import check_code, check_structure, picture_of
from helm_structext.sandbox import EngineDied, Limits, limits_for, run_job
from helm_structext.storage.cache import (
    content_key,
    keep,
    prefix_folder,
    read_kept,
    read_record,
    write_record,
)
from helm_structext.storage.file_names import explain_conflict
from helm_structext.texts import one_line, shorten_text

__all__ = [
    "Parsed",
    "Rendering",
    "cached_rendering",
    "engine_of",
    "programs",
    "render",
    "render_completion",
]

WORDING = 5
"""Changes with the words of errors, whose kinds and pictures stay: errors kept in others are made anew."""

Assets = Mapping[str, bytes | str | Path]
"""Relative name → path or content."""


MAX_SHOWN = 60
"""Characters of a text in what a notebook shows of a rendering."""


@dataclass(frozen=True, repr=False)
class Rendering:
    """A picture and where it came from. A notebook shows the picture.

    Args:
        image: RGB; decoded when it is first asked for, if it is from the cache.
        source: the code that was finally compiled.
        text: the structure reduced to its content.
        log: the engine's own output.
        seconds: wall time of the rendering (of the first one, if this one is from the cache).
        path: the PNG file in the cache, if there is a cache.
        missing: what the code asked for and did not get, sorted: the picture was drawn without it.
        cause: what of it leaves nothing to see: in ``published`` such a page is a picture, in
            ``corrected`` an error of kind ``missing``.
        tex_errors: errors that TeX told and went on after, each with its line; None of other formats.
        layout: the texts and other elements on the picture, if they were asked for and can be had.
        layout_reason: why they can't, or "".
    """

    image: Image.Image
    source: str
    text: str
    log: str
    seconds: float
    path: Path | None
    missing: tuple[MissingResource, ...] = ()
    cause: tuple[MissingResource, ...] = ()
    tex_errors: tuple[str, ...] | None = None
    layout: PictureLayout | None = None
    layout_reason: str = ""

    def __repr__(self) -> str:
        width, height = self.image.size
        log = f", log={shorten_text(self.log, MAX_SHOWN)!r}" if self.log else ""
        return (
            f"Rendering({width}x{height}, source={shorten_text(self.source, MAX_SHOWN)!r}{log}, "
            f"seconds={self.seconds:.2f}, path={str(self.path) if self.path else None!r})"
        )

    def _repr_png_(self) -> bytes:
        return _png(self.image)


@dataclass(frozen=True)
class Parsed:
    """What a text was parsed to.

    Args:
        structure: as `helm_structext.metrics.parse_structure` returns it.
        source: the code that was parsed.
        text: what was done, for people.
        path: of a picture, which it has not.
        missing: what it did not get: nothing, as text needs nothing; so is `cause`.
    """

    structure: Any
    source: str
    text: str
    path: Path | None = None
    missing: tuple[MissingResource, ...] = ()
    cause: tuple[MissingResource, ...] = ()


def render_completion(
    format: str,
    completion: str,
    *,
    assets: Assets | None = None,
    timeout: float | None = None,
    protocol: ProtocolName = DEFAULT_PROTOCOL,
    cache: str | Path | None = None,
    layout: bool = False,
) -> Rendering | Parsed:
    r"""Finds the code in what a model wrote, and renders or parses it.

    Args:
        format: a key of `helm_structext.formats.FORMATS`.
        completion: what the model wrote, tags, fences and all.
        assets: see `render`; so are `timeout`, `protocol`, `cache` and `layout`. Parsing needs `protocol` alone.

    Returns:
        A `Rendering`, or what a format of text was `Parsed` to.

    Raises:
        RenderError: the code is wrong, takes too long, takes too much, or there is none.
        SetupError: see `render`.
        TypeError, ValueError: see `render`.

    >>> render_completion("latex", "Here you are:\n```latex\n$x^2$\n```").text
    '$x^2$'
    >>> render_completion("json", "<|BEGIN_CODE|>[1]<|END_CODE|>").structure
    [1]
    """
    check_types(str, completion=completion)
    _check_length(completion)
    code = extract(completion, format, protocol)
    if check_format(format).parser:
        return _parse(format, code, protocol)
    return render(
        format,
        code,
        assets=assets,
        timeout=timeout,
        protocol=protocol,
        cache=cache,
        layout=layout,
    )


def render(
    format: str,
    source: str,
    *,
    assets: Assets | None = None,
    timeout: float | None = None,
    protocol: ProtocolName = DEFAULT_PROTOCOL,
    cache: str | Path | None = None,
    layout: bool = False,
) -> Rendering:
    r"""Renders code.

    Safe to call from many threads: `HELM_STRUCTEXT_WORKERS` jobs run at a time.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        source: the code, without what a model wrote around it (`render_completion`).
        assets: files that the code may use: relative name → path or content.
        timeout: seconds for all steps together; by default those of the format's limits.
        protocol: ``published``, the benchmark's steps as they were run, or ``corrected``.
        cache: a folder for results and for errors of the code, shared by any number of
            processes; None renders anew. That an engine died is not kept.
        layout: whether to tell what is on the picture, too (`Rendering.layout`). The picture is the same.

    Raises:
        RenderError: the code is wrong, takes too long, takes too much, gives no page or needs what is not
            here (`helm_structext.renderers.outcome`).
        SetupError: a program, the sandbox or space on the disk is missing.
        TypeError: the source is not a string, or another argument is not what it should be.
        ValueError: unknown format or protocol, no timeout above 0, or assets whose names can't
            lie in one folder.

    >>> render("latex", r"\undefined")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: line 1: Undefined control sequence \undefined: \undefined
    """
    engine = engine_of(format)
    check_protocol(protocol)
    check_types(str, source=source)
    check_types((str, PathLike, type(None)), cache=cache)
    check_types((Real, type(None)), timeout=timeout)
    check_types(bool, layout=layout)
    check_timeout(timeout)
    files = _contents(assets or {})
    if wrong := explain_conflict(files):
        raise ValueError(f"assets: {wrong}")
    _check_length(source)
    check_code(source)
    limits = limits_for(format, engine.limits)
    if timeout is not None:
        limits = replace(limits, seconds=timeout)
    picture = None
    if cache is not None:
        picture = _place(Path(cache), _key(format, engine, source, files, protocol, limits))

    def plain() -> Rendering:
        return _render(engine.draw, source, files, protocol, limits)

    def told() -> Rendering:
        return _render(engine.draw_with_layout or engine.draw, source, files, protocol, limits)

    if not layout:
        return _find_or_make(picture, plain)
    if engine.draw_with_layout is None:
        reason = f"engines of {format} don't tell what is on a picture"
        return replace(_find_or_make(picture, plain), layout_reason=reason)
    try:
        return told() if picture is None else _with_kept_layout(picture, told)
    except LayoutLost as error:
        return replace(_find_or_make(picture, plain), layout_reason=error.message)


def engine_of(format: str) -> Engine:
    """Returns the engine of a format that is rendered.

    Raises:
        ValueError: unknown format.
    """
    engine: Engine = load(check_format(format, rendered_formats()).engine)
    return engine


def cached_rendering(format: str, source: str, protocol: ProtocolName, cache: str | Path) -> Path:
    """Returns where `render` keeps a picture in a cache, whether it is there or not.

    The file's name is a hash of all that the picture depends on: the format, the version of its
    engine, the protocol, the limits and the code.

    Args:
        format: one of those of `render`.
        source: the code, which has no assets.
        protocol: see `render`.
        cache: the folder.

    Raises:
        ValueError: unknown format or protocol.
        SetupError: a program is missing, so that its version is not known.

    >>> cached_rendering("typst", "#v(1em)", "published", "cache").suffix
    '.png'
    """
    engine = engine_of(format)
    limits = limits_for(format, engine.limits)
    return _place(Path(cache), _key(format, engine, source, {}, check_protocol(protocol), limits))


def programs() -> dict[str, dict[str, str]]:
    """Returns what each format needs: format → program → the Debian package that has it.

    >>> programs()["typst"]
    {'bwrap': 'bubblewrap'}
    """
    return {
        format: {"bwrap": "bubblewrap", **engine_of(format).packages}
        for format in rendered_formats()
    }


def _check_length(text: str) -> None:
    if len(text) > MAX_SOURCE:
        raise RenderError("resource", f"the text has more than {MAX_SOURCE:,} characters")


def _parse(format: str, code: str, protocol: ProtocolName) -> Parsed:
    # The metrics take longer to import than the renderers, which need nothing else of them.
    from helm_structext.metrics.structures import parse_structure

    check_code(code)
    structure = parse_structure(code, format, protocol=protocol)
    check_structure(structure, format)
    return Parsed(structure, code, f"parsed as {format}")


def _contents(assets: Assets) -> dict[str, bytes]:
    check_types(Mapping, assets=assets)
    for name, asset in assets.items():
        check_types(str, **{"a name of assets": name})
        check_types((bytes, str, PathLike), **{f"assets[{name!r:.80}]": asset})
    return {
        name: asset if isinstance(asset, bytes) else Path(asset).read_bytes()
        for name, asset in assets.items()
    }


def _render(
    draw: Draw,
    source: str,
    files: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
) -> Rendering:
    start = time.monotonic()
    try:
        drawing = run_job(lambda: draw(source, files, protocol, limits), limits.seconds)
        image = picture_of(drawing, protocol)
    except RenderError as error:
        if isinstance(error.__cause__, ReaderDied):
            raise LayoutLost(error.kind, f"reading what is on it: {error.message}") from error
        log, missing = shorten_text(error.log), _sort_missing(error.missing)
        raise type(error)(error.kind, error.message, log, missing) from error
    seconds = time.monotonic() - start
    log, missing = shorten_text(drawing.log), _sort_missing(drawing.missing)
    cause = _sort_missing(drawing.cause) if drawing.blank else ()
    told = drawing.tex_errors
    errors = None if told is None else tuple(map(one_line, told))
    return Rendering(
        image,
        drawing.source,
        drawing.text,
        log,
        seconds,
        None,
        missing,
        cause,
        errors,
        drawing.layout,
        drawing.layout_reason,
    )


def _sort_missing(missing: Iterable[MissingResource]) -> tuple[MissingResource, ...]:
    """Each once: a page may ask again, and in any order."""
    return tuple(sorted({*missing}))[:MAX_MISSING]


def _key(
    format: str,
    engine: Engine,
    source: str,
    files: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
) -> str:
    """A hash of all that a picture depends on."""
    parts = [part for name in sorted(files) for part in (name, files[name])]
    return content_key(format, engine.version(), protocol, repr(limits), source, *parts)


def _place(cache: Path, key: str) -> Path:
    return prefix_folder(cache, key) / f"{key}.png"


def _read_cache(picture: Path) -> Rendering | None:
    """What the cache has, if it has it whole."""
    if (record := read_record(picture.with_suffix(".json"))) is None:
        return None
    match record:
        case {
            "kind": kind,
            "message": str(message),
            "log": str(log),
            "missing": list(missing),
            "wording": wording,
        } if kind in ERROR_KINDS and wording == WORDING:
            raise RenderError(kind, message, log, _read_missing(missing))
        case {
            "source": str(source),
            "text": str(text),
            "log": str(log),
            "seconds": float(seconds),
            "missing": list(missing),
            "cause": list(cause),
        }:
            if png := read_kept(picture, record):
                lacked = _read_missing(missing), _read_missing(cause)
                errors = record.get("tex_errors")  # of other formats there are none
                errors = errors if errors is None else tuple(errors)
                return Rendering(
                    open_png(png), source, text, log, seconds, picture, *lacked, errors
                )
    return None


def _read_missing(missing: Iterable[Mapping[str, str]]) -> tuple[MissingResource, ...]:
    return tuple(MissingResource(**one) for one in missing)


def _write_cache(picture: Path, make: Callable[[], Rendering]) -> Rendering:
    try:
        rendering = make()
    except (EngineDied, LayoutLost):
        raise
    except RenderError as error:
        record = {"kind": error.kind, "message": error.message, "log": error.log}
        lacked = [asdict(one) for one in error.missing]
        write_record(
            picture.with_suffix(".json"), {**record, "missing": lacked, "wording": WORDING}
        )
        raise
    names = ("source", "text", "log", "seconds")
    kept: dict[str, Any] = {name: getattr(rendering, name) for name in names}
    for name in ("missing", "cause"):
        kept[name] = [asdict(one) for one in getattr(rendering, name)]
    if rendering.tex_errors is not None:
        kept["tex_errors"] = rendering.tex_errors
    keep(picture, _png(rendering.image), kept)
    return replace(rendering, path=picture)


def _find_or_make(picture: Path | None, make: Callable[[], Rendering]) -> Rendering:
    if picture is None:
        return make()
    return _read_cache(picture) or _write_cache(picture, make)


def _with_kept_layout(picture: Path, make: Callable[[], Rendering]) -> Rendering:
    """A rendering of the cache with its layout; what is not there yet is made with it and kept."""
    key = content_key(picture.stem, "layout", REVISION)
    place = _place(picture.parents[1], key).with_suffix(".json")
    kept = _read_cache(picture)
    if kept is None:
        rendering = _write_cache(picture, make)
    elif found := _read_kept_layout(place, kept):
        return found
    else:
        try:
            rendering = _complete(kept, make())
        except (RenderError, SetupError) as error:  # It was drawn before.
            return replace(kept, layout_reason=f"it can't be drawn again: {error}")
    _write_layout(place, rendering)
    return rendering


def _complete(kept: Rendering, anew: Rendering) -> Rendering:
    """Returns a rendering of the cache with the layout of the same picture, drawn anew."""
    if kept.image.size == anew.image.size and kept.image.tobytes() == anew.image.tobytes():
        return replace(kept, layout=anew.layout, layout_reason=anew.layout_reason)
    return replace(kept, layout_reason="another picture came of the code when it was drawn again")


def _read_kept_layout(place: Path, kept: Rendering) -> Rendering | None:
    """A rendering of the cache with its layout or the reason why there is none, if that was kept."""
    match read_record(place):
        case {"layout": None, "reason": str(reason)}:
            return replace(kept, layout_reason=reason)
        case {"layout": dict(record)}:
            with suppress(ValueError):
                layout = read_layout(record)
                return replace(kept, layout=layout) if layout.size == kept.image.size else None
    return None


def _write_layout(place: Path, rendering: Rendering) -> None:
    layout = rendering.layout and layout_record(rendering.layout)
    write_record(place, {"layout": layout, "reason": rendering.layout_reason})


def _png(image: Image.Image) -> bytes:
    png = io.BytesIO()
    image.save(png, "PNG", compress_level=1)  # a third larger, in two thirds of the time
    return png.getvalue()
