"""The command `helm-structext`."""

import argparse
import json
import sys
from pathlib import Path

from helm_structext import __version__
from helm_structext.errors import RenderError, SetupError


def main(arguments: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 for success, 1 if the input was at fault (the code to render, say), 2 if the machine or
        the command line was.
    """
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except RenderError as error:
        print(error, file=sys.stderr)
        if error.log:
            print(error.log, file=sys.stderr)
        return 1
    except SetupError as error:
        print(f"helm-structext: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="helm-structext", description="Image2Struct, MMR and StructEval in HELM."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    doctor = commands.add_parser("doctor", help="list what is installed, and how to get the rest")
    doctor.set_defaults(command=_doctor)

    init = commands.add_parser(
        "init", help="write conf files, schema, models and sample replays into this folder"
    )
    init.add_argument("--local-path", type=Path, default=Path("prod_env"), metavar="FOLDER")
    init.set_defaults(command=_init)

    render = commands.add_parser("render", help="render one file of code, in the sandbox")
    render.add_argument("format", help="such as latex")
    render.add_argument("file", help="the code, or - for standard input")
    render.add_argument("-o", "--output", type=Path, required=True, metavar="PNG")
    render.add_argument("--protocol", choices=["published", "corrected"], default="published")
    render.set_defaults(command=_render)

    score = commands.add_parser("score", help="compare two pictures")
    score.add_argument("prediction", type=Path)
    score.add_argument("reference", type=Path)
    score.add_argument("--size-handling", choices=["padding", "resize", "error"], default="padding")
    score.set_defaults(command=_score)

    weights = commands.add_parser("weights", help="what the neural metrics need")
    weight_actions = weights.add_subparsers(required=True, metavar="ACTION")
    fetch = weight_actions.add_parser("fetch", help="download weights, with checksums (630 MB)")
    fetch.set_defaults(command=_fetch)

    predictions = commands.add_parser("predictions", help="work with completions made elsewhere")
    actions = predictions.add_subparsers(required=True, metavar="ACTION")
    export = actions.add_parser(
        "export", help="write the requests of a suite as JSONL, with `completion` to be filled in"
    )
    export.add_argument("suite")
    export.add_argument("-o", "--output", type=Path, metavar="JSONL", help="instead of printing")
    export.set_defaults(command=_export)

    rescore = commands.add_parser(
        "rescore", help="render and score the completions of HELM's own Image2Struct runs again"
    )
    rescore.add_argument("folder", type=Path, help="the suite, such as benchmark_output/runs/v1")
    rescore.add_argument(
        "--root", type=Path, default=Path(), metavar="FOLDER", help="the folder that HELM ran in"
    )
    rescore.add_argument("-o", "--output", type=Path, metavar="JSONL", help="each answer's scores")
    rescore.set_defaults(command=_rescore)

    tables = commands.add_parser("tables", help="print the leaderboard of a finished suite")
    tables.add_argument("suite")
    tables.set_defaults(command=_tables)

    for command in (export, tables):
        command.add_argument(
            "--output-path",
            type=Path,
            default=Path("benchmark_output"),
            metavar="FOLDER",
            help="HELM's output folder",
        )
    return parser


def _doctor(options: argparse.Namespace) -> int:
    from helm_structext.doctor import examine

    missing = 0
    for finding in examine():
        mark = "ok     " if finding.found else "absent " if finding.optional else "MISSING"
        missing += mark == "MISSING"
        print(f"{mark} {finding.name}: {finding.detail}")
    if missing:
        print(f"{missing} missing", file=sys.stderr)
    return 2 if missing else 0


def _init(options: argparse.Namespace) -> int:
    from helm_structext.init import init

    for line in init(Path.cwd(), options.local_path):
        print(line)
    return 0


def _render(options: argparse.Namespace) -> int:
    from helm_structext.renderers import FORMATS, render

    if options.format not in FORMATS:
        raise SetupError(f"unknown format {options.format}; there are {', '.join(FORMATS)}")
    source = _read(options.file).decode("utf-8", "replace")
    rendered = render(options.format, source, protocol=options.protocol)
    rendered.image.save(options.output)
    width, height = rendered.image.size
    print(f"{options.output}: {width}x{height} pixels in {rendered.seconds:.2f} s")
    return 0


def _score(options: argparse.Namespace) -> int:
    from PIL import Image, UnidentifiedImageError

    from helm_structext.scores import PICTURE_METRICS

    images = []
    for path in (options.prediction, options.reference):
        try:
            images.append(Image.open(path).convert("RGB"))
        except (OSError, UnidentifiedImageError) as error:
            raise SetupError(f"{path} is not a picture: {error}") from error
    for name, metric in PICTURE_METRICS.items():
        print(f"{name:34} {metric(*images, size_handling=options.size_handling):.4f}")
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from helm_structext.metrics import fetch_weights

    for path in fetch_weights():
        print(path)
    return 0


def _export(options: argparse.Namespace) -> int:
    from helm_structext.predictions import export_requests

    requests = list(export_requests(options.output_path / "runs" / options.suite))
    lines = "".join(json.dumps(request, ensure_ascii=False) + "\n" for request in requests)
    if options.output is None:
        sys.stdout.write(lines)
    else:
        options.output.write_text(lines, encoding="utf-8")
        print(f"{len(requests)} requests in {options.output}")
    return 0


def _rescore(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from helm_structext.cache import cache_folder
    from helm_structext.rescore import rescore, summary

    results = list(rescore(options.folder, options.root, cache_folder() / "renderings"))
    if options.output is not None:
        lines = (json.dumps(asdict(result), ensure_ascii=False) for result in results)
        options.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(summary(results))
    return 0


def _tables(options: argparse.Namespace) -> int:
    from helm_structext.suite import read_results
    from helm_structext.tables import leaderboard

    print(leaderboard(list(read_results(options.output_path / "runs" / options.suite))))
    return 0


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise SetupError(f"{file} can't be read: {error}") from error
