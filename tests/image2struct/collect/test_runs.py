"""A whole round of webpages, from the command to runs of HELM on what it wrote."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from helm_structext.cli import main
from helm_structext.image2struct.rows import Image2StructQuestion, read_problem, rows_of
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.pictures import decode
from helm_structext.renderers import render_completion
from support.github_server import GitHub, github
from support.helm import helm_run, init, run, stats_of, suite
from support.hosts import Host
from support.moderation_servers import moderation_server
from support.repositories import ACCEPTED, NOT_ADMITTED, REFUSED, repositories

TOKEN = "ghp_neverShownAnywhere0123456789"
SUBSETS = ("css", "html", "javascript")
COUNT = 2
FIRST_OF_SUBSET = {"css": "jek", "html": "ann", "javascript": "lines"}
FILTERS = ("only_a_readme", "toxic", "unreadable_archive", "white_image")


@dataclass(frozen=True)
class Collected:
    """A round, and what its command said."""

    folder: Path
    hub: GitHub
    moderation: Host
    said: str

    def files(self) -> dict[str, bytes]:
        """The dataset's, without the journal."""
        return {
            str(file.relative_to(self.folder)): file.read_bytes()
            for file in sorted(self.folder.rglob("*"))
            if file.suffix in (".parquet", ".md")
        }

    def problems(self) -> Iterator[Image2StructQuestion]:
        for subset in SUBSETS:
            domain = DOMAINS["image2struct_webpage"]
            for row in rows_of("image2struct_webpage", subset, "all", str(self.folder)):
                yield read_problem(row, domain, subset)


def collect(hub: GitHub, moderation: Host, folder: Path) -> int:
    addresses = [f"--address={name}={url}" for name, url in hub.addresses.items()]
    window = ("--from", "2026-10-01", "--to", "2026-10-04", "--count", str(COUNT))
    options = ("--contact", "me@example.org", "--moderation", moderation.url, "-o", str(folder))
    return main(["collect", "webpage", *window, *addresses, *options])


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> Iterator[Collected]:
    folder = tmp_path_factory.mktemp("webpages") / "round"
    known = [
        *(one for one in ACCEPTED if one.owner in FIRST_OF_SUBSET.values()),
        *(one for several in NOT_ADMITTED.values() for one in several),
        *(one for name in FILTERS for one in REFUSED[name][:1]),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_TOKEN", TOKEN)
        with (
            github([*known, *repositories(9, seed=2)], token=TOKEN) as hub,
            moderation_server() as moderation,
        ):
            assert collect(hub, moderation, folder) == 0
            said = run(folder, "helm-structext", "collect", "status", ".").stdout
            yield Collected(folder, hub, moderation, said)


def test_each_subset_has_its_number_of_instances(collected):
    for subset, owner in FIRST_OF_SUBSET.items():
        rows = [*rows_of("image2struct_webpage", subset, "all", str(collected.folder))]
        assert len(rows) == COUNT
        assert owner in [row.text("instance_name").partition("/")[0] for row in rows]


def test_the_oracles_answer_renders_to_the_picture_of_each_instance(collected):
    problems = [*collected.problems()]
    assert len(problems) == COUNT * len(SUBSETS)
    for problem in problems:
        answer = render_completion("webpage", problem.oracle, assets=problem.assets)
        assert np.array_equal(answer.image, decode(problem.picture))
        assert answer.text == problem.text


def test_reasons_are_counted(collected):
    for reason in (*FILTERS, *NOT_ADMITTED):
        assert reason in collected.said


def test_the_same_command_adds_nothing_and_asks_nothing(collected):
    hub, moderation = collected.hub, collected.moderation
    files, asked = collected.files(), (len(hub.api.requests), len(moderation.requests))
    assert {Path(name).parts[0] for name in files} == {*SUBSETS, "README.md"}
    assert collect(hub, moderation, collected.folder) == 0
    assert collected.files() == files
    assert (len(hub.api.requests), len(moderation.requests)) == asked
    assert all(asked)


def test_the_token_is_in_no_file(collected):
    for file in collected.folder.rglob("*"):
        assert file.is_dir() or TOKEN.encode() not in file.read_bytes()
    assert TOKEN not in collected.said


def test_helm_runs_on_the_round(collected, tmp_path):
    init(tmp_path)
    entry = f"image2struct_webpage:subset=javascript,source={collected.folder}"
    models = ("oracle", "blank")
    entries = [f"{entry},model=structext/{model}" for model in models]
    helm_run(tmp_path, "--max-eval-instances", str(COUNT), "-r", *entries)
    oracle, blank = (
        stats_of(next(suite(tmp_path).glob(f"*model=structext_{model}"))) for model in models
    )
    assert oracle["compilation_success"] == blank["compilation_success"] == 1
    assert oracle["earth_mover_similarity"] >= 0.99
    assert oracle["levenshtein_similarity"] == 1
    assert blank["earth_mover_similarity"] < 0.9
    assert oracle["metric_errors"] == blank["metric_errors"] == 0
