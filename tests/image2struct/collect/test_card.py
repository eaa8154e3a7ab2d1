from datetime import date

import pytest
import yaml
from huggingface_hub import DatasetCard, DatasetCardData, metadata_load

from helm_structext import __version__
from helm_structext.data.schemas import FEATURES
from helm_structext.image2struct.collect.card import card_of
from helm_structext.image2struct.collect.dataset import write_dataset
from support.drafts import WINDOW, candidate, draft, made_round
from support.lazy import Lazy
from support.rounds import REFUSALS, report

datasets = Lazy("datasets")


@pytest.fixture(name="written")
def a_written_round(tmp_path):
    """Writes a round of three equations and a table, and returns its folder."""

    def write(domain="latex", license="CC-BY-4.0", moderation="perspective", **changes):
        equations = [draft(i, candidate(i, license=license)) for i in range(3)]
        subsets = {"equation": equations, "table": [draft(5, subset="table")], "plot": []}
        if domain == "music":
            subsets = {"music": [draft(1, subset="music", structure=None, text=None)]}
        made = made_round(domain, moderation=moderation)
        write_dataset(tmp_path / "round", made, subsets, card_of(made, report(**changes)))
        return tmp_path / "round"

    return write


def test_the_hub_reads_the_metadata(written):
    folder = written()
    card = DatasetCard.load(folder / "README.md")
    assert isinstance(card.data, DatasetCardData)
    assert card.data.license == "other"
    assert card.data.to_dict() == metadata_load(folder / "README.md")
    assert [config["config_name"] for config in card.data.configs] == ["equation", "table"]
    equation, _ = card.data.dataset_info
    assert [feature["name"] for feature in equation["features"]] == [*FEATURES]
    assert {"name": "image", "dtype": "image"} in equation["features"]
    assert {"name": "assets", "sequence": "string"} in equation["features"]
    (split,) = equation["splits"]
    assert (split["name"], split["num_examples"]) == ("validation", 3)
    assert split["num_bytes"] == equation["dataset_size"] > 0


@pytest.mark.parametrize(
    ("domain", "config", "number"), [("latex", "equation", 3), ("music", "music", 1)]
)
def test_datasets_loads_configs_by_the_card(written, tmp_path, domain, config, number):
    folder = written(domain)
    read = datasets.load_dataset(str(folder), config, cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in read.items()} == {"validation": number}
    assert read["validation"][0]["image"].size == (64, 64)


def test_the_card_says_what_the_dataset_holds(written):
    text = (written() / "README.md").read_text()
    for words in (
        "| equation |    1 |      1 |    1 |   3 | 2026-10-01 | 2026-10-03 |",
        "| CC-BY-4.0 |         4 |",
        f"helm-structext {__version__}, protocol `corrected`, seed 7",
        "1,234 candidates",
        "toxicity below 0.5 and sexually explicit below 0.3",
        "write to me@example.org",
        "`uuid`",
    ):
        assert words in text
    # In the order in which something is refused.
    places = [text.index(name) for name in ("created_before_start", "white_image", "duplicate")]
    assert places == sorted(places)


def test_a_round_without_moderation_says_so(written):
    assert "**Moderation was turned off.**" in (written(moderation="") / "README.md").read_text()
    assert "Perspective" not in (written(moderation="") / "README.md").read_text()
    assert "https://judge.example" in (
        (written(moderation="https://judge.example") / "README.md").read_text()
    )
    local = (written(moderation="local") / "README.md").read_text()
    assert "by alt-profanity-check" in local
    assert "0.8" in local
    assert "Perspective" not in local
    assert "There is no text" in (written("music", moderation="") / "README.md").read_text()


def test_only_models_that_end_before_the_round_are_named(written):
    days = {"a/early": date(2026, 9, 30), "a/late": WINDOW.first}
    text = (written(cutoffs=days) / "README.md").read_text()
    assert "| a/early |          2026-09-30 |" in text
    assert "Not before this round: a/late." in text
    assert "none ends before" in (written(cutoffs={}) / "README.md").read_text()
    assert "openai/gpt-4o-2024-05-13" in (written() / "README.md").read_text()


@pytest.mark.parametrize(
    "license",
    [
        "a | b",
        "<script>alert(1)</script>",
        "[x](http://evil)\n---\nlicense: mit",
        "\ud800",
        "\x1b[2J",
    ],
)
def test_what_hosts_say_is_text_in_the_card(written, license):
    folder = written(license=license, refusals={("fetch", license): 1})
    text = (folder / "README.md").read_text()
    assert metadata_load(folder / "README.md")["license"] == "other"
    assert "<script>" not in text
    assert "](http://evil" not in text
    _, header, body = text.split("---\n", 2)
    assert yaml.safe_load(header)["license_name"] == "of-each-author"
    rows = [line for line in body.splitlines() if line.startswith("|")]
    assert all(line.count("|") in (3, 4, 8) for line in rows)


def test_the_same_round_has_the_same_card(written):
    first = (written() / "README.md").read_bytes()
    assert (written(refusals=dict(reversed(REFUSALS.items()))) / "README.md").read_bytes() == first
