"""Commands for one picture: render, score."""

import argparse

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
from helm_structext.protocols import DEFAULT_PROTOCOL, PROTOCOLS
from helm_structext.terminal import say
from helm_structext.texts import describe_error


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


def _render(options: argparse.Namespace) -> int:
    from helm_structext.extraction import extract
    from helm_structext.renderers import render

    if options.format not in rendered_formats():
        known = ", ".join(rendered_formats())
        raise SetupError(f"unknown format {options.format}; there are {known}")
    completion = read_input(options.file).decode("utf-8", "replace")
    code = extract(completion, options.format, options.protocol)
    rendering = render(options.format, code, protocol=options.protocol)
    with output(options.output) as file:
        try:
            rendering.image.save(file, format=None if file.suffix else "PNG")
        except (OSError, ValueError) as error:  # of a name that no picture can have
            raise SetupError(
                f"{options.output} can't be written: {describe_error(error)}"
            ) from error
    width, height = rendering.image.size
    say_of(
        options.output, f"{options.output}: {width}x{height} pixels in {rendering.seconds:.2f} s"
    )
    for one in rendering.missing:
        say_of(options.output, f"drawn without: {one}")
    for told in rendering.tex_errors or ():
        say_of(options.output, f"TeX went on after an error: {told}")
    return 0


def _score(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.scores import PICTURE_METRICS
    from helm_structext.pictures import decode

    images = []
    for path in (options.prediction, options.reference):
        try:
            images.append(decode(path.read_bytes()))
        except (OSError, ValueError) as error:
            raise SetupError(
                f"{path} is not a picture that can be read: {describe_error(error)}"
            ) from error
    for name, metric in PICTURE_METRICS.items():
        say(f"{name:34} {metric(*images, size_handling=options.size_handling):.4f}")
    return 0
