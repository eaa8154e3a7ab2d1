from pathlib import Path

import pytest
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import CORRECT_TAG, Input, Instance, Output, Reference
from helm.common.cache import Cache, SqliteCacheConfig
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import Request
from helm_structext.image2struct.adapters import Image2StructMetric

from helm_structext.image2struct import comparison
from support.rows import png

PICTURES = set(comparison.PICTURE_METRICS)
TEXTS = set(comparison.TEXT_METRICS)


def picture(path: Path, data: bytes) -> MediaObject:
    path.write_bytes(data)
    return MediaObject(location=str(path), content_type="image/png")


@pytest.fixture
def evaluate(tmp_path):
    """Scores a rendering against a reference; returns name → value, None where there is none."""

    class Service:
        def get_cache(self, name):
            return Cache(SqliteCacheConfig(str(tmp_path / f"{name}.sqlite")))

    def run(rendering, reference=None, *, has_structure=True):
        reference = reference or picture(tmp_path / "reference.png", png())
        output = Output(text="a b c", multimedia_content=MultimediaObject([reference]))
        instance = Instance(Input(), [Reference(output, [CORRECT_TAG])], id="one")
        state = RequestState(instance, None, None, 0, None, Request(), None, 0, False)
        state = RequestState(
            **{
                **state.__dict__,
                "annotations": {"rendering": [rendering, {"media_object": reference}]},
            }
        )
        metric = Image2StructMetric("padding", has_structure)
        stats = metric.evaluate_generation(AdapterSpec(), state, Service(), "")
        return {stat.name.name: stat.mean if stat.count else None for stat in stats}

    return run


def test_the_same_picture_and_text_score_one(evaluate, tmp_path):
    values = evaluate({"media_object": picture(tmp_path / "same.png", png()), "text": "a b c"})
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
    values = evaluate({"error": "timeout: not finished after 30 s", "kind": "timeout", "log": ""})
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
    }


@pytest.fixture
def broken_text_metric(monkeypatch):
    def broken(*_: str) -> float:
        raise ArithmeticError("no")

    with monkeypatch.context() as patch:
        patch.setitem(comparison.TEXT_METRICS, "edit_similarity", broken)
        yield patch


def test_an_exception_is_counted_and_leaves_the_value_out(evaluate, tmp_path, broken_text_metric):
    values = evaluate({"media_object": picture(tmp_path / "same.png", png()), "text": "a b c"})
    assert values["edit_similarity"] is None
    assert values["metric_errors"] == 1
    assert values["levenshtein_similarity"] == 1
    assert values["earth_mover_similarity"] == 1


def test_an_exception_is_not_cached(evaluate, tmp_path, broken_text_metric):
    rendering = {"media_object": picture(tmp_path / "same.png", png()), "text": "a b c"}
    assert evaluate(rendering)["edit_similarity"] is None
    broken_text_metric.undo()
    assert evaluate(rendering)["edit_similarity"] == 1


def test_a_broken_picture_leaves_the_picture_metrics_out(evaluate, tmp_path):
    values = evaluate({"media_object": picture(tmp_path / "x.png", b"no"), "text": "a b c"})
    assert {values[name] for name in PICTURES} == {None}
    assert values["metric_errors"] == len(PICTURES)
    assert values["edit_similarity"] == 1


def test_values_are_cached_by_content(evaluate, tmp_path, monkeypatch):
    first = evaluate({"media_object": picture(tmp_path / "one.png", png()), "text": "a b c"})

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(comparison, "score_pictures", refuse)
    again = evaluate({"media_object": picture(tmp_path / "two.png", png()), "text": "a b c"})
    assert again == first
    other = evaluate({"media_object": picture(tmp_path / "two.png", png((0, 9, 0))), "text": ""})
    assert other["metric_errors"] == len(PICTURES)


def test_without_a_structure_there_are_no_text_metrics(evaluate, tmp_path):
    rendering = {"media_object": picture(tmp_path / "same.png", png()), "text": "a b c"}
    assert not TEXTS & set(evaluate(rendering, has_structure=False))
    failure = {"error": "syntax: no", "kind": "syntax", "log": ""}
    assert not TEXTS & set(evaluate(failure, has_structure=False))


def test_without_weights_neural_metrics_are_absent(evaluate, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "none"))
    rendered = evaluate({"media_object": picture(tmp_path / "same.png", png()), "text": "a b c"})
    failed = evaluate({"error": "syntax: no", "kind": "syntax", "log": ""})
    for name in comparison.NEURAL_METRICS:
        assert rendered[name] is None
        assert failed[name] is None
    assert rendered["metric_errors"] == 0


def test_with_weights_neural_metrics_are_scored(evaluate, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    for name, (_, file) in list(comparison.NEURAL_METRICS.items()):
        file.path.touch()
        monkeypatch.setitem(comparison.NEURAL_METRICS, name, (lambda *_, **__: 0.5, file))
    rendered = evaluate({"media_object": picture(tmp_path / "same.png", png()), "text": "a b c"})
    failed = evaluate({"error": "syntax: no", "kind": "syntax", "log": ""})
    for name in comparison.NEURAL_METRICS:
        assert rendered[name] == 0.5
        assert failed[name] == 0
