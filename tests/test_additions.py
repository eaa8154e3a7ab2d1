"""A format of each kind, a metric and a benchmark, each added by a file or package and a row to a copy of the package."""

import json
import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support import ROOT
from support.commands import BIN
from support.structeval_rows import structeval_row, write_rows

FILES = {
    "metrics/ini.py": '''
"""INI files: sections of names and values."""

from configparser import ConfigParser, Error


def parse(text):
    parser = ConfigParser()
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(error) from error
    return {name: dict(parser[name]) for name in parser.sections()}
''',
    "renderers/pixels.py": '''
"""Pixel art: lines of # and dots."""

from PIL import Image

from helm_structext.renderers.engine import Engine
from helm_structext.renderers.outcome import Drawing
from helm_structext.sandbox import Limits


def draw(code, assets, protocol, limits):
    lines = code.splitlines()
    image = Image.new("RGB", (max(map(len, lines)), len(lines)), "white")
    for y, line in enumerate(lines):
        for x, mark in enumerate(line):
            if mark == "#":
                image.putpixel((x, y), (0, 0, 0))
    error = "" if set(code) <= set("#.\\n") else "line 1: only # and dots"
    return Drawing(None if error else image, code, code, "", error=error)


ENGINE = Engine(draw, lambda: "pixels 1", Limits(), {})
''',
    "metrics/darkness.py": '''
"""How alike in darkness two pictures are."""


def darkness_similarity(prediction, reference, size_handling="padding"):
    """1 minus the difference of the mean darkness of two pictures."""
    from PIL import ImageStat

    ours, theirs = (ImageStat.Stat(one.convert("L")).mean[0] for one in (prediction, reference))
    return 1 - abs(ours - theirs) / 255
''',
    "dates/__init__.py": '"""Dates: which day a sentence says."""\n',
    "dates/tasks.py": '''
"""What is asked."""

from dataclasses import dataclass
from typing import Literal

from helm_structext.run_entries import TEXT, plain_entry, zero_shot


@dataclass(frozen=True)
class DatesArguments:
    source: str = "sample"
    style: Literal["all", "short", "long"] = "all"


plain_entry("dates", DatesArguments, zero_shot("", 20, method=TEXT))
''',
    "dates/rows.py": '''
"""Its data."""

from helm_structext.data import load_rows


def rows_of_run(arguments):
    rows = load_rows(
        arguments.source, benchmark="dates", dataset="", config="default", splits=("train",)
    )
    return [row for row in rows if arguments.style in ("all", row.text("style"))]
''',
    "dates/scorer.py": '''
"""How it scores."""

from dataclasses import dataclass
from datetime import date

from helm_structext.dates.rows import rows_of_run
from helm_structext.errors import RenderError
from helm_structext.scoring.scorer import InstanceKey
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import Input, Scorer, make_scored

METRICS = ["right_day", "readable"]


@dataclass(frozen=True)
class Truth:
    id: str
    day: str


def scorer(arguments, door):
    def inputs():
        for row in rows_of_run(arguments):
            yield Input(
                InstanceKey(row.text("style"), row.text("id")),
                f"Which day? Only write YYYY-MM-DD.\\n{row.text('sentence')}",
                "date",
                target=row.text("day"),
                oracle=row.text("day"),
                blank="",
            )

    def find(ids):
        for row in rows_of_run(arguments):
            if row.text("id") in ids:
                key = InstanceKey(row.text("style"), row.text("id"))
                yield key, Truth(key.id, row.text("day"))

    return Scorer(
        [*METRICS, INTERNAL_ERROR],
        METRICS,
        inputs,
        find,
        recall=lambda kept: Truth(kept.id, kept.target),
        score=score_reply,
        parted=arguments.style == "all",
        annotation="reading",
    )


def score_reply(truth, reply):
    day = handle(f"reading of instance {truth.id}", lambda: read_day(reply))
    readable = not isinstance(day, Failure)
    return make_scored(
        f"metrics of instance {truth.id}",
        lambda: {"readable": float(readable), "right_day": float(str(day) == truth.day)},
        [] if readable else [day],
        text=f"read as {day}" if readable else None,
    )


def read_day(reply):
    try:
        return date.fromisoformat(reply.strip())
    except ValueError as error:
        raise RenderError("syntax", str(error)) from error
''',
}
ROWS = {
    "formats.py": (
        """    # StructEval-T
""",
        """    "pixels": Format(
        name="Pixels",
        fences=("pixels",),
        blank=".",
        engine=f"{ENGINES}.pixels:ENGINE",
        structeval="pixels",
    ),
    "ini": Format(
        name="INI",
        fences=("ini",),
        blank="",
        parser="helm_structext.metrics.ini:parse",
        structeval="ini",
    ),
""",
    ),
    "image2struct/scores.py": (
        """PICTURE_METRICS: dict[str, Callable[..., float]] = {
""",
        """    "darkness_similarity": darkness_similarity,
""",
    ),
    "benchmarks.py": (
        """BENCHMARKS: tuple[Benchmark, ...] = (
""",
        """    plain("dates", "Dates", {"Readable": "readable", "Right": "right_day"}, DatesArguments),
""",
    ),
}
IMPORTS = {
    "image2struct/scores.py": "from helm_structext.metrics.darkness import darkness_similarity\n",
    "benchmarks.py": "from helm_structext.dates.tasks import DatesArguments\n",
}
DATES = [
    {"id": "d1", "style": "short", "sentence": "We met on 26 Nov 2026.", "day": "2026-11-26"},
    {"id": "d2", "style": "short", "sentence": "Due 1 Feb 2027.", "day": "2027-02-01"},
    {"id": "d3", "style": "long", "sentence": "The third of May, 1999.", "day": "1999-05-03"},
]
INI = "<|BEGIN_CODE|>\n[planet]\nname = Io\n<|END_CODE|>"
PIXELS = "<|BEGIN_CODE|>\n#.#\n.#.\n<|END_CODE|>"

QUESTIONS = [
    structeval_row(
        task_id="990000", task_name="Text to INI", output_type="ini", oracle_structure=INI
    ),
    structeval_row(
        "text_to_svg",
        task_id="990100",
        task_name="Text to Pixels",
        output_type="pixels",
        raw_output_metric=["#.#"],
        oracle_structure=PIXELS,
    ),
]

REWARDS = """
from helm_structext.rewards import Reward, StructEvalReward

print(StructEvalReward("text_to_ini")("[planet]", ["planet", "planet.name"]).components)
print(StructEvalReward("text_to_ini")("planet", ["planet"]).error_kind)
reward = Reward("pixels", components={"darkness_similarity": 1.0})
print([(one.score, one.error_kind) for one in reward(["##", "#.", "?"], ["##", "##", "##"])])
"""


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """Runs a command with the copy, in a folder that `helm-structext init` has prepared."""
    folder = tmp_path_factory.mktemp("added")
    checkout = folder / "checkout"
    package = checkout / "src" / "helm_structext"
    shutil.copytree(ROOT / "src" / "helm_structext", package)
    for name in ("schema.yaml", "run_specs", "debian-packages.txt"):
        (checkout / name).symlink_to(ROOT / name)
    (package / "dates").mkdir()
    for name, text in FILES.items():
        (package / name).write_text(text)
    for name, (place, row) in ROWS.items():
        text = (package / name).read_text()
        assert text.count(place) == 1
        after = place if name != "formats.py" else ""
        text = text.replace(place, f"{after}{row}{place.removeprefix(after)}")
        if name in IMPORTS:
            text = text.replace("\nfrom helm_structext", f"\n{IMPORTS[name]}from helm_structext", 1)
        (package / name).write_text(text)

    def run(*command: str) -> str:
        finished = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(package.parent)},
            capture_output=True,
            text=True,
        )
        assert finished.returncode == 0, finished.stderr[-3000:]
        return finished.stdout

    write_rows(folder / "rows", QUESTIONS)
    sample = package / "data" / "samples" / "dates"
    sample.mkdir()
    pq.write_table(pa.Table.from_pylist(DATES), sample / "train-0.parquet")
    run(str(BIN / "helm-structext"), "init")
    return run, folder


def test_rewards_know_them(added):
    run, _ = added
    said = run(sys.executable, "-c", REWARDS).splitlines()
    assert said == [
        "{'syntax_score': 1.0, 'path_score': 0.5}",
        "syntax",
        "[(1.0, None), (0.5, None), (0.0, 'syntax')]",
    ]


def test_helm_tables_and_the_report_know_them(added):
    run, folder = added
    entries = [
        "structeval:task=text_to_ini,source=rows,judge=none,model=structext/oracle",
        "structeval:task=text_to_pixels,source=rows,judge=none,model=structext/oracle",
        "image2struct_latex:subset=equation,source=sample,model=structext/oracle",
    ]
    options = ("--suite", "s", "--max-eval-instances", "1", "--num-threads", "1", "--exit-on-error")
    run(str(BIN / "helm-run"), *options, "-r", *entries)
    runs = folder / "benchmark_output" / "runs" / "s"
    stats = {path.parent.name: path.read_text() for path in runs.glob("*/stats.json")}
    assert [name for name, text in stats.items() if '"darkness_similarity"' in text] == [
        name for name in stats if name.startswith("image2struct")
    ]
    assert len(stats) == 3
    said = run(str(BIN / "helm-structext"), "tables", "s", "--all")
    assert "StructEval 2 instances" in said
    assert "INI" in said
    assert "Pixels" in said
    assert "Darkness similarity" in said
    run(str(BIN / "helm-structext"), "report", "s", "-o", "report.html")
    page = (folder / "report.html").read_text()
    assert "text_to_ini" in page
    assert "text_to_pixels" in page
    assert "Darkness similarity" in page


def test_explain_knows_them(added):
    run, folder = added
    for format, completion in (("ini", INI), ("pixels", PIXELS)):
        (folder / "completion.txt").write_text(completion)
        said = run(str(BIN / "helm-structext"), "explain", format, "completion.txt")
        assert {"ini": "{'planet': {'name': 'Io'}}", "pixels": "3x2 pixels"}[format] in said


DATES_RUN = ("--suite", "dates", "-m", "9", "--num-threads", "1", "--exit-on-error", "-r")
ORACLE, BLANK = (f"dates:model=structext/{model}" for model in ("oracle", "blank"))


@pytest.fixture(scope="module")
def dates(added):
    """Runs a command with the copy, where HELM has asked two models for dates."""
    run, folder = added
    run(str(BIN / "helm-run"), *DATES_RUN, ORACLE, BLANK)

    def command(*arguments: str) -> str:
        return run(str(BIN / "helm-structext"), *arguments)

    return command, folder


def test_a_benchmark_runs_by_helm_and_has_tables(dates):
    command, folder = dates
    runs = folder / "benchmark_output" / "runs" / "dates"
    (oracle,) = runs.glob("*oracle")
    assert oracle.name == "dates:source=sample,style=all,model=structext_oracle"
    (state, *_) = json.loads((oracle / "scenario_state.json").read_text())["request_states"]
    assert state["annotations"]["reading"][0]["scores"] == {
        **{"right_day": 1.0, "readable": 1.0, "internal_error": 0.0}
    }
    said = command("tables", "dates", "--all", "--count-baselines", "-o", "tables")
    assert "Dates 3 instances (source=sample, style=all)" in said
    assert (folder / "tables" / "dates-sample-all-leaderboard.csv").read_text().splitlines() == [
        "Model,n,Win rate,Win rate SE,Win rate low,Win rate high,Win rate tied,"
        "Readable,Readable SE,Readable low,Readable high,Readable tied,"
        "Right,Right SE,Right low,Right high,Right tied",
        "structext/oracle,3,1.0,0.0,1.0,1.0,,1.0,0.0,1.0,1.0,a,1.0,0.0,1.0,1.0,a",
        "structext/blank,3,0.0,0.0,0.0,0.0,,0.0,0.0,0.0,0.0,a,0.0,0.0,0.0,0.0,a",
    ]
    assert (folder / "tables" / "dates-sample-all-subsets.csv").read_text().splitlines() == [
        *("Model,long,short", "structext/oracle,1.0,1.0", "structext/blank,0.0,0.0")
    ]
    answers = (folder / "tables" / "dates-sample-all-answers.csv").read_text().splitlines()
    assert answers[0] == "Model,n,Cut,Refused,Empty,Syntax,Timeout,Resource,No page,Missing"
    assert answers[2] == "structext/blank,3,0.0,0.0,100.0,100.0,0.0,0.0,0.0,0.0"


def test_helms_own_summaries_have_its_groups(dates):
    command, folder = dates
    command("summarize", "dates")
    suite = folder / "benchmark_output" / "runs" / "dates"
    (table, *_) = json.loads((suite / "groups" / "dates.json").read_text())
    assert [cell["value"] for cell in table["header"]][:3] == ["Model", "Right", "Readable"]
    means = {tuple(cell.get("value") for cell in row[1:3]) for row in table["rows"]}
    assert means == {(1.0, 1.0), (0.0, 0.0)}


def test_its_completions_are_scored_from_a_file_and_planned(dates):
    command, folder = dates
    lines = [
        {"instance": "d1", "completion": "2026-11-26"},
        {"instance": "d3", "completion": "3 May"},
    ]
    (folder / "completions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    scored = ("score-file", "completions.jsonl", "--benchmark", "dates:source=sample")
    said = command(*scored, "-o", "scores.jsonl")
    assert "| dates:source=sample,style=all |     – |       2 |    0.500 | 0.500 |" in said
    scores = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    assert [(one["scores"]["right_day"], one["error_kind"]) for one in scores] == [
        *((1.0, None), (0.0, "syntax"))
    ]
    plan = json.loads(command("plan", "--no-calibration", "--json", "-r", ORACLE))
    assert plan["benchmarks"]["Dates"]["instances"] == 3


DATES_REWARDS = """
import asyncio

from helm_structext.integrations.evaluations import evaluation
from helm_structext.integrations.training import items, training_set
from helm_structext.rewards import InstanceReward
from helm_structext.serving.local import Local

reward = InstanceReward("dates:style=short")
print([(one.score, one.error_kind) for one in reward(["2026-11-26", "soon", "1"], ["d1", "d2", "d3"])])
item = {"entry": "dates:source=sample", "reference": "d3", "completion": "1999-05-03"}
print([one.score for one in asyncio.run(Local().score_async([item]))])
found = evaluation("dates:source=sample")
print([question.id for question in found.questions], found.metrics)
print(items(training_set("dates:source=sample"))["d2"]["components"])
"""


def test_its_rewards_and_other_harnesses_know_it(added):
    run, _ = added
    assert run(sys.executable, "-c", DATES_REWARDS).splitlines() == [
        "[(1.0, None), (0.0, 'syntax'), (None, 'reference')]",
        "[1.0]",
        "['d1', 'd2', 'd3'] ['right_day', 'readable', 'internal_error']",
        "{'right_day': 1.0}",
    ]


def test_its_leaderboard_is_in_the_report(dates):
    command, folder = dates
    command("report", "dates", "-o", "dates.html")
    page = (folder / "dates.html").read_text()
    assert "Dates 3 instances (source=sample, style=all)" in page
