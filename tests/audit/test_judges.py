"""Judges are asked what is known: stubs that agree, that know all, and that prose or a sentence on a picture turns."""

import itertools
import operator
from dataclasses import replace

import pytest
from PIL import Image

from helm_structext.audit.cases import AuditCase
from helm_structext.audit.judge_tables import (
    accuracy,
    changed_share,
    false_no,
    false_yes,
    judge_findings,
    judge_tables,
    write_judge_page,
)
from helm_structext.audit.judges import (
    AGAIN,
    OTHERWISE,
    PLAIN,
    REVERSED,
    AgreeingJudge,
    ask_about,
    judge_case,
)
from helm_structext.audit.run import JUDGE_PAGE
from helm_structext.audit.smuggled import SMUGGLED
from helm_structext.cli import main
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.settings import choose_settings
from helm_structext.structeval.judge import JudgeReply, annotation

SETTINGS = choose_settings(count=1, seed=7, kinds=["diagram"], formats=["svg"], languages=["en"])


@pytest.fixture(scope="module")
def case():
    scene = draw_number(SETTINGS, "diagram", 0)
    return AuditCase(
        7, "diagram", 0, "svg", scene, write_number(SETTINGS, "diagram", 0, scene)["svg"], ()
    )


@pytest.fixture(scope="module")
def questions(case):
    return ask_about(case, SETTINGS)


class Scripted:
    """Replies what a function makes of the pairs and of the picture's size."""

    name = "me/judge"

    def __init__(self, reply):
        self.reply, self.asked = reply, 0

    def look(self, picture, pairs, protocol):
        self.asked += 1
        with Image.open(picture) as opened:
            text = self.reply(pairs, opened.size)
        return annotation(self.name, pairs, [JudgeReply(text, 90, 10)], protocol)


def numbered(verdicts) -> str:
    inside = ", ".join(f'"{at}": {str(one).lower()}' for at, one in enumerate(verdicts, 1))
    return f"{{{inside}}}"


def knowing(questions):
    true = {(one.question, one.answer) for one in questions if one.true}
    return lambda pairs, _: numbered((one["question"], one["answer"]) in true for one in pairs)


def test_half_of_the_answers_of_each_kind_are_true(questions):
    kinds = {one.kind for one in questions}
    assert kinds == {"text", "spelling", "type"}
    for kind in kinds:
        some = [one.true for one in questions if one.kind == kind]
        assert sum(some) * 2 == len(some)


def test_what_is_true_stands_in_the_scene_and_what_is_false_does_not(case, questions):
    for one in questions:
        known = case.scene.type if one.kind == "type" else "\n".join(case.texts)
        assert (one.answer in known) == one.true


def test_a_judge_that_knows_all_is_right_and_steady(case, questions):
    verdicts = judge_case(case, questions, Scripted(knowing(questions)))
    plain = [one for one in verdicts if one.way == PLAIN]
    assert accuracy(plain).value == 1
    assert {way: changed_share(verdicts, way).value for way in OTHERWISE} == dict.fromkeys(
        OTHERWISE, 0
    )
    assert len(judge_findings(verdicts)) == 1


def test_who_agrees_has_half_and_every_false_yes(case, questions):
    plain = [one for one in judge_case(case, questions, AgreeingJudge()) if one.way == PLAIN]
    assert (accuracy(plain).value, false_yes(plain).value, false_no(plain).value) == (0.5, 1, 0)


def test_a_judge_that_looks_at_the_first_question_alone_is_not_steady(case, questions):
    verdicts = judge_case(
        case, questions, Scripted(lambda pairs, _: numbered(at == 0 for at in range(len(pairs))))
    )
    assert changed_share(verdicts, REVERSED).value > 0
    assert any("Asked in the reverse order" in one for one in judge_findings(verdicts))


def test_a_judge_that_throws_a_coin_is_asked_the_same_again_and_says_something_else(
    case, questions
):
    calls = itertools.count()

    def turning(pairs, _):
        return numbered([next(calls) % 2 == 0] * len(pairs))

    verdicts = judge_case(case, questions, Scripted(turning))
    assert changed_share(verdicts, AGAIN).value == 1
    assert any("Asked again, 1.000" in one for one in judge_findings(verdicts))


def test_what_is_asked_again_is_shown_as_another_file(case, questions):
    shown = {}

    class Keeping(Scripted):
        def look(self, picture, pairs, protocol):
            shown.setdefault((picture, str(pairs)), len(shown))
            return super().look(picture, pairs, protocol)

    judge_case(case, questions, Keeping(lambda pairs, _: numbered(True for _ in pairs)))
    assert len(shown) == 5 + len(SMUGGLED), "no judge that keeps its replies is spared a question"


def is_touched(one, other):
    """Whether two pictures are the same but for one level of one pixel."""
    if one.size != other.size:
        return False
    return sum(map(operator.ne, one.tobytes(), other.tobytes())) <= 3


def test_a_judge_that_is_talked_into_verdicts_is_named(case, questions):
    plain, right = case.drawing.image.convert("RGB"), knowing(questions)

    class TalkedInto(Scripted):
        def look(self, picture, pairs, protocol):
            with Image.open(picture) as opened:
                same = is_touched(plain, opened.convert("RGB"))
            self.reply = right if same else lambda pairs, _: numbered(True for _ in pairs)
            return super().look(picture, pairs, protocol)

    verdicts = judge_case(case, questions, TalkedInto(right))
    said = judge_findings(verdicts)
    assert [name for name in SMUGGLED if not any(f"“{name}”" in one for one in said)] == []


def test_prose_is_no_verdict_and_no_false_no(case, questions):
    verdicts = judge_case(case, questions, Scripted(lambda *_: "It looks nice."))
    plain = [one for one in verdicts if one.way == PLAIN]
    assert {one.verdict for one in plain} == {None}
    assert (accuracy(plain).value, false_no(plain).value, false_yes(plain).value) == (0, 0, 0)
    (cost,) = [table for table in judge_tables(verdicts) if table.name == "cost"]
    assert cost.rows[0][0] == len(questions)


def test_what_was_said_is_not_asked_again(case, questions, tmp_path):
    judge = Scripted(knowing(questions))
    first = judge_case(case, questions, judge, tmp_path)
    asked = judge.asked
    assert judge_case(case, questions, judge, tmp_path) == first
    assert judge.asked == asked
    judge_case(replace(case, code=case.code + "\n"), questions, judge, tmp_path)
    assert judge.asked > asked


def test_the_command_writes_a_page(tmp_path, capsys):
    options = ["--kinds", "diagram", "--formats", "svg", "--count", "1", "--seed", "7"]
    folder = tmp_path / "out"
    assert main(["audit", "judge", "--judge", "stub", *options, "-o", str(folder)]) == 0
    page = (folder / JUDGE_PAGE).read_text(encoding="utf-8")
    assert page.startswith("# What stub sees")
    assert "1.000" in page
    assert str(folder / JUDGE_PAGE) in capsys.readouterr().out


def test_the_page_names_the_judge_and_the_command(case, questions):
    verdicts = judge_case(case, questions, AgreeingJudge())
    page = write_judge_page(verdicts, "stub", "helm-structext audit judge")
    assert "`helm-structext audit judge`" in page
    assert "Smuggled verdicts" in page
