"""Commands that make new questions: generate image2struct, mmr and structeval."""

import argparse

from helm_structext.cli.options import Commands, add_local_path, output_folder
from helm_structext.errors import SetupError
from helm_structext.image2struct.tasks import SCENES
from helm_structext.results.tabular import format_count, list_some
from helm_structext.structeval.tasks import SUBSETS, TASKS, tasks_of
from helm_structext.terminal import say


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    generate = commands.add_parser("generate", help="make new questions")
    sets = generate.add_subparsers(required=True, metavar="BENCHMARK")
    _add_image2struct(sets)
    mmr = sets.add_parser(
        "mmr", help="pictures full of text, and questions about them, for mmr:source=FOLDER"
    )
    _add_common(mmr, "of questions")
    mmr.add_argument(
        "--no-check", action="store_true", help="keep questions without proof from the pictures"
    )
    mmr.set_defaults(command=_mmr)
    structeval = sets.add_parser(
        "structeval", help="questions that a model drafts, for structeval:source=FOLDER"
    )
    structeval.add_argument(
        "--model", required=True, metavar="NAME", help="who drafts them: a model that HELM knows"
    )
    structeval.add_argument(
        "--task", default="all", choices=("all", *TASKS), metavar="TASK", help="%(default)s"
    )
    structeval.add_argument(
        "--subset", default="all", choices=("all", *SUBSETS), help="%(default)s"
    )
    _add_common(structeval, "of questions of each task")
    add_local_path(structeval, "where HELM finds credentials and keeps answers (%(default)s)")
    structeval.set_defaults(command=_structeval)


def _add_image2struct(sets: Commands) -> None:
    command = sets.add_parser(
        "image2struct",
        help="pictures of scenes and the code that draws them, for image2struct:source=FOLDER",
    )
    command.add_argument(
        "--kind",
        nargs="+",
        required=True,
        metavar="KIND",
        help=f"what scenes are: {', '.join(SCENES)}, or all",
    )
    for name, what in {
        "formats": "what they are written in, such as svg typst",
        "language": "of their texts, such as en ja",
        "level": "easy, medium or hard, by how much is in them",
    }.items():
        command.add_argument(
            f"--{name}", nargs="+", default=[], metavar="NAME", help=f"{what}; by default all"
        )
    _add_common(command, "of scenes of each kind")
    command.add_argument(
        "--parallel", action="store_true", help="write each scene in all formats that can say it"
    )
    command.add_argument(
        "--no-proof", action="store_true", help="keep pictures that nothing has checked"
    )
    command.add_argument(
        "--push-to-hub",
        metavar="REPO",
        help="upload the set to this dataset of the Hub, which is private",
    )
    command.add_argument("--public", action="store_true", help="let everybody see that dataset")
    command.set_defaults(command=_image2struct)


def _add_common(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--count", type=int, required=True, metavar="N", help=what)
    command.add_argument(
        "--seed", type=int, required=True, metavar="S", help="another one gives others"
    )
    command.add_argument("-o", "--output", type=output_folder, required=True, metavar="FOLDER")


def _image2struct(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.collect.publish import check_access, push_to_hub
    from helm_structext.scenes.sets import generate_set
    from helm_structext.scenes.settings import ALL, choose_settings

    settings = choose_settings(
        kinds=options.kind,
        formats=options.formats or [ALL],
        count=options.count,
        seed=options.seed,
        languages=options.language or [ALL],
        levels=options.level or [ALL],
        parallel=options.parallel,
        proof=not options.no_proof,
    )
    if options.push_to_hub is not None:
        check_access(options.push_to_hub)
    made = generate_set(settings, options.output)
    items = sum(record.items.total() for record in made.values())
    scenes = sum(record.kept for record in made.values())
    say(f"{format_count(scenes, 'scene')} in {format_count(items, 'picture')} in {options.output}")
    for kind, record in made.items():
        reasons = (
            f"{number} {format} {reason}"
            for (format, reason), number in record.dropped.most_common()
        )
        say(
            f"{kind}: {record.kept} of {record.tried} scenes kept; dropped: "
            f"{list_some(reasons, 10) or 'none'}"
        )
    if options.push_to_hub is not None:
        say(push_to_hub(options.output, options.push_to_hub, private=not options.public))
    return 0


def _mmr(options: argparse.Namespace) -> int:
    from helm_structext.mmr.generate.dataset import generate_mmr

    report = generate_mmr(options.count, options.seed, options.output, check=not options.no_check)
    say(f"{report.questions} questions about {report.pictures} pictures in {options.output}")
    if report.checked:
        dropped = ", ".join(f"{number} for {why}" for why, number in report.dropped.items())
        say(
            f"{report.pass_rate:.1%} of {report.checked} possible questions verified from their "
            f"pictures; dropped: {dropped or 'none'}"
        )
    return 0


def _structeval(options: argparse.Namespace) -> int:
    from helm_structext.helm.drafts import generate_structeval

    tasks = tasks_of(options.task, options.subset)
    if not tasks:
        raise SetupError(
            f"--task {options.task} is not of --subset {options.subset}; leave one out"
        )
    report = generate_structeval(
        *(options.model, tasks, options.count, options.seed, options.output, options.local_path)
    )
    say(
        f"{format_count(report.used.total(), 'question')} in {options.output}; "
        f"{format_count(report.rejected, 'draft')} rejected: review.csv says why of each"
    )
    if short := [task for task in tasks if report.used[task] < options.count]:
        say(f"Fewer than {options.count} questions: {list_some(short)}")
    return 0
