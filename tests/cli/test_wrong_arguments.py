"""Whatever stands on the command line, a command ends in a line that says what is wrong with it."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from helm_structext import cli
from helm_structext.image2struct.collect import COLLECTORS

COMMANDS = (
    ("render", "latex", "absent.tex", "-o", "out.png"),
    ("explain", "latex", "absent.tex"),
    ("score", "absent.png", "absent.png"),
    ("compare", "svg", "absent.svg", "absent.svg"),
    ("describe", "absent"),
    ("needs", "absent"),
    ("passport", "absent"),
    ("reward", "preflight", "--reward", "absent.yaml", "--completions", "absent.jsonl"),
    ("reward", "watch", "absent.jsonl", "--reward", "absent.yaml"),
    ("audit", "metrics", "--kinds", "absent", "-o", "out"),
    ("audit", "judge", "--judge", "stub", "--formats", "absent", "-o", "out"),
    (
        "generate",
        "image2struct",
        "--kind",
        "all",
        "--count",
        "0",
        "--seed",
        "1",
        "-o",
        "out",
    ),
    ("generate", "mmr", "--count", "0", "--seed", "1", "-o", "out"),
    (
        "generate",
        "structeval",
        "--model",
        "absent/model",
        "--count",
        "1",
        "--seed",
        "1",
        "-o",
        "out",
    ),
    *(
        (
            "collect",
            domain,
            "--from",
            "2026-11-02",
            "--to",
            "2026-11-01",
            "--count",
            "1",
            "-o",
            "out",
        )
        for domain in COLLECTORS
    ),
    ("collect", "train-classifier", "absent"),
    ("collect", "status", "absent"),
    ("predictions", "export", "absent"),
    ("rescore", "absent"),
    ("score-file", "absent.jsonl"),
    ("tables", "absent"),
    ("judge-agreement", "absent"),
    ("report", "absent"),
    ("figures", "absent"),
    ("export-structeval", "absent"),
    ("summarize", "absent"),
    ("add-model", "no name"),
    ("try", "absent/model"),
    ("doctor", "absent"),
    ("setup", "absent"),
    ("weights", "fetch", "absent"),
    ("cache", "info", "absent"),
    ("cache", "prune", "absent"),
    ("plan", "absent"),
    ("run", "absent/model"),
    ("serve", "--host", "192.0.2.1"),  # which needs a token
)
RIGHT = {
    (),
    ("doctor",),
    ("setup",),
    ("weights", "fetch"),
    ("cache", "info"),
    ("cache", "prune"),
    ("serve",),
    ("passport",),
}
VALUES = (
    "",
    "-",
    "--",
    "/",
    "/proc/absent",
    "file/in/it",
    "x" * 5000,
    "a\0b",
    "\udcff",
    "-1",
    "nan",
)


def options_of(command: tuple[str, ...]) -> Iterator[str]:
    """The options of a command that take a value."""
    parser = cli._parser()
    for word in command:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction) and word in action.choices:
                parser = action.choices[word]
                break
    for action in parser._actions:
        if action.option_strings and action.nargs != 0:
            yield action.option_strings[-1]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_wrong_values_have_a_message(command, capsys):
    for option in options_of(command):
        for value in VALUES:
            ended = cli.main([*command, option, value])
            said = "".join(capsys.readouterr())
            assert ended in (1, 2), (option, value, said)
            assert "Traceback" not in said
            assert said.strip()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_words_that_are_missing_or_too_many_have_a_message(command, capsys):
    for words in (command[:1], command[:-1], [*command, "one", "more"], [*command, "--wrong"]):
        if tuple(words) in RIGHT:
            continue
        assert cli.main(list(words)) in (1, 2)
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("value", ["-", "/proc/absent", "file/in/it", "x" * 5000, "a\0b"])
def test_folder_that_can_not_be_written_has_a_message(value, capsys):
    assert cli.main(["init", "--local-path", value]) == 2
    said = capsys.readouterr().err
    assert "--local-path" in said or f"{value}/" in said


def test_every_command_is_tried():
    (commands,) = (
        action
        for action in cli._parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert set(commands.choices) == {"init", *(command[0] for command in COMMANDS)}
