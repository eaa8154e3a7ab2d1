"""`helm-structext plan`: one screen, or JSON, and nothing is asked or written."""

import json
from pathlib import Path

import pytest
from helm.benchmark.run import build_parser
from huggingface_hub import constants

from helm_structext import cli
from helm_structext.cli import main
from helm_structext.data import load_rows
from helm_structext.planning import estimate
from support import ROOT
from support.hub_server import another_process, ask, card, hub_of_this_process, parquet
from support.rows import IMAGE2STRUCT_SCHEMA, latex_row

MODEL = "openai/gpt-4o-2024-11-20"
LATEX = "stanford-crfm/image2struct-latex-v1"
HUB_ENTRY = "image2struct_latex:subset=equation"
SAMPLE_ENTRY = "image2struct_latex:subset=equation,source=sample"
FAST = ["--models-to-run", MODEL, "--no-calibration"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(capsys, *arguments: str) -> dict:
    assert main(["plan", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_sample_of_all_benchmarks_on_one_screen(capsys, folder):
    conf = str(ROOT / "run_specs" / "sample.conf")
    assert main(["plan", "--conf-paths", conf, *FAST, "--price-in", "2", "--price-out", "8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    requests = [int(rows[title][1]) for title in ("Image2Struct", "MMR", "StructEval")]
    assert int(rows["all"][1]) == sum(requests) > 200
    assert "To download: nothing" in lines
    (price,) = (line for line in lines if line.startswith("Price: "))
    assert "for requests" in price
    assert list(folder.iterdir()) == [], "nothing is written"


def test_numbers_are_those_of_the_rows(capsys):
    rows = load_rows(
        "sample",
        benchmark="image2struct_latex",
        dataset="",
        config="equation",
        splits=["validation"],
    )
    number = len(list(rows))
    plan = planned(capsys, "-r", SAMPLE_ENTRY, *FAST)
    total = plan["total"]
    assert (plan["runs"], plan["models"]) == (1, [MODEL])
    assert (total["instances"], total["pictures"]) == (number, number)
    assert total["renderings"] == {"latex": pytest.approx(number)}
    assert (plan["hours"], plan["price"]) == (None, None)
    twice = planned(capsys, "-r", SAMPLE_ENTRY, "--models-to-run", MODEL, "openai/gpt-4o-mini-2024-07-18",
                    "--no-calibration", "--price-in", "1", "--price-out", "0")  # fmt: skip
    assert twice["total"]["tokens_in"] == pytest.approx(2 * total["tokens_in"])
    assert twice["price"] == pytest.approx(2 * total["tokens_in"] / 1e6)
    few = planned(capsys, "-r", SAMPLE_ENTRY, *FAST, "-m", "2")
    assert few["total"]["tokens_in"] == pytest.approx(2 * total["tokens_in"] / number)


def test_finished_runs_are_left_out(capsys, folder):
    arguments = ["-r", SAMPLE_ENTRY, *FAST, "--suite", "s"]
    name = f"image2struct_latex:subset=equation,difficulty=all,source=sample,protocol=published,model={MODEL.replace('/', '_')}"
    run = folder / "benchmark_output" / "runs" / "s" / name
    run.mkdir(parents=True)
    assert planned(capsys, *arguments)["total"]["instances"] > 0
    (run / "per_instance_stats.json").write_text("[]")
    plan = planned(capsys, *arguments)
    assert plan["finished"] == [name]
    assert (plan["total"]["runs"], plan["total"]["instances"]) == (0, 0)
    assert main(["plan", *arguments]) == 0
    assert "1 of them finished in suite s and left out below" in capsys.readouterr().out


def test_hours_come_from_a_few_answers(capsys, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WORKERS", "2")
    ticks = iter([0.0, 8.0])
    monkeypatch.setattr(estimate.calibrate, "__defaults__", (lambda: next(ticks),))
    plan = planned(capsys, "-r", SAMPLE_ENTRY, "--models-to-run", MODEL)
    assert plan["seconds_per_answer"] == {"latex": 2.0}
    assert plan["hours"] == pytest.approx(2 * plan["total"]["instances"] / 3600)
    assert plan["not_measured"] == {}


def test_data_of_the_hub_is_sized_and_read_where_it_is_here(capsys, folder):
    path = "equation/validation-00000-of-00001.parquet"
    content = parquet([latex_row(number) for number in range(7)], IMAGE2STRUCT_SCHEMA)
    readme = card({"equation": {"validation": "equation/validation-*"}})
    with hub_of_this_process(folder / "hub") as server:
        server.repository(LATEX).commit({"README.md": readme, path: content})
        plan = planned(capsys, "-r", HUB_ENTRY, *FAST)
        assert [one["bytes"] for one in plan["downloads"]] == [len(content)]
        assert (plan["runs_like_the_sample"], plan["total"]["instances"]) == (1, 300)
        assert server.fetched() == [], "nothing is downloaded"
        list(
            load_rows("hub", benchmark="", dataset=LATEX, config="equation", splits=["validation"])
        )
        plan = planned(capsys, "-r", HUB_ENTRY, *FAST)
        assert plan["downloads"] == []
        assert plan["on_this_disk"] == [f"{LATEX}/equation"]
        assert (plan["runs_like_the_sample"], plan["total"]["instances"]) == (0, 7)
        another_process()


def test_without_network_it_says_what_it_can_not_know(capsys, monkeypatch):
    ask("http://127.0.0.1:9", monkeypatch)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    another_process()
    entries = [HUB_ENTRY, "image2struct_latex:subset=plot"]
    assert main(["plan", "-r", *entries, *FAST]) == 0
    printed = capsys.readouterr().out
    assert "To download: at least 4.7 MB" in printed
    assert "equation 4.7 MB, plot of unknown size" in printed
    assert "sizes of November 2026: source=hub: http://127.0.0.1:9 can't be reached" in printed
    assert "2 runs are taken to have as many instances as are published" in printed
    another_process()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name a conf file"),
        (["-r", SAMPLE_ENTRY, "-m", "0"], "expected a whole number from 1 on"),
        (["-r", SAMPLE_ENTRY, "--price-in", "1"], "belong together"),
        (["-r", SAMPLE_ENTRY, "--price-in", "free"], "expected a price"),
        (["-r", f"{SAMPLE_ENTRY[:-6]}absent,model={MODEL}"], "there is no such folder"),
        (["-r", f"nope:task=all,model={MODEL}"], "ours are image2struct_latex"),
        (["-r", f"mnr:task=all,model={MODEL}"], "did you mean mmr?"),
        (["-r", SAMPLE_ENTRY, "--models-to-run", "openai/gpt-4-0613"], "reads no pictures"),
        (
            ["-r", SAMPLE_ENTRY, *FAST, "--nun-threads", "4"],
            "unrecognized arguments: --nun-threads",
        ),
        (["-r", SAMPLE_ENTRY, *FAST, "--num-threads", "x"], "invalid int value"),
        (["-r", SAMPLE_ENTRY, *FAST, "--tokens-per-second", "0"], "a number of tokens above 0"),
    ],
)
def test_a_fault_says_what_to_do(capsys, arguments, words):
    assert main(["plan", "--no-calibration", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_options_of_helm_run_are_taken(capsys):
    plain = planned(capsys, "-r", SAMPLE_ENTRY, *FAST)
    others = ["--num-threads", "4", "--exit-on-error", "--skip-completed-runs", "-t", "1"]
    assert planned(capsys, "-r", SAMPLE_ENTRY, *FAST, *others) == plain


def test_every_option_of_helm_run_is_known():
    (commands,) = (one for one in cli._parser()._actions if isinstance(one.choices, dict))
    ours = commands.choices["plan"]._option_string_actions
    for action in build_parser()._actions:
        for name in action.option_strings:
            assert ours[name].nargs == action.nargs or action.nargs == "*", name


def test_a_slow_server_gets_advice(capsys):
    entry = "structeval:task=text_to_json,source=sample"
    assert main(["plan", "-r", entry, *FAST, "--tokens-per-second", "10"]) == 0
    printed = capsys.readouterr().out
    assert "Longest answer: 8,192 tokens, which takes 14 minutes; num_output_tokens=1024" in printed
    assert "one after the other, at 10 tokens a second" in printed
    assert main(["plan", "-r", f"{entry},num_output_tokens=100", *FAST]) == 0
    printed = capsys.readouterr().out
    assert "Longest answer: 100 tokens" in printed
    assert "num_output_tokens=" not in printed
