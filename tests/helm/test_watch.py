"""What `helm-run` says in the end, with our plugin."""

import sys
import time
from types import SimpleNamespace

import pytest
from helm.benchmark import run as helms_run
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.executor import Executor, ExecutorError
from helm.benchmark.presentation.run_entry import RunEntry
from helm.benchmark.runner import Runner
from helm.clients.auto_client import AutoClient
from helm.common.request import Request, RequestResult

import helm_structext.helm.plugin  # noqa: F401
from helm_structext import progress
from helm_structext.errors import SetupError
from helm_structext.helm.watch import MAX_KINDS, reasons, watch
from helm_structext.passport import make_passport
from helm_structext.results.passports import FILE as PASSPORT
from helm_structext.results.passports import read_run_passport
from helm_structext.run_entries import zero_shot
from support.helm import init, run, suite
from support.openai_server import openai_server


def helm_run(folder, *arguments):
    """HELM goes on after a run that failed, as it does by default."""
    done = run(folder, "helm-run", "--suite", "s", "-m", "1", "-n", "1", *arguments, check=False)
    return done, done.stderr.splitlines()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_ADMIN_KEY", raising=False)
    init(tmp_path)
    return tmp_path


def test_a_run_that_was_scored_has_a_passport_beside_it_and_keeps_it(folder):
    entry = "mmr:task=font_color,source=sample,model=structext/oracle"
    done, _ = helm_run(folder, "-r", entry)
    assert done.returncode == 0
    (place,) = (folder / "benchmark_output" / "runs" / "s").glob("mmr*")
    kept = read_run_passport(place)
    assert "engine latex" in kept.parts
    assert kept.hash == make_passport().hash
    (place / PASSPORT).write_text('{"parts": {"numpy": "another"}}')
    helm_run(folder, "-r", entry, "--skip-completed-runs")
    assert read_run_passport(place).parts == {"numpy": "another"}, "it was not scored again"


def test_each_reason_stands_in_one_line_at_the_end_and_a_judge_without_a_key_comes_first(folder):
    tasks = ("text_to_latex", "text_to_html")
    with openai_server("$x$") as server:
        run(folder, "helm-structext", "add-model", "me/my-vlm", "--base-url", server.url)
        entries = [f"structeval:task={task},source=sample,model=me/my-vlm" for task in tasks]
        none = "mmr:task=font_color,source=sample,model=structext/replay-none"
        done, lines = helm_run(folder, "-r", *entries, none)
        assert done.returncode == 1
        assert server.requests == [], "the model is not asked where nobody can judge"

        said = [number for number, line in enumerate(lines) if " failed: " in line]
        assert len(said) == 2
        judge, replay = (lines[number] for number in said)
        assert judge.startswith("2 runs failed: the judge openai/gpt-4.1-mini can't be asked")
        assert "credentials.conf" in judge
        assert replay.startswith("1 run failed: there is no file prod_env/replay/none.jsonl")
        assert lines[said[-1] + 1].startswith("Traceback")
        assert "RunnerError" in lines[-1]
        assert "Error when running structeval" in done.stdout, "HELM says what it always says"

        # Nothing of it is in the way of a dry run, nor of runs that no judge is needed for.
        done, _ = helm_run(folder, "--dry-run", "-r", *entries)
        assert done.returncode == 0, done.stderr[-2000:]
        done, lines = helm_run(
            folder, "-r", "structeval:task=text_to_json,source=sample,model=me/my-vlm"
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert len(server.requests) == 1
        assert not [line for line in lines if " failed: " in line]
    assert list(suite(folder).glob("*text_to_json*/stats.json"))


def test_pictures_for_a_model_of_text_are_one_line_before_anything_is_asked(folder):
    with openai_server("$x$") as server:
        run(
            folder, "helm-structext", "add-model", "me/llm", "--base-url", server.url, "--text-only"
        )
        done, lines = helm_run(
            folder, "--conf-paths", "run_specs/sample.conf", "--models-to-run", "me/llm"
        )
        assert done.returncode == 1
        assert lines[-1].startswith(
            "helm-run: me/llm reads no pictures, which 4 runs would show (image"
        )
        assert "run_specs/text.conf" in lines[-1]
        assert "Traceback" not in done.stdout + done.stderr

        judged = "structeval:task=text_to_latex,source=sample,judge=me/llm,model=structext/oracle"
        done, lines = helm_run(folder, "-r", judged)
        assert done.returncode == 1
        (line,) = [line for line in lines if " failed: " in line]
        assert line.startswith("1 run failed: the judge me/llm reads text only")
        assert server.requests == []


def test_a_call_without_any_run_is_an_error_that_says_what_to_do(folder):
    done, lines = helm_run(
        folder, "--conf-paths", "run_specs/demo.conf", "--models-to-run", "openai/gpt-4o-2024-11-20"
    )
    assert done.returncode == 1
    assert lines[-1].startswith("helm-run: --models-to-run openai/gpt-4o-2024-11-20 leaves none")
    assert "structext/oracle" in lines[-1]
    assert "run_specs/sample.conf" in lines[-1]


ENTRIES = [
    RunEntry(f"mmr:task={task},source=sample,model=structext/oracle", 2, None)
    for task in ("font_color", "font_size")
]


@pytest.fixture
def watched(monkeypatch):
    """This process, as if it were helm-run; it is left as it was."""
    monkeypatch.setattr(sys, "argv", ["/somewhere/helm-run"])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(Runner, "run_one", Runner.run_one)
    monkeypatch.setattr(Executor, "execute", Executor.execute)
    monkeypatch.setattr(AutoClient, "make_request", AutoClient.make_request)
    monkeypatch.setattr(helms_run, "run_entries_to_run_specs", helms_run.run_entries_to_run_specs)
    watch()
    return helms_run


@pytest.mark.parametrize(
    ("entries", "options", "words"),
    [
        (ENTRIES, {"groups_to_run": ["mmr_x"]}, ["--groups-to-run mmr_x", "mmr_font_color"]),
        (ENTRIES, {"priority": 1}, ["--priority 1", "none of 2 runs"]),
        (ENTRIES, {"models_to_run": ["a/b"]}, ["--models-to-run a/b", "structext/oracle"]),
        ([], {}, ["--conf-paths"]),
    ],
)
def test_the_option_that_leaves_no_runs_is_named(watched, entries, options, words):
    assert len(watched.run_entries_to_run_specs(run_entries=ENTRIES)) == 2
    with pytest.raises(SystemExit) as ended:
        watched.run_entries_to_run_specs(run_entries=entries, **options)
    assert all(word in str(ended.value) for word in words)


class Server:
    """What HELM's client finds: down, or up, asked with retries and without."""

    def __init__(self) -> None:
        self.error: str | None = "OpenAI error: Connection error."
        self.cached = False
        self.asked = {"with retries": 0, "once": 0}

    def _answer(self, how: str) -> RequestResult:
        self.asked[how] += 1
        done = self.error is None
        return RequestResult(done, [], [], cached=self.cached and done, error=self.error)

    def retried(self, client: AutoClient, request: Request) -> RequestResult:
        return self._answer("with retries")

    def make_request(self, request: Request) -> RequestResult:
        return self._answer("once")


@pytest.fixture
def server(monkeypatch):
    server = Server()
    monkeypatch.setattr(AutoClient, "__init__", lambda self: None)
    monkeypatch.setattr(AutoClient, "_get_client", lambda self, name: server)
    monkeypatch.setattr(AutoClient, "make_request", lambda *them: server.retried(*them))
    return server


def test_a_server_that_is_down_is_waited_for_once(server, watched):
    def ask(name: str = "me/vlm") -> tuple[bool, int, int]:
        answered = AutoClient().make_request(Request(model_deployment=name)).success
        return answered, *server.asked.values()

    assert [ask(), ask(), ask()] == [(False, 1, 0), (False, 1, 1), (False, 1, 2)]
    assert ask("me/other") == (False, 2, 2), "of another server nothing is known"
    server.error, server.cached = None, True
    assert [ask(), ask()] == [(True, 2, 3), (True, 2, 4)], "the cache says nothing of the server"
    server.cached = False
    assert [ask(), ask()] == [(True, 2, 5), (True, 3, 5)], "it is up again"
    server.error = "OpenAI error: Error code: 429 - slower, please"
    assert [ask(), ask()] == [(False, 4, 5), (False, 5, 5)], "of others HELM decides"


def test_how_far_a_run_is_stands_there_while_it_waits(watched, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.1)
    monkeypatch.setattr(progress, "ANSWER_SECONDS", 0.2)
    executor = Executor.__new__(Executor)
    executor.execution_spec = SimpleNamespace(dry_run=False, parallelism=1)

    def answer(request: Request) -> RequestResult:
        time.sleep(0.5)
        return RequestResult(True, [], [], cached=False)

    executor.context = SimpleNamespace(make_request=answer)
    states = [RequestState(None, 0, 0, "", i, "", {}, Request(), None, 0, None) for i in range(3)]
    done = executor.execute(ScenarioState(zero_shot("", 8192), states))
    assert [state.result.success for state in done.request_states] == [True] * 3
    said = capsys.readouterr().err.splitlines()
    assert said[0].endswith("0 of 3 answered, 0 s so far")
    assert any(line.endswith("about 1 minute left") for line in said)
    (advice,) = [line for line in said if "num_output_tokens=" in line]
    assert "8,192 tokens" in advice


def test_another_program_is_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/pytest"])
    before = sys.excepthook, Runner.run_one, helms_run.run_entries_to_run_specs
    watch()
    assert before == (sys.excepthook, Runner.run_one, helms_run.run_entries_to_run_specs)


def failed_by_helm(message: str, cause: Exception | None = None) -> ExecutorError:
    error = ExecutorError(f"{message} Request: Request(model_deployment='a', prompt='long')")
    error.__cause__ = cause
    return error


def test_reasons_that_differ_by_what_runs_are_called_are_one():
    runs = [f"image2struct_latex:subset={name},model=me_vlm" for name in ("equation", "table")]
    subsets = [name.partition("=")[2].partition(",")[0] for name in runs]
    wrong = [(n, SetupError(f"{s} can't be read")) for n, s in zip(runs, subsets, strict=True)]
    dead = [(name, failed_by_helm("OpenAI error: Connection error.")) for name in runs]
    lines = list(reasons([*wrong, *dead, (runs[0], failed_by_helm("x", ValueError("odd\nlines")))]))
    assert len(lines) == 3, lines
    assert lines[0].startswith("2 runs failed: equation can't be read (such as image2struct_latex:")
    assert lines[1].startswith("2 runs failed: OpenAI error: Connection error; nothing answers")
    assert any("1 run failed: ValueError: odd lines (" in line for line in lines)
    assert not [line for line in lines if "Request(" in line]


def test_what_we_say_ourselves_gets_no_advice_about_servers():
    (line,) = reasons([("mmr:task=a", SetupError("no way to the Hub: Connection error; do this"))])
    assert line == "1 run failed: no way to the Hub: Connection error; do this (mmr:task=a)"


def test_however_many_reasons_there_are_the_end_stays_short():
    words = [chr(97 + a) + chr(97 + b) for a in range(5) for b in range(5)]
    lines = list(reasons([(f"mmr:task={word}", ValueError(f"no, {word * 2}!")) for word in words]))
    assert len(lines) == MAX_KINDS + 1
    assert lines[-1] == "15 runs failed for other reasons: each stands in the log"
