"""The command `helm-structext`."""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext import __version__
from helm_structext.errors import RenderError, SetupError
from helm_structext.formats import rendered_formats
from helm_structext.protocols import PROTOCOLS

if TYPE_CHECKING:
    from helm_structext.image2struct.result_sets import Pool
    from helm_structext.mmr.results import MMRBoard
    from helm_structext.results.comparisons import ScoreGrid
    from helm_structext.results.tabular import Table
    from helm_structext.structeval.judge_client import Judge
    from helm_structext.structeval.results import Board


def main(arguments: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 for success, 1 if the input was at fault (the code to render, say), 2 if the machine or
        the command line was.
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
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

    setup = commands.add_parser(
        "setup", help="install the JavaScript packages of the renderers (needs network, once)"
    )
    setup.set_defaults(command=_setup)

    init = commands.add_parser(
        "init", help="write conf files, schema, models and sample replays into this folder"
    )
    init.add_argument("--local-path", type=Path, default=Path("prod_env"), metavar="FOLDER")
    init.set_defaults(command=_init)

    render = commands.add_parser(
        "render", help="render code, or an answer with code, in the sandbox"
    )
    render.add_argument("format", help="such as latex")
    render.add_argument("file", help="the code, or - for standard input")
    render.add_argument("-o", "--output", type=Path, required=True, metavar="PNG")
    render.add_argument("--protocol", choices=PROTOCOLS, default=PROTOCOLS[0])
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

    generate = commands.add_parser("generate", help="make new questions with exact answers")
    sets = generate.add_subparsers(required=True, metavar="BENCHMARK")
    generate_mmr = sets.add_parser(
        "mmr", help="pictures full of text, and questions about them, for mmr:source=FOLDER"
    )
    generate_mmr.add_argument("--count", type=int, required=True, metavar="N", help="of questions")
    generate_mmr.add_argument(
        "--seed", type=int, required=True, metavar="S", help="another one gives other questions"
    )
    generate_mmr.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    generate_mmr.add_argument(
        "--no-check", action="store_true", help="keep questions without proof from the pictures"
    )
    generate_mmr.set_defaults(command=_generate_mmr)

    rescore = commands.add_parser(
        "rescore",
        help="render and score again the completions of HELM's own Image2Struct runs, "
        "or of a published StructEval evaluation",
    )
    rescore.add_argument(
        "folder",
        type=Path,
        help="the suite, such as benchmark_output/runs/v1, or an evaluation of StructEval (JSON)",
    )
    rescore.add_argument(
        "--root", type=Path, default=Path(), metavar="FOLDER", help="the folder that HELM ran in"
    )
    rescore.add_argument("-o", "--output", type=Path, metavar="JSONL", help="each answer's scores")
    rescore.add_argument(
        "--judge", default="none", metavar="NAME", help="who looks at StructEval's pictures"
    )
    rescore.add_argument(
        "--local-path",
        type=Path,
        default=Path("prod_env"),
        metavar="FOLDER",
        help="where HELM finds the judge's credentials and keeps its answers",
    )
    rescore.set_defaults(command=_rescore)

    tables = commands.add_parser("tables", help="print the paper's tables for a finished suite")
    tables.add_argument("suite")
    tables.add_argument(
        "--show",
        nargs="+",
        metavar="SECTION",
        help="only these: leaderboard, scores, metrics, answers, significance, correlation, "
        "experiments",
    )
    tables.add_argument(
        "--half-life", type=float, metavar="DAYS", help="instances of this age weigh half"
    )
    tables.add_argument(
        "--cutoffs",
        type=Path,
        metavar="YAML",
        help="model: last day of its training data; adds scores before and after it",
    )
    tables.add_argument(
        "--against",
        metavar="SUITE",
        help="what changed since that suite of the same instances",
    )
    tables.set_defaults(command=_tables)

    correlate = commands.add_parser(
        "correlate", help="print how the metrics go together in a finished suite"
    )
    correlate.add_argument("suite")
    correlate.set_defaults(command=_correlate)

    agreement = commands.add_parser(
        "judge-agreement",
        help="print how far StructEval's judge agrees with another one, or with people",
    )
    agreement.add_argument("suite")
    agreement.add_argument(
        "--judges",
        nargs="+",
        default=[],
        metavar="NAME",
        help="of two judges the second is the reference; by default those of the suite",
    )
    agreement.add_argument(
        "--labels",
        type=Path,
        metavar="CSV",
        help="what people say: model, instance, pair, label (true or false), maybe fair",
    )
    agreement.add_argument(
        "--unfair", type=Path, metavar="CSV", help="pairs to leave out: instance, pair"
    )
    agreement.add_argument(
        "--export", type=Path, metavar="CSV", help="write all pairs, for people to label"
    )
    agreement.set_defaults(command=_judge_agreement)

    report = commands.add_parser(
        "report", help="write a finished suite as one HTML file with all its pictures"
    )
    report.add_argument("suite")
    report.add_argument("-o", "--output", type=Path, default=Path("report.html"), metavar="HTML")
    report.add_argument(
        "--max-width", type=int, default=960, metavar="PIXELS", help="of stored pictures"
    )
    report.add_argument(
        "--no-plans", action="store_true", help="leave the EMS plans out, which take most time"
    )
    report.set_defaults(command=_report)

    for command in (tables, correlate, agreement, report):
        command.add_argument(
            "--models", nargs="+", default=[], metavar="NAME", help="only these (* stands for any)"
        )
    for command in (tables, correlate, agreement):
        command.add_argument(
            "-o",
            "--output",
            type=Path,
            metavar="FOLDER",
            help="write the tables as CSV and LaTeX too, drawings as PNG",
        )

    for command in (export, tables, correlate, agreement, report):
        command.add_argument(
            "--output-path",
            type=Path,
            default=Path("benchmark_output"),
            metavar="FOLDER",
            help="HELM's output folder",
        )
    return parser


def _doctor(options: argparse.Namespace) -> int:
    from helm_structext.cli.doctor import examine

    missing = 0
    for finding in examine():
        mark = "ok     " if finding.found else "absent " if finding.optional else "MISSING"
        missing += mark == "MISSING"
        print(f"{mark} {finding.name}: {finding.detail}")
    if missing:
        print(f"{missing} missing", file=sys.stderr)
    return 2 if missing else 0


def _init(options: argparse.Namespace) -> int:
    from helm_structext.cli.init import init

    for line in init(Path.cwd(), options.local_path):
        print(line)
    return 0


def _render(options: argparse.Namespace) -> int:
    from helm_structext.extraction import extract
    from helm_structext.renderers import render

    if options.format not in rendered_formats():
        known = ", ".join(rendered_formats())
        raise SetupError(f"unknown format {options.format}; there are {known}")
    completion = _read(options.file).decode("utf-8", "replace")
    code = extract(completion, options.format, options.protocol)
    rendering = render(options.format, code, protocol=options.protocol)
    rendering.image.save(options.output)
    width, height = rendering.image.size
    print(f"{options.output}: {width}x{height} pixels in {rendering.seconds:.2f} s")
    return 0


def _score(options: argparse.Namespace) -> int:
    from PIL import Image, UnidentifiedImageError

    from helm_structext.image2struct.scores import PICTURE_METRICS

    images = []
    for path in (options.prediction, options.reference):
        try:
            images.append(Image.open(path).convert("RGB"))
        except (OSError, UnidentifiedImageError) as error:
            raise SetupError(f"{path} is not a picture: {error}") from error
    for name, metric in PICTURE_METRICS.items():
        print(f"{name:34} {metric(*images, size_handling=options.size_handling):.4f}")
    return 0


def _setup(options: argparse.Namespace) -> int:
    from helm_structext.cli.setup import install_javascript

    print(install_javascript())
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from helm_structext.metrics import fetch_weights

    for path in fetch_weights():
        print(path)
    return 0


def _export(options: argparse.Namespace) -> int:
    from helm_structext.models.predictions import export_requests

    requests = list(export_requests(options.output_path / "runs" / options.suite))
    lines = "".join(json.dumps(request, ensure_ascii=False) + "\n" for request in requests)
    if options.output is None:
        sys.stdout.write(lines)
    else:
        options.output.write_text(lines, encoding="utf-8")
        print(f"{len(requests)} requests in {options.output}")
    return 0


def _generate_mmr(options: argparse.Namespace) -> int:
    from helm_structext.mmr.generate.dataset import generate_mmr

    report = generate_mmr(options.count, options.seed, options.output, check=not options.no_check)
    print(f"{report.questions} questions about {report.pictures} pictures in {options.output}")
    if report.checked:
        dropped = ", ".join(f"{number} for {why}" for why, number in report.dropped.items())
        print(
            f"{report.pass_rate:.1%} of {report.checked} possible questions verified from their "
            f"pictures; dropped: {dropped or 'none'}"
        )
    return 0


def _rescore(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from helm_structext.cache import renderings_folder
    from helm_structext.image2struct import rescore
    from helm_structext.structeval import rescore as rescore_structeval

    cache = renderings_folder()
    results: list[Any]
    if options.folder.is_file():
        judge = _judge(options.judge, options.local_path)
        results = list(rescore_structeval.rescore_structeval(options.folder, cache, judge))
        summary = rescore_structeval.summary(results, options.judge)
    else:
        results = list(rescore.rescore(options.folder, options.root, cache))
        summary = rescore.summary(results)
    if options.output is not None:
        lines = (json.dumps(asdict(result), ensure_ascii=False) for result in results)
        options.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(summary)
    return 0


def _judge(name: str, local_path: Path) -> "Judge | None":
    from helm_structext.cache import cache_folder
    from helm_structext.structeval.judge import NO_JUDGE
    from helm_structext.structeval.judge_client import Judge, helms_client

    if name == NO_JUDGE:
        return None
    return Judge(name, helms_client(local_path), cache_folder() / "judge")


def _tables(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.contamination import date_tables, read_cutoffs
    from helm_structext.image2struct.experiments import experiment_tables
    from helm_structext.image2struct.tables import SECTIONS
    from helm_structext.mmr import tables as tables_mmr
    from helm_structext.results.tabular import section_tables
    from helm_structext.structeval import tables as tables_structeval

    if options.half_life is not None and not options.half_life > 0:
        raise SetupError(f"--half-life is {options.half_life:g}; expected a number of days above 0")
    unknown = set(options.show or ()) - {*SECTIONS, "experiments"}
    if unknown:
        raise SetupError(
            f"unknown section {', '.join(sorted(unknown))}; "
            f"there are {', '.join(SECTIONS)}, experiments"
        )
    if options.against and (options.show or options.cutoffs):
        raise SetupError("--against shows what changed and nothing else: no --show, no --cutoffs")
    if options.against:
        return _against(options)
    cutoffs = read_cutoffs(options.cutoffs) if options.cutoffs else {}
    conditions, mmr, boards = _answers(options, options.suite)
    pools = [pool for group in conditions for pool in group]
    show = options.show or [*SECTIONS, "experiments"]
    tables = [
        *section_tables(SECTIONS, conditions, show),
        *section_tables(tables_mmr.SECTIONS, mmr, show),
        *section_tables(tables_structeval.SECTIONS, boards, show),
    ]
    if "experiments" in show:
        tables += experiment_tables(pools)
    if cutoffs:
        tables += date_tables(pools, cutoffs)
    return _show(tables, options.output)


def _against(options: argparse.Namespace) -> int:
    from helm_structext.results.comparisons import comparison_tables

    old, new = (_grids(options, suite) for suite in (options.against, options.suite))
    # A benchmark that only one of the suites has is left out.
    both = [(before, after) for before, after in zip(old, new, strict=True) if before and after]
    if not both:
        raise SetupError(f"{options.against} and {options.suite} have no benchmark in common")
    tables = (table for before, after in both for table in comparison_tables(before, after))
    return _show(tables, options.output)


def _grids(options: argparse.Namespace, suite: str) -> "list[list[ScoreGrid]]":
    """What a suite has of each benchmark, as it is compared with another suite's."""
    conditions, mmr, boards = _answers(options, suite)
    pools = [pool for group in conditions for pool in group]
    return [[pool.grid() for pool in pools], [b.grid() for b in mmr], [b.grid() for b in boards]]


def _correlate(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.tables import BOUNDS, correlation_tables

    conditions, *_ = _answers(options, options.suite)
    tables = [table for group in conditions for table in correlation_tables(group)]
    if not tables:
        raise SetupError(f"no answer rendered but those of {' and '.join(BOUNDS)}")
    return _show(tables, options.output)


def _judge_agreement(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.tables import fitting_models
    from helm_structext.structeval import agreement
    from helm_structext.structeval.results import read_structeval

    suite = options.output_path / "runs" / options.suite
    results = list(read_structeval(suite))
    if not results:
        raise SetupError(f"{suite} holds no finished runs of StructEval")
    models = fitting_models((result.model for result in results), options.models)
    pairs = agreement.asked_pairs(result for result in results if result.model in models)
    if options.export:
        agreement.write_labels(options.export, pairs)
        print(f"{len(pairs)} pairs in {options.export}")
        return 0
    unfair = agreement.read_unfair(options.unfair, pairs) if options.unfair else set()
    judge, *others = agreement.choose_judges(pairs, options.judges, 1 if options.labels else 2)
    if options.labels:
        labels = agreement.read_labels(options.labels, pairs)
        reference, verdicts = agreement.PEOPLE, labels.verdicts
        unfair |= {*labels.unfair}
    else:
        (reference,) = others
        verdicts = agreement.verdicts_of(pairs, reference)
    return _show(
        agreement.agreement_tables(pairs, judge, reference, verdicts, unfair), options.output
    )


def _report(options: argparse.Namespace) -> int:
    from helm_structext.report import write_report

    if options.max_width < 1:
        raise SetupError(f"--max-width is {options.max_width}; expected a number of pixels above 0")
    conditions, mmr, boards = _answers(options, options.suite)
    answers = write_report(
        conditions,
        options.output,
        title=options.suite,
        max_width=options.max_width,
        plans=not options.no_plans,
        mmr=mmr,
        structeval=boards,
    )
    megabytes = options.output.stat().st_size / 1e6
    print(f"{options.output}: {answers} answers, {megabytes:.1f} MB; open it in a browser")
    return 0


def _answers(
    options: argparse.Namespace, suite: str
) -> "tuple[list[list[Pool]], list[MMRBoard], list[Board]]":
    """What a suite has of Image2Struct, MMR and StructEval, of the models to show."""
    from helm_structext.image2struct.tables import fitting_models, selected
    from helm_structext.mmr.results import mmr_boards, read_mmr
    from helm_structext.results.runs import read_results
    from helm_structext.structeval.results import boards, read_structeval

    folder = options.output_path / "runs" / suite
    pictures = list(read_results(folder))
    readings = list(read_mmr(folder))
    structures = list(read_structeval(folder))
    of_pictures = {result.model for result in pictures}
    others = {*(result.model for result in readings), *(result.model for result in structures)}
    if not of_pictures | others:
        raise SetupError(f"{folder} holds no finished runs of helm-structext")
    models = fitting_models(of_pictures | others, options.models)
    # Pools keep the floor of a blank page, also where that model is not shown.
    fitting = [model for model in models if model in of_pictures]
    half_life = getattr(options, "half_life", None)
    return (
        selected(pictures, half_life, fitting) if fitting else [],
        mmr_boards(result for result in readings if result.model in models),
        boards(result for result in structures if result.model in models),
    )


def _show(tables: "Iterable[Table]", folder: Path | None) -> int:
    from helm_structext.image2struct.tables import write_tables

    tables = list(tables)
    files = write_tables(tables, folder) if folder else []
    print("\n\n".join(table.markdown() for table in tables if table.printed))
    if files:
        print(f"\n{len(files)} files in {folder}")
    return 0


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise SetupError(f"{file} can't be read: {error}") from error
