"""The dataset card: what a round holds, how it was made, and how to have something taken down.

Source: https://huggingface.co/docs/hub/datasets-cards.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from helm_structext import __version__
from helm_structext.data.schemas import SPLIT, card_features
from helm_structext.image2struct.collect.dataset import FILE, Config, Round
from helm_structext.image2struct.collect.toxicity import (
    LIMITS,
    LOCAL,
    LOCAL_LIMIT,
    MAX_CHARACTERS,
    PERSPECTIVE,
)
from helm_structext.image2struct.cutoffs import known_cutoffs
from helm_structext.results.tabular import Cell, markdown
from helm_structext.texts import one_line

PAPER = "https://arxiv.org/abs/2410.22456"
STAGES = ("listing", "fetch", "download", "file", "drafts", "render", "rendering", "admission")
"""In the order in which something can be refused."""

_DIFFICULTIES = ("easy", "medium", "hard")
_KINDS = {
    "latex": ("LaTeX", "excerpts of papers on arXiv", ["image-to-text"]),
    "webpage": ("webpages", "small sites of GitHub's users", ["image-to-text"]),
    "music": ("sheet music", "systems of scores in the Petrucci library", ["image-to-text"]),
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


@dataclass(frozen=True)
class CardDetails:
    """What a card says beside what the dataset holds.

    Args:
        candidates: how many were looked at.
        refusals: how many candidates and drafts were refused, by stage and filter.
        contact: an address of mail or of a page, for takedowns; "" if there is none but the Hub's.
        cutoffs: model to the last day of its training data; None for the known ones.
    """

    candidates: int
    refusals: Mapping[tuple[str, str], int]
    contact: str = ""
    cutoffs: Mapping[str, date] | None = None


def card_of(made: Round, report: CardDetails) -> Callable[[Mapping[str, Config]], str]:
    """Returns what makes the card of a round of what its files hold (`dataset.write_dataset`)."""
    return lambda configs: f"---\n{_header(made, configs)}---\n\n{_text(made, report, configs)}\n"


def _header(made: Round, configs: Mapping[str, Config]) -> str:
    label, _, categories = _KINDS[made.settings.domain]
    total = sum(config.num_examples for config in configs.values())
    header = {
        "license": "other",
        "license_name": "of-each-author",
        "pretty_name": f"Image2Struct, {label}, round of {made.name}",
        "size_categories": [next((name for most, name in _SIZES if total < most), "n>100K")],
        "task_categories": categories,
        "tags": ["image2struct", "helm", "benchmark"],
        "configs": [
            {"config_name": name, "data_files": [{"split": SPLIT, "path": f"{name}/{FILE}"}]}
            for name in configs
        ],
        "dataset_info": [_info(name, config) for name, config in configs.items()],
    }
    text: str = yaml.safe_dump(header, sort_keys=False, allow_unicode=True)
    return text


def _info(name: str, config: Config) -> dict[str, Any]:
    split = {"name": SPLIT, "num_bytes": config.num_bytes, "num_examples": config.num_examples}
    return {
        "config_name": name,
        "features": card_features(config.features),
        "splits": [split],
        "download_size": config.download_size,
        "dataset_size": config.num_bytes,
    }


def _text(made: Round, report: CardDetails, configs: Mapping[str, Config]) -> str:
    label, source, _ = _KINDS[made.settings.domain]
    return "\n\n".join(
        (
            f"# Image2Struct, {label}: round of {made.name}",
            f"Pictures of {source}, dated {made.settings.window.first} to {made.settings.window.last}, in the schema of "
            f"[Image2Struct]({PAPER}): a model sees the picture and writes the code that draws it. "
            f"`source=FOLDER` of helm-structext runs the benchmark on a copy of this dataset.",
            *("## Instances", _instances(configs)),
            "Difficulty is by thirds of the column `length` in each subset.",
            *("## How it was made", _describe_making(made, report)),
            *("## Licenses", _licenses(made, configs)),
            *("## Filters", _filters(report)),
            *("## Toxicity", _toxicity(made)),
            *("## Models that can't have seen it", _models(made, report)),
            *("## Takedown", _takedown(report)),
        )
    )


def _instances(configs: Mapping[str, Config]) -> str:
    header = ["subset", *_DIFFICULTIES, "all", "first date", "last date"]
    rows: list[list[Cell]] = [
        [
            name,
            *(config.difficulties.get(difficulty, 0) for difficulty in _DIFFICULTIES),
            *(config.num_examples, str(config.first), str(config.last)),
        ]
        for name, config in configs.items()
    ]
    return markdown(header, rows)


def _describe_making(made: Round, report: CardDetails) -> str:
    facts = (
        f"helm-structext {__version__}, protocol `{made.settings.protocol}`, seed {made.settings.seed}",
        f"collected from {made.scraped} on, with up to {made.settings.count} instances of each subset, and up "
        f"to {made.settings.per_day} of a subset and a day",
        f"{report.candidates:,} candidates were looked at",
    )
    return "\n".join(f"- {fact}" for fact in facts)


def _licenses(made: Round, configs: Mapping[str, Config]) -> str:
    found = sum((Counter(config.licenses) for config in configs.values()), Counter[str]())
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return (
        "Each instance keeps the license of its author, which `additional_info` names as its host did. "
        f"{_describe_admission(made.settings.licenses)}\n\n"
        f"{_table(['license', 'instances'], ((name or 'none named', n) for name, n in ranked))}"
    )


def _describe_admission(licenses: Iterable[str]) -> str:
    named = ", ".join(sorted(map(_cell, licenses)))
    return f"Admitted were only: {named}." if named else "All were admitted."


def _filters(report: CardDetails) -> str:
    if not report.refusals:
        return "None refused anything."
    ranked = sorted(report.refusals.items(), key=lambda item: (_place(item[0][0]), item[0]))
    rows = ((stage, name, number) for (stage, name), number in ranked)
    return "What was refused, candidates and drafts of them, at which stage:\n\n" + _table(
        ["stage", "filter", "refused"], rows
    )


def _place(stage: str) -> int:
    return STAGES.index(stage) if stage in STAGES else len(STAGES)


def _toxicity(made: Round) -> str:
    limits = " and ".join(f"{name} below {limit}" for name, limit in LIMITS.items())
    if not made.settings.moderation and made.settings.domain == "music":
        return "There is no text, and no moderation was asked."
    if not made.settings.moderation:
        return (
            "**Moderation was turned off.** Nobody has looked for toxic or sexually explicit content "
            "in this dataset."
        )
    if made.settings.moderation == LOCAL:
        return (
            f"Texts, up to their {MAX_CHARACTERS:,}th character, were judged by the words in them, by "
            f"alt-profanity-check; admitted were those in which no piece is offensive with a "
            f"probability of {LOCAL_LIMIT} or more. It knows English insults, obscenities and slurs, "
            f"and sees neither meaning nor other languages."
        )
    service = (
        "the Perspective API"
        if made.settings.moderation == PERSPECTIVE
        else _cell(made.settings.moderation)
    )
    return (
        f"Texts, up to their {MAX_CHARACTERS:,}th character, were judged by {service}; admitted were "
        f"those with {limits}, and none that the service flagged or did not judge."
    )


def _models(made: Round, report: CardDetails) -> str:
    cutoffs = known_cutoffs() if report.cutoffs is None else report.cutoffs
    before = {
        model: day for model, day in sorted(cutoffs.items()) if day < made.settings.window.first
    }
    after = sorted(cutoffs.keys() - before.keys())
    said = "Of the models whose training data is known to end on some day, "
    if not before:
        return f"{said}none ends before this round."
    return (
        f"{said}these end before this round; what an author published earlier may still be in it.\n\n"
        + _table(["model", "training data up to"], ((m, str(day)) for m, day in before.items()))
        + (f"\n\nNot before this round: {', '.join(map(_cell, after))}." if after else "")
    )


def _takedown(report: CardDetails) -> str:
    where = "open a discussion in this dataset's repository"
    whom = f"write to {_cell(report.contact)}, or {where}" if report.contact else where
    return (
        f"If something of yours should not be here, {whom}, and name the instance by its `uuid`, its "
        "`instance_name` or its address. It is put on the block list, is taken out of this round, and "
        "is in no later one."
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    return markdown(
        header, [[_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    )


def _cell(text: str) -> str:
    """A text of a host or a user as Markdown that is nothing but this text."""
    said = one_line(text, 200)
    return "".join(f"&#{ord(sign)};" if sign in "<>&|`*[]()\\!" else sign for sign in said)
