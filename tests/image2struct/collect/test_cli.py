import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from huggingface_hub import constants

from helm_structext.cli import main
from helm_structext.image2struct.collect import COLLECTORS
from helm_structext.image2struct.collect.journal import JOURNAL, open_journal
from support.collecting import items, shop
from support.hosts import CONTACT, Reply, Request
from support.hub_server import hub_server

COUNT = 6


@pytest.fixture(autouse=True)
def made_up_domain(monkeypatch, tmp_path):
    monkeypatch.setitem(COLLECTORS, "latex", "support.collecting:TABLE")
    monkeypatch.delenv("HELM_STRUCTEXT_CONTACT", raising=False)
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(name="host")
def running_shop():
    with shop(a=items(40), b=items(40, "b")) as host:
        yield host


def collect(host, *more: str, output: str = "out") -> int:
    words = [
        "collect",
        "latex",
        "--from",
        "2026-10-01",
        "--to",
        "2026-10-31",
        "--count",
        str(COUNT),
    ]
    address = ["--address", f"shop={host.url}/"]
    return main([*words, "--contact", CONTACT, "--no-moderation", *address, "-o", output, *more])


def names(folder: str = "out") -> dict[str, list[str]]:
    files = Path(folder).glob("*/validation-00000-of-00001.parquet")
    return {
        file.parent.name: [
            json.loads(name) for name in pq.read_table(file)["instance_name"].to_pylist()
        ]
        for file in files
    }


def test_a_round_is_collected_once(host, capsys):
    assert collect(host) == 0
    said = capsys.readouterr().out
    assert f"{2 * COUNT} instances in out: {COUNT} of equation, {COUNT} of table; " in said
    assert {subset: len(of) for subset, of in names().items()} == {
        "equation": COUNT,
        "table": COUNT,
    }
    before = {file: file.stat().st_mtime_ns for file in Path("out").glob("*/*.parquet")}
    asked = len(host.requests)
    assert collect(host) == 0
    assert capsys.readouterr().out == said
    assert len(host.requests) == asked
    assert {file: file.stat().st_mtime_ns for file in Path("out").glob("*/*.parquet")} == before


def test_status_says_how_far_rounds_are(host, capsys):
    assert collect(host) == 0
    capsys.readouterr()
    for path in ("out", f"out/{JOURNAL}"):
        assert main(["collect", "status", path]) == 0
        said = capsys.readouterr().out
        for words in (
            "no collector is running",
            "latex from 2026-10-01 to 2026-10-31",
            f"| equation |         {COUNT} |      {COUNT} |",
            "rendering: white_image",
            "gave instances",
            "2026-10-01",
            "| shop |",
        ):
            assert words in said
    with open_journal(Path("out") / JOURNAL):
        assert main(["collect", "status", "out"]) == 0
    assert "in use by process" in capsys.readouterr().out
    assert main(["collect", "status", "absent"]) == 2
    assert "absent is not there" in capsys.readouterr().err


def test_rounds_of_one_journal_do_not_repeat_each_other(host, capsys):
    assert collect(host, "--journal", "shared.sqlite", output="one") == 0
    assert collect(host, "--journal", "shared.sqlite", "--seed", "1", output="two") == 0
    one, two = names("one"), names("two")
    assert one.keys() == two.keys()
    for subset in one:
        assert not set(one[subset]) & set(two[subset])
    assert main(["collect", "status", "shared.sqlite"]) == 0
    assert "Round 2" in capsys.readouterr().out


def test_what_is_blocked_leaves_an_earlier_round_and_nothing_takes_its_place(host, capsys):
    shared = ["--journal", "shared.sqlite"]
    assert collect(host, *shared, output="one") == 0
    assert collect(host, *shared, "--seed", "1", output="two") == 0
    one, asked = names("one"), len(host.requests)
    gone = one["table"][0]
    Path("blocked").write_text(f"{gone}\n", encoding="utf-8")
    assert collect(host, *shared, "--blocklist", "blocked", output="one") == 0
    assert f"{COUNT - 1} of table" in capsys.readouterr().out
    assert names("one") == {
        subset: [name for name in of if name != gone] for subset, of in one.items()
    }
    assert len(host.requests) == asked


def test_an_unfinished_round_ends_where_a_later_one_of_its_journal_has_begun(host, capsys):
    shared = ["--journal", "shared.sqlite"]
    host.answer = lambda request: Reply("", 401)
    assert collect(host, *shared, output="one") == 2
    host.answer = host.answer_of
    assert collect(host, *shared, "--seed", "1", output="two") == 0
    asked = len(host.requests)
    assert collect(host, *shared, output="one") == 2
    assert "A later round of this journal has begun" in capsys.readouterr().err
    assert len(host.requests) == asked
    assert not Path("one/README.md").exists()


def test_what_is_blocked_leaves_the_dataset_before_anything_is_asked(host, capsys):
    assert collect(host) == 0
    gone = names()["equation"][0]
    Path("blocked").write_text(f"{gone}  # asked to\n", encoding="utf-8")
    seen: list[bool] = []

    def answer(request: Request) -> Reply:
        seen.append(gone in names()["equation"])
        return Reply("", 401)

    host.answer = answer
    assert collect(host, "--blocklist", "blocked") == 2
    assert seen == [False]
    assert gone not in names()["equation"]
    host.answer = host.answer_of
    assert collect(host, "--blocklist", "blocked") == 0
    assert {subset: len(of) for subset, of in names().items()} == {
        "equation": COUNT,
        "table": COUNT,
    }
    assert gone not in names()["equation"]


def test_a_second_collector_is_refused_and_told_who_was_first(host, capsys):
    with open_journal(Path("out") / JOURNAL):
        assert collect(host) == 2
    assert "in use by process" in capsys.readouterr().err
    assert collect(host, "--journal", "elsewhere.sqlite") == 0
    with open_journal(Path("third.sqlite"), Path("out/.collecting")):
        assert collect(host, "--journal", "elsewhere.sqlite") == 2
    assert "out is in use by process" in capsys.readouterr().err


def test_where_nothing_is_left_there_is_no_dataset(host, capsys):
    assert collect(host) == 0
    blocked = sorted({name for of in names().values() for name in of})
    Path("blocked").write_text("\n".join(blocked), encoding="utf-8")
    assert collect(host, "--blocklist", "blocked") in (0, 2)
    assert not {name for of in names().values() for name in of} & {*blocked}


def test_the_folder_of_something_else_is_left_alone(host, capsys):
    Path("out").mkdir()
    Path("out/README.md").write_text("mine", encoding="utf-8")
    assert collect(host) == 2
    assert "name another folder" in capsys.readouterr().err
    assert Path("out/README.md").read_text(encoding="utf-8") == "mine"
    assert not host.requests


def test_a_folder_has_one_round(host, capsys):
    assert collect(host) == 0
    assert collect(host, "--per-day", "3") == 2
    assert "out holds a round with another per_day" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--to", "2026-09-30"], "--to 2026-09-30 is before --from 2026-10-01"),
        (["--from", "yesterday"], "'yesterday' is no day"),
        (["--count", "0"], "it is '0'; expected a whole number from 1 on"),
        (["--contact", "me"], "--contact is 'me'"),
        (["--contact", ""], "HELM_STRUCTEXT_CONTACT"),
        (["--address", "shop"], "is not NAME=URL"),
        (["--address", "arxiv=http://127.0.0.1/"], "no host 'arxiv'; there is shop"),
        (["--blocklist", "absent"], "absent can't be read"),
        (["--published", "absent"], "absent holds no published instances"),
        (["--journal", "no/such/../folder/\0"], "no file has this name"),
        (["--journal", "."], "."),
    ],
)
def test_a_fault_of_the_user_says_what_to_do(host, capsys, more, words):
    assert collect(host, *more) == 2
    assert words in capsys.readouterr().err
    assert not host.requests


def test_texts_are_judged_unless_that_is_turned_off(host, capsys):
    words = ["collect", "latex", "--from", "2026-10-01", "--to", "2026-10-31", "--count", "1"]
    rest = ["--contact", CONTACT, "--address", f"shop={host.url}", "-o", "out"]
    assert main([*words, *rest, "--moderation", "perspective"]) == 2
    assert "PERSPECTIVE_API_KEY" in capsys.readouterr().err
    assert main([*words, *rest, "--moderation", "nowhere"]) == 2
    assert "--moderation is 'nowhere'" in capsys.readouterr().err
    assert not host.requests
    # The made-up domain has nothing to judge, so nobody is asked.
    assert main([*words, *rest, "--moderation", "http://127.0.0.1:9"]) == 0


def test_a_round_is_pushed_to_the_hub_by_who_may(host, capsys, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", "")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "absent")
    assert collect(host, "--push-to-hub", "team/fresh") == 2
    assert "HF_TOKEN" in capsys.readouterr().err
    assert not host.requests
    with hub_server() as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", hub.token)
        assert collect(host, "--push-to-hub", "team/fresh") == 0
        assert f"{hub.url}/datasets/team/fresh" in capsys.readouterr().out
        assert hub.repositories["team/fresh"].private
        assert collect(host, "--push-to-hub", "team/open", "--public") == 0
        assert not hub.repositories["team/open"].private


def test_a_damaged_journal_is_named(host, capsys):
    Path("out").mkdir()
    (Path("out") / JOURNAL).write_bytes(b"what?" * 1000)
    assert collect(host) == 2
    assert f"out/{JOURNAL}" in capsys.readouterr().err
    assert main(["collect", "status", "out"]) == 2
    assert f"out/{JOURNAL}" in capsys.readouterr().err
