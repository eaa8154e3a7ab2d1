"""The command that trains the classifier of sheet music: collect train-classifier."""

import argparse

from helm_structext.cli.options import Commands, any_path, output, output_file, say_of
from helm_structext.errors import SetupError


def add_train_classifier(commands: Commands) -> None:
    """Adds the command to those of `collect`."""
    command = commands.add_parser(
        "train-classifier", help="train what tells sheet music from other pages, on pages of yours"
    )
    command.add_argument(
        "pages",
        type=any_path,
        metavar="FOLDER",
        help="with train/sheet, train/other, test/sheet and test/other, each with pictures of pages",
    )
    command.add_argument(
        "-o",
        "--output",
        type=output_file,
        metavar="FILE",
        help="of the weights; else they go where collecting looks for them, in the folder of weights",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another one gives other weights"
    )
    command.set_defaults(command=_train)


def _train(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.collect.classifier import EPOCHS, train
    from helm_structext.metrics.weights import sheet_classifier_path

    path = options.output or sheet_classifier_path()
    trained = train(options.pages, options.seed)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with output(path) as file:
            trained.classifier.save(file)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error}") from error
    record = trained.classifier.record
    losses = ", ".join(f"{loss:.3f}" for loss in trained.losses)
    say_of(path, f"{record['trained']} pages, {EPOCHS} epochs, mean losses {losses}")
    share = record["right"] / record["tested"]
    say_of(path, f"{record['right']} of {record['tested']} pages of the test right, {share:.1%}")
    for page in trained.wrong:
        say_of(path, f"    wrong: {page}")
    say_of(path, f"weights in {path}")
    return 0
