"""A short fuzz of all that reads texts and renders; and what makes it a test: planted bugs are found."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

import fuzz
import fuzz_inputs
import fuzz_renderers
from fuzz import Finding, findings, keep, tried
from fuzz_inputs import Target, folder_of_seeds, minimized
from fuzz_texts import TARGETS
from helm_structext.errors import RenderError

COUNT = 2_000


def test_thousands_of_hostile_texts_break_no_promise():
    found = list(findings(TARGETS, seed=1, numbers=range(COUNT)))
    assert [(finding.target, finding.kind, finding.error) for finding in found] == []


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_a_target_are_good_and_bad(name):
    """A target that refuses all of its inputs, or none, tries nothing."""
    target = TARGETS[name]
    ends = set()
    for number in range(300):
        _, input = fuzz.input_of({name: target}, 0, number)
        try:
            target.check(**input)
        except target.declared:
            ends.add("bad")
        else:
            ends.add("good")
    assert ends == ({"good", "bad"} if target.declared else {"good"})


@pytest.mark.parametrize(
    "seed", sorted(folder_of_seeds().glob("*.json")), ids=lambda path: path.stem
)
def test_what_once_failed_no_longer_does(seed):
    kept = json.loads(seed.read_text(encoding="utf-8"))
    assert tried(kept["target"], TARGETS[kept["target"]], kept["input"]) is None


def of_text(check, **more) -> dict[str, Target]:
    """A target like that of parsers, with another check."""
    honest = {"text": "a: 1", "format": "yaml"}
    return {"planted": TARGETS["parser"]._replace(check=check, honest=honest, **more)}


def test_a_planted_bug_is_found_and_made_small():
    def check(text: str, format: str, protocol: str = "published") -> None:
        if "\\ud800" in ascii(text):
            text.encode()

    (found,) = findings(of_text(check), seed=1, numbers=range(COUNT))
    assert found.kind.startswith("UnicodeEncodeError in ")
    assert found.input["text"] == "\ud800"


def test_an_error_that_is_declared_is_none_but_its_kind_and_message_have_bounds(monkeypatch):
    def refuse(text: str, format: str, protocol: str = "published") -> None:
        raise RenderError("syntax", text)

    def failure(text: str) -> str:
        found = tried("planted", of_text(refuse)["planted"], {"text": text, "format": "yaml"})
        return found.error if found else ""

    assert failure("no") == ""
    assert failure("no" * 50_000 + "\x1b[2J\ud800") == ""
    assert "the message is empty" in failure(" ")
    monkeypatch.setattr(fuzz_inputs, "MAX_MESSAGE", 10)
    assert "the message has 26 characters" in failure("a" * 26)


def test_a_leak_from_one_input_into_the_next_is_found():
    seen = []

    def check(text: str, format: str, protocol: str = "published") -> int:
        if format == "xml":
            seen.append(text)
        return len(seen) if text == "a: 1" else 0

    found = list(findings(of_text(check), seed=1, numbers=range(50)))
    assert [(finding.kind, finding.input["text"]) for finding in found] == [("honest", "a: 1")]


def test_memory_and_time_have_bounds(monkeypatch):
    def take(text: str, format: str, protocol: str = "published") -> None:
        if format == "csv":
            bytearray(600 * 2**20).count(1)
        if format == "json":
            sum(range(10**6))

    monkeypatch.setattr(fuzz, "MAX_SECONDS", 0.001)
    kinds = {finding.kind for finding in findings(of_text(take), seed=1, numbers=range(20))}
    assert kinds == {"memory", "time"}


def test_inputs_are_the_same_for_the_same_seed_and_number():
    inputs = [fuzz.input_of(TARGETS, 7, number) for number in range(200)]
    assert [ascii(fuzz.input_of(TARGETS, 7, number)) for number in range(200)] == list(
        map(ascii, inputs)
    )
    assert len({ascii(input) for input in inputs}) > 150
    assert ascii(fuzz.input_of(TARGETS, 8, 0)) != ascii(inputs[0])


def test_small_is_as_small_as_fails():
    start = {"text": "abcdef1ghi" * 9, "more": ["b", {"c": "d"}]}
    assert minimized(start, lambda value: "1" in value["text"]) == {"text": "1", "more": []}


def test_a_finding_is_kept_once_and_tried_again_from_its_file(tmp_path, capsys):
    found = Finding("parser", "a kind", "an error", {"text": "\ud800\0", "format": "yaml"})
    assert keep(found, tmp_path)
    assert not keep(found._replace(input={"text": "", "format": "csv"}), tmp_path)
    (path,) = tmp_path.iterdir()
    assert f"--replay {path}" in capsys.readouterr().out
    assert fuzz.replay(path) == 0
    assert "keeps all promises" in capsys.readouterr().out


def planted(text: str, format: str, protocol: str = "published") -> None:
    if "[" in text:
        raise KeyError(text)
    if format == "toml":
        raise SystemExit(3)  # as a crash would end the process


def test_processes_share_the_work_and_one_that_ends_is_replaced(tmp_path, capsys):
    options = Namespace(start=0, count=60, seed=0, jobs=2, findings=tmp_path)
    fuzz.search(of_text(planted), options)
    kinds = {json.loads(path.read_text(encoding="utf-8"))["kind"] for path in tmp_path.iterdir()}
    assert kinds == {"KeyError in test_fuzz.py, planted", "ended by 3"}
    assert "60 of 60 inputs" in capsys.readouterr().out


FORMATS = ("latex", "typst", "matplotlib", "svg", "vega", "html")


def test_dozens_of_hostile_answers_are_rendered(tmp_path, capsys):
    options = Namespace(only=FORMATS, start=0, count=30, seed=0, findings=tmp_path)
    fuzz_renderers.search_renderers(options)
    assert list(tmp_path.iterdir()) == [], capsys.readouterr().out


def test_a_planted_bug_of_a_renderer_is_found(tmp_path, monkeypatch, capsys):
    def forgetful(format: str, completion: str, protocol: str, timeout: float | None = None) -> str:
        if timeout and "{" in completion:
            raise KeyError("{")
        forgetful.calls += 1
        return f"{forgetful.calls // 9:064}"

    forgetful.calls = 0
    monkeypatch.setattr(fuzz_renderers, "outcome", forgetful)
    options = Namespace(only=["vega"], start=0, count=20, seed=0, findings=tmp_path)
    fuzz_renderers.search_renderers(options)
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()]
    assert {finding["kind"] for finding in kept} == {"KeyError", "innocent"}
    (small,) = (finding["input"] for finding in kept if finding["kind"] == "KeyError")
    assert small["completion"] == "{"


def test_seeds_are_of_known_targets():
    assert isinstance(folder_of_seeds(), Path)
    for path in folder_of_seeds().glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["target"] in TARGETS
