"""Image2Struct's scorer behind HELM's door."""

from pathlib import Path

import pytest
from PIL import Image

from helm_structext.errors import RenderError
from helm_structext.image2struct import run_metrics, scorer
from helm_structext.renderers import Rendering
from helm_structext.storage.cache import store
from support import door
from support.rows import png

PICTURES = set(run_metrics.PICTURE_METRICS)
TEXTS = set(run_metrics.TEXT_METRICS)


def drawn(path: Path, data: bytes, text: str = "a b c") -> Rendering:
    path.write_bytes(data)
    return Rendering(Image.new("RGB", (1, 1)), "", text, "", 0.1, path)


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """Scores what a completion was rendered to, or why it was not; returns name → value, None where there is none."""

    def run(rendering, *, has_structure=True):
        def render(*_, **__):
            if isinstance(rendering, RenderError):
                raise rendering
            return rendering

        monkeypatch.setattr(scorer, "render_completion", render)
        reference = store(tmp_path, png(), "png")
        subset = "equation" if has_structure else "wild"
        ours = door.annotator(tmp_path / "door", "image2struct", subset=subset)
        state = door.answered("x", {}, target="a b c", target_picture=reference)
        return door.values_of(ours, state)

    return run


def test_the_same_picture_and_text_score_one(evaluate, tmp_path):
    values = evaluate(drawn(tmp_path / "same.png", png()))
    assert {name for name in PICTURES | TEXTS if values[name] == 1} >= {
        "earth_mover_similarity",
        "pixel_similarity",
        "structural_similarity",
        "edit_similarity",
        "levenshtein_similarity",
    }
    assert values["block_emd"] == 0
    assert values["compilation_success"] == 1
    assert values["earth_mover_similarity_rendered"] == 1
    assert values["metric_errors"] == 0


def test_a_failure_is_zero_in_every_similarity_and_has_no_distance(evaluate):
    values = evaluate(RenderError("timeout", "not finished after 30 s"))
    for name in (PICTURES | TEXTS) - {"block_emd"}:
        assert values[name] == 0, name
    assert values["block_emd"] is None
    assert values["earth_mover_similarity_rendered"] is None
    assert values["compilation_success"] == 0
    kinds = {name: value for name, value in values.items() if name.startswith("render_error_")}
    assert kinds == {
        "render_error_syntax": 0,
        "render_error_timeout": 1,
        "render_error_resource": 0,
        "render_error_empty": 0,
        "render_error_missing": 0,
    }


@pytest.fixture
def broken_text_metric(monkeypatch):
    def broken(*_: str) -> float:
        raise ArithmeticError("no")

    with monkeypatch.context() as patch:
        patch.setitem(run_metrics.TEXT_METRICS, "edit_similarity", broken)
        yield patch


def test_an_exception_is_counted_and_leaves_the_value_out(evaluate, tmp_path, broken_text_metric):
    values = evaluate(drawn(tmp_path / "same.png", png()))
    assert values["edit_similarity"] is None
    assert values["metric_errors"] == 1
    assert values["levenshtein_similarity"] == 1
    assert values["earth_mover_similarity"] == 1


def test_an_exception_is_not_cached(evaluate, tmp_path, broken_text_metric):
    rendering = drawn(tmp_path / "same.png", png())
    assert evaluate(rendering)["edit_similarity"] is None
    broken_text_metric.undo()
    assert evaluate(rendering)["edit_similarity"] == 1


def test_a_broken_picture_leaves_the_picture_metrics_out(evaluate, tmp_path):
    values = evaluate(drawn(tmp_path / "x.png", b"no"))
    assert {values[name] for name in PICTURES} == {None}
    assert values["metric_errors"] == len(PICTURES)
    assert values["edit_similarity"] == 1


def test_values_are_cached_by_content(evaluate, tmp_path, monkeypatch):
    first = evaluate(drawn(tmp_path / "one.png", png()))

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(run_metrics, "score_pictures", refuse)
    again = evaluate(drawn(tmp_path / "two.png", png()))
    assert again == first
    other = evaluate(drawn(tmp_path / "two.png", png((0, 9, 0)), ""))
    assert other["metric_errors"] == len(PICTURES)


def test_without_a_structure_there_are_no_text_metrics(evaluate, tmp_path):
    rendering = drawn(tmp_path / "same.png", png())
    assert not TEXTS & set(evaluate(rendering, has_structure=False))
    failure = RenderError("syntax", "no")
    assert not TEXTS & set(evaluate(failure, has_structure=False))


def test_without_weights_neural_metrics_are_absent(evaluate, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "none"))
    rendered = evaluate(drawn(tmp_path / "same.png", png()))
    failed = evaluate(RenderError("syntax", "no"))
    for name in run_metrics.NEURAL_METRICS:
        assert rendered[name] is None
        assert failed[name] is None
    assert rendered["metric_errors"] == 0


def test_with_weights_neural_metrics_are_scored(evaluate, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    for name, (_, file) in list(run_metrics.NEURAL_METRICS.items()):
        file.path.touch()
        monkeypatch.setitem(run_metrics.NEURAL_METRICS, name, (lambda *_, **__: 0.5, file))
    rendered = evaluate(drawn(tmp_path / "same.png", png()))
    failed = evaluate(RenderError("syntax", "no"))
    for name in run_metrics.NEURAL_METRICS:
        assert rendered[name] == 0.5
        assert failed[name] == 0
