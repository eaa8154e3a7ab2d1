"""Commands for one picture, or two: render, score, compare."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from helm_structext.cli.options import (
    Commands,
    any_path,
    output,
    output_file,
    read_input,
    say_of,
)
from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.protocols import DEFAULT_PROTOCOL, OWN_PROTOCOL, PROTOCOLS
from helm_structext.terminal import say
from helm_structext.texts import describe_error

if TYPE_CHECKING:
    from PIL.Image import Image

    from helm_structext.findings import Findings
    from helm_structext.renderers import Rendering

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
"""Ends of names of pictures, which no code of a format has."""


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    render = commands.add_parser(
        "render", help="render code, or an answer with code, in the sandbox"
    )
    render.add_argument("format", help=f"one of {', '.join(rendered_formats())}")
    render.add_argument("file", help="the code, or - for standard input")
    render.add_argument(
        "-o", "--output", type=output_file, required=True, metavar="PNG", help="- prints it"
    )
    render.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        default=DEFAULT_PROTOCOL,
        help="how the code is taken from it",
    )
    render.set_defaults(command=_render)

    score = commands.add_parser(
        "score",
        help="compare two pictures",
        description="Compares two pictures in PNG, JPEG, WEBP, GIF or BMP by every picture metric. "
        "Transparency is dropped (a hidden color counts as the color that it hides), of 16 bits a "
        "channel the higher 8 stay, of an animation the first picture counts, and a picture is not "
        "turned, whatever EXIF says.",
    )
    score.add_argument("prediction", type=any_path, help="a file")
    score.add_argument("reference", type=any_path, help="another one")
    score.add_argument(
        "--size-handling",
        choices=["padding", "resize", "error"],
        default="padding",
        help="of pictures of different sizes",
    )
    score.set_defaults(command=_score)

    compare = commands.add_parser(
        "compare", help="say what of one picture is not as on another, by what is on them"
    )
    compare.add_argument("format", help=f"one of {', '.join(rendered_formats())}")
    compare.add_argument(
        "prediction", help="its code, or an answer with code; - for standard input"
    )
    compare.add_argument(
        "reference", help="the same of what it should be; or a picture, whose texts Tesseract reads"
    )
    compare.add_argument(
        "--picture", type=output_file, metavar="PNG", help="the prediction with what is wrong on it"
    )
    compare.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        default=OWN_PROTOCOL,
        help="how the code is taken from it (%(default)s)",
    )
    compare.set_defaults(command=_compare)


def _render(options: argparse.Namespace) -> int:
    rendering = _render_file(options, options.file)
    _save(rendering.image, options.output)
    width, height = rendering.image.size
    say_of(
        options.output, f"{options.output}: {width}x{height} pixels in {rendering.seconds:.2f} s"
    )
    for one in rendering.missing:
        say_of(options.output, f"drawn without: {one}")
    for told in rendering.tex_errors or ():
        say_of(options.output, f"TeX went on after an error: {told}")
    return 0


def _render_file(options: argparse.Namespace, file: str, *, layout: bool = False) -> "Rendering":
    """Returns the rendering of a file of code, or of an answer with code."""
    from helm_structext.extraction import extract
    from helm_structext.renderers import render

    if options.format not in rendered_formats():
        known = ", ".join(rendered_formats())
        raise SetupError(f"unknown format {options.format}; there are {known}")
    completion = read_input(file).decode("utf-8", "replace")
    code = extract(completion, options.format, options.protocol)
    return render(options.format, code, protocol=options.protocol, layout=layout)


def _save(picture: "Image", place: Path) -> None:
    with output(place) as file:
        try:
            picture.save(file, format=None if file.suffix else "PNG")
        except (OSError, ValueError) as error:  # of a name that no picture can have
            raise SetupError(f"{place} can't be written: {describe_error(error)}") from error


def _compare(options: argparse.Namespace) -> int:
    from helm_structext.findings import compare, draw_findings

    drawn = _render_file(options, options.prediction, layout=True)
    if Path(options.reference).suffix.lower() in PICTURES:
        found = _compare_with_picture(drawn, Path(options.reference))
    else:
        reference = _render_file(options, options.reference, layout=True)
        found = compare(options.format, drawn, reference)
    if found.reason:
        raise SetupError(found.reason)
    say(found.sentence)
    for one in found.findings:
        say(f"{one.kind:18} {one.size:6.3f}  {one.text}")
    if found.left_out:
        say(f"… and {found.left_out} more")
    for name, value in found.scores.items():
        say(f"{name:18} {'-' if value is None else f'{value:.4f}'}")
    if options.picture:
        _save(draw_findings(drawn.image, found), options.picture)
    return 0


def _compare_with_picture(drawn: "Rendering", reference: Path) -> "Findings":
    from helm_structext.models.ocr_layout import compare_with_picture

    if drawn.layout is None:
        raise SetupError(f"what is on the prediction is not known: {drawn.layout_reason}")
    return compare_with_picture(drawn.layout, _read(reference))


def _read(path: Path) -> "Image":
    from helm_structext.pictures import decode

    try:
        return decode(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{path} is not a picture that can be read: {describe_error(error)}"
        ) from error


def _score(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.scores import PICTURE_METRICS

    images = [_read(path) for path in (options.prediction, options.reference)]
    for name, metric in PICTURE_METRICS.items():
        say(f"{name:34} {metric(*images, size_handling=options.size_handling):.4f}")
    return 0
