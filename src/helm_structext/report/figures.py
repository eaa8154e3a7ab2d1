"""Figures of chosen instances for papers: the reference and what each model made of it, side by side."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from helm_structext.errors import SetupError
from helm_structext.pictures import PictureError, read_picture
from helm_structext.report.panels import Code, Text
from helm_structext.report.parts import AnswerCard, Instance, Parts, ReportPart
from helm_structext.results.plots import PictureCell, picture_grid
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.sampling import draw_sample
from helm_structext.results.tabular import format_cell, latex_text, list_some
from helm_structext.scoring.scorer import InstanceKey
from helm_structext.storage.cache import content_key, write_atomically
from helm_structext.storage.files import write_text
from helm_structext.texts import one_line

MAX_MODELS = 23
"""Of one figure, the best ones."""
LATEX = "figures.tex"
MAX_SLUG = 60
"""Characters of a file's name that come from an instance."""


class Place(NamedTuple):
    """An instance of a result set, with its benchmark's part of the report."""

    part: ReportPart
    result_set: ResultSet[Any]
    instance: InstanceKey


def choose_places(parts: Parts, sample: int, seed: int, ids: Collection[str] = ()) -> list[Place]:
    """Returns the instances that figures are made of.

    Args:
        parts: of a suite.
        sample: how many of each subset or task are drawn; none where `ids` are named.
        seed: of the draw (`helm_structext.results.sampling.draw_sample`).
        ids: of instances.

    Raises:
        SetupError: no result set has an instance that is named.
    """
    found = []
    for part, result_sets in parts.values():
        for one in result_sets:
            named = [key for key in one.instances if key.id in ids]
            drawn = draw_sample(
                one.instances, sample, seed, "/".join, lambda instance: instance.part
            )
            found += [Place(part, one, key) for key in (named if ids else drawn)]
    unknown = {*ids} - {place.instance.id for place in found}
    if unknown:
        raise SetupError(f"the suite has no instance {list_some(sorted(unknown))}")
    return found


def write_figures(places: Iterable[Place], folder: Path) -> list[Path]:
    """Writes a PNG file of each instance that has any picture, and a TeX file that shows them all.

    Args:
        places: as from `choose_places`.
        folder: is made if it is not there.

    Returns:
        The pictures.

    Raises:
        SetupError: the folder can't be written.
    """
    files, lines = [], [r"% needs \usepackage{graphicx}"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place in places:
            cells = make_cells(place)
            if not any(cell.picture for cell in cells):
                continue
            title = f"{place.result_set.label}, {place.instance.part or place.result_set.entry}: {place.instance.id}"
            files.append(folder / f"{_stem(place)}.png")
            write_atomically(files[-1], picture_grid(cells, title))
            models = ", ".join(cell.label for cell in cells[1:])
            caption = f"{title} ({place.result_set.condition}). {cells[0].label}, and answers of {models}."
            lines += [
                *(r"\begin{figure}", r"\centering"),
                rf"\includegraphics[width=\linewidth]{{{files[-1].name}}}",
                rf"\caption{{{latex_text(caption)}}}",
                r"\end{figure}",
            ]
        write_text(folder / LATEX, "\n".join([*lines, ""]))
    except OSError as error:
        raise SetupError(f"{folder} can't be written: {error}") from error
    return files


def make_cells(place: Place) -> list[PictureCell]:
    """Returns what a figure shows: first the instance, then the answers, the best model's first.

    Args:
        place: of an instance.
    """
    part, one, key = place
    models = [model for model in one.ranking if (model, key) in one.answers][:MAX_MODELS]
    answers = [one.answers[model, key] for model in models]
    scores = {
        header: metric
        for header, metric in (one.BRIEF or one.MEASURES).items()
        if any(metric in answer.scores for answer in answers)
    }
    instance = part.describe_instance(answers[0])
    return [
        _instance_cell(instance),
        *(
            _answer_cell(answer, part.describe_answer(answer, plans=False), scores, one)
            for answer in answers
        ),
    ]


def _instance_cell(instance: Instance) -> PictureCell:
    path = instance.reference or instance.input
    label = "Reference" if instance.reference else "Input" if instance.input else "Asked for"
    asked = (panel.text for panel in instance.panels if isinstance(panel, Text | Code))
    text = next(asked, "")
    below = "" if instance.reference or not path else one_line(text, 200)
    return _cell(label, path, text, below)


def _answer_cell(
    answer: Any, card: AnswerCard, scores: Mapping[str, str], one: ResultSet[Any]
) -> PictureCell:
    failed = f"{card.error or card.kind}\n\n" if card.kind else ""
    values = (
        # A blank at which no line is broken.
        f"{header}\N{NO-BREAK SPACE}{format_cell(None if value is None else value * one.SCALE, one.FORMAT)}"
        for header, value in ((name, card.scores.get(scores[name])) for name in scores)
    )
    return _cell(answer.model, card.output, f"{failed}{answer.completion}", ", ".join(values))


def _cell(label: str, path: Path | None, text: str, below: str) -> PictureCell:
    if path is None:
        return PictureCell(label, None, text, below)
    try:
        return PictureCell(label, read_picture(path), "", below)
    except (OSError, PictureError) as error:
        return PictureCell(label, None, f"The picture can't be shown: {error}", below)


def _stem(place: Place) -> str:
    """A name that TeX reads, the same in every call."""
    said = f"{place.result_set.name}-{place.instance.id}"
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in said)
    return f"{plain[:MAX_SLUG]}-{content_key(place.result_set.name, *place.instance)[:6]}"
