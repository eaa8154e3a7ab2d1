import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
import pytest

from helm_structext.data.archives import pack_repository, unpack_repository
from helm_structext.image2struct.collect import webpage
from helm_structext.image2struct.collect.fingerprints import fingerprints
from helm_structext.image2struct.collect.pipeline import work
from helm_structext.image2struct.collect.records import (
    Download,
    Draft,
    SourceCandidate,
    Tools,
    Window,
)
from helm_structext.image2struct.collect.webpage import COLLECTOR
from helm_structext.image2struct.rows import repository_completion
from helm_structext.pictures import decode
from helm_structext.renderers import render, render_completion
from support.drafts import tools as made_tools
from support.github_server import github
from support.hosts import client
from support.repositories import (
    ACCEPTED,
    DAY,
    NOT_ADMITTED,
    PLAIN,
    REFUSED,
    TOXIC_WORD,
    corpus,
    repositories,
    several,
)

WINDOW = Window(DAY.date(), DAY.date() + timedelta(days=3))


def moderation(texts: Sequence[str]) -> str | None:
    return "it has a word" if any(TOXIC_WORD in text for text in texts) else None


def outcome(candidate: SourceCandidate, tools: Tools) -> Draft | str:
    """What becomes of a candidate, or the name of the filter that refuses it."""
    result = work(candidate, COLLECTOR, tools, frozenset(COLLECTOR.subsets))
    if result.rendered:
        return result.rendered[0].draft
    (refused,) = result.refused
    return refused.filter


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, Draft | str]:
    """Owner or name of each repository of the corpus → what became of it."""
    return outcomes_of(corpus(), tmp_path_factory.mktemp("corpus"))


def outcomes_of(repositories, folder, **options) -> dict[str, Draft | str]:
    options = {"protocol": "corrected", "moderation": moderation, **options}
    with github(repositories) as hub, client(folder, hub.addresses) as asking:
        licenses = frozenset({"MIT", ""})
        tools = made_tools(
            asking, window=WINDOW, seed=0, addresses=hub.addresses, licenses=licenses, **options
        )
        return {
            candidate.name: outcome(candidate, tools)
            for listing in COLLECTOR.listings
            for candidate in listing.candidates(tools)
        }


def test_each_filter_refuses_what_it_should_and_nothing_else(outcomes):
    refused = {
        one.full_name: reason
        for reason, several in REFUSED.items()
        for one in several
        if reason != "malformed"
    }
    found = {name: result for name, result in outcomes.items() if isinstance(result, str)}
    malformed = [name for name, result in found.items() if result == "malformed"]
    assert len(malformed) == len(REFUSED["malformed"])
    assert {name: found[name] for name in found.keys() - malformed} == refused
    taken = [*ACCEPTED, *(one for several in NOT_ADMITTED.values() for one in several)]
    assert {*outcomes} - {*found} == {one.full_name for one in taken}


def test_each_filter_of_the_table_has_a_case_in_the_corpus():
    filters = (
        *COLLECTOR.fetch_filters,
        *COLLECTOR.file_filters,
        *COLLECTOR.rendering_filters,
    )
    assert {one.__name__ for one in filters} <= {*REFUSED}


def drafts(outcomes) -> dict[str, Draft]:
    return {name: draft for name, draft in outcomes.items() if isinstance(draft, Draft)}


def test_subsets_are_languages(outcomes):
    found = {name: draft.subset for name, draft in drafts(outcomes).items()}
    expected = {one.full_name: one.language.lower() for one in ACCEPTED}
    assert {name: found[name] for name in expected} == expected
    assert {*expected.values()} == {*COLLECTOR.subsets}


def test_structures_hold_the_whole_repository(outcomes):
    for one in ACCEPTED:
        draft = drafts(outcomes)[one.full_name]
        assert unpack_repository(draft.structure) == dict(sorted(one.files.items()))


def test_pictures_are_windows_of_what_the_files_render_to(outcomes):
    for owner in ("ann", "jek", "assets", "bom", "nested", "fences"):
        draft = drafts(outcomes)[f"{owner}/{owner}.github.io"]
        files = unpack_repository(draft.structure)
        pictures = {name: files[name] for name in files if name.lower().endswith(".png")}
        code = [
            {"filename": name, "content": content.decode(errors="replace")}
            for name, content in files.items()
            if name not in pictures
        ]
        expected = render("webpage", json.dumps(code), assets=pictures)
        assert np.array_equal(decode(draft.image), expected.image), owner
        assert decode(draft.image).size == (1920, 1080)
        assert draft.text == expected.text


def test_the_oracles_completion_renders_to_the_picture_by_the_other_protocol_too(outcomes):
    for name in ("ann/ann.github.io", "jek/jek.github.io", "fences/fences.github.io"):
        draft = drafts(outcomes)[name]
        completion, assets = repository_completion(draft.structure)
        rendering = render_completion("webpage", completion, assets=assets, protocol="published")
        assert np.array_equal(decode(draft.image), rendering.image), name


def test_what_a_page_asked_for_and_did_not_get_is_noted(outcomes):
    draft = drafts(outcomes)["ann/ann.github.io"]
    page = b"<p>a<script src=https://unpkg.com/left-pad></script>"
    asking = replace(draft, structure=pack_repository({"index.html": page}), assets=())
    info = COLLECTOR.render(asking, made_tools()).info
    said = "script left-pad of unpkg.com (https://unpkg.com/left-pad)"
    assert info == {**draft.info, "missing": [said]}
    assert "missing" not in draft.info


def test_only_the_copy_looks_like_another(outcomes):
    seen: dict[str, list[str]] = {}
    for name, draft in drafts(outcomes).items():
        for one in fingerprints(draft.image, draft.structure):
            seen.setdefault(one, []).append(name)
    alike = {tuple(sorted(names)) for names in seen.values() if len(names) > 1}
    (copy,) = NOT_ADMITTED["duplicate"]
    # Ann's notes are refused before they are drawn.
    assert alike - {("ann/notes.github.io", "jek/jek.github.io")} == {
        ("ann/ann.github.io", copy.full_name)
    }


def test_texts_are_what_can_be_read_on_the_page(outcomes):
    found = drafts(outcomes)
    assert found["ann/ann.github.io"].text == "Ann Field\nI keep bees."
    assert "sow early" in found["jek/jek.github.io"].text
    assert "caf\u00e9" in found["bom/bom.github.io"].text


def test_columns_of_an_instance(outcomes):
    draft = drafts(outcomes)["ann/ann.github.io"]
    assert draft.length == 15
    assert draft.assets == (PLAIN["img/bee.png"],)
    assert draft.info == {
        "file_filters": {"code_files": 1, "lines_of_code": 12, "lines_of_style": 3, "assets": 1},
        "compilation_info": {"jekyll": False},
    }
    assert draft.candidate.url.endswith(f"/tarball/{draft.candidate.info['commit']}")
    assert drafts(outcomes)["jek/jek.github.io"].info["compilation_info"] == {"jekyll": True}
    assert drafts(outcomes)["uncounted/uncounted.github.io"].assets == ()
    json.dumps([draft.info, dict(draft.candidate.info)])


def test_the_same_repositories_give_the_same_bytes(tmp_path):
    made = repositories(3, seed=4)
    results = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        results.append(outcomes_of(made, tmp_path / name))
    first, second = (
        {name: (draft.image, draft.structure, draft.text) for name, draft in result.items()}
        for result in results
    )
    assert first == second
    assert len({image for image, *_ in first.values()}) == len(made)


def test_a_site_without_a_front_page_is_a_white_list_of_files_in_published(outcomes, tmp_path):
    (frontless,) = REFUSED["empty"]
    assert outcomes[frontless.full_name] == "empty"
    assert [*outcomes_of([frontless], tmp_path, protocol="published").values()] == ["white_image"]


def test_without_moderation_nothing_is_toxic(tmp_path):
    toxic, _ = REFUSED["toxic"]
    (draft,) = outcomes_of([toxic], tmp_path, moderation=None).values()
    assert isinstance(draft, Draft)


CANDIDATE = SourceCandidate("ann/ann.github.io", "html", "ann", date(2026, 10, 1), "", "MIT")
LINES = {"index.html": b"\n" * 10}


@dataclass(frozen=True)
class Limit:
    """Files that a filter lets pass, and some that it refuses."""

    filter: str
    passes: dict[str, bytes]
    refused: dict[str, bytes]


LIMITS = (
    Limit("too_few_code_lines", LINES, {"index.html": b"\n" * 9, "a.css": b"\n" * 99}),
    Limit("too_few_code_lines", {"a.js": b"\r" * 9 + b"x"}, {"a.js": "\u2028\f".encode() * 9}),
    Limit(
        "too_many_code_lines", {"a.js": b"\n" * 1000}, {"a.js": b"\n" * 500, "b.md": b"\n" * 501}
    ),
    Limit("too_many_style_lines", {"a.css": b"\n" * 2000}, {"a.css": b"\n" * 2000 + b"x"}),
    Limit("too_many_code_files", several(5, "js"), several(6, "js")),
    Limit(
        "too_many_code_files",
        {**several(5, "PY"), **several(9, "css"), **several(9, "json"), **several(9, "htm")},
        {f"{name}.{name}": b"" for name in ("md", "rb", "php", "java", "c", "cpp")},
    ),
    Limit(
        "too_many_assets",
        {**several(5, "png"), **several(9, "webp"), **several(9, "ico")},
        {f"a.{name}": b"" for name in ("jpg", "jpeg", "gif", "svg", "mp4", "MKV")},
    ),
    Limit(
        "only_a_readme", {"README.md": b"", "a.txt": b""}, {"docs/Readme.txt": b"", "LICENSE": b""}
    ),
    Limit("unreadable_file", {"a.html": b"", "a.woff": b"\xff"}, {"a.css": b"a\0"}),
)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.filter)
def test_limits_are_those_of_the_published_collector(limit):
    refuses = getattr(webpage, limit.filter)
    assert refuses(Download(CANDIDATE, limit.passes), None) is None
    assert refuses(Download(CANDIDATE, limit.refused), None)
