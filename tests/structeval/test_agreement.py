"""How far judges agree with each other and with people, on verdicts made by hand."""

import csv
import random
from pathlib import Path
from typing import Any

import pytest

from helm_structext.errors import SetupError
from helm_structext.results.agreement import cohens_kappa
from helm_structext.results.tabular import Table
from helm_structext.structeval.agreement import (
    Asked,
    PairKey,
    agreement_tables,
    asked_pairs,
    choose_judges,
    draw_pairs,
    read_labels,
    read_unfair,
    score_agreement,
    verdicts_of,
    write_labels,
)
from helm_structext.structeval.evaluations import ItemScore
from support.structeval_answers import OCR, VLM, answer

T, F, N = True, False, None


def judged(task: str, *verdicts: bool | None, **changes: Any) -> Any:
    pairs = [{"question": f"Which word is number {n}?", "answer": str(n)} for n in range(9)]
    fields = {"pairs": pairs[: len(verdicts)], "verdicts": list(verdicts), "judge_reply": "{}"}
    return answer("m", task, 0.5, **{**fields, **changes})


@pytest.fixture
def pairs() -> dict[PairKey, Asked]:
    return asked_pairs(
        [
            judged("text_to_html", T, T, F, F, judge=VLM),
            judged("text_to_html", T, F, F, N, judge=OCR),
            judged("text_to_svg", F, T, judge=VLM, instance="001200"),
            judged("text_to_svg", T, T, judge=OCR, instance="001200"),
            judged("text_to_svg", N, N, judge=VLM, instance="2", judge_reply=None),
        ]
    )


def cells(table: Table) -> dict[Any, list[Any]]:
    return {row[0]: list(row[1:]) for row in table.rows}


def test_two_judges_are_compared_by_format(pairs):
    (table,) = agreement_tables(pairs, VLM, OCR, verdicts_of(pairs, OCR))
    found = cells(table)
    # Accuracy 3 of 4, by chance 1/2: (0.75 - 0.5) / 0.5.
    assert found["HTML"] == [4, 0, 0.5, 0.25, 0.75, 0.5]
    assert found["SVG"] == [2, 0, 0.5, 1.0, 0.5, 0.0]
    assert found["all"] == [6, 0, 0.5, 0.5, pytest.approx(4 / 6), pytest.approx(1 / 3)]
    assert "structext/ocr-judge is NOT COMPARABLE" in table.note


def test_what_had_no_picture_was_not_judged(pairs):
    assert not any(key.instance == "2" for key in pairs)


def test_unfair_pairs_are_left_out_and_counted_as_in_table_3(pairs):
    unfair = [PairKey("m", "000100", 2), PairKey("m", "001200", 2)]
    first, second = agreement_tables(pairs, VLM, OCR, verdicts_of(pairs, OCR), unfair)
    assert cells(first)["all"][:2] == [4, 2]
    assert cells(first)["HTML"] == [3, 1, pytest.approx(1 / 3), pytest.approx(1 / 3), 1.0, 1.0]
    assert cells(second) == {
        "Correct": [1, 3, 4, 0.75],
        "Wrong": [1, 1, 2, 0.5],
        "Total": [2, 4, 6, pytest.approx(4 / 6)],
        "Accuracy": [0.5, 0.75, pytest.approx(4 / 6), None],
    }


def test_table_3_gives_the_published_accuracies():
    """Table 3: 347 of 353 fair pairs are right (98.30%), and 6 of 45 unfair ones."""
    numbers = range(1, 399)
    key = {number: PairKey("m", "000400", number) for number in numbers}
    pairs = {key[n]: Asked(judged("text_to_html"), {VLM: T}) for n in numbers}
    right = {key[n]: n <= 347 or 353 < n <= 359 for n in numbers}
    unfair = [key[n] for n in numbers if n > 353]
    (_, table) = agreement_tables(pairs, VLM, "people", right, unfair)
    found = cells(table)
    assert found["Correct"][:2] == [6, 347]
    assert found["Accuracy"][1] == pytest.approx(0.9830, abs=5e-5)
    assert found["Correct"][3] == pytest.approx(0.983, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_what_scikit_learn_computes(seed):
    from sklearn.metrics import cohen_kappa_score

    rng = random.Random(seed)
    raters = [(rng.random() < 0.7, rng.random() < 0.4) for _ in range(60)]
    assert cohens_kappa(raters) == pytest.approx(cohen_kappa_score(*zip(*raters, strict=True)))


def test_kappa_is_not_known_where_nothing_could_differ():
    assert cohens_kappa([]) is None
    assert cohens_kappa([(T, T), (T, T)]) is None


def test_judges_are_those_of_the_suite_or_those_that_are_named(pairs):
    assert choose_judges(pairs, [], 2) == (VLM, OCR)
    assert choose_judges(pairs, [OCR, VLM], 2) == (OCR, VLM)
    assert choose_judges(pairs, [OCR], 1) == (OCR,)
    for names, number in (([], 1), ([VLM], 2), ([VLM, VLM], 2), (["me/nobody"], 1)):
        with pytest.raises(SetupError, match=f"expected {number} of the suite's judges .*--judges"):
            choose_judges(pairs, names, number)


def test_judges_of_different_pictures_are_not_compared():
    one = judged("text_to_html", T, judge=VLM)
    with pytest.raises(SetupError, match="saw different pictures"):
        asked_pairs([one, judged("text_to_html", T, judge=OCR, completion="other")])
    with pytest.raises(SetupError, match="suites of their own"):
        asked_pairs([one, judged("text_to_html", T, conditions={"protocol": "corrected"})])


# Files of people


def test_a_file_is_written_filled_in_and_read(pairs, tmp_path):
    path = tmp_path / "labels.csv"
    write_labels(path, pairs)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert rows[1]["question"] == "Which word is number 1?"
    assert not any(verdict in path.read_text().lower() for verdict in ("true", "false"))
    for row, label, fair in zip(
        rows,
        ["true", "FALSE", "null", "", "true", ""],
        ["", "no", "", "", "true", "false"],
        strict=True,
    ):
        row |= {"label": label, "fair": "false" if fair == "no" else fair}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    labels = read_labels(path, pairs)
    html, svg = (lambda n: PairKey("m", "000100", n)), (lambda n: PairKey("m", "001200", n))
    assert labels.verdicts == {html(1): T, html(2): F, html(3): N, svg(1): T}
    assert labels.unfair == {html(2), svg(2)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model,instance,pair\nm,000100,1\n", "row 1: no column label"),
        ("model,instance,pair,label\nm,000100\n", "row 1: no column pair, label"),
        ("model,instance,pair,label\nm,000100,0,true\n", "pair is '0'"),
        ("model,instance,pair,label\nm,000100,one,true\n", "pair is 'one'"),
        ("model,instance,pair,label\nm,000100,5,true\n", "no judge was asked about m, 000100, 5"),
        ("model,instance,pair,label\nm,000100,1,yes\n", "label is 'yes', expected true, false"),
        ("model,instance,pair,label,fair\nm,000100,1,true,?\n", r"fair is '\?'"),
        (
            "model,instance,pair,label\nm,000100,1,true\nm,000100,1,null\n",
            "row 2: an earlier row has another label",
        ),
        ("model,instance,pair,label\nm,000100,1,\n", "no label yet"),
        ("", "no label yet"),
    ],
)
def test_a_wrong_file_says_where(pairs, tmp_path, text, reason):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(SetupError, match=reason):
        read_labels(path, pairs)


def test_a_file_that_is_missing_or_no_text_is_named(pairs, tmp_path):
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("absent.csv", "binary.csv"):
        with pytest.raises(SetupError, match=f"{name} can't be read as CSV"):
            read_labels(tmp_path / name, pairs)


def test_unfair_questions_are_unfair_for_every_model(pairs, tmp_path):
    path: Path = tmp_path / "unfair.csv"
    path.write_text("instance,pair,why\n000100,2,not to be seen\n999999,1,of another sample\n")
    assert read_unfair(path, pairs) == {PairKey("m", "000100", 2)}


def test_a_sample_of_pairs_is_drawn_and_is_the_same_in_any_order(pairs):
    found = draw_pairs(pairs, 3, 1)
    assert len(found) == 3
    assert found.items() <= pairs.items()
    assert draw_pairs(dict(reversed(pairs.items())), 3, 1) == found
    assert draw_pairs(pairs, 100, 1) == pairs


def test_where_verdicts_are_not_known_scores_bound_how_many_are_the_same():
    def scores(*values):
        return {
            f"{n:06}": ItemScore("text_to_svg", float(value > 0.1), value)
            for n, value in enumerate(values)
        }

    one, other = scores(0.95, 0.6, 0.3, 0.1), scores(0.6, 0.95, 0.3, 0.1)
    every, svg = score_agreement(one, other, ("a", "b")).rows
    assert every[1:] == svg[1:]
    assert every[1:4] == [3, pytest.approx(1.85 / 3), pytest.approx(1.85 / 3)]
    assert every[4:] == [pytest.approx(value) for value in (1 / 3, 0.5 / 3, 0.5 / 3, 2 / 3)]
    nothing = score_agreement(one, {}, ("a", "b")).rows
    assert nothing == [["all", 0, *[None] * 6]]
