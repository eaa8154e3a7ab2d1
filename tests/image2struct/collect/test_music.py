"""Music from the listing to the picture: a corpus of scores, of which each filter refuses some."""

import io
import json
from collections import Counter
from datetime import date
from functools import cache
from random import Random
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import music, pdf
from helm_structext.image2struct.collect.records import Download
from helm_structext.image2struct.collect.refusals import CandidateRefused
from helm_structext.image2struct.collect.systems import staves
from helm_structext.pictures import decode
from support import pdfs
from support.collecting_music import StavesClassifier, collect, corpus_uploads
from support.drafts import candidate, draft
from support.drafts import tools as made_tools
from support.hosts import client
from support.imslp_server import Imslp, Upload
from support.scores import corpus

SHEET_CLASSIFIER = music.sheet_classifier
LICENSES = frozenset({"Public Domain"})


@pytest.fixture(scope="module", autouse=True)
def classifier():
    with pytest.MonkeyPatch.context() as patch:
        opinions = {"corrected": None, "published": StavesClassifier()}
        patch.setattr(music, "sheet_classifier", opinions.__getitem__)
        yield


def first_reason(filters, subject, tools):
    """The first of some filters that refuses."""
    return next((one.__name__ for one in filters if one(subject, tools)), None)


def worked_off(tools, names=()):
    """The drafts of candidates, all or some, or the name under which a refusal is counted."""
    outcomes = {}
    (listing,) = music.COLLECTOR.listings
    for found in listing.candidates(tools):
        if names and found.name not in names:
            continue
        try:
            outcomes[found.name] = first_reason(music.COLLECTOR.fetch_filters, found, tools) or (
                drafts_of(found, tools)
            )
        except CandidateRefused as refusal:
            outcomes[found.name] = refusal.filter
    return outcomes


def drafts_of(found, tools):
    collector = music.COLLECTOR
    download = collector.download(found, tools)
    if reason := first_reason(collector.file_filters, download, tools):
        return reason
    drawn = [collector.render(one, tools) for one in collector.drafts(download, tools)]
    reasons = [first_reason(collector.rendering_filters, one, tools) for one in drawn]
    kept = [one for one, reason in zip(drawn, reasons, strict=True) if reason is None]
    return kept or reasons[0]


@pytest.fixture(scope="module", name="wiki")
def running_wiki():
    with Imslp(uploads=corpus_uploads()) as wiki:
        yield wiki


@pytest.fixture(scope="module", name="work")
def working_off(wiki, tmp_path_factory):
    """Works off some of the corpus, or all."""

    @cache
    def work(protocol, names=()):
        folder = tmp_path_factory.mktemp("round")
        with pytest.MonkeyPatch.context() as patch, client(folder, wiki.addresses) as asking:
            patch.setenv("HELM_STRUCTEXT_PDF_SECONDS", "2")
            return worked_off(round_tools(wiki, asking, protocol=protocol), names)

    return work


def round_tools(wiki, asking, **changes):
    return made_tools(client=asking, addresses=wiki.addresses, licenses=LICENSES, **changes)


REFUSED = {
    "text-3.pdf": "not_a_sheet",
    "table-1.pdf": "not_a_sheet",
    "tagged.pdf": "tagged_as_scan",
    "scanned.pdf": "scanned",
    "reserved.pdf": "license_not_admitted",
    "html.pdf": "not_a_pdf",
    "none.pdf": "no_pages",
    "many.pdf": "too_many_pages",
    "encrypted.pdf": "encrypted",
    "broken.pdf": "broken_pdf",
    "huge.pdf": "pdf_too_large",
    "endless.pdf": "pdf_too_slow",
    "frame.pdf": "no_system",
    "sound.mp3": "not_a_pdf",
    "alone.pdf": "no_work_page",
    "large.pdf": "too_large",
    "undated.pdf": "incomplete",
}


def test_each_file_is_taken_or_refused_for_its_reason(work):
    outcomes = work("corrected")
    assert {name: said for name, said in outcomes.items() if isinstance(said, str)} == {
        **REFUSED,
        # Its lines are not level, so that no staff is found on it.
        "black-and-white.pdf": "not_a_sheet",
    }
    assert set(outcomes) - set(REFUSED) - {"black-and-white.pdf"} == {
        *("melody-1.pdf", "song-2.pdf", "piano-3.pdf", "choir-4.pdf", "quartet-6.pdf")
    }
    assert all(len(said) == 1 for said in outcomes.values() if not isinstance(said, str))


def test_as_published_all_systems_are_taken_and_a_frame_is_a_white_image(work):
    outcomes = work("published", ("frame.pdf", "scanned.pdf", "black-and-white.pdf", "song-2.pdf"))
    assert outcomes["frame.pdf"] == "white_image"
    assert outcomes["scanned.pdf"] == "scanned"
    assert outcomes["black-and-white.pdf"] == "not_a_sheet"  # but no scan
    assert len(outcomes["song-2.pdf"]) > 1


def test_what_the_listing_is_enough_to_refuse_is_not_downloaded(wiki, tmp_path):
    before = len(wiki.asked_files)
    with client(tmp_path, wiki.addresses) as asking:
        tools = round_tools(wiki, asking)
        refused = {
            found.name
            for found in music.COLLECTOR.listings[0].candidates(tools)
            if first_reason(music.COLLECTOR.fetch_filters, found, tools)
        }
    listed = {"tagged.pdf", "reserved.pdf", "sound.mp3", "alone.pdf", "undated.pdf", "large.pdf"}
    assert refused == listed
    assert len(wiki.asked_files) == before


def test_a_draft_is_a_picture_with_its_black_pixels_and_no_structure(work):
    for drafts in work("corrected").values():
        if isinstance(drafts, str):
            continue
        (one,) = drafts
        pixels = np.asarray(Image.open(io.BytesIO(one.image)).convert("L"))
        assert (one.subset, one.structure, one.text, one.assets) == ("music", None, None, ())
        assert one.length == (pixels < 63.75).sum() > 100
        left, top, right, bottom = one.info["box"]
        assert pixels.shape == (bottom - top, right - left)
        assert all(edge.min() < 255 for edge in (pixels[0], pixels[-1], pixels[:, 0]))
        assert len(staves(pixels)) >= 1


def test_the_same_seed_takes_the_same_excerpts_and_another_one_others(wiki, work, tmp_path):
    names = ["quartet-6.pdf", "piano-3.pdf", "melody-1.pdf"]
    pictures = []
    with client(tmp_path, wiki.addresses) as asking:
        for seed in (7, 8):
            tools = round_tools(wiki, asking, seed=seed)
            found = {one.name: one for one in music.COLLECTOR.listings[0].candidates(tools)}
            pictures.append([drafts_of(found[name], tools)[0].image for name in names])
    assert pictures[0] == [work("corrected")[name][0].image for name in names]
    assert pictures[0] != pictures[1]


def test_pages_are_chosen_as_published():
    assert [music.choose_page(count, Random(0)) for count in (1, 2, 3, 4)] == [1, 2, 2, 3]
    counts = Counter(music.choose_page(9, Random(seed)) for seed in range(300))
    assert set(counts) == {3, 4, 5, 6, 7}


def page_download(pixels):
    height, width, _ = pixels.shape
    page = b"P6\n%d %d\n255\n" % (width, height) + pixels.astype(np.uint8).tobytes()
    return Download(candidate(info={"page": 2}), {music.PAGE: page})


def test_paper_that_is_not_white_is_a_scan():
    corrected, published = made_tools(), made_tools(protocol="published")
    paper = np.full((50, 50, 3), (250, 245, 230))
    assert music.scanned(page_download(paper), corrected) == "its paper is #faf5e6"
    assert music.scanned(page_download(paper), published)
    # Two of three values are 255, as published rounds ask for, but none of the pixels is white.
    paper[:] = (255, 255, 230)
    assert music.scanned(page_download(paper), corrected) == "its paper is #ffffe6"
    assert music.scanned(page_download(paper), published) is None
    paper[:] = 255
    assert music.scanned(page_download(paper), corrected) is None
    assert music.scanned(page_download(paper), published) is None


def test_a_dense_page_on_white_paper_is_no_scan_but_as_published():
    dense = np.random.default_rng(1).integers(0, 200, (50, 50, 3))
    dense[:20] = 255
    assert music.scanned(page_download(dense), made_tools()) is None
    assert "white" in music.scanned(page_download(dense), made_tools(protocol="published"))


def listed(wiki, folder, **changes):
    with client(folder, wiki.addresses) as asking:
        return list(music.COLLECTOR.listings[0].candidates(round_tools(wiki, asking, **changes)))


@pytest.fixture(name="no_weights")
def without_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setattr(music, "sheet_classifier", SHEET_CLASSIFIER.__wrapped__)
    return tmp_path / "weights"


def test_without_a_classifier_published_rounds_ask_for_nothing(wiki, tmp_path, no_weights):
    before = len(wiki.requests)
    with pytest.raises(SetupError, match="train-classifier"):
        listed(wiki, tmp_path, protocol="published")
    assert len(wiki.requests) == before


def test_without_a_classifier_staves_decide(wiki, tmp_path, no_weights):
    assert listed(wiki, tmp_path)


def test_a_damaged_classifier_is_never_taken_for_none(wiki, tmp_path, no_weights):
    no_weights.mkdir()
    (no_weights / "sheet-classifier.pt").write_bytes(b"PK")
    with pytest.raises(SetupError, match="holds no classifier"):
        listed(wiki, tmp_path)


def test_a_trained_classifier_is_asked_beside_the_staves(monkeypatch):
    page = Download(
        candidate(info={"page": 1}), {music.PAGE: pdf.rasterize_page(corpus()["melody-1"], 1)}
    )
    text = Download(
        candidate(info={"page": 1}), {music.PAGE: pdf.rasterize_page(corpus()["text-3"], 1)}
    )
    for sure, said in ((0.49, "music by 49.0%"), (0.5, None)):
        opinion = SimpleNamespace(is_sheet=lambda page, sure=sure: sure)
        monkeypatch.setattr(music, "sheet_classifier", lambda protocol, one=opinion: one)
        assert music.not_a_sheet(page, made_tools()) == said
        assert music.not_a_sheet(text, made_tools()) == "no staves of five lines"
        assert music.not_a_sheet(text, made_tools(protocol="published")) == said


def test_white_pictures_are_refused():
    file = io.BytesIO()
    Image.new("RGB", (200, 200), "white").save(file, "PNG")
    (white_image,) = music.COLLECTOR.rendering_filters
    assert white_image(draft(image=file.getvalue()), made_tools())


def test_dates_bound_the_round():
    outside = [candidate(day=day, info=INFO) for day in (date(2026, 9, 30), date(2026, 11, 1))]
    reasons = [first_reason(music.COLLECTOR.fetch_filters, one, made_tools()) for one in outside]
    assert reasons == ["created_before_start", "created_after_end"]


INFO = {"title": "File:A.pdf", "mime": "application/pdf", "size": 9, "work": "W", "image_type": ""}


def test_the_page_of_a_download_can_be_drawn_again():
    made = pdf.rasterize_page(corpus()["melody-1"], 1)
    assert made == pdf.rasterize_page(corpus()["melody-1"], 1)


# A round


def test_a_round_becomes_a_dataset_and_a_second_one_adds_nothing(tmp_path):
    names = ("piano-3", "melody-1", "quartet-6", "text-3")
    files = [Upload(f"{name}.pdf", corpus()[name]) for name in names]
    with Imslp(uploads=[*files, Upload("none.pdf", pdfs.with_pages(0))]) as wiki:
        tally = collect(wiki.url, tmp_path, 12)
        assert len(tally.instances["music"]) == 3
        assert tally.refusals == {("file", "not_a_sheet"): 1, ("download", "no_pages"): 1}
        (file,) = tmp_path.glob("music/*.parquet")
        made, asked = file.read_bytes(), len(wiki.requests)
        collect(wiki.url, tmp_path, 12)
        assert file.read_bytes() == made
        assert len(wiki.requests) == asked
    rows = pq.read_table(file).to_pylist()
    assert sorted(json.loads(row["instance_name"]) for row in rows) == [
        *("melody-1.pdf", "piano-3.pdf", "quartet-6.pdf")
    ]
    for row in rows:
        assert json.loads(row["category"]) == "music"
        assert len(staves(np.asarray(decode(row["image"]["bytes"]).convert("L")))) in (1, 2, 4)
        assert json.loads(row["additional_info"])["work"] == "Studies (Structext, Henrietta)"
