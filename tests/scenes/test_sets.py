"""Sets of scenes: the same bytes whenever they are made, and nothing that is dropped is forgotten."""

import errno
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
import yaml

from helm_structext.cli import main
from helm_structext.data import load_rows
from helm_structext.data.schemas import FEATURES, open_row_file
from helm_structext.errors import MissingResource, RenderError, SetupError
from helm_structext.formats import FORMATS
from helm_structext.image2struct.tasks import SCENES
from helm_structext.scenes import kinds, sets, shards
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.scene import FAMILIES, LANGUAGES
from helm_structext.scenes.sets import generate_set
from helm_structext.scenes.settings import choose_settings
from helm_structext.storage.cache import hash_file
from support import ROOT, TESTS
from support.scenes import PATCHES, draw_patch, paint

PATCH = draw_patch(Random(1), "easy", "en")


@pytest.fixture(autouse=True)
def patches(monkeypatch):
    """One tiny kind, and shards of a few numbers."""
    monkeypatch.setitem(kinds.KINDS, "patch", PATCHES)
    monkeypatch.setattr(sets, "NUMBERS", 10)


def settings(**changes):
    return choose_settings(**{"count": 25, "seed": 7, "kinds": ["patch"], **changes})


def contents(folder: Path) -> dict[str, str]:
    """The hash of every file, but of the one by which a process holds the folder."""
    return {
        str(file.relative_to(folder)): hash_file(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


def rows(folder: Path, format: str):
    return list(
        load_rows(
            str(folder / format), benchmark="", dataset="", config="patch", splits=["validation"]
        )
    )


def test_a_set_holds_as_many_scenes_as_were_asked_for_in_the_published_schema(tmp_path):
    made = generate_set(settings(), tmp_path / "set", paint)["patch"]
    found = {format: rows(tmp_path / "set", format) for format in ("svg", "typst")}
    assert made.kept == 25 == sum(map(len, found.values()))
    assert min(map(len, found.values())) > 5
    for format, those in found.items():
        assert {format for format, *_ in made.items} == {*found}
        for row in those:
            assert {*row.values} == {*FEATURES}
            assert row.text("category") == "patch"
            about = json.loads(row.verbatim("additional_info"))
            assert about["kind"] == "patch"
            assert about["type"] in PATCHES.types
            assert row.picture("image").startswith(b"\x89PNG")
            assert row.text("length") == str(len(row.verbatim("structure")))
            assert row.verbatim("text") == f"text of {row.text('length')}"
            assert row.text("difficulty") in ("easy", "medium", "hard")
            assert ("#rect" in row.verbatim("structure")) == (format == "typst")
    ids = [row.text("uuid") for those in found.values() for row in those]
    assert len({*ids}) == 25


def test_parallel_sets_have_each_scene_in_all_formats_that_can_say_it(tmp_path):
    generate_set(settings(parallel=True, languages=["el", "en"]), tmp_path / "set", paint)
    about = {
        format: {
            (one := json.loads(row.verbatim("additional_info")))["scene"]: one
            for row in rows(tmp_path / "set", format)
        }
        for format in ("svg", "typst")
    }
    assert len(about["svg"]) == 25
    assert about["typst"].items() < about["svg"].items()
    alone = [about["svg"][id] for id in about["svg"].keys() - about["typst"].keys()]
    assert alone
    assert {(one["type"], one["language"]) for one in alone} == {("tall", "el")}


def test_the_code_of_a_scene_does_not_depend_on_what_else_is_in_the_set():
    one = settings(formats=["svg"], languages=["ja"], levels=["hard"])
    both = settings(languages=["ja"], levels=["hard"], parallel=True)
    for number in range(20):
        scene = draw_number(one, "patch", number)
        assert scene == draw_number(both, "patch", number)
        assert write_number(one, "patch", number, scene).items() <= (
            write_number(both, "patch", number, scene).items()
        )


def test_two_seeds_share_no_scene_as_each_draws_of_its_family():
    for kind in kinds.KINDS:
        for seed in (0, 7, FAMILIES + 8, -1):
            chosen = settings(seed=seed, kinds=[kind])
            drawn = [draw_number(chosen, kind, number) for number in range(4)]
            assert {scene.family for scene in drawn} == {seed % FAMILIES}


def test_the_family_of_a_scene_is_that_of_what_it_shows():
    scenes = [draw_number(settings(kinds=["chart"]), "chart", number) for number in range(2)]
    restyled = replace(scenes[0], theme=scenes[1].theme, size=(1, 1), tilted=True)
    assert restyled.family == scenes[0].family
    assert {replace(scenes[0], title=str(number)).family for number in range(200)} == {
        *range(FAMILIES)
    }


def test_the_fields_that_say_how_a_scene_looks_are_some_of_it():
    for kind in kinds.KINDS:
        scene = draw_number(settings(kinds=[kind]), kind, 0)
        assert {field.name for field in fields(scene)} > scene.LOOK


def test_there_are_scenes_of_each_family_however_narrow_a_set_is():
    """Formulas are the smallest of all scenes."""
    for language in LANGUAGES:
        for seed in range(FAMILIES):
            chosen = settings(seed=seed, kinds=["formula"], levels=["easy"], languages=[language])
            drawn = {draw_number(chosen, "formula", number) for number in range(4)}
            assert len(drawn) == 4


def test_a_kind_with_too_few_scenes_is_said(monkeypatch):
    lonely = replace(PATCHES, draw=lambda rng, level, language: PATCH)
    monkeypatch.setitem(kinds.KINDS, "patch", lonely)
    with pytest.raises(LookupError, match=r"none of \d+ scenes is of the family of seed"):
        draw_number(settings(seed=PATCH.family + 1), "patch", 0)
    assert draw_number(settings(seed=PATCH.family), "patch", 0) == PATCH


def test_what_is_left_out_is_counted_by_reason_and_named(tmp_path):
    folder = tmp_path / "set"
    made = generate_set(settings(parallel=True), folder, paint)["patch"]
    expected, tried = Counter(), 0
    for number in range(made.tried):
        scene = draw_number(settings(), "patch", number)
        typst = PATCHES.says(scene, "typst")
        expected["svg", "syntax"] += scene.color == "blue"
        expected["typst", "text missing"] += scene.color == "red" and typst
        tried += scene.color == "green" or (scene.color == "red" and not typst)
    assert made.dropped == +expected
    assert tried == made.kept == 25
    journal = [
        drop
        for file in sorted((folder / "journal").iterdir())
        for drop in json.loads(file.read_text())["drops"]
    ]
    assert len(journal) == made.dropped.total()
    assert [number for number, *_ in journal] == sorted(number for number, *_ in journal)
    assert any(drop[1:] == ["svg", "syntax", "there is no blue"] for drop in journal)
    card = (folder / "README.md").read_text()
    assert f"| patch | {made.tried} | 25 |" in " ".join(card.split())
    for (format, reason), number in expected.items():
        line = next(line for line in card.splitlines() if reason in line and format in line)
        assert line.split("|")[-3].strip() == str(number)


def test_without_proof_only_what_can_not_be_drawn_is_left_out(tmp_path):
    made = generate_set(settings(proof=False), tmp_path / "set", paint)["patch"]
    assert {*made.dropped} == {("svg", "syntax")}
    assert "not checked" in (tmp_path / "set" / "README.md").read_text()


def test_the_card_says_what_the_files_hold(tmp_path):
    folder = tmp_path / "set"
    made = generate_set(settings(), folder, paint)["patch"]
    _, header, text = (folder / "README.md").read_text().split("---\n", 2)
    metadata = yaml.safe_load(header)
    for config, info in zip(metadata["configs"], metadata["dataset_info"], strict=True):
        files = sorted(folder.glob(config["data_files"][0]["path"]))
        tables = [pq.read_table(file) for file in files]
        (split,) = info["splits"]
        assert split["num_examples"] == sum(table.num_rows for table in tables)
        assert info["download_size"] == sum(file.stat().st_size for file in files)
        assert [one["name"] for one in info["features"]] == tables[0].column_names
    assert metadata["language"] == [*settings().languages]
    assert f"{settings().command} -o FOLDER" in text
    for type in PATCHES.types:
        number = sum(number for key, number in made.items.items() if key[1] == type)
        assert f"| {type}" in text
        assert any(
            line.startswith("| patch") and line.endswith(f" {number} |")
            for line in text.splitlines()
        )


def test_a_generated_folder_is_described(tmp_path, capsys):
    """Of a kind that the run entry knows."""
    words = "generate image2struct --kind formula --count 2 --seed 1 --level easy --language en"
    folder = str(tmp_path / "set")
    assert main([*words.split(), "--parallel", "--no-proof", "-o", folder]) == 0
    capsys.readouterr()
    assert main(["describe", folder, "--benchmark", "image2struct"]) == 0
    said = capsys.readouterr().out
    formats = [*kinds.KINDS["formula"].writers]
    assert f"| all | {2 * len(formats)} | 100.0 |" in " ".join(said.split())
    assert all(f"| {FORMATS[format].name} " in said for format in formats)


@pytest.mark.parametrize("parallel", [False, True])
def test_another_call_makes_nothing_and_a_missing_shard_is_made_again(tmp_path, parallel):
    chosen = settings(parallel=parallel)
    generate_set(chosen, tmp_path / "set", paint)
    before = contents(tmp_path / "set")
    calls = []

    def count(format, source, *, protocol, layout):
        calls.append(source)
        return paint(format, source, protocol=protocol, layout=layout)

    generate_set(chosen, tmp_path / "set", count)
    assert (calls, contents(tmp_path / "set")) == ([], before)
    (tmp_path / "set" / "svg" / "patch" / "validation-00001.parquet").unlink()
    (tmp_path / "set" / "journal" / "patch-00002.json").write_text("{}")
    made = generate_set(chosen, tmp_path / "set", count)
    assert made["patch"].kept == 25
    assert contents(tmp_path / "set") == before
    assert calls


SLOW = """
import sys, time
from pathlib import Path
from helm_structext.image2struct.tasks import SCENES
from helm_structext.scenes import kinds, sets
from helm_structext.scenes.settings import choose_settings
from support.scenes import PATCHES, draw_patch, paint

def slowly(format, source, *, protocol, layout):
    time.sleep(0.01)
    return paint(format, source, protocol=protocol, layout=layout)

kinds.KINDS["patch"] = PATCHES
sets.NUMBERS = 10
settings = choose_settings(count=100, seed=7, kinds=["patch"], parallel=True)
sets.generate_set(settings, Path(sys.argv[1]), slowly)
"""


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=TESTS,
    )


def test_what_is_killed_at_any_moment_goes_on_with_the_same_bytes(tmp_path):
    generate_set(settings(count=100, parallel=True), tmp_path / "whole", paint)
    folder = tmp_path / "set"
    for kills in range(2):
        process = start(folder)
        while process.poll() is None and len(list(folder.glob("journal/*"))) <= kills:
            time.sleep(0.001)
        time.sleep(0.05 * kills)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "README.md").exists()
    process = start(folder)
    assert process.communicate()[1] == ""
    assert process.returncode == 0
    assert contents(folder) == contents(tmp_path / "whole")
    assert not list(folder.glob(".unfinished"))


def test_a_second_process_on_a_folder_stops_and_says_who_has_it(tmp_path):
    process = start(tmp_path / "set")
    while process.poll() is None and not (tmp_path / "set" / "set.json").exists():
        time.sleep(0.01)
    with pytest.raises(SetupError, match=f"in use by process {process.pid} .* another folder"):
        generate_set(settings(), tmp_path / "set", paint)
    assert process.communicate()[1] == ""
    assert process.returncode == 0


def test_a_folder_of_other_settings_is_left_alone_and_what_differs_is_said(tmp_path, monkeypatch):
    generate_set(settings(), tmp_path / "set", paint)
    before = contents(tmp_path / "set")
    with pytest.raises(
        SetupError, match=r"of other settings: count 25, not 30; seed 7, not 8\. The"
    ):
        generate_set(settings(count=30, seed=8), tmp_path / "set", paint)
    assert contents(tmp_path / "set") == before
    monkeypatch.setattr(sets, "__version__", "0.0.1")
    with pytest.raises(SetupError, match=r"of other versions: helm-structext '.*', not '0\.0\.1'"):
        generate_set(settings(), tmp_path / "set", paint)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    with pytest.raises(SetupError, match=r"holds something else \(notes.txt\); name a new folder"):
        generate_set(settings(), tmp_path / "other", paint)


def test_where_nothing_can_be_kept_it_ends_and_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(sets, "PATIENCE", 20)
    typst = settings(formats=["typst"], languages=["el"])
    monkeypatch.setitem(
        kinds.KINDS, "patch", replace(PATCHES, says=lambda scene, format: format == "svg")
    )
    with pytest.raises(
        SetupError, match=r"none of 20 scenes of patch .*no format can say it \(20\)"
    ):
        generate_set(typst, tmp_path / "set", paint)


def test_a_fault_of_the_machine_ends_it_and_what_is_whole_stays(tmp_path):
    def fail(format, source, *, protocol, layout):
        if list(tmp_path.glob("set/journal/*")):
            raise SetupError("the disk is gone")
        return paint(format, source, protocol=protocol, layout=layout)

    with pytest.raises(SetupError, match="the disk is gone"):
        generate_set(settings(count=1000), tmp_path / "set", fail)
    assert [file.name for file in (tmp_path / "set" / "journal").iterdir()] == ["patch-00000.json"]
    assert not (tmp_path / "set" / "README.md").exists()


def test_a_set_of_a_million_scenes_begins_at_once_and_few_are_in_work(tmp_path):
    asked = []

    def draw_a_few(format, source, *, protocol, layout):
        asked.append(source)
        if len(asked) > 50:
            raise SetupError("enough")
        return paint(format, source, protocol=protocol, layout=layout)

    with pytest.raises(SetupError, match="enough"):
        generate_set(settings(count=10**6), tmp_path / "set", draw_a_few)
    assert len(asked) < 200
    assert list((tmp_path / "set" / "journal").iterdir())


@pytest.mark.parametrize("drawn", [True, False])
def test_what_the_machine_lacks_ends_it_at_once_and_is_named(tmp_path, drawn):
    lacking = MissingResource("font", package="with Greek signs")
    asked = []

    def draw_without_font(format, source, *, protocol, layout):
        asked.append(source)
        painted = paint("typst", f"#rect() {len(asked)}", protocol=protocol, layout=layout)
        if drawn:
            return replace(painted, missing=(lacking,))
        raise RenderError("missing", "nothing to see", missing=(lacking,))

    said = r"the font with Greek signs is not here, which scenes in \w+ need.*doctor.*other formats"
    with pytest.raises(SetupError, match=said):
        generate_set(settings(count=1000), tmp_path / "set", draw_without_font)
    assert len(asked) < 100
    assert not list((tmp_path / "set").glob("journal/*"))


def test_the_documents_list_kinds_types_and_formats(monkeypatch):
    monkeypatch.delitem(kinds.KINDS, "patch")
    expected = [
        f"| {name} | {', '.join(kind.types)} | {', '.join(f'`{one}`' for one in kind.writers)} |"
        for name, kind in kinds.KINDS.items()
    ]
    text = (ROOT / "docs" / "generating.md").read_text(encoding="utf-8")
    _, table = text.split("| kind | types | formats |\n|---|---|---|\n")
    assert table.splitlines()[: len(expected)] == expected
    assert [*kinds.KINDS] == [*SCENES]


def test_a_full_disk_is_said_and_what_is_whole_stays(tmp_path, monkeypatch):
    folder = tmp_path / "set"

    def fill(file, schema):
        if list(folder.glob("journal/*")):
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        return open_row_file(file, schema)

    monkeypatch.setattr(sets, "open_row_file", fill)
    with pytest.raises(SetupError, match=r"can't be written \(.*No space left.*make room there"):
        generate_set(settings(), folder, paint)
    assert [file.name for file in (folder / "journal").iterdir()] == ["patch-00000.json"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"count": 0}, "the set would have 0 scenes; expected 1 or more"),
        ({"count": -3}, "expected 1 or more"),
        ({"kinds": ["pach"]}, "kind: 'pach' is none; there are .*patch, and all"),
        ({"kinds": []}, "kind: none is named"),
        ({"languages": ["en", "tlh"]}, "language: 'tlh' is none; there are en, de, .*, and all"),
        ({"levels": ["impossible"]}, "level: 'impossible' is none; there are easy, medium, hard"),
        (
            {"formats": ["lilypond"]},
            "nothing goes together with lilypond, patch; .*patch: svg, typst",
        ),
        (
            {"formats": ["svg", "json"]},
            "nothing goes together with json; there is patch: svg, typst",
        ),
        ({"formats": ["latx"]}, "format: 'latx' is none; there are latex, "),
    ],
)
def test_what_can_not_be_made_is_said_with_what_there_is(changes, said):
    with pytest.raises(SetupError, match=said):
        settings(**changes)


def test_the_command_makes_a_set_that_its_card_s_command_makes_again(tmp_path, capsys, monkeypatch):
    """With pictures of the real engine."""
    words = "image2struct --kind patch --formats svg --count 3 --seed 5 --language ja"
    assert main(["generate", *words.split(), "-o", str(tmp_path / "set")]) == 0
    said = capsys.readouterr().out
    assert f"3 scenes in 3 pictures in {tmp_path / 'set'}" in said
    assert "patch: 3 of 3 scenes kept; dropped: none" in said
    again = next(
        line
        for line in (tmp_path / "set" / "README.md").read_text().splitlines()
        if line.startswith("helm-structext ")
    )
    monkeypatch.chdir(tmp_path)
    assert main(again.split()[1:]) == 0
    assert contents(tmp_path / "set") == contents(tmp_path / "FOLDER")
    assert shards.read_shard(tmp_path / "set", "patch", 0).kept == 3
