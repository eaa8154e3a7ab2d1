"""A file of completions scored without helm-run: hostile lines, shards, ends at any moment, merging."""

import fcntl
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helm_structext import renderers
from helm_structext.benchmarks import entry_of_run, run_of_entry
from helm_structext.cli import main
from helm_structext.completions import score_file
from helm_structext.completions.predictions import export_requests
from helm_structext.completions.score_file import Completions
from helm_structext.errors import SetupError
from helm_structext.passport import make_passport
from helm_structext.renderers.engine import Engine, read_engine_picture
from helm_structext.renderers.outcome import Drawing
from helm_structext.results.passports import read_beside
from helm_structext.results.runs import Run
from helm_structext.sandbox import Limits
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Door
from helm_structext.structeval import scores as structeval_scores
from support.completions import read_lines, write_lines
from support.rows import latex_row, mmr_row, png

JSON_ENTRY = "structeval:task=text_to_json,source=sample,protocol=corrected"
MMR_ENTRY = "mmr:task=font_color,source=sample"
ANSWERS = ['{"a": 1}', "[", None, "<think>…</think>{}", "\ud800\x00\x1b[2J"]
LINES = [
    *({"entry": MMR_ENTRY, "instance": f"font_color-{n}", "completion": "2"} for n in range(5)),
    *(
        {
            "entry": JSON_ENTRY,
            "instance": f"00050{n % 2}",
            "completion": text,
            "model": f"me/model-{n // 2}",
        }
        for n, text in enumerate(ANSWERS)
    ),
]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "mine.jsonl", LINES)
    return tmp_path


@pytest.fixture
def score(folder, capsys) -> Callable[..., tuple[int, str]]:
    """Calls the command; returns its status and all that it says."""

    def call(*arguments: str, file: str = "mine.jsonl") -> tuple[int, str]:
        status = main(["score-file", file, *arguments])
        said = capsys.readouterr()
        return status, " ".join((said.out + said.err).split())

    return call


@pytest.fixture
def whole(folder, score) -> bytes:
    assert score("-o", "whole.jsonl")[0] == 0
    return (folder / "whole.jsonl").read_bytes()


# Who is asked


@pytest.mark.parametrize(
    ("judge", "allowed", "asks"),
    [
        ("", (), "openai/gpt-4.1-mini"),
        (",judge=me/vlm", ("you/vlm",), "me/vlm"),
        (",judge=me/vlm", ("you/vlm", "me/vlm"), None),
        (",judge=none", (), None),
        (",judge=structext/ocr-judge", (), None),
    ],
)
def test_who_wrote_a_file_chooses_no_judge(folder, judge, allowed, asks):
    entry = f"structeval:task=text_to_html,source=sample{judge}"
    line = {"entry": entry, "instance": "000400", "completion": "<p>words</p>"}
    write_lines(folder / "pages.jsonl", [line])
    found = Completions(folder / "pages.jsonl", judges=allowed)
    if asks is None:
        assert found.check() == 1
    else:
        with pytest.raises(
            SetupError, match=rf"line 1: its run entry has {asks} look.*--judge {asks}"
        ):
            found.check()
    assert Completions(folder / "pages.jsonl", entry).check() == 1


# One file


def test_each_answer_has_a_line_with_its_scores_in_the_order_of_the_file(folder, whole):
    scored = read_lines(folder / "whole.jsonl")
    assert [answer["line"] for answer in scored] == list(range(1, 11))
    assert [answer["instance"] for answer in scored] == [line["instance"] for line in LINES]
    assert [answer["model"] for answer in scored] == [line.get("model") for line in LINES]
    assert {answer["run"] for answer in scored[:5]} == {
        "mmr:task=font_color,source=sample,limit=50,system=scale"
    }
    assert all(answer["scores"]["valid_format"] == 1 for answer in scored[:5])
    assert len({answer["key"] for answer in scored}) == 10


def test_what_went_wrong_has_a_kind_and_a_message_and_nothing_is_silently_0(folder, whole):
    right, wrong, missing, thought, surrogate = read_lines(folder / "whole.jsonl")[5:]
    assert (right["error_kind"], right["error"]) == (None, "")
    assert right["scores"]["syntax_score"] == 1
    for answer in (wrong, surrogate):
        assert (answer["error_kind"], answer["scores"]["syntax_score"]) == ("syntax", 0)
        assert answer["error"].startswith("line 1, column ")
    assert thought["error_kind"] == "empty"
    assert (missing["error_kind"], missing["scores"]) == ("no_completion", {})


def test_the_summary_has_the_means_of_tables_and_counts_what_has_none(score):
    status, said = score("-o", "scores.jsonl")
    assert status == 0
    assert "1 answer without a completion count in no mean" in said
    assert "| mmr:task=font_color,source=sample,limit=50,system=scale | – | 5 | 1.000 |" in said
    assert "protocol=corrected | me/model-0 | 2 | 50.0 |" in said
    assert "protocol=corrected | me/model-1 | 2 | 0.0 |" in said
    assert said.endswith("10 answers in scores.jsonl")


def test_the_output_may_lie_in_a_new_folder(score, folder):
    assert score("-o", "new/one/scores.jsonl")[0] == 0
    assert len(read_lines(folder / "new" / "one" / "scores.jsonl")) == 10


def test_data_that_has_an_instance_twice_is_refused(score, folder):
    rows = [latex_row(1), latex_row(1)]
    (folder / "rows" / "equation").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows" / "equation" / "validation.parquet")
    entry = "image2struct_latex:subset=equation,source=rows"
    line = {"entry": entry, "instance": rows[0]["uuid"].strip('"'), "completion": "$x$"}
    write_lines(folder / "twice.jsonl", [line])
    status, said = score("-o", "scores.jsonl", file="twice.jsonl")
    assert status == 2
    assert f"the data of {entry} has instance" in said


def test_without_an_output_the_lines_are_printed(folder, capsysbinary):
    assert main(["score-file", "mine.jsonl", "-o", "scores.jsonl"]) == 0
    capsysbinary.readouterr()
    assert main(["score-file", "mine.jsonl"]) == 0
    assert capsysbinary.readouterr().out == (folder / "scores.jsonl").read_bytes()


def test_one_run_entry_may_stand_for_all_lines(score, folder):
    write_lines(folder / "bare.jsonl", [{"instance": "000500", "completion": "{}"}])
    assert score(file="bare.jsonl")[0] == 2
    assert score("--benchmark", JSON_ENTRY, "-o", "scores.jsonl", file="bare.jsonl")[0] == 0
    (answer,) = read_lines(folder / "scores.jsonl")
    assert (answer["entry"], answer["part"]) == (JSON_ENTRY, "text_to_json")


def test_a_mistake_of_ours_costs_one_answer_its_scores_and_is_counted(
    score, folder, monkeypatch, caplog
):
    scores_of_text = structeval_scores.text_scores

    def planted(code: str, *rest: Any) -> dict[str, float | None]:
        if code == '{"a": 1}':
            raise ArithmeticError("a bug of ours")
        return scores_of_text(code, *rest)

    monkeypatch.setattr(structeval_scores, "text_scores", planted)
    with caplog.at_level(logging.ERROR):
        status, said = score("-o", "scores.jsonl")
    assert status == 0
    assert "1 answer could not be handled, which is our fault, and count in no mean" in said
    answer = read_lines(folder / "scores.jsonl")[5]
    assert answer["scores"] == {INTERNAL_ERROR: 1}
    assert answer["error_kind"] == "internal"
    assert answer["error"] == "ArithmeticError: a bug of ours"


def test_pictures_are_kept_where_they_are_asked_for(score, folder, monkeypatch, tmp_path):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    engine = Engine(
        lambda code, *_: Drawing(read_engine_picture(png()), code, code, ""),
        lambda: "1",
        Limits(),
        {},
    )
    monkeypatch.setattr(renderers, "engine_of", lambda format: engine)
    entry = "structeval:task=text_to_html,source=sample,judge=none"
    benchmark, run = run_of_entry(entry)
    found = benchmark.scorer(run.arguments, Door()).find({"000400", "000401", "000700"})
    ids = [key.id for key, _ in found]
    assert ids == ["000400", "000401"]
    write_lines(
        folder / "pages.jsonl",
        [{"entry": entry, "instance": id, "completion": "<p>words</p>"} for id in ids],
    )
    assert score("-o", "scores.jsonl", "--pictures", "seen", file="pages.jsonl")[0] == 0
    for answer in read_lines(folder / "scores.jsonl"):
        assert (folder / "seen" / answer["picture"]).read_bytes().startswith(b"\x89PNG")
        assert answer["scores"]["syntax_score"] == 1


@pytest.fixture
def rows(folder) -> Callable[[str], None]:
    """Writes two questions with answers of a folder's own, and completions of both."""
    entry = "mmr:task=font_color,source=rows"
    ids = ["font_color-0", "font_color-1"]
    write_lines(
        folder / "own.jsonl", [{"entry": entry, "instance": id, "completion": "2"} for id in ids]
    )

    def write(second: str) -> None:
        values = [mmr_row(number=n, Answer=answer) for n, answer in enumerate(("1", second))]
        (folder / "rows").mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(values), folder / "rows" / "test.parquet")

    return write


def test_an_output_of_other_references_is_not_continued_nor_merged(score, folder, rows):
    """Of what changes, the instances' own references count."""
    rows("2")
    assert score("-o", "scores.jsonl", file="own.jsonl")[0] == 0
    whole = (folder / "scores.jsonl").read_bytes()
    rows("3")
    assert score("-o", "scores.jsonl", file="own.jsonl")[0] == 2
    assert (folder / "scores.jsonl").read_bytes() == whole
    status, said = score("--merge", "scores.jsonl", "-o", "all.jsonl", file="own.jsonl")
    assert status == 2
    assert "scores.jsonl, line 2: this score is there twice, or not of own.jsonl, or of oth" in said
    rows("2")
    assert score("-o", "scores.jsonl", file="own.jsonl")[0] == 0
    assert (folder / "scores.jsonl").read_bytes() == whole


def test_pictures_are_kept_of_all_answers_or_of_none(score, folder, whole):
    status, said = score("-o", "whole.jsonl", "--pictures", "seen")
    assert status == 2
    assert "scored with other arguments" in said
    assert (folder / "whole.jsonl").read_bytes() == whole
    assert score("-o", "pictured.jsonl", "--pictures", "seen")[0] == 0
    for number in (1, 2):
        options = ("--shard", f"{number}/2", "-o", f"{number}.jsonl", "--pictures", "seen")
        assert score(*options)[0] == 0
    assert score("--merge", "1.jsonl", "2.jsonl", "-o", "all.jsonl")[0] == 0
    assert (folder / "all.jsonl").read_bytes() == (folder / "pictured.jsonl").read_bytes()
    assert score("--shard", "2/2", "-o", "plain.jsonl")[0] == 0
    status, said = score("--merge", "1.jsonl", "plain.jsonl", "-o", "mixed.jsonl")
    assert status == 2
    assert "only some of the shards were scored with --pictures" in said


# Hostile files


GOOD = json.dumps(LINES[0])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: it is not JSON"),
        ("[" * 100_000, "line 2: it is not JSON"),
        (f'{{"completion": {"9" * 5000}}}', "line 2: it is not JSON"),
        ("[1]", "line 2: expected an object, not list"),
        ('{"instance": "font_color-1"}', "line 2: it has no 'completion'"),
        (GOOD.replace('"2"', "2"), "line 2: 'completion' is not a string"),
        (GOOD.replace('"2"', '["2"]'), "line 2: 'completion' is not a string"),
        (GOOD.replace('"font_color-0"', "0"), "line 2: it has no 'instance', or one that is not"),
        (GOOD.replace('"entry"', '"model": 1, "entry"'), "line 2: 'model' is not a string"),
        (GOOD.replace('"entry"', '"run": 1, "entry"'), "line 2: 'run' is not a string"),
        (GOOD.replace('"entry"', '"also": [1], "entry"'), "'also' is not a list of objects"),
        (GOOD.replace('"entry"', '"also": [{}], "entry"'), "line 2: it has no 'instance'"),
        (GOOD.replace('"entry"', '"entrance"'), "line 2: it has no 'entry'"),
        (GOOD.replace("mmr:", "mmmr:"), "line 2: 'mmmr' is no run entry; there are image2struct"),
        (GOOD.replace("task=", "task"), "line 2: 'mmr:taskfont_color,source=sample' is no run entry"),
        (GOOD.replace("=font_color", "=font"), "line 2: mmr: task=font is unknown"),
        (GOOD.replace("source=sample", "source=nowhere"), "there is no such folder"),
        (GOOD.replace("font_color-0", "font_color-99"), "line 2: mmr:task=font_color,source=sample "
         "has no instance 'font_color-99'"),
        (GOOD.replace("font_color-0", "\\ud800"), "has no instance"),
        (GOOD, "line 2: line 1 answers instance 'font_color-0' of mmr:task=font_color,source"),
    ],
)  # fmt: skip
def test_a_line_that_is_wrong_stops_the_command_before_anything_is_scored(
    score, folder, line, said
):
    (folder / "bad.jsonl").write_text(f"{GOOD}\n{line}\n")
    status, found = score("-o", "scores.jsonl", file="bad.jsonl")
    assert status == 2
    assert said in found
    assert "Traceback" not in found
    output = folder / "scores.jsonl"
    assert not output.exists() or not output.read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no completions"),
        (b"\n \n", "holds no completions"),
        (b'{"completion": "\xff"}\n', "line 1: it is not JSON"),
        (b"\xef\xbb\xbf{}\n", "line 1: it has no 'completion'"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}\n", "line 1: it is not JSON"),
    ],
)
def test_a_file_that_is_wrong(score, folder, content, said):
    (folder / "bad.jsonl").write_bytes(content)
    status, found = score(file="bad.jsonl")
    assert status == 2
    assert said in found


def test_a_file_that_is_not_there(score):
    status, said = score(file="absent.jsonl")
    assert status == 2
    assert "absent.jsonl can't be read" in said


def test_a_line_that_is_far_too_long_is_not_read(score, monkeypatch):
    monkeypatch.setattr("helm_structext.storage.files.MAX_LINE", 100)
    status, said = score()
    assert status == 2
    assert "mine.jsonl, line 6: it has more than 100 bytes" in said


def test_several_models_may_answer_one_instance(score, folder):
    lines = [{**LINES[0], "model": model} for model in ("a", "b", None)]
    write_lines(folder / "three.jsonl", lines)
    assert score("-o", "scores.jsonl", file="three.jsonl")[0] == 0
    assert len(read_lines(folder / "scores.jsonl")) == 3


# Ends at any moment


def test_what_was_cut_off_anywhere_is_continued_with_the_same_bytes(score, folder, whole):
    ends = [n + 1 for n, byte in enumerate(whole) if byte == ord("\n")]
    output = folder / "scores.jsonl"
    for cut in sorted({0, 1, *ends, *(end - 1 for end in ends), *(end + 5 for end in ends[:-1])}):
        output.write_bytes(whole[:cut])
        status, said = score("-o", "scores.jsonl")
        assert status == 0
        assert output.read_bytes() == whole, cut
        there = whole[:cut].count(b"\n")
        assert said.endswith(f", {there} of which were there") == bool(there)


def test_a_failing_machine_stops_the_command_and_the_same_one_continues(
    score, folder, whole, monkeypatch
):
    scores_of_text = structeval_scores.text_scores

    def fail(code: str, *rest: Any) -> dict[str, float | None]:
        if code == "[":
            raise SetupError("no disk; free some space")
        return scores_of_text(code, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(structeval_scores, "text_scores", fail)
        status, said = score("-o", "scores.jsonl")
    assert status == 2
    assert "no disk; free some space" in said
    written = (folder / "scores.jsonl").read_bytes()
    assert whole.startswith(written)
    assert written.count(b"\n") == 6
    assert score("-o", "scores.jsonl")[0] == 0
    assert (folder / "scores.jsonl").read_bytes() == whole


@pytest.mark.parametrize("change", [{"completion": "3"}, {"finish_reason": "length"}])
def test_an_output_of_other_answers_is_not_continued(score, folder, whole, change):
    write_lines(folder / "mine.jsonl", [{**LINES[0], **change}, *LINES[1:]])
    status, said = score("-o", "whole.jsonl")
    assert status == 2
    assert "whole.jsonl, line 1: what the file to continue has is not of these answers" in said
    assert (folder / "whole.jsonl").read_bytes() == whole


def test_an_output_of_another_release_is_not_continued(score, folder, whole, monkeypatch):
    monkeypatch.setattr(score_file, "SCORES_VERSION", "99")
    assert score("-o", "whole.jsonl")[0] == 2
    assert (folder / "whole.jsonl").read_bytes() == whole


@pytest.mark.parametrize("file", ["mine.jsonl", "notes.txt"])
def test_a_file_that_is_no_output_stays_as_it_is(score, folder, file):
    (folder / "notes.txt").write_text("dear diary")
    before = (folder / file).read_bytes()
    assert score("-o", file)[0] == 2
    assert (folder / file).read_bytes() == before


def test_what_another_process_writes_is_left_to_it(score, folder):
    with (folder / "scores.jsonl").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        status, said = score("-o", "scores.jsonl")
    assert status == 2
    assert "another process writes scores.jsonl: wait for its end, or name another file" in said
    assert score("-o", "scores.jsonl")[0] == 0


# Shards


def shards(score: Callable[..., tuple[int, str]], of: int) -> list[str]:
    names = [f"shard-{number}-{of}.jsonl" for number in range(1, of + 1)]
    for number, name in enumerate(names, 1):
        assert score("--shard", f"{number}/{of}", "-o", name)[0] == 0
    return names


@pytest.mark.parametrize("of", [1, 3, 12])
def test_shards_in_any_order_are_merged_to_what_one_call_writes(score, folder, whole, of):
    names = shards(score, of)
    assert score("--merge", *reversed(names), "-o", "all.jsonl")[0] == 0
    assert (folder / "all.jsonl").read_bytes() == whole
    for cut in (0, 3, len(whole) // 2):
        (folder / "all.jsonl").write_bytes(whole[:cut])
        assert score("--merge", *names, "-o", "all.jsonl")[0] == 0
        assert (folder / "all.jsonl").read_bytes() == whole


def test_scores_say_what_they_depended_on_and_a_merge_carries_it_along(score, folder, whole):
    passport = make_passport()
    assert {one["passport"] for one in read_lines(folder / "whole.jsonl")} == {passport.hash}
    assert read_beside(folder / "whole.jsonl") == {passport.hash: passport}
    names = shards(score, 2)
    _, said = score("--merge", *names, "-o", "all.jsonl")
    assert f"Passport {passport.hash}." in said
    assert read_beside(folder / "all.jsonl") == {passport.hash: passport}


def test_what_is_no_whole_set_of_shards_is_refused(score, folder, whole):
    first, second, third = shards(score, 3)
    status, said = score("--merge", first, third, "-o", "all.jsonl")
    assert status == 2
    assert "have no score of line 2 of mine.jsonl: a shard is missing or not finished" in said

    status, said = score("--merge", first, second, second, third, "-o", "twice.jsonl")
    assert status == 2
    assert "this score is there twice" in said

    unfinished = (folder / third).read_bytes()[:-3]
    (folder / third).write_bytes(unfinished)
    status, said = score("--merge", first, second, third, "-o", "cut.jsonl")
    assert status == 2
    assert "have no score of line 9 of mine.jsonl" in said

    (folder / third).write_text("{}\n")
    assert score("--merge", first, second, third, "-o", "empty.jsonl")[0] == 2
    assert score("--merge", first, second, "absent.jsonl", "-o", "absent-all.jsonl")[0] == 2


def test_shards_of_another_file_are_refused(score, folder, whole):
    names = shards(score, 2)
    write_lines(folder / "mine.jsonl", [*LINES[:-1], {**LINES[-1], "completion": "{}"}])
    status, said = score("--merge", *names, "-o", "all.jsonl")
    assert status == 2
    assert "shard-2-2.jsonl, line 5: this score is there twice, or not of mine.jsonl" in said


def test_a_merge_scores_nothing(score):
    for option in (("--shard", "1/2"), ("--pictures", "seen")):
        status, said = score("--merge", "a.jsonl", *option)
        assert status == 2
        assert "leave --shard and --pictures out" in said


# The file of requests


def write_run(suite: Path, name: str, entry: str, ids: list[str]) -> None:
    run = suite / name
    run.mkdir(parents=True)
    _, made = run_of_entry(entry)
    states = [
        {
            "instance": {"id": id},
            "request": {"prompt": f"Write {id}", "max_tokens": 9, "temperature": 0.0},
        }
        for id in ids
    ]
    parts = [{"args": made.all_arguments}]
    spec = {"name": name, "scenario_spec": parts[0], "annotators": parts, "metric_specs": []}
    (run / "run_spec.json").write_text(json.dumps(spec))
    (run / "scenario_state.json").write_text(json.dumps({"request_states": states}))


def test_a_request_of_several_runs_is_asked_once_and_scored_under_each(score, folder):
    suite = folder / "suite"
    for protocol in ("published", "corrected"):
        for model in ("a", "b"):
            entry = f"structeval:task=text_to_json,source=sample,protocol={protocol}"
            name = f"{entry},model={model}"
            write_run(suite, name, entry, ["000500", "000501"])
    requests = list(export_requests(suite))
    assert [request["instance"] for request in requests] == ["000500", "000501"]
    assert [[place["run"] for place in request["also"]] for request in requests] == [
        ["structeval:task=text_to_json,source=sample,protocol=published,model=a"]
    ] * 2
    completion = "<think>no</think>```json\n[1]\n```"
    write_lines(folder / "filled.jsonl", [{**r, "completion": completion} for r in requests])
    assert score("-o", "scores.jsonl", file="filled.jsonl")[0] == 0
    scored = read_lines(folder / "scores.jsonl")
    assert [(answer["line"], answer["run"].rpartition("=")[2]) for answer in scored] == [
        (1, "corrected"),
        (1, "published"),
        (2, "corrected"),
        (2, "published"),
    ]
    names = shards_of(score, "filled.jsonl")
    assert score("--merge", *names, "-o", "all.jsonl", file="filled.jsonl")[0] == 0
    assert (folder / "all.jsonl").read_bytes() == (folder / "scores.jsonl").read_bytes()


def shards_of(score: Callable[..., tuple[int, str]], file: str) -> list[str]:
    names = ["one.jsonl", "two.jsonl"]
    for number, name in enumerate(names, 1):
        assert score("--shard", f"{number}/2", "-o", name, file=file)[0] == 0
    return names


@pytest.mark.parametrize(
    "entry",
    [
        "image2struct_latex:subset=table,difficulty=easy,source=hub,revision=main,protocol=corrected",
        "image2struct_music:subset=all,difficulty=all,source=hub,revision=main,protocol=published",
        "mmr:task=all,source=hub,revision=main,limit=7,lenient=pixel",
        "structeval:task=text_to_svg,subset=all,source=hub,revision=main,protocol=published,judge=me/vlm",
        "structeval:task=all,subset=v_generation,source=hub,revision=main,protocol=published,judge=none",
    ],
)
def test_a_run_s_entry_makes_the_run_again_of_the_commit_that_it_was_made_of(entry):
    _, run = run_of_entry(f"{entry},model=a/b")
    assert entry_of_run(run) == entry
    assert run_of_entry(entry)[1] == run
    of_commit = entry.replace("revision=main", "revision=abc123")
    assert entry_of_run(run, "a/dataset@abc123") == of_commit


def test_runs_of_others_have_no_entry():
    assert entry_of_run(Run(Path(), {"name": "mmlu:subject=law,model=a"})) is None
