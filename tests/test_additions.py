"""A format of each kind and a metric, each added by a file and a row to a copy of the package."""

import os
import shutil
import subprocess
import sys

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
}
IMPORTS = {
    "image2struct/scores.py": "from helm_structext.metrics.darkness import darkness_similarity\n"
}
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
    run(str(BIN / "helm-structext"), "report", "s", "-o", "report.html")
    page = (folder / "report.html").read_text()
    assert "text_to_ini" in page
    assert "text_to_pixels" in page


def test_explain_knows_them(added):
    run, folder = added
    for format, completion in (("ini", INI), ("pixels", PIXELS)):
        (folder / "completion.txt").write_text(completion)
        said = run(str(BIN / "helm-structext"), "explain", format, "completion.txt")
        assert {"ini": "{'planet': {'name': 'Io'}}", "pixels": "3x2 pixels"}[format] in said
