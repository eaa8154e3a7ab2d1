"""arXiv's listing and sources, asked from a server that speaks OAI-PMH."""

import gzip
from dataclasses import replace
from datetime import date
from itertools import islice

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import arxiv, filters
from helm_structext.image2struct.collect.arxiv import files_of, listings, papers, read_page
from helm_structext.image2struct.collect.records import CandidateRefused, Window
from support.archives import END, header
from support.arxiv_papers import PDF, bomb, linked, packed
from support.arxiv_papers import files_of as written_files
from support.arxiv_server import Record, arxiv_server
from support.drafts import tools
from support.hosts import Reply, client

DAYS = Window(date(2026, 10, 1), date(2026, 10, 3))
TEX = b"\\documentclass{article}\\begin{document}\\begin{equation} x \\end{equation}\\end{document}"


def record(number: int, day: str = "2026-10-01", **changes) -> Record:
    return replace(Record(f"2610.{number:05}", ("math",), day, TEX), **changes)


@pytest.fixture
def listed(tmp_path):
    """Lists records of mathematics; returns the candidates and the queries that were made."""

    def listing(records, restart=lambda arxiv, candidates: None, **options):
        with (
            arxiv_server(records, **options) as host,
            client(tmp_path, host.addresses) as asking,
        ):
            using = tools(client=asking, window=DAYS, addresses=host.addresses)
            found = []
            for candidate in papers("math", using):
                found.append(candidate)
                restart(host, found)
            return found, host.lists

    return listing


def names(candidates) -> list[str]:
    return [candidate.name for candidate in candidates]


def test_a_paper_is_what_its_record_says(listed):
    found, queries = listed([record(1, "2026-09-01", updated="2026-10-02", license="by:<4>")])
    (paper,) = found
    assert (paper.name, paper.group, paper.owner) == ("2610.00001", "math", "")
    assert (paper.day, paper.license) == (date(2026, 10, 2), "by:<4>")
    assert paper.url.endswith("/e-print/2610.00001")
    assert paper.info["title"] == "On 2610.00001 & more"
    assert (paper.info["created"], paper.info["categories"]) == ("2026-09-01", "math.XX")
    assert queries[0] == {
        **{"verb": "ListRecords", "metadataPrefix": "arXiv", "set": "math"},
        **{"from": "2026-10-01", "until": "2026-10-01"},
    }
    assert [query["until"] for query in queries] == ["2026-10-01", "2026-10-02", "2026-10-03"]


def test_days_are_listed_in_order_page_by_page(listed):
    records = [record(n, f"2026-10-0{1 + n % 2}") for n in range(10)]
    found, queries = listed(records, page=2)
    assert names(found) == [f"2610.{n:05}" for n in (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)]
    assert [len(query) for query in queries] == [5, 2, 2, 5, 2, 2, 5]


def test_a_list_is_read_as_far_as_it_is_needed_and_each_page_once(tmp_path):
    records = [record(n) for n in range(9)]
    with arxiv_server(records, page=2) as host:
        for wanted, asked in ((3, 2), (5, 3), (4, 3), (9, 5)):
            with client(tmp_path, host.addresses) as asking:
                using = tools(client=asking, window=DAYS, addresses=host.addresses)
                assert len(list(islice(papers("math", using), wanted))) == wanted
            assert len(host.lists) == asked


def test_every_subject_has_a_listing():
    assert [one.name for one in listings()] == list(arxiv.SETS)


def test_deleted_records_and_those_of_other_sets_are_left_out(listed):
    records = [record(1, deleted=True), record(2, sets=("cs",)), record(3, sets=("cs", "math"))]
    found, _ = listed(records)
    assert [(one.name, one.group) for one in found] == [("2610.00003", "math")]


def test_an_expired_token_begins_the_day_anew_without_repeating_a_paper(listed):
    def expire(host, found):
        host.age += len(found) == 3

    found, queries = listed([record(n) for n in range(7)], expire, page=2)
    assert names(found) == [f"2610.{n:05}" for n in range(7)]
    assert (
        sum("from" in query for query in queries if query.get("until", "2026-10-01") < "2026-10-02")
        == 2
    )


def test_a_list_that_expires_again_and_again_is_a_clear_stop(listed):
    def expire(host, found):
        host.age += 1

    with pytest.raises(SetupError, match=r"math on 2026-10-01 can't be read.*expired"):
        listed([record(n) for n in range(20)], expire, page=1)


@pytest.mark.parametrize("cut", [0, 300, 900])
def test_a_page_that_is_cut_off_is_asked_for_again(listed, cut):
    def mend(host, found):
        raise AssertionError("nothing can be read")

    with pytest.raises(SetupError, match=r"can't be read.*Repeat the command later"):
        listed([record(n) for n in range(3)], mend, cut=cut)
    found, _ = listed([record(n) for n in range(3)])  # although the journal has the broken page
    assert len(found) == 3


def test_a_list_that_goes_round_in_circles_is_a_clear_stop(listed):
    with pytest.raises(SetupError, match="round in circles"):
        listed([record(n) for n in range(3)], circular=True)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "broken"),
        (b"<html><p>Busy</html>", "broken"),
        (b"<html/>", "broken"),
        (b"<OAI-PMH><error code='badVerb'/></OAI-PMH>", "badVerb"),
        (b"<OAI-PMH><error>?</error></OAI-PMH>", "broken"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><OAI-PMH>&b;</OAI-PMH>", "broken"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "broken"),
        (b"<OAI-PMH><ListRecords/></OAI-PMH>", ""),
    ],
)
def test_answers_that_are_no_lists(content, code):
    page = read_page(content)
    assert (page.error, page.records, page.token) == (code, (), "")


def test_a_page_of_many_elements_inside_of_each_other_is_read():
    deep = b"<a>" * 50_000 + b"</a>" * 50_000
    assert read_page(b"<OAI-PMH><ListRecords>%s</ListRecords></OAI-PMH>" % deep).records == ()


def test_an_argument_that_arxiv_refuses_is_a_clear_stop(listed, monkeypatch):
    monkeypatch.setattr(arxiv, "_page", lambda *_, **__: read_page(
        b"<OAI-PMH><error code='badArgument'>no such set</error></OAI-PMH>"
    ))  # fmt: skip
    with pytest.raises(SetupError, match="no such set"):
        listed([])


def test_a_listing_that_is_forbidden_is_a_clear_stop(tmp_path):
    with arxiv_server([]) as host, client(tmp_path, host.addresses) as asking:
        host.host.answer = lambda request: Reply("no", 403)
        using = tools(client=asking, window=DAYS, addresses=host.addresses)
        with pytest.raises(SetupError, match=r"arXiv's listing can't be had.*arxiv-oai"):
            list(papers("math", using))


def test_a_listing_that_is_busy_is_waited_for(tmp_path):
    with arxiv_server([record(1)]) as host, client(tmp_path, host.addresses) as asking:
        host.host.faults = [Reply("later", 503, {"retry-after": "0"})]
        using = tools(client=asking, window=DAYS, addresses=host.addresses)
        assert names(papers("math", using)) == ["2610.00001"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"created": "yesterday", "datestamp": "2026-10-01"}, "date is 'yesterday'"),
        ({"created": "2026-13-01", "datestamp": "2026-10-01"}, "date is '2026-13-01'"),
        ({"created": "20261001", "datestamp": "2026-10-01"}, "date is '20261001'"),
        ({"created": "", "datestamp": "2026-10-01"}, "date is ''"),
        ({"updated": "0000-00-00", "datestamp": "2026-10-01"}, "date is '0000-00-00'"),
        ({"name": "../../etc/passwd"}, "identifier is '../../etc/passwd'"),
        ({"name": ""}, "identifier is ''"),
    ],
)
def test_a_record_that_is_not_well_formed_is_a_candidate_that_is_refused(listed, changes, problem):
    (paper,), _ = listed([record(1, **changes)])
    assert problem in filters.malformed(paper, tools())


@pytest.mark.parametrize("name", ["2610.12345", "0704.0001", "math/0501001", "cond-mat/9912001"])
def test_identifiers_old_and_new(listed, name):
    (paper,), _ = listed([record(1, name=name)])
    assert filters.malformed(paper, tools()) is None
    assert paper.url.endswith(f"/e-print/{name}")


# Sources


@pytest.mark.parametrize(
    "content",
    [
        TEX,
        gzip.compress(TEX, mtime=0),
        packed({"main.tex": TEX}),
        gzip.decompress(packed({"main.tex": TEX})),
    ],
    ids=["plain", "gzip", "tar.gz", "tar"],
)
def test_sources_of_every_form(content):
    assert files_of(content) == {"main.tex": TEX}


def test_files_of_a_paper_keep_their_places():
    files = written_files("lattices")
    assert files_of(packed(files)) == files


@pytest.mark.parametrize(
    ("content", "refused", "reason"),
    [
        (PDF, "pdf_only", "PDF"),
        (gzip.compress(PDF, mtime=0), "pdf_only", "PDF"),
        (packed({"a/paper.PDF": PDF, "a.png": b""}), "pdf_only", "PDF"),
        (packed({"anc/data.csv": b"1"}), "no_tex", "no TeX file"),
        (packed({}), "no_tex", "no TeX file"),
        (b"\n<!DOCTYPE html><html>", "no_tex", "HTML"),
        (b"%!PS-Adobe", "no_tex", "PostScript"),
        (b"PK\x03\x04...", "no_tex", "Word"),
        (linked(), "unreadable_archive", "not a regular file"),
        (packed({"../a.tex": TEX}), "unreadable_archive", "leads out"),
        (packed({"/etc/a.tex": TEX}), "unreadable_archive", "leads out"),
        (bomb(), "unreadable_archive", "more than 64 MiB"),
        (packed({"a.tex": TEX})[:60], "unreadable_archive", "tar.gz"),
        (gzip.decompress(packed({"a.tex": TEX}))[:700], "unreadable_archive", "cut off"),
        (b"\x00\x01\x02", "unreadable_archive", "cut off"),
        (header("a.tex", 9999) + END, "unreadable_archive", "cut off"),
    ],
)  # fmt: skip
def test_sources_that_are_none(content, refused, reason):
    with pytest.raises(CandidateRefused, match=reason) as error:
        files_of(content)
    assert error.value.filter == refused


def test_a_source_comes_from_its_address(tmp_path):
    with arxiv_server([record(1)]) as host, client(tmp_path, host.addresses) as asking:
        using = tools(client=asking, window=DAYS, addresses=host.addresses)
        (paper,) = papers("math", using)
        assert arxiv.download(paper, using).files == {"main.tex": TEX}
        assert host.host.paths[-1] == "/e-print/2610.00001"
        with pytest.raises(CandidateRefused):
            arxiv.download(replace(paper, url=f"{host.url}/e-print/2610.00002"), using)
