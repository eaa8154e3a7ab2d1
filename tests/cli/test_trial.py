"""`try`: what stands in a model's way is named in one line each, and one answer is shown."""

import importlib
import re
import shlex
import sys
import threading
from base64 import b64decode
from html import unescape

import pytest
from helm.benchmark.run import build_parser

from helm_structext import cli
from helm_structext.cli import main
from helm_structext.pictures import decode
from helm_structext.structeval.rows import load_questions
from helm_structext.trial import machine
from helm_structext.trial.candidate import NUMBER
from helm_structext.trial.checks import Check, status
from support.openai_server import asks_for_number, has_picture, openai_server

ANSWER = "Sure:\n```latex\n$\\zeta(s) = \\sum_n n^{-s}$\n```\n<script>alert(1)</script>"
DOCUMENT = "\\documentclass{article}\\begin{document}Travel $x^2$\\end{document}"


@pytest.fixture
def here(tmp_path, monkeypatch, empty_registries):
    """A folder on a machine that has all but keys."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "examine", lambda: iter(()))
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def tried(here, capsys):
    """Adds a model and tries it; returns status, lines and the page."""

    def call(url: str | None, *options: str, add: tuple[str, ...] = ()):
        where = ("--base-url", url) if url else ()
        assert main(["add-model", "me/my-vlm", *where, *add]) == 0
        capsys.readouterr()
        ended = main(["try", "me/my-vlm", *options])
        said = capsys.readouterr()
        assert said.err == ""
        lines = {line[9:].partition(":")[0]: line for line in said.out.splitlines()}
        page = here / "try.html"
        return ended, lines, page.read_text() if page.exists() else ""

    return call


def seeing(answer: str):
    """Reads the number of the second request, and else says the same."""
    return lambda body: f"It is {NUMBER}." if asks_for_number(body) else answer


def failed(lines: dict[str, str]) -> list[str]:
    return [name for name, line in lines.items() if line.startswith("FAILED")]


def test_an_answer_is_shown_beside_its_reference_and_scored(tried):
    with openai_server(seeing(ANSWER)) as server:
        ended, lines, page = tried(server.url)
    assert ended == 0, lines
    assert failed(lines) == []
    names = ["model", "extra", "key", "server", "text", "pictures", "form", "renderers", "judge"]
    assert [name for name in lines if name in names] == names
    assert lines["judge"].startswith("note")
    (score,) = [line for line in lines.values() if line.startswith("earth_mover_similarity ")]
    assert 0 < float(score.split()[1]) < 1
    assert len(server.requests) == 3, "one of each kind"
    assert [has_picture(request) for request in server.requests] == [False, True, True]

    assert page.count('src="data:image/png;base64,') == 2
    assert "<script" not in page
    assert ANSWER in unescape(page)
    assert "default-src 'none'" in page
    assert score.split()[1] in page


def test_what_is_wrong_with_the_answer_is_a_sentence_on_the_screen_and_on_the_page(tried):
    with openai_server(seeing(ANSWER)) as server:
        _, lines, page = tried(server.url)
    (said,) = [line for line in lines.values() if line.startswith("beside the reference: ")]
    sentence = said.removeprefix("beside the reference: ")
    assert sentence.endswith(".")
    assert " missing (" in sentence
    assert f"<p>{sentence}</p>" in unescape(page)


def test_the_page_may_go_to_standard_output(here, capsysbinary):
    with openai_server(seeing(ANSWER)) as server:
        assert main(["add-model", "me/my-vlm", "--base-url", server.url]) == 0
        capsysbinary.readouterr()
        assert main(["try", "me/my-vlm", "-o", "-"]) == 0
    said = capsysbinary.readouterr()
    assert said.out.startswith(b"<!DOCTYPE html>")
    assert said.out.count(b"data:image/png;base64,") == 2
    assert b"earth_mover_similarity" in said.err


def test_a_model_of_text_gets_no_picture(tried):
    with openai_server(DOCUMENT) as server:
        ended, lines, page = tried(server.url, add=("--text-only",))
    assert ended == 0, lines
    assert "pictures" not in lines
    assert len(server.requests) == 2
    assert page.count('src="data:image/png;base64,') == 2
    assert any(line.startswith("keyword_score") for line in lines.values())
    assert "--conf-paths run_specs/text.conf" in said_of(lines, "  or: ")
    assert "11 tokens, " in said_of(lines, "speed: ")


def said_of(lines: dict[str, str], beginning: str) -> str:
    (line,) = [line for line in lines.values() if line.startswith(beginning)]
    return line


def test_the_advice_can_be_pasted(tried, here, monkeypatch):
    with openai_server(DOCUMENT) as server:
        _, lines, _ = tried(server.url, add=("--text-only",))
    for beginning in ("next: ", "  or: "):
        program, *words = shlex.split(said_of(lines, beginning).removeprefix(beginning))
        assert program in ("helm-structext", "helm-run")
        parser = build_parser() if program == "helm-run" else cli._parser()
        options = parser.parse_args(words)
        assert "me/my-vlm" in (*(getattr(options, "models_to_run", None) or ()), *words)
        assert all((here / path).exists() for path in getattr(options, "conf_paths", ()))


def test_the_reference_of_a_model_of_text_is_drawn_as_an_answer(tried, here):
    """Its tags are no part of the picture: an answer that is the reference looks the same."""
    question, *_ = load_questions("sample", ["text_to_latex"])
    with openai_server(question.oracle) as server:
        ended, _, page = tried(server.url, add=("--text-only",))
    assert ended == 0
    first, second = re.findall('src="data:image/png;base64,([^"]+)"', page)
    assert decode(b64decode(first)) == decode(b64decode(second))


@pytest.mark.parametrize("add", [(), ("--text-only",)])
def test_prose_has_no_scores_beside_the_failure(tried, add):
    prose = "This is to certify that nothing was written."
    with openai_server(seeing(prose)) as server:
        ended, lines, page = tried(server.url, add=add)
    assert (ended, failed(lines)) == (1, ["form"])
    assert "an evaluation counts it as rendered" in lines["form"]
    assert not [line for line in lines.values() if "_score " in line or "similarity " in line]
    assert "not in the form that was asked for" in page


def test_a_dead_server_is_asked_nothing(tried):
    with openai_server("x") as server:
        pass
    ended, lines, page = tried(server.url)
    assert ended == 1
    assert failed(lines) == ["server"]
    assert server.url in lines["server"]
    assert "start the server" in lines["server"]
    assert "text" not in lines
    assert not page


def test_a_server_that_refuses_pictures(tried):
    with openai_server(lambda body: 400 if has_picture(body) else "ready") as server:
        ended, lines, page = tried(server.url)
    assert ended == 1
    assert failed(lines) == ["pictures"]
    assert "Error code: 400" in lines["pictures"]
    assert "form" not in lines
    assert "`helm-structext add-model me/my-vlm --text-only`" in lines["pictures"]
    assert not page


def test_a_server_that_drops_pictures(tried):
    with openai_server(ANSWER) as server:
        ended, lines, page = tried(server.url)
    assert ended == 1
    assert failed(lines) == ["pictures"]
    assert f"in a picture of {NUMBER}" in lines["pictures"]
    assert page


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("I am afraid that I can not do that.", "is prose"),
        ("$\\undefined{x}$", "does not render (syntax: "),
        ("", "is empty"),
    ],
)
def test_an_answer_of_another_form(tried, answer, words):
    def reply(body):
        first = not has_picture(body)
        return "ready" if first else seeing(answer)(body)

    with openai_server(reply) as server:
        ended, lines, page = tried(server.url)
    assert ended == 1
    assert failed(lines) == ["form"]
    assert words in lines["form"]
    assert ("No picture: syntax" in page) is ("undefined" in answer)
    assert (answer in unescape(page)) if answer else not page


def test_a_server_that_knows_the_model_by_another_name(tried):
    with openai_server(lambda body: 404) as server:
        ended, lines, _ = tried(server.url)
    assert ended == 1
    assert failed(lines) == ["text"]
    assert "--model-name" in lines["text"]


def test_a_server_that_never_answers(tried):
    over = threading.Event()

    def wait(body):
        over.wait()
        return "late"

    with openai_server(wait) as server:
        try:
            ended, lines, _ = tried(server.url, "--timeout", "0.5")
        finally:
            over.set()
    assert ended == 1
    assert failed(lines) == ["text"]
    assert "0.5 s" in lines["text"]


def test_a_missing_key_is_named_with_its_file(tried, tmp_path):
    ended, lines, _ = tried(None, add=("--api", "openai"))
    assert ended == 2
    assert failed(lines) == ["key"]
    assert 'openaiApiKey: "…"' in lines["key"]
    assert "prod_env/credentials.conf" in lines["key"]

    with openai_server(seeing(ANSWER)) as server:
        (tmp_path / "prod_env/credentials.conf").write_text('myApiKey: "secret"\n')
        assert main(["add-model", "my/vlm", "--api", "openai", "--base-url", server.url]) == 0
        assert main(["try", "my/vlm"]) == 0
    assert "secret" not in (tmp_path / "try.html").read_text()


def test_a_missing_extra_is_named(tried, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("openai")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "openai", None)
    for name in ("helm.clients.openai_client", "helm.clients.vllm_client"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        package = importlib.import_module("helm.clients")
        monkeypatch.delattr(package, name.rpartition(".")[2], raising=False)
    ended, lines, _ = tried("http://127.0.0.1:9/v1")
    assert ended == 2
    assert failed(lines) == ["extra"]
    assert "pip install 'crfm-helm[openai]'" in lines["extra"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["me/my-vml"], ["did you mean me/my-vlm?", "add-model me/my-vml"]),
        (["structext/oracle"], ["offline model"]),
        (
            ["me/my-vlm", "--timeout", "0"],
            ["--timeout: it is '0'; expected a number of seconds above 0"],
        ),
    ],
)
def test_a_fault_of_the_user_says_what_to_do(tried, capsys, arguments, words):
    tried("http://127.0.0.1:9/v1")
    assert main(["try", *arguments]) == 2
    said = "".join(capsys.readouterr())
    assert all(word in said for word in words)


def test_a_file_that_helm_cannot_read_is_named(tried, tmp_path, capsys):
    tried("http://127.0.0.1:9/v1")
    (tmp_path / "prod_env/model_metadata.yaml").write_text("models: [}")
    assert main(["try", "me/my-vlm"]) == 2
    said = capsys.readouterr().out
    assert said.startswith("FAILED   model: prod_env has a file that HELM can't read: ")
    assert "judge" not in said


def test_what_the_machine_lacks_is_named(tried, monkeypatch):
    from helm_structext.trial.doctor import Finding

    missing = Finding("lilypond", False, "apt install lilypond (for lilypond)")
    monkeypatch.setattr(machine, "examine", lambda: iter([missing]))
    with openai_server(seeing(ANSWER)) as server:
        ended, lines, _ = tried(server.url)
    assert ended == 2
    assert failed(lines) == ["renderers"]
    assert "apt install lilypond" in lines["renderers"]


def test_the_first_thing_that_is_wrong_counts():
    outcomes = ("ok", "note", "model", "setup")
    ok, note, model, setup = (Check("it", outcome, "") for outcome in outcomes)
    assert [status([ok, note]), status([note, model, setup]), status([setup, model])] == [0, 1, 2]
