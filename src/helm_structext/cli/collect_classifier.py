"""The command that trains the classifier of sheet music: collect train-classifier."""

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helm_structext.cli.options import Commands, output, output_file, say_of
from helm_structext.errors import SetupError
from helm_structext.texts import quoted

if TYPE_CHECKING:
    from helm_structext.image2struct.collect.classifier.training import Accuracy, Trained

PAGES = 1400
"""By default, as in `training.train`."""


def add_train_classifier(commands: Commands) -> None:
    """Adds the command to those of `collect`."""
    command = commands.add_parser(
        "train-classifier",
        help="train what tells sheet music from other pages, on pages made here",
    )
    command.add_argument(
        "-o",
        "--output",
        type=output_file,
        metavar="FILE",
        help="of the weights; else they go where collecting looks for them, in the folder of weights",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another one gives other pages and weights"
    )
    command.add_argument(
        "--pages", type=_pages, default=PAGES, metavar="N", help="to train on; an even number"
    )
    command.set_defaults(command=_train)


def _pages(text: str) -> int:
    """An even number of pages; for argparse.

    >>> _pages("3")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: '3' is not an even number above 0
    """
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    if number < 2 or number % 2:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not an even number above 0")
    return number


def _train(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.collect.classifier import default_path
    from helm_structext.image2struct.collect.classifier.network import save
    from helm_structext.image2struct.collect.classifier.training import train

    path = options.output or default_path()
    start = time.monotonic()
    trained = train(options.seed, options.pages)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with output(path) as file:
            save(trained.network, trained.record, file)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error}") from error
    for line in described(trained, time.monotonic() - start):
        say_of(path, line)
    say_of(path, f"weights in {path}")
    return 0


def described(trained: "Trained", seconds: float) -> Iterator[str]:
    """Yields what is printed of a trained classifier."""
    record = trained.record
    yield (
        f"ResNet-18 from {record['from']}, {record['pages']} pages, each in {record['versions']} "
        f"versions, seed {record['seed']}: {seconds / 60:.1f} minutes with tests"
    )
    yield "loss by tenth: " + ", ".join(f"{loss:.3f}" for loss in trained.losses)
    yield from _accuracy("other pages of kinds seen in training", trained.seen)
    yield from _accuracy("pages of kinds never seen", trained.unseen)


def _accuracy(what: str, accuracy: "Accuracy") -> Iterator[str]:
    yield f"{what}: {accuracy.right} of {accuracy.pages} right, {accuracy.share:.1%}"
    for kind, (right, pages) in accuracy.kinds.items():
        yield f"    {kind}: {right} of {pages}"
