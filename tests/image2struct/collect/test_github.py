from collections import Counter
from datetime import date, timedelta

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import github
from helm_structext.image2struct.collect.records import CandidateRefused, Tools, Window
from support.drafts import tools
from support.github_server import github as serve
from support.hosts import Reply, client, json_reply
from support.repositories import DAY, PLAIN, REFUSED, Repository, repository

TOKEN = "ghp_neverShownAnywhere0123456789"
FIRST = DAY.date()


@pytest.fixture(autouse=True)
def token(monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)


def tools_of(hub, asking, first: date = FIRST, last: date = FIRST) -> Tools:
    return tools(asking, window=Window(first, last), seed=0, addresses=hub.addresses)


def listed(hub, folder, language="html", **window):
    with client(folder, hub.addresses) as asking:
        return list(github.candidates(language, tools_of(hub, asking, **window)))


def names(candidates) -> list[str]:
    return [candidate.name for candidate in candidates]


def many(count: int, **more) -> list[Repository]:
    """Repositories whose times are spread evenly over a day."""
    return [
        repository(
            f"user{number}",
            created=DAY + timedelta(seconds=86_400 * number // count),
            updated=DAY + timedelta(days=1, seconds=number),
            **more,
        )
        for number in range(count)
    ]


def test_a_search_is_by_name_size_day_and_language(tmp_path):
    unwanted = [
        repository("styled", language="CSS"),
        repository("large", size=101),
        repository("earlier", created=DAY - timedelta(seconds=1)),
        repository("later", created=DAY + timedelta(days=1)),
        repository("copied", fork=True),
        repository("other", name="bees"),
    ]
    with serve([repository("ann", size=100), *unwanted]) as hub:
        (candidate,) = listed(hub, tmp_path)
    assert hub.searches == [
        "github.io in:name size:<=100 created:2026-10-01..2026-10-01 language:html page 1"
    ]
    assert candidate == github.SourceCandidate(
        name="ann/ann.github.io",
        group="html",
        owner="ann",
        day=FIRST,
        url="https://github.com/ann/ann.github.io",
        license="MIT",
        info={
            "branch": "main",
            "created_at": "2026-10-01T00:00:00Z",
            "size": 100,
            "fork": False,
            "archived": False,
            "disabled": False,
            "incomplete_results": False,
        },
    )


def test_requests_say_who_asks_and_which_version(tmp_path):
    with serve([repository("ann")], token=TOKEN) as hub:
        assert listed(hub, tmp_path)
    (request,) = hub.api.requests
    assert request.query["per_page"] == "100"
    assert request.query["sort"] == "updated"
    assert request.headers["accept"] == "application/vnd.github+json"
    assert request.headers["x-github-api-version"] == "2022-11-28"


def test_days_come_in_order_and_pages_by_their_links(tmp_path):
    repositories = [*many(250), repository("next", created=DAY + timedelta(days=1))]
    with serve(repositories) as hub:
        found = names(listed(hub, tmp_path, last=FIRST + timedelta(days=1)))
    newest_first = [f"user{number}/user{number}.github.io" for number in range(249, -1, -1)]
    assert found == [*newest_first, "next/next.github.io"]
    assert [search[-6:] for search in hub.searches] == ["page 1", "page 2", "page 3", "page 1"]


def test_pages_are_asked_for_when_they_are_needed(tmp_path):
    with serve(many(250)) as hub, client(tmp_path, hub.addresses) as asking:
        candidates = github.candidates("html", tools_of(hub, asking))
        for _ in range(101):
            next(candidates)
    assert len(hub.searches) == 2


def test_a_day_of_more_than_a_thousand_is_split_and_nothing_is_lost(tmp_path):
    with serve(many(2100)) as hub:
        found = names(listed(hub, tmp_path))
    assert len(found) == 2100
    assert set(Counter(found).values()) == {1}
    spans = {search.partition("created:")[2].partition(" ")[0] for search in hub.searches}
    assert spans == {
        "2026-10-01..2026-10-01",
        "2026-10-01T00:00:00Z..2026-10-01T11:59:59Z",
        "2026-10-01T00:00:00Z..2026-10-01T05:59:59Z",
        "2026-10-01T06:00:00Z..2026-10-01T11:59:59Z",
        "2026-10-01T12:00:00Z..2026-10-01T23:59:59Z",
        "2026-10-01T12:00:00Z..2026-10-01T17:59:59Z",
        "2026-10-01T18:00:00Z..2026-10-01T23:59:59Z",
    }


def test_a_second_of_more_than_a_thousand_gives_the_first_thousand(tmp_path):
    repositories = [repository(f"user{number}") for number in range(1100)]
    with serve(repositories) as hub:
        found = listed(hub, tmp_path)
    assert len(found) == len({*names(found)}) == 1000
    assert sum(search.endswith("page 10") for search in hub.searches) == 1
    assert not any(search.endswith("page 11") for search in hub.searches)


def test_a_search_that_ran_out_of_time_is_split_until_it_has_enough(tmp_path):
    with serve(many(60), slow=timedelta(hours=7)) as hub:
        found = listed(hub, tmp_path)
    assert len({*names(found)}) == len(found) == 60
    assert not any(candidate.info["incomplete_results"] for candidate in found)
    assert len(hub.searches) == 1 + 2 + 4


def test_a_search_that_always_runs_out_of_time_is_not_split_forever(tmp_path):
    with serve(many(60), slow=timedelta(0)) as hub:
        found = listed(hub, tmp_path)
    assert 0 < len(found) < 60
    assert all(candidate.info["incomplete_results"] for candidate in found)
    assert len(hub.searches) == 63  # halves of a day down to those of 45 minutes


def test_halves_meet_and_leave_nothing_out():
    spans = [github.Span.of(FIRST)]
    while spans[0].length > timedelta(seconds=1):
        whole = spans.pop(0)
        first, second = whole.halves()
        assert (first.first, second.last) == (whole.first, whole.last)
        assert second.first - first.last == timedelta(seconds=1)
        spans[:0] = [first]


def refusals(candidate) -> list[str]:
    """The names of the filters that refuse a candidate; the first one alone sees what is malformed."""
    first, *others = github.FETCH_FILTERS
    filters = [first] if first(candidate, None) else others
    return [one.__name__ for one in filters if one(candidate, None)]


def test_what_should_not_be_in_a_listing_is_refused(tmp_path):
    reasons = ("malformed", "fork", "disabled", "too_large")
    odd = [(one, reason) for reason in reasons for one in REFUSED[reason] if one.said]
    with serve([repository("ann"), *(one for one, _ in odd)]) as hub:
        found = [refusals(candidate) for candidate in listed(hub, tmp_path)]
    assert sorted(found) == sorted([[], *([reason] for _, reason in odd)])


ITEM = {
    "full_name": "ann/ann.github.io",
    "created_at": "2026-10-01T00:00:00Z",
    "default_branch": "main",
    "size": 1,
    "fork": False,
}
NO_ITEMS = [
    None,
    [],
    "x",
    {},
    *({**ITEM, name: None} for name in ITEM),
    *({name: value for name, value in ITEM.items() if name != left} for left in ITEM),
    *(
        {**ITEM, "full_name": name}
        for name in ("a", "a/b/c", "a b/c", "ä/b", "a/.", "/", "a/" * 300, "a/b\n")
    ),
    *({**ITEM, "created_at": text} for text in ("", "2026-13-01T00:00:00Z", "9" * 5000, "Z")),
    {**ITEM, "size": "1"},
    *({**ITEM, "default_branch": name} for name in ("\ud800", "a/../b", "a" * 501)),
    *({**ITEM, "license": {"spdx_id": text}} for text in ("\ud800", "MIT" * 200)),
]


def test_items_that_make_no_sense_are_named_after_their_place(tmp_path):
    with serve([]) as hub:
        hub.api.faults = [page([ITEM, *NO_ITEMS])]
        first, *others = listed(hub, tmp_path)
    assert not refusals(first)
    assert [refusals(candidate) for candidate in others] == [["malformed"]] * len(NO_ITEMS)
    assert others[0].name == "html 2026-10-01..2026-10-01 page 1 2"
    assert {candidate.day for candidate in others} == {FIRST}
    assert max(len(candidate.info["malformed"]) for candidate in others) < 300


def page(items, **more) -> Reply:
    return json_reply(
        {"total_count": len(items), "incomplete_results": False, "items": items}, **more
    )


def test_licenses_may_be_missing_unknown_or_odd(tmp_path):
    licenses = [None, {"spdx_id": None}, {"spdx_id": "NOASSERTION"}, {"spdx_id": "MIT"}, "MIT", 7]
    with serve([]) as hub:
        hub.api.faults = [page([{**ITEM, "license": one} for one in licenses])]
        found = listed(hub, tmp_path)
    assert [candidate.license for candidate in found] == ["", "", "NOASSERTION", "MIT", "", ""]


NO_PAGES = (b"", b"<html>", b"[]", b"{}", b'{"total_count": 1}', b"\xff", b"[" * 100_000)


def test_what_is_no_page_of_results_stops_the_round(tmp_path):
    for number, body in enumerate(NO_PAGES):
        folder = tmp_path / str(number)
        folder.mkdir()
        with serve([]) as hub:
            hub.api.faults = [Reply(body, headers={"content-type": "application/json"})]
            with pytest.raises(SetupError, match=r"gives no page of results \(.*\); check"):
                listed(hub, folder)
            assert listed(hub, folder) == []  # it is asked again


def test_a_link_to_another_host_is_not_followed(tmp_path):
    with serve([]) as hub, serve([]) as other:
        link = f'<{other.api.url}/search/repositories?q=x&page=2>; rel="next"'
        hub.api.faults = [page([ITEM], link=link)]
        with pytest.raises(SetupError, match="another host"):
            listed(hub, tmp_path)
    assert not other.api.requests


def test_a_search_that_github_does_not_understand_stops_the_round(tmp_path):
    with serve([]) as hub:
        hub.api.faults = [json_reply({"message": "Validation Failed"}, 422)]
        with pytest.raises(CandidateRefused, match=r"search.*422.*Validation Failed"):
            listed(hub, tmp_path)


def test_limits_are_waited_out(tmp_path):
    said = {"message": "You have exceeded a secondary rate limit."}
    reset = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1"}
    with serve([repository("ann")]) as hub:
        hub.api.faults = [
            *(json_reply(said, status, retry_after="60") for status in (403, 429)),
            json_reply(said, 403),
            *(json_reply({"message": "API rate limit"}, status, **reset) for status in (403, 429)),
        ]
        assert names(listed(hub, tmp_path)) == ["ann/ann.github.io"]
    assert len(hub.searches) == 6


def test_quotas_are_kept(tmp_path):
    with (
        serve(many(250), quotas={"search": 2}) as hub,
        client(tmp_path, hub.addresses, pace=1) as asking,
    ):
        assert len(list(github.candidates("html", tools_of(hub, asking)))) == 250
    assert len(hub.searches) == len({*hub.searches}) == 3


def downloaded(one: Repository, folder, **options):
    with serve([one], token=TOKEN, **options) as hub, client(folder, hub.addresses) as asking:
        (candidate,) = github.candidates("html", tools_of(hub, asking))
        try:
            return github.download(candidate, tools_of(hub, asking)), hub
        except CandidateRefused as refusal:
            return refusal, hub


def test_the_archive_of_a_commit_is_downloaded_without_its_top_folder(tmp_path):
    ann = repository("ann", {**PLAIN, "docs/ü.html": b"x", "a" * 150 + ".html": b""}, branch="my/é")
    download, hub = downloaded(ann, tmp_path)
    assert download.files == ann.files
    assert download.candidate.info["commit"] == ann.commit
    assert download.candidate.url == f"{hub.api.url}/repos/ann/ann.github.io/tarball/{ann.commit}"
    assert [request.path for request in hub.api.requests[1:]] == [
        "/repos/ann/ann.github.io/commits/heads/my/%C3%A9",
        f"/repos/ann/ann.github.io/tarball/{ann.commit}",
    ]
    assert hub.codeload.paths == [f"/ann/ann.github.io/legacy.tar.gz/{ann.commit}"]


def test_the_token_goes_to_github_alone_and_stays_nowhere(tmp_path, caplog):
    caplog.set_level("DEBUG")
    download, hub = downloaded(repository("ann"), tmp_path)
    assert all(one.headers["authorization"] == f"Bearer {TOKEN}" for one in hub.api.requests)
    assert not any("authorization" in one.headers for one in hub.codeload.requests)
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert TOKEN.encode() not in kept
    assert TOKEN not in caplog.text + str(download)


def test_a_repository_that_moved_is_followed(tmp_path):
    moved = repository("ann", moved_to="bea/ann.github.io")
    there = Repository("bea", "ann.github.io", {**PLAIN}, language="CSS")
    with serve([moved, there]) as hub, client(tmp_path, hub.addresses) as asking:
        (candidate,) = github.candidates("html", tools_of(hub, asking))
        download = github.download(candidate, tools_of(hub, asking))
    assert download.files == there.files
    assert download.candidate.info["commit"] == there.commit


def test_what_is_no_plain_repository_is_refused(tmp_path):
    reasons = ("unreadable_archive", "not_found", "forbidden", "no_commit", "too_large")
    odd = {one: reason for reason in reasons for one in REFUSED[reason] if not one.said}
    found = {}
    with (
        serve([*odd]) as hub,
        client(tmp_path, hub.addresses) as asking,
    ):
        tools = tools_of(hub, asking)
        for candidate in github.candidates("html", tools):
            with pytest.raises(CandidateRefused) as caught:
                github.download(candidate, tools)
            found[candidate.name] = caught.value.filter
    assert found == {one.full_name: reason for one, reason in odd.items()}


def test_what_is_no_commit_is_refused(tmp_path):
    bodies = (b"", b"main", b"0" * 39, b"<html>", b"\xff" * 40, b"A" * 40)
    with serve(many(len(bodies))) as hub, client(tmp_path, hub.addresses) as asking:
        tools = tools_of(hub, asking)
        for candidate, body in zip(github.candidates("html", tools), bodies, strict=True):
            hub.api.faults = [Reply(body)]
            with pytest.raises(CandidateRefused) as caught:
                github.download(candidate, tools)
            assert caught.value.filter == "no_commit"


def test_a_round_that_goes_on_asks_nothing_twice(tmp_path):
    with serve(many(150), token=TOKEN) as hub:
        first = listed(hub, tmp_path)
        asked = len(hub.api.requests)
        assert listed(hub, tmp_path) == first
    assert len(hub.api.requests) == asked
