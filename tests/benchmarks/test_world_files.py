"""What becomes of a folder of files is recorded once for each, with its picture, and counted by format."""

import json
import subprocess
import sys
from pathlib import Path

from PIL import Image

from support import ROOT

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
PICTURE = SVG.format('<image href="https://example.com/a.png"/><path d="M0 0h9v9"/>')


def run(folder: Path) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / "world_files.py"), str(folder)]
    more = ["-o", str(folder / "records"), "--pictures", str(folder / "pictures")]
    finished = subprocess.run([*command, *more], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_each_file_has_a_record_a_picture_and_a_place_in_the_table(tmp_path):
    files = {"svg/a.svg": PICTURE, "svg/b.svg": "<svg", "tikz/c.tex": r"\tikz\draw (0,0)--(1,1);"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    said = run(tmp_path)
    records = [json.loads(line) for line in (tmp_path / "records").read_text().splitlines()]
    found = {record["file"]: record for record in records}
    assert {name: record["kind"] for name, record in found.items()} == {
        "a.svg": "ok",
        "b.svg": "syntax",
        "c.tex": "ok",
    }
    assert 0 < found["a.svg"]["ink"] < 1
    assert found["a.svg"]["missing"] == ["picture example.com (https://example.com/a.png)"]
    assert found["c.tex"]["tex_errors"] == 0
    picture = Image.open(tmp_path / "pictures/svg/a.svg.png")
    assert list(picture.size) == found["a.svg"]["size"]
    rows = {line.split("|")[1].strip(): line.split("|")[2:5] for line in said.splitlines()}
    assert [int(cell) for cell in rows["all"]] == [3, 2, 1]
    assert run(tmp_path) == said
    assert len((tmp_path / "records").read_text().splitlines()) == 3
