"""The card of a set: what it holds, how it was made, and what may be done with it.

Source: https://huggingface.co/docs/hub/datasets-cards.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from helm_structext.data.schemas import SPLIT, card_features
from helm_structext.results.tabular import Cell, markdown
from helm_structext.scenes.scene import LANGUAGES, LEVELS
from helm_structext.scenes.settings import SetSettings
from helm_structext.scenes.shards import ShardRecord
from helm_structext.texts import byte_size

CARD = "README.md"

LICENSE = "apache-2.0"
"""Of the package, and so of its lists of words and of what it writes."""

FONTS = {
    "DejaVu": "Bitstream Vera",
    "Liberation": "SIL OFL 1.1",
    "Noto Color Emoji": "SIL OFL 1.1",
    "WenQuanYi Micro Hei": "Apache 2.0, or GPL 3 with the font exception",
    "URW's base 35 (Nimbus, C059)": "AGPL 3 with the font exception",
    "Latin Modern, TeX Gyre": "GUST Font License",
    "Computer Modern, AMS": "SIL OFL 1.1, and Knuth's terms",
    "Arphic, Wadalab (Chinese and Japanese in TeX)": "Arphic Public License, Wadalab's terms",
    "Libertinus, New Computer Modern (Typst)": "SIL OFL 1.1, GUST Font License",
    "Emmentaler (LilyPond)": "SIL OFL 1.1, or GPL 3 with the font exception",
    "families of Google Fonts that pages name": "SIL OFL 1.1, or Apache 2.0",
}
"""What pictures may be drawn with, and the licenses of these fonts."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))


def card_of(
    settings: SetSettings, versions: Mapping[str, str], made: Mapping[str, ShardRecord]
) -> str:
    """Returns the content of a set's card.

    Args:
        settings: of the set.
        versions: of this package, and by format of what draws it.
        made: kind to what the set holds of it.
    """
    header = yaml.safe_dump(_header(settings, made), sort_keys=False, allow_unicode=True)
    return f"---\n{header}---\n\n{_text(settings, versions, made)}\n"


def title_of(settings: SetSettings) -> str:
    """Returns the name of a set, by which a repository knows it again."""
    kinds, formats = ", ".join(settings.kinds), ", ".join(settings.formats)
    return f"Scenes of {kinds} in {formats}: {settings.count} of each kind, seed {settings.seed}"


def _header(settings: SetSettings, made: Mapping[str, ShardRecord]) -> dict[str, Any]:
    total = sum(record.items.total() for record in made.values())
    parts = list(_parts(made))
    return {
        "license": LICENSE,
        "pretty_name": title_of(settings),
        "language": list(settings.languages),
        "size_categories": [next((name for most, name in _SIZES if total < most), "1M<n<10M")],
        "task_categories": ["image-to-text"],
        "tags": ["image2struct", "synthetic", "benchmark"],
        "configs": [
            {
                "config_name": f"{format}-{kind}",
                "data_files": [{"split": SPLIT, "path": f"{format}/{kind}/{SPLIT}-*.parquet"}],
            }
            for kind, format, _ in parts
        ],
        "dataset_info": [
            {
                "config_name": f"{format}-{kind}",
                "features": card_features(),
                "splits": [
                    {
                        "name": SPLIT,
                        "num_bytes": record.sums[format, "num_bytes"],
                        "num_examples": number,
                    }
                ],
                "download_size": record.sums[format, "bytes"],
                "dataset_size": record.sums[format, "num_bytes"],
            }
            for kind, format, number in parts
            for record in [made[kind]]
        ],
    }


def _parts(made: Mapping[str, ShardRecord]) -> Iterator[tuple[str, str, int]]:
    """Yields kinds and formats that have items, and how many."""
    for kind, record in made.items():
        for format, number in _sum_by(0, record).items():
            yield kind, format, number


def _sum_by(place: int, *records: ShardRecord) -> Counter[str]:
    """Items by one of what they are counted by."""
    found: Counter[str] = Counter()
    for record in records:
        for count, number in sorted(record.items.items()):
            found[count[place]] += number
    return found


def _text(
    settings: SetSettings, versions: Mapping[str, str], made: Mapping[str, ShardRecord]
) -> str:
    how = "all formats that can say it" if settings.parallel else "one format, drawn by lot"
    checked = (
        "Each picture was checked; a scene with a picture that is not as it should be is left out."
        if settings.proof
        else "**The pictures were not checked.**"
    )
    return "\n\n".join(
        (
            f"# {title_of(settings)}",
            f"Pictures, and the code that draws them, in the schema of Image2Struct: a model sees the "
            f"picture and writes the code. Every scene was drawn by lot as data and then written in {how}. "
            f"{checked} `source=FOLDER` of helm-structext runs the benchmark on a copy of this dataset.",
            *("## Items", _items(made)),
            "`additional_info` has the scene's id (`scene`), which it shares with the same scene in "
            "other formats, its kind, type and language; `difficulty` is its level, by how much is in "
            "it; `length` counts the characters of the code.",
            *("## Types, languages and levels", _contents(made)),
            *("## Left out", _list_dropped(made)),
            *("## How it was made", f"```bash\n{settings.command} -o FOLDER\n```"),
            "The same command gives the same scenes and the same code, with these versions the same "
            "pictures. Another seed gives other scenes.",
            markdown(["", "version"], [[name, version] for name, version in versions.items()]),
            *("## Licenses", _licenses()),
        )
    )


def _items(made: Mapping[str, ShardRecord]) -> str:
    header = ["kind", "format", "items", "lines of code", "width", "height", "files"]
    rows: list[list[Cell]] = [
        [
            *(kind, format, number),
            *(
                round(made[kind].sums[format, name] / number)
                for name in ("lines", "width", "height")
            ),
            byte_size(made[kind].sums[format, "bytes"]),
        ]
        for kind, format, number in _parts(made)
    ]
    return f"{markdown(header, rows)}\n\nLines, width and height (in pixels) are means."


def _contents(made: Mapping[str, ShardRecord]) -> str:
    types = markdown(
        ["kind", "type", "items"],
        [
            [kind, type, number]
            for kind, record in made.items()
            for type, number in _sum_by(1, record).items()
        ],
    )
    languages, levels = _sum_by(2, *made.values()), _sum_by(3, *made.values())
    return "\n\n".join(
        (
            types,
            markdown(
                ["language", "items"],
                [[name, languages[key]] for key, name in LANGUAGES.items() if languages[key]],
            ),
            markdown(["level", "items"], [[name, levels[name]] for name in LEVELS if levels[name]]),
        )
    )


def _list_dropped(made: Mapping[str, ShardRecord]) -> str:
    kept: Iterable[list[Cell]] = (
        [kind, record.tried, record.kept] for kind, record in made.items()
    )
    rows: list[list[Cell]] = [
        [
            kind,
            format,
            reason,
            number,
            f"{number / (record.sums[format, 'tried'] or record.tried):.1%}",
        ]
        for kind, record in made.items()
        for (format, reason), number in sorted(record.dropped.items())
    ]
    header = ["kind", "format", "reason", "pictures", "share of those that were drawn"]
    parts = [markdown(["kind", "scenes tried", "kept"], kept)]
    if rows:
        parts += ["Why, which `journal/` says of each picture:", markdown(header, rows)]
    return "\n\n".join(parts)


def _licenses() -> str:
    fonts: Iterable[list[Cell]] = ([name, license] for name, license in FONTS.items())
    return (
        "Scenes, their texts and the code come from lists and grammars of helm-structext, under its "
        "license, Apache 2.0. Nobody else's words, code or pictures are in it. Pictures may show these "
        "fonts, all of whose licenses let pictures be passed on:\n\n"
        f"{markdown(['fonts', 'license'], fonts)}"
    )
