"""The source of scores: what the wiki lists becomes candidates, and nonsense stops clearly."""

import json
from datetime import date

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import imslp
from helm_structext.image2struct.collect.refusals import CandidateRefused
from support import pdfs
from support.drafts import tools as made_tools
from support.hosts import Reply, client, json_reply
from support.imslp_server import Imslp, Upload

PDF = pdfs.with_pages(1)


@pytest.fixture(name="wiki")
def running_wiki():
    with Imslp(uploads=[Upload("PMLP1-a.pdf", PDF)]) as wiki:
        yield wiki


@pytest.fixture(name="tools")
def tools_of_a_round(wiki, tmp_path):
    with client(tmp_path, wiki.addresses) as asking:
        yield made_tools(client=asking, addresses=wiki.addresses)


def listed(tools):
    return list(imslp.candidates(tools))


def test_a_file_comes_with_what_the_listing_and_its_work_page_say(wiki, tools):
    fields = {"Image Type": "Typeset", "Copyright": "Creative Commons Attribution 4.0"}
    wiki.uploads = [Upload("PMLP7-Été_n°1.pdf", PDF, work="Été (Structext, H.)", fields=fields)]
    (found,) = listed(tools)
    assert (found.name, found.day) == ("PMLP7-Été_n°1.pdf", date(2026, 10, 2))
    assert found.license == "Creative Commons Attribution 4.0"
    assert (found.group, found.owner) == ("", "")
    assert found.info["work"] == "Été (Structext, H.)"
    assert found.info["image_type"] == "Typeset"
    assert found.info["size"] == len(PDF)
    json.dumps(found.info)
    assert imslp.content(found, tools) == PDF


def test_only_days_of_the_window_are_listed_from_the_oldest_on(wiki, tools):
    wiki.uploads = [
        Upload("d.pdf", PDF, "2026-11-01T00:00:00Z"),
        Upload("c.pdf", PDF, "2026-10-31T23:59:59Z"),
        Upload("b.pdf", PDF, "2026-10-01T00:00:00Z"),
        Upload("a.pdf", PDF, "2026-09-30T23:59:59Z"),
    ]
    assert [found.name for found in listed(tools)] == ["b.pdf", "c.pdf"]


def test_long_lists_are_continued_and_nothing_is_asked_twice(wiki, tools):
    wiki.uploads = [
        Upload(f"s{number:03}.pdf", PDF, work=f"Work {number % 70} (S, H)") for number in range(130)
    ]
    wiki.limit = 40
    found = listed(tools)
    assert [one.name for one in found] == [one.name for one in wiki.uploads]
    assert all(one.info["work"] and one.license == "Public Domain" for one in found)
    assert 8 < len(wiki.requests) < 20
    before = len(wiki.requests)
    assert listed(tools) == found
    assert len(wiki.requests) == before


def test_an_empty_window_has_no_candidates(wiki, tools):
    wiki.uploads = []
    assert listed(tools) == []
    assert len(wiki.requests) == 1


def test_long_titles_are_asked_in_several_requests(wiki, tools):
    wiki.uploads = [Upload(f"{'中' * 60}{number}.pdf", PDF) for number in range(40)]
    assert all(one.info["work"] for one in listed(tools))
    assert all(len(request.query.get("titles", "")) < 2000 for request in wiki.requests)
    assert sum(request.query.get("prop") == "fileusage" for request in wiki.requests) > 3


def test_what_is_no_score_is_listed_but_its_page_is_not_asked_for(wiki, tools):
    wiki.uploads = [
        Upload("a.mp3", b"ID3", mime="audio/mpeg"),
        Upload("b.pdf", PDF, other={"size": imslp.MAX_BYTES + 1}),
    ]
    sound, large = listed(tools)
    assert imslp.not_a_pdf(sound, tools) == "a.mp3 is audio/mpeg"
    assert "bytes; at most" in (imslp.too_large(large, tools) or "")
    assert len(wiki.requests) == 1


@pytest.mark.parametrize(
    ("other", "missing"),
    [
        ({"url": None}, "url"),
        ({"url": 7}, "url"),
        ({"url": "http://[::1/a.pdf"}, "url"),
        ({"url": "mailto:a"}, "url"),
        ({"timestamp": None}, "timestamp"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"timestamp": "2026-13-41T10:00:00Z"}, "timestamp"),
        ({"timestamp": ["2026-10-02T10:00:00Z"]}, "timestamp"),
        ({"title": None}, "title"),
        ({"size": "12"}, "size"),
        ({"size": -1}, "size"),
        ({"mime": None}, "mime"),
    ],
)
def test_a_file_of_which_something_is_missing_is_refused_for_it(wiki, tools, other, missing):
    wiki.uploads = [Upload("a.pdf", PDF, other=other)]
    (found,) = listed(tools)
    assert imslp.incomplete(found, tools) == f"the listing has no usable {missing}"


@pytest.mark.parametrize("name", [None, "", 5, "\ud800"])
def test_a_file_without_a_usable_name_gets_one(wiki, tools, name):
    wiki.uploads = [Upload("a.pdf", PDF, other={"name": name})]
    (found,) = listed(tools)
    assert found.name
    assert found.name.encode()


def test_items_of_other_types_are_refused(wiki, tools):
    wiki.faults = [json_reply({"query": {"allimages": [None, 5, "a", []]}})]
    assert all(imslp.incomplete(found, tools) for found in listed(tools))


def test_a_file_lies_on_the_host_that_is_asked_whatever_the_listing_says(wiki, tools):
    wiki.uploads = [
        Upload("a.pdf", PDF, other={"url": "https://evil.example/images/../x y.pdf?q#f"})
    ]
    (found,) = listed(tools)
    assert found.url == f"{wiki.url}/images/../x%20y.pdf"


def test_a_file_that_no_work_page_shows_is_refused(wiki, tools):
    wiki.uploads = [Upload("a.pdf", PDF, work="")]
    (found,) = listed(tools)
    assert imslp.no_work_page(found, tools) == "no work page shows the file"


def test_scans_are_refused_by_their_tag_but_not_as_published(wiki, tools):
    fields = {"Image Type": "Normal Scan", "Copyright": "Public Domain"}
    wiki.uploads = [Upload("a.pdf", PDF, fields=fields)]
    (found,) = listed(tools)
    assert imslp.tagged_as_scan(found, tools) == "its image type is Normal Scan"
    published = made_tools(
        client=tools.client, protocol="published", addresses=tools.settings.addresses
    )
    assert imslp.tagged_as_scan(found, published) is None


def test_the_block_that_names_a_file_says_what_it_is():
    blocks = "".join(
        f"{{{{#fte:imslpfile\n|File Name 1=x.zip\n|File Name 2=score_{name}.pdf\n"
        f"|Editor={{{{LinkEd|A|B}}}} (1869)<br>{{{{C\n|D}}}}\n|Copyright={license}\n}}}}\n"
        for name, license in (("a", "Public Domain"), ("b", "CC BY 4.0"))
    )
    assert imslp.file_fields(blocks, "File:Score b.pdf")["Copyright"] == "CC BY 4.0"
    assert imslp.file_fields(blocks, "File:Score c.pdf") == {}
    assert imslp.file_fields("{{#fte:imslpfile\n|File Name 1=b" * 3, "File:A") == {}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply("<html>Bad gateway</html>"), "is not JSON"),
        (Reply('{"query": {"allimages": [{"name": "a.p'), "is not JSON"),
        (Reply("[" * 100_000), "is not JSON"),
        (Reply("[]"), "is not what MediaWiki documents"),
        (json_reply({"batchcomplete": ""}), "has no allimages"),
        (json_reply({"query": []}), "has no allimages"),
        (json_reply({"query": {"allimages": "none"}}), "has no allimages"),
        (json_reply({"error": {"code": "internal_api_error", "info": "no"}}), "internal_api_error"),
        (
            json_reply({"query": {"allimages": []}, "warnings": {"main": {"*": "Unrecognized x"}}}),
            "does not know what was asked",
        ),
    ],
)
def test_an_answer_that_is_no_listing_stops_the_round_and_is_asked_again(wiki, tools, reply, said):
    wiki.faults = [reply]
    with pytest.raises(SetupError, match=said):
        listed(tools)
    assert [found.name for found in listed(tools)] == ["PMLP1-a.pdf"]


def test_a_listing_that_repeats_itself_stops_the_round(wiki, tools):
    again = {"query": {"allimages": []}, "continue": {"aicontinue": "x|y", "continue": "-||"}}
    wiki.faults = [json_reply(again), json_reply(again)]
    with pytest.raises(SetupError, match="does not come to an end"):
        listed(tools)
    assert len(wiki.requests) == 2


def test_a_listing_that_never_ends_stops_the_round(wiki, tools, monkeypatch):
    monkeypatch.setattr(imslp, "MAX_ANSWERS", 5)
    wiki.faults = [
        json_reply({"query": {"allimages": []}, "continue": {"aicontinue": str(number)}})
        for number in range(9)
    ]
    with pytest.raises(SetupError, match="does not come to an end"):
        listed(tools)


def test_a_wiki_that_is_behind_is_waited_for(wiki, tools):
    late = {"error": {"code": "maxlag", "info": "Waiting for db1: 7 seconds lagged"}}
    wiki.faults = [json_reply(late, mediawiki_api_error="maxlag", retry_after="5")]
    assert len(listed(tools)) == 1
    assert wiki.requests[0].query == wiki.requests[1].query


def test_files_are_asked_for_with_the_disclaimer_accepted(wiki, tools):
    (found,) = listed(tools)
    assert imslp.content(found, tools) == PDF
    assert wiki.requests[-1].headers["cookie"] == "imslpdisclaimeraccepted=yes"


def test_a_host_that_wants_to_see_a_human_stops_the_round_until_it_does_not(wiki, tools):
    wiki.human = False
    (found,) = listed(tools)
    with pytest.raises(SetupError, match="IMSLP asks for a human"):
        imslp.content(found, tools)
    wiki.human = True
    assert imslp.content(found, tools) == PDF


def test_a_file_that_is_gone_is_refused(wiki, tools):
    (found,) = listed(tools)
    wiki.uploads = []
    with pytest.raises(CandidateRefused) as raised:
        imslp.content(found, tools)
    assert raised.value.filter == "not_found"
