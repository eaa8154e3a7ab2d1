"""A mistake of ours costs one answer its scores, and nothing else: one is planted at each stage."""

import errno
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.adaptation.request_state import RequestState
from helm.common.request import GeneratedOutput, Request, RequestResult
from PIL import Image

from helm_structext import renderers
from helm_structext.cli import main
from helm_structext.errors import RenderError, SetupError
from helm_structext.image2struct import picture_scores, run_metrics
from helm_structext.image2struct import scorer as image2struct_scorer
from helm_structext.image2struct.rescore import prepare_rescoring as rescore_suite
from helm_structext.image2struct.rescore import summary as image2struct_summary
from helm_structext.image2struct.scores import NEURAL_METRICS, PICTURE_METRICS, TEXT_METRICS
from helm_structext.processes import run_in_process
from helm_structext.renderers.engine import Engine, read_engine_picture
from helm_structext.renderers.outcome import Drawing
from helm_structext.sandbox import Limits
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.rescoring import RescoringOptions
from helm_structext.storage.cache import store
from helm_structext.structeval.rescore import prepare_rescoring as rescore_evaluation
from helm_structext.structeval.rescore import summary
from support import door
from support.helm import helm_run, init, levels, run, stats_of, suite, summarize
from support.rows import png
from support.structeval_rows import structeval_row

PACKAGE = "helm_structext"
PICTURE = png()


class PlantedError(Exception):
    """What nobody expects."""


def planted(*_: object, **__: object) -> Any:
    raise PlantedError("a bug of ours")


def draw(code: str, *_: object) -> Drawing:
    return Drawing(read_engine_picture(PICTURE), code, code, "")


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch):
    """A cache of its own, and an engine for every format that needs no sandbox."""
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    engine = Engine(lambda *of: draw(*of), lambda: "1", Limits(), {})
    monkeypatch.setattr(renderers, "engine_of", lambda format: engine)
    monkeypatch.setattr(picture_scores, "run_in_process", lambda function, *of: function(*of))


@pytest.fixture
def plant(monkeypatch) -> Callable[..., pytest.MonkeyPatch]:
    """Plants an exception, by default in place of a function of the package."""

    def put(place: str) -> pytest.MonkeyPatch:
        monkeypatch.setattr(place if place.startswith("PIL") else f"{PACKAGE}.{place}", planted)
        return monkeypatch

    return put


def answered(tmp_path: Path, completion: str, extra: dict[str, Any], answer="2") -> RequestState:
    path = store(tmp_path, PICTURE, "png")
    return door.answered(completion, extra, picture=path, target=answer, target_picture=path)


def assert_internal(annotation: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    assert annotation["kind"] == "internal"
    assert annotation["error"].startswith("internal: PlantedError: a bug of ours")
    for text in (annotation["log"], caplog.text):
        assert "Traceback" in text
        assert "raise PlantedError" in text
    assert "id7 (me/model)" in caplog.text


def assert_absent(values: dict[str, float | None]) -> None:
    assert {name for name, value in values.items() if value is not None} == {INTERNAL_ERROR}
    assert values[INTERNAL_ERROR] == 1
    assert len(values) > 5


# Annotators

RENDERED_STAGES = [
    "renderers.extract",
    "renderers.check_code",
    "renderers.limits_for",
    "renderers.run_job",
    "renderers.picture_of",
    "renderers.keep",
    "renderers.content_key",
    "renderers.engine.ImageChops.invert",
    "image2struct.scorer.renderings_folder",
    "helm.annotator.store_copy",
    "test_draw",
    "renderers.engine.decode",
    "PIL.Image.Image.save",
]


@pytest.mark.parametrize("stage", RENDERED_STAGES)
def test_a_rendering(stage, plant, monkeypatch, tmp_path, caplog):
    if stage == "test_draw":
        monkeypatch.setitem(globals(), "draw", planted)
    elif stage.endswith("invert"):
        cropped = lambda code, *_: Drawing(  # noqa: E731
            renderers.engine.crop_to_ink(Image.new("RGB", (9, 9)), 0), code, "", ""
        )
        monkeypatch.setitem(globals(), "draw", cropped)
        plant(stage)
    else:
        plant(stage)
    state = answered(tmp_path, "```latex\nx\n```", {})
    ours = door.annotator(tmp_path / "door", "image2struct")
    annotation, reference = ours.annotate(state)
    assert_internal(annotation, caplog)
    assert Path(reference["media_object"].location).read_bytes() == PICTURE
    assert_absent(door.measured(ours, [annotation, reference], state))

    records = list((tmp_path / "cache" / "renderings").glob("*/*.json"))
    assert not any("internal" in record.read_text() for record in records)
    monkeypatch.undo()
    workplace_again = pytest.MonkeyPatch()
    with workplace_again.context() as patch:
        patch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
        patch.setattr(renderers, "engine_of", lambda _: Engine(draw, lambda: "1", Limits(), {}))
        again, _ = ours.annotate(state)
    assert "error" not in again, "a later run tries it again"


@pytest.mark.parametrize(
    "stage", ["metrics.structures.parse_structure", "metrics.structures.holds_nothing"]
)
def test_a_text(stage, plant, tmp_path, caplog):
    plant(stage)
    extra = {"task": "text_to_json", "format": "json", "keywords": ["a"], "vqa": []}
    state = answered(tmp_path, '{"a": 1}', extra)
    ours = door.annotator(tmp_path / "door", "structeval")
    (annotation, _) = ours.annotate(state)
    assert_internal(annotation, caplog)
    assert_absent(door.measured(ours, [annotation], state))


@pytest.mark.parametrize(
    ("format", "text", "place"),
    [
        ("json", "[1]", "json.loads"),
        ("yaml", "a: 1", "yaml.load"),
        ("toml", "a = 1", f"{PACKAGE}.metrics.structures.tomllib.loads"),
        ("xml", "<a/>", "xmltodict.parse"),
        ("csv", "a\n1", "csv.reader"),
        ("json", "[1]", f"{PACKAGE}.metrics.structures._check_depth"),
    ],
)
def test_a_parser_s_bug_is_not_the_model_s_syntax_error(format, text, place, monkeypatch, tmp_path):
    extra = {"task": f"text_to_{format}", "format": format, "keywords": ["a"], "vqa": []}
    state = answered(tmp_path, text, extra)
    with monkeypatch.context() as patch:
        patch.setattr(place, planted)
        ours = door.annotator(tmp_path / "door", "structeval")
        annotation, _ = ours.annotate(state)
    assert annotation["kind"] == "internal"
    assert_absent(door.measured(ours, [annotation], state))


@pytest.mark.parametrize(
    "stage",
    [
        "mmr.scorer.read_reply",
        "mmr.scorer.read_answer",
        "mmr.scorer.KINDS",
        "helm.annotator.draw_boxes",
        "helm.annotator.store",
    ],
)
def test_a_reading_of_mmr(stage, plant, tmp_path, caplog):
    plant(stage)
    box = "[0.25, 0.25, 0.75, 0.75]"
    state = answered(tmp_path, box, {"task": "grounding_o"}, box)
    ours = door.annotator(tmp_path / "door", "mmr")
    annotation, *_ = ours.annotate(state)
    if stage.endswith("KINDS"):
        assert annotation["kind"] == "internal"
    else:
        assert_internal(annotation, caplog)
    assert_absent(door.measured(ours, [annotation], state))


class Provider:
    """HELM's client of all models."""

    def _get_client(self, deployment: str) -> "Provider":
        return self

    def make_request(self, request: Request) -> RequestResult:
        completion = GeneratedOutput('{"1": true}', 0.0, [])
        return RequestResult(True, [], [completion], False)


@pytest.mark.parametrize(
    "stage",
    [
        "structeval.scorer.render_completion",
        "structeval.judge.read_verdicts",
        "structeval.judge.vqa_score",
        "helm.judge.annotation",
        "helm.judge.judge_prompt",
        "helm.judge.store_copy",
        "helm.judge.JudgeReply",
        "helm.judge.needs_room",
    ],
)
def test_a_judge(stage, plant, monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(f"{PACKAGE}.helm.judge.deployment_of", lambda name: (name,) * 2)
    plant(stage)
    pairs = [{"question": "How many?", "answer": "7"}]
    extra = {"task": "text_to_html", "format": "html", "keywords": ["p"], "vqa": pairs}
    state = answered(tmp_path, "<p>7</p>", extra)
    ours = door.annotator(tmp_path / "door", "structeval", Provider(), judge="me/judge")
    annotation, *_ = ours.annotate(state)
    assert_internal(annotation, caplog)
    assert_absent(door.measured(ours, [annotation], state))


# Metrics


@pytest.mark.parametrize("name", [*PICTURE_METRICS, *TEXT_METRICS, *NEURAL_METRICS])
def test_a_metric_of_image2struct(name, monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    for metrics in (PICTURE_METRICS, TEXT_METRICS):
        for other in metrics:
            one = planted if other == name else lambda *_, **__: 0.5
            monkeypatch.setitem(metrics, other, one)
    for other, (_, file) in NEURAL_METRICS.items():
        file.path.touch()
        one = planted if other == name else lambda *_, **__: 0.5
        monkeypatch.setitem(NEURAL_METRICS, other, (one, file))
    state = answered(tmp_path, "x", {})
    values = door.values_of(door.annotator(tmp_path / "door", "image2struct"), state)
    absent = {name, "earth_mover_similarity_rendered"} & values.keys()
    without = {other for other, value in values.items() if value is None}
    assert without == (absent if name == "earth_mover_similarity" else {name})
    assert (values["metric_errors"], values[INTERNAL_ERROR]) == (1, 1)
    assert values["compilation_success"] == 1
    assert "raise PlantedError" in caplog.text


@pytest.mark.parametrize("place", ["read_pair", "content_key", "read_stored"])
def test_what_surrounds_the_metrics_of_image2struct(place, monkeypatch, tmp_path):
    state = answered(tmp_path, "2", {})
    module = picture_scores if place == "read_pair" else image2struct_scorer
    monkeypatch.setattr(module, place, planted)
    values = door.values_of(door.annotator(tmp_path / "door", "image2struct"), state)
    assert values[INTERNAL_ERROR] == 1
    assert {values[name] for name in PICTURE_METRICS} == {None}
    assert not any(value == 0 for name, value in values.items() if "similarity" in name)


def test_metrics_whose_process_dies(monkeypatch, tmp_path):
    monkeypatch.setattr(run_metrics, "score_pictures", lambda *_: run_in_process(os._exit, 3))
    state = answered(tmp_path, "2", {})
    values = door.values_of(door.annotator(tmp_path / "door", "image2struct"), state)
    assert {values[name] for name in PICTURE_METRICS} == {None}
    assert (values["edit_similarity"], values[INTERNAL_ERROR]) == (1, 1)


@pytest.mark.parametrize(
    "stage",
    ["scores.read_reply", "scorer.read_answer", "scores.score", "scores.read_reply_leniently"],
)
def test_a_metric_of_mmr(stage, plant, tmp_path):
    ours = door.annotator(tmp_path / "door", "mmr", lenient="pixel")
    plant(f"mmr.{stage}")
    box = "[0.25, 0.25, 0.75, 0.75]"
    state = answered(tmp_path, box, {"task": "grounding_o"}, box)
    assert_absent(door.values_of(ours, state))


@pytest.mark.parametrize(
    ("task", "stage"),
    [
        ("text_to_json", "structeval.scores.extract"),
        ("text_to_json", "metrics.structures.path_exists"),
        ("text_to_json", "structeval.scores.score_structure"),
        ("text_to_json", "structeval.scores.structeval_score_published"),
        ("text_to_html", "structeval.scores.without_reasoning"),
        ("text_to_html", "structeval.scores.keyword_score"),
    ],
)
def test_a_metric_of_structeval(task, stage, plant, tmp_path):
    plant(stage)
    extra = {"task": task, "format": task.split("_")[2], "keywords": ["a"], "vqa": []}
    state = answered(tmp_path, '{"a": 1}', extra)
    ours = door.annotator(tmp_path / "door", "structeval", protocol="corrected")
    assert_absent(door.values_of(ours, state))


# Others' completions, scored again


def helms_suite(folder: Path) -> Path:
    run = folder / "runs" / "v1" / "image2latex:subset=equation,model=me"
    run.mkdir(parents=True)
    (folder / "reference.png").write_bytes(PICTURE)
    media = [{"content_type": "image/png", "location": "reference.png"}]
    output = {"text": "x", "multimedia_content": {"media_objects": media}}
    states = [
        {
            "instance": {
                "id": f"id{number}",
                "references": [{"output": output, "tags": ["correct"]}],
            },
            "result": {"completions": [{"text": text}]},
        }
        for number, text in enumerate(["good", "BAD", "good"])
    ]
    spec = {"adapter_spec": {"model": "me"}, "scenario_spec": {"args": {"subset": "equation"}}}
    for name, content in (
        ("run_spec", spec),
        ("scenario_state", {"request_states": states}),
        ("per_instance_stats", []),
    ):
        (run / f"{name}.json").write_text(json.dumps(content))
    return folder / "runs" / "v1"


def unless_bad(code: str, *rest: object) -> Drawing:
    return planted() if "BAD" in code else Drawing(read_engine_picture(PICTURE), code, "x", "")


def test_an_answer_of_helms_own_runs(monkeypatch, tmp_path):
    monkeypatch.setitem(globals(), "draw", unless_bad)
    options = RescoringOptions(tmp_path, "published", "none")
    results = list(rescore_suite(helms_suite(tmp_path), options).results())
    one, bad, other = results
    assert one.new == other.new
    assert one.new["earth_mover_similarity"] == 1
    assert (bad.new, bad.error) == ({INTERNAL_ERROR: 1}, "internal: PlantedError: a bug of ours")
    text = image2struct_summary(results)
    assert "1 answer could not be handled, which is our fault, and count in no mean: me 1." in text
    assert [cell.strip() for cell in text.splitlines()[-1].split("|")][3] == "1.000"


@pytest.mark.parametrize("task", ["text_to_json", "text_to_html"])
def test_an_answer_of_a_published_evaluation(task, monkeypatch, tmp_path):
    monkeypatch.setitem(globals(), "draw", unless_bad)
    rows = [
        {**structeval_row(task, number), "generation": text}
        for number, text in enumerate(['{"planet": 1}', '{"BAD": 1}', '{"planet": 1}'])
    ]
    file = tmp_path / "gpt.json"
    file.write_text(json.dumps(rows))
    loads = json.loads
    monkeypatch.setattr(
        json, "loads", lambda text: planted() if text == '{"BAD": 1}' else loads(text)
    )
    options = RescoringOptions(tmp_path, "published", "none")
    results = list(rescore_evaluation(file, options).results())
    assert [INTERNAL_ERROR in result.new for result in results] == [False, True, False]
    assert results[1].new == {INTERNAL_ERROR: 1}
    assert results[0].new == results[2].new
    assert "0 did not parse or render" in summary(results, "none")
    assert "1 answer could not be handled" in summary(results, "none")


# What is not caught


@pytest.mark.parametrize("error", [SetupError("no disk"), KeyboardInterrupt(), SystemExit(3)])
def test_what_must_stop_a_run_stops_it(error):
    def work() -> None:
        raise error

    with pytest.raises(type(error)):
        handle("an answer", work)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.EROFS, errno.EACCES])
def test_what_the_machine_lacks_is_no_answers_fault(number):
    def work() -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(SetupError, match=os.strerror(number)):
        handle("an answer", work)


def test_a_model_s_mistake_stays_one():
    def work() -> None:
        raise RenderError("timeout", "too slow", "log")

    assert handle("an answer", work) == Failure("timeout", "too slow", "log")


def test_an_answer_that_wants_too_much_memory_is_told_from_a_machine_without():
    code = (
        "import resource, sys\n"
        "from helm_structext.scoring.handling import handle\n"
        "from helm_structext.errors import SetupError\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "print(handle('an answer', lambda: bytearray(1 << 40)))\n"
        "kept = []\n"
        "def fill():\n"
        "    while True: kept.append(bytearray(1 << 24))\n"
        "try: handle('an answer', fill)\n"
        "except SetupError as error: kept.clear(); print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        "internal: MemoryError",
        "an answer failed: MemoryError; free some memory",
    ]


class Unspeakable(Exception):
    def __str__(self) -> str:
        return f"{10**5000}"


@pytest.mark.parametrize(
    "error", [Unspeakable(), ValueError("\ud800" * 10**6), ValueError("\x1b[2J\0")]
)
def test_whatever_an_exception_says_it_is_one_short_line(error, caplog):
    def work() -> None:
        raise error

    failure = handle("an answer", work)
    assert isinstance(failure, Failure)
    assert failure.message.startswith(type(error).__name__)
    assert len(failure.message) < 7000
    assert failure.message.isprintable()
    assert all(text.encode() for text in (failure.message, failure.log, caplog.text))


def test_a_command_says_whose_fault_it_is(monkeypatch, tmp_path, capsys, caplog):
    code = tmp_path / "code.tex"
    code.write_text("x")
    arguments = ["render", "latex", str(code), "-o", str(tmp_path / "x.png")]
    assert main(arguments) == 0
    with caplog.at_level(logging.ERROR):
        monkeypatch.setitem(globals(), "draw", planted)
        assert main(arguments) == 3
    assert "internal: PlantedError: a bug of ours" in capsys.readouterr().err
    assert "raise PlantedError" in caplog.text


# Through HELM

PLANTED_ONCE = """
import itertools, sys
from helm_structext.mmr import scorer
read, calls = scorer.read_reply, itertools.count()

def read_reply(kind, reply):
    if next(calls) == 0:
        raise ArithmeticError("a bug of ours")
    return read(kind, reply)

scorer.read_reply = read_reply
from helm.benchmark.run import main
sys.argv = ["helm-run", *sys.argv[1:]]
main()
"""


def test_a_run_goes_on_and_another_one_tries_again(tmp_path):
    folder, entry = tmp_path, "mmr:task=font_color,source=sample,model=structext/oracle"
    arguments = ["--suite", "s", "--max-eval-instances", "9", "--num-threads", "1", "-r", entry]
    init(folder)
    done = run(folder, "python", "-c", PLANTED_ONCE, "--exit-on-error", *arguments)
    said = done.stdout + done.stderr
    assert "could not be handled, and has no score: a bug of ours" in said
    assert "Traceback" in said
    assert "ArithmeticError: a bug of ours" in said

    (found,) = suite(folder).glob("mmr:*")
    states = json.loads((found / "scenario_state.json").read_text())["request_states"]
    kinds = [state["annotations"]["reading"][0].get("kind") for state in states]
    assert sorted(kinds, key=str) == [None] * 4 + ["internal"]
    stats = stats_of(found)
    assert (stats[INTERNAL_ERROR], stats["correct"]) == (0.2, 1)
    assert not {"WARNING", "ERROR"} & levels(summarize(folder))
    tables = " ".join(run(folder, "helm-structext", "tables", "s").stdout.split())
    assert "1 answer could not be handled, which is our fault, and count in no mean" in tables

    helm_run(folder, "--max-eval-instances", "9", "-r", entry)
    assert stats_of(found)[INTERNAL_ERROR] == 0
