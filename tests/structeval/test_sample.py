"""The embedded StructEval sample: complete, up to date, and provable from the oracle's answers."""

import importlib
import json
import sys
from collections import Counter
from functools import cache

import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw

from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.metrics import parse_structure, path_exists
from helm_structext.renderers import render_completion
from helm_structext.structeval.tasks import CODES, NAMES, TASKS
from support import ROOT

sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
build = importlib.import_module("build_structeval_sample")
proofs = importlib.import_module("support.structeval_proofs")

SUBJECTS = build.read_subjects()
built = cache(build.build)
SAMPLES = list(build.read_samples())
TEXTS = [sample for sample in SAMPLES if not sample.task.rendered]
PICTURES = [sample for sample in SAMPLES if sample.task.rendered]
# The same code answers several rows.
ORACLES = list({(s.subject.name, s.task.output): s for s in PICTURES}.values())
FORGIVING = {"markdown"}
"""Types of output that nothing makes fail."""


def name_of(sample):
    return f"{sample.subject.name}-{sample.task.output}"


# --- what is in the sample ---


def test_the_built_files_are_what_the_sources_say():
    for path, data in built().items():
        hint = f"{path} is old; run: .venv/bin/python scripts/build_structeval_sample.py"
        if path.suffix == ".parquet":  # other versions of pyarrow write other bytes
            table = pq.read_table(path)
            assert table.schema.equals(build.SCHEMA), hint
            assert table.to_pylist() == [sample.record() for sample in SAMPLES], hint
        else:
            assert path.read_bytes() == data, hint


def test_the_same_sources_give_the_same_bytes():
    assert build.build() == built()


def test_the_sample_is_small():
    assert sum(path.stat().st_size for path in built()) < 500_000


def test_every_task_has_two_rows_or_more():
    rows = Counter(sample.task.name for sample in SAMPLES)
    assert min(rows[task.name] for task in TASKS.values()) >= 2


def test_every_type_with_pictures_has_six_oracle_answers():
    counts = Counter(sample.task.output for sample in ORACLES)
    assert min(counts.values()) >= 6


def test_rows_follow_the_published_schema():
    ids = [sample.task_id for sample in SAMPLES]
    assert len(set(ids)) == len(ids)
    for sample in SAMPLES:
        row = sample.record()
        assert row["task_id"][:4] == CODES[sample.task.input] + CODES[sample.task.output]
        assert NAMES[sample.task.output] == row["output_type"]
        assert ("<code>" in row["query"]) == (sample.task.input != "text")
        assert bool(row["feature_requirements"]) == (sample.task.input == "text")
        assert row["feature_requirements"] in row["query"]
        assert len(row["VQA"]) >= 3 if row["rendering"] else not row["VQA"]
        assert len(row["raw_output_metric"]) >= 5
        assert len(set(row["raw_output_metric"])) == len(row["raw_output_metric"])


def test_every_source_is_used():
    for subject in SUBJECTS:
        tasks = [TASKS[slug] for slug in subject.facts["rows"]]
        used = {type_ for task in tasks for type_ in (task.input, task.output)} - {"text"}
        assert used == set(subject.codes), subject.name


def test_some_texts_are_not_in_english_letters():
    assert sum(not sample.code.isascii() for sample in SAMPLES) > len(SAMPLES) / 2


# --- the metrics fit the oracle ---


@pytest.mark.parametrize("sample", TEXTS, ids=lambda s: f"{s.task_id}-{s.subject.name}")
def test_every_path_exists_in_the_oracle_and_what_it_converts(sample):
    structure = parse_structure(sample.code, sample.task.output)
    missing = [p for p in sample.subject.metric(sample.task) if not path_exists(structure, p)]
    assert missing == []
    if not {"csv", "text"} & {sample.task.input, sample.task.output}:
        given = parse_structure(sample.subject.codes[sample.task.input], sample.task.input)
        assert all(path_exists(given, path) for path in sample.subject.facts["paths"])


@pytest.mark.parametrize("sample", PICTURES, ids=lambda s: f"{s.task_id}-{s.subject.name}")
def test_every_keyword_is_in_the_oracle(sample):
    code = sample.code.lower()
    assert [key for key in sample.subject.metric(sample.task) if key.lower() not in code] == []


def test_renamed_keys_and_other_subjects_fail_the_paths():
    for sample in TEXTS:
        careful = extract(sample.careful(), sample.task.output)
        other = next(s for s in TEXTS if s.task == sample.task and s.subject is not sample.subject)
        for code, least in ((careful, 1), (other.code, 3)):
            structure = parse_structure(code, sample.task.output)
            paths = sample.subject.metric(sample.task)
            assert sum(not path_exists(structure, path) for path in paths) >= least


# --- the pictures prove the answers ---


@pytest.fixture(scope="module")
def picture_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    pictures = {}

    def picture(sample):
        key = name_of(sample)
        if key not in pictures:
            drawn = render_completion(
                sample.task.format, build.tagged(sample.code), protocol="corrected", cache=folder
            )
            pictures[key] = proofs.Picture(drawn.image)
        return pictures[key]

    return picture


@pytest.mark.parametrize("sample", ORACLES, ids=name_of)
def test_the_picture_proves_each_answer_and_no_other_answer_of_its_row(sample, picture_of):
    picture = picture_of(sample)
    pairs = sample.subject.facts["vqa"]
    for pair in pairs:
        assert proofs.holds(picture, pair["proof"], pair["answer"]), pair["question"]
    # To read the picture in yet other ways takes seconds and shows no more of the answers.
    picture.read_no_more()
    answers = {pair["answer"] for pair in pairs}
    for pair in pairs:
        proven = {a for a in answers if proofs.holds(picture, pair["proof"], a)}
        assert {" ".join(proofs.tokens(a)) for a in proven} == {
            " ".join(proofs.tokens(pair["answer"]))
        }, pair["question"]


def test_another_picture_proves_little(picture_of):
    for sample in ORACLES[:3]:
        other = next(s for s in ORACLES if s.subject is not sample.subject)
        pairs = sample.subject.facts["vqa"]
        proven = [p for p in pairs if proofs.holds(picture_of(other), p["proof"], p["answer"])]
        assert len(proven) <= len(pairs) / 3


def test_an_empty_picture_proves_nothing():
    picture = proofs.Picture(Image.new("RGB", (400, 300), "white"))
    ImageDraw.Draw(picture.image).rectangle((10, 10, 20, 20), "red")
    for proof in ("…", "^ …", {"count": "a"}, {"below": "a"}, {"ground": "a"}, {"areas": "blue"}):
        assert not proofs.holds(picture, proof, "3")


# --- the replays ---


def test_the_careful_model_makes_one_small_mistake():
    for sample in SAMPLES:
        careful = extract(sample.careful(), sample.task.format)
        assert careful != sample.code.strip()
        assert len(careful) > 0.9 * len(sample.code)


def test_the_replays_answer_every_row():
    for path in built():
        if path.suffix == ".jsonl":
            lines = path.read_text("utf-8").splitlines()
            assert [json.loads(line)["instance"] for line in lines] == [
                sample.task_id for sample in SAMPLES
            ]


def test_every_fault_of_a_text_makes_it_unparsable():
    for sample in TEXTS:
        faults = build.read_faults()[sample.task.output]
        for name, code in build.broken_codes(sample.code, faults).items():
            with pytest.raises(RenderError) as caught:
                parse_structure(code, sample.task.output)
            assert caught.value.kind == "syntax", (sample.subject.name, name)


FAULTS = [
    (type_, fault)
    for type_, faults in build.read_faults().items()
    for fault in faults
    if any(sample.task.output == type_ for sample in ORACLES)
]


def test_every_type_with_pictures_has_six_faults():
    counts = Counter(type_ for type_, _ in FAULTS)
    for sample in ORACLES:
        assert counts[sample.task.output] >= 6 or sample.task.output in FORGIVING


KINDS = {"nothing": "empty", "unknown package": "missing", "unknown class": "missing"}
"""How the names of faults begin → the kind of error, where it is another than ``syntax``."""


@pytest.mark.parametrize(("type_", "fault"), FAULTS)
def test_every_fault_makes_the_renderer_fail_with_a_reason(type_, fault):
    rule = {fault: build.read_faults()[type_][fault]}
    codes = [build.broken_codes(s.code, rule).get(fault) for s in ORACLES if s.task.output == type_]
    code = next(code for code in codes if code)
    sample = next(s for s in ORACLES if s.task.output == type_)
    with pytest.raises(RenderError) as caught:
        render_completion(sample.task.format, build.tagged(code))
    expected = next((kind for start, kind in KINDS.items() if fault.startswith(start)), "syntax")
    assert caught.value.kind == expected, caught.value.message
    assert len(caught.value.message) > 10
