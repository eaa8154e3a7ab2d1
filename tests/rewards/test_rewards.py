"""Rewards of real renderings: kinds of references, failures of both sides, and the values of HELM's runs."""

import asyncio
import io
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from helm_structext import rewards
from helm_structext.benchmarks import run_of_entry
from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.image2struct.picture_scores import Scores
from helm_structext.image2struct.rows import read_problem, rows_of
from helm_structext.image2struct.scorer import scorer as image2struct_scorer
from helm_structext.image2struct.scores import (
    DISTANCES,
    LAYOUT_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
)
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.renderers import engine_of, render, render_completion
from helm_structext.rewards import (
    GUARDS,
    MMRReward,
    NotScored,
    Reference,
    Reward,
    RewardResult,
    StructEvalReward,
    base,
    pictures,
    references,
)
from helm_structext.rewards.queue import WorkQueue
from helm_structext.rewards.references import as_reference, known
from helm_structext.rewards.result import Measured
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Door, InstanceKey

CODE = r"\begin{tabular}{cc} a & b \\ c & d \end{tabular}"
EMS = {"earth_mover_similarity": 1.0}


def png(picture) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


@pytest.fixture(scope="module")
def picture():
    return render("latex", CODE, protocol="corrected").image


@pytest.fixture
def reward():
    return Reward("latex", components=EMS)


@pytest.mark.parametrize("kind", ["path", "bytes", "image", "code", "reference"])
def test_a_reference_is_a_picture_in_any_form_or_code(kind, picture, reward, tmp_path):
    path = tmp_path / "page.png"
    path.write_bytes(png(picture))
    given = {
        "path": path,
        "bytes": png(picture),
        "image": picture,
        "code": CODE,
        "reference": Reference(code=CODE, text="anything"),
    }[kind]
    result = reward(CODE, given)
    assert (result.score, result.error_kind) == (1.0, None)
    assert result.worked > 0


def test_a_picture_that_many_share_is_read_once(tmp_path, monkeypatch, picture):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    large = Image.effect_noise((900, 900), 60).convert("RGB")
    for _ in range(3):
        shared = Image.open(io.BytesIO(png(large)))  # Its pixels are read when they are asked for.
        with ThreadPoolExecutor(8) as threads:
            found = {*threads.map(lambda _, shared=shared: references._encoded(shared), range(16))}
        (encoded,) = found
        assert Image.open(io.BytesIO(encoded)).tobytes() == large.tobytes()


def test_a_drawing_without_words_is_as_similar_as_can_be():
    code = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="90" height="60"/></svg>'
    result = Reward("svg", rewards.PRESETS["structure"])(code, code)
    assert (result.score, result.message) == (1.0, "")


def test_a_group_of_completions_waits_for_its_reference(reward, monkeypatch):
    codes = [rf"$\beta$ % of group {number}" for number in range(2)]
    asked = []
    monkeypatch.setattr(
        Reward, "measure", lambda _, completion, reference: asked.append(reference) or Measured({})
    )
    monkeypatch.setattr(base, "work_queue", lambda: WorkQueue(1))
    different = [f"$x$ % {number}" for number in range(6)]
    reward(different, [codes[0]] * 3 + [codes[1]] * 3)
    assert asked == codes * 3


def test_a_reference_of_code_is_rendered_once(reward, monkeypatch):
    code = r"$\alpha$ % rendered here for the first time"
    assert reward("$x$", code).score is not None

    def fail(*_, **__):
        raise AssertionError("rendered again")

    monkeypatch.setattr("helm_structext.renderers._render", fail)
    assert known(as_reference(code), "latex", "corrected").picture.is_file()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (b"no picture", "no picture that can be read"),
        (Path("/nowhere/at/all.png"), "can't be read"),
        (r"\undefined", "does not render"),
        (Reference(), "neither a picture nor code"),
        (Image.new("F", (9, 9)), "no picture that can be read"),
        (17, "not int"),
    ],
)
def test_a_bad_reference_is_not_the_completions_fault(reward, given, says):
    result = reward(CODE, given)
    assert (result.score, result.error_kind) == (None, "reference")
    assert says in result.message


def test_metrics_of_text_need_code_before_anything_is_rendered(picture, monkeypatch):
    monkeypatch.setattr(pictures, "render_completion", None)
    result = Reward("latex", rewards.PRESETS["structure"])(CODE, picture)
    assert (result.score, result.error_kind) == (None, "reference")
    assert "levenshtein_similarity need code" in result.message


def test_a_copy_of_all_text_is_no_reply():
    copy = "EMMA " * 100
    result = MMRReward("text", failure=-1.0)(copy, "Emma")
    assert (result.score, result.error_kind, dict(result.components)) == (-1, "text", {"pnls": 0})
    assert MMRReward("text", guards=())(copy, "Emma").score == 1
    assert MMRReward("choice")(f"2 {copy}", "2").error_kind != "text"


def test_the_name_of_a_file_is_not_taken_for_code(tmp_path):
    path = tmp_path / "page.png"
    path.write_bytes(b"")
    with pytest.raises(TypeError, match=r"pathlib\.Path"):
        as_reference(str(path))


def test_failures_of_completions_have_kinds_and_the_score_of_a_failure():
    reward = Reward("latex", components={**EMS, "block_emd": -0.1}, failure=-1.0)
    results = reward(
        [CODE, r"\nothing", "", f"{CODE} % {'iVBORw0KGgo' * 500}", r"\hspace{1pt}"], [CODE] * 5
    )
    assert [result.error_kind for result in results] == [
        *(None, "syntax", "empty", "embedded"),
        results[4].error_kind,
    ]
    assert results[4].error_kind in ("blank", "empty", "size")
    assert [result.score for result in results[1:]] == [-1.0] * 4
    assert dict(results[1].components) == {"earth_mover_similarity": 0.0, "block_emd": None}


def test_without_guards_nothing_is_refused(picture):
    blank = Image.new("RGB", picture.size, "white")
    trusting = Reward("latex", components=EMS, guards=())
    assert trusting(r"\rule{0pt}{9pt}\hspace{1cm}x", blank).error_kind is None
    assert (
        Reward("latex", components=EMS)(rf"{CODE}\vspace{{10cm}}\\ x", picture).error_kind == "size"
    )


@pytest.mark.parametrize(
    ("error", "kind"), [(SetupError("no space"), "setup"), (ZeroDivisionError("0"), "internal")]
)
@pytest.mark.parametrize("stage", ["known", "render_completion", "page", "run_in_process"])
def test_a_machines_failure_at_any_stage_is_never_a_score(
    stage, error, kind, reward, monkeypatch, caplog
):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(pictures, stage, fail)
    with caplog.at_level(logging.CRITICAL, "helm.structext"):
        result = reward(CODE, CODE)
        assert (result.score, result.error_kind) == (None, kind)
        with pytest.raises(NotScored, match=kind):
            Reward("latex", components=EMS, machine_failures="raise")([CODE], [CODE])


def test_a_metric_that_fails_leaves_no_score(reward, monkeypatch, caplog):
    monkeypatch.setattr(
        pictures, "run_in_process", lambda *_: Scores({}, {"earth_mover_similarity": "internal: x"})
    )
    assert reward(CODE, CODE).score is None
    assert reward(CODE, CODE).error_kind == "internal"


def test_texts_are_compared_with_those_of_code():
    reward = Reward("latex", components={"edit_similarity": 1.0})
    assert reward(CODE, CODE).score == 1.0
    assert 0 < reward(CODE.replace("d \\end", "e \\end"), CODE).score < 1


def test_values_are_those_of_runs():
    _, run = run_of_entry("image2struct_latex:subset=equation,source=sample,protocol=corrected")
    scorer = image2struct_scorer(run.arguments, Door())
    domain = DOMAINS[run.arguments.domain]
    problems = [
        read_problem(row, domain, "equation")
        for row in rows_of("image2struct_latex", "equation", "all", "sample")
    ][:2]
    found = dict(scorer.find([problem.uuid for problem in problems]))
    names = [*PICTURE_METRICS, *TEXT_METRICS]
    weights = {name: -1.0 if name in DISTANCES else 1.0 for name in names}
    reward = Reward("latex", components=weights, guards=(), failure=-float(len(DISTANCES)))
    for problem in problems:
        for completion in (problem.oracle, problem.oracle.replace("=", "+"), r"\broken", "$x$"):
            reference = Reference(problem.picture, text=problem.text, assets=problem.assets)
            result = reward(completion, reference)
            scored = scorer.score(found[InstanceKey("equation", problem.uuid)], completion)
            assert scored.error_kind == result.error_kind
            for name in names:
                expected = scored.scores.get(name)
                assert result.components[name] == expected or (
                    name in DISTANCES and expected is None
                )
            assert scored.scores[INTERNAL_ERROR] == 0


def test_structeval_and_mmr_have_results_of_the_same_shape(monkeypatch):
    judged = []

    class Judge:
        parsed = True

        def look(self, picture, pairs, protocol):
            assert protocol == "corrected"
            judged.append((picture, list(pairs)))
            return {
                **{"vqa_score": 0.5, "parsed": self.parsed, "requests": 1},
                **{"prompt_tokens": None, "completion_tokens": None},
            }

    pair = {"question": "Which letter?", "answer": "x"}
    reward = StructEvalReward("text_to_typst", judge=Judge())
    result = reward("<|BEGIN_CODE|>x<|END_CODE|>", {"raw_output_metric": ["x"], "VQA": [pair]})
    assert isinstance(result, RewardResult)
    assert result.score == pytest.approx(0.2 + 0.1 + 0.7 * 0.5)
    assert judged[0][0].suffix == ".png"
    assert judged[0][1] == [pair]

    # What can't be read is not the completion's fault.
    monkeypatch.setattr(Judge, "parsed", False)
    unread = reward("<|BEGIN_CODE|>x<|END_CODE|>", {"raw_output_metric": ["x"], "VQA": [pair]})
    assert (unread.score, unread.error_kind) == (None, "judge")
    judged.pop()

    # Asked where it is needed alone, and about something.
    assert reward("<|BEGIN_CODE|>x<|END_CODE|>", ["x"]).error_kind == "reference"
    without = StructEvalReward("text_to_typst", {"syntax_score": 1.0}, judge=Judge())
    assert without("<|BEGIN_CODE|>x<|END_CODE|>", ["x"]).score == 1.0
    assert len(judged) == 1
    with pytest.raises(ValueError, match="vqa_score of text_to_typst needs a judge"):
        StructEvalReward("text_to_typst", {"vqa_score": 1.0})
    with pytest.raises(ValueError, match=r"expected some of .*path_score"):
        StructEvalReward("text_to_json", {"vqa_score": 1.0}, judge=Judge())
    with_size = MMRReward("box", components={"iou_lenient": 1.0}, lenient="pixel")
    assert with_size("[0, 0, 50, 50]", ("[0.0, 0.0, 0.5, 0.5]", (100, 100))).score == 1.0
    assert with_size("[0, 0, 50, 50]", "[0.0, 0.0, 0.5, 0.5]").error_kind == "reference"
    assert MMRReward("choice")("2", "nonsense").error_kind == "reference"
    for wrong in ("title", [], ["a[["], [1], None):
        assert StructEvalReward("text_to_json")("{}", wrong).error_kind == "reference"


def test_it_can_be_awaited_and_asked_as_results_come():
    reward = MMRReward("text")
    replies, answers = ["Emma", "Anna", '"Emma"'], ["Emma"] * 3
    results = reward(replies, answers)
    assert [result.score for result in results][::2] == [1.0, 1.0]

    async def main():
        found = {n: r.score async for n, r in reward.as_completed_async(replies, answers)}
        return await reward.score(replies, answers), found

    awaited, found = asyncio.run(main())
    scores = [result.score for result in results]
    assert [result.score for result in awaited] == scores
    assert found == dict(enumerate(scores))
    assert {n: r.score for n, r in reward.as_completed(replies, answers)} == found


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Reward("latx", EMS), "format is 'latx'"),
        (lambda: Reward("json", EMS), "format is 'json'"),
        (
            lambda: Reward("latex", {"ems": 1.0}),
            "expected some of compilation_success, earth_mover",
        ),
        (lambda: Reward("latex", {"edit_similarty": 1.0}), "did you mean edit_similarity"),
        (lambda: Reward("latex", {"block_emd": float("nan")}), "finite"),
        (lambda: Reward("latex", EMS, failure=float("inf")), "failure"),
        (lambda: Reward("latex", EMS, failure=0.1), "at most 0, .* must not be the better answer"),
        (lambda: Reward("latex", {**EMS, "block_emd": -1.0}), "failure is 0; expected at most -1,"),
        (lambda: Reward("latex", EMS, timeout=0), "timeout"),
        (lambda: Reward("latex", EMS, batch_seconds=-1), "batch_seconds"),
        (lambda: Reward("latex", EMS, guards=["blnk"]), "guard"),
        (lambda: Reward("latex", EMS, guards="text"), "guards: expected a list of names"),
        (lambda: Reward("latex", EMS, guards=3), "guards: expected a list of names"),
        (lambda: Reward("latex", {"block_emd": 1.0}), "less of it is better"),
        (lambda: Reward("latex", EMS, protocol="new"), "protocol"),
        (lambda: Reward("latex", EMS, size_handling="crop"), "size_handling"),
        (lambda: Reward("latex", EMS, machine_failures="0"), "machine_failures"),
        (lambda: StructEvalReward("text_to_word"), "task"),
        (lambda: StructEvalReward("text_to_svg", timeout=0), "timeout"),
        (lambda: MMRReward("poem"), "kind"),
        (lambda: MMRReward("box", lenient="inch"), "lenient"),
        (lambda: MMRReward("text")(["a", "b"], ["a"]), "as many of both"),
        (lambda: Reward("latex", {"lpips_similarity": 1.0}), "weights fetch"),
    ],
)
def test_wrong_arguments_are_said(make, says, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    with pytest.raises((ValueError, SetupError), match=says):
        make()


def test_completions_must_be_texts():
    with pytest.raises(TypeError, match=r"completions\[1\]"):
        MMRReward("text")(["a", None], ["a", "a"])


def test_a_page_with_the_right_boxes_and_no_words_has_failed_or_less_than_half_of_the_words():
    box = "<p style='width:300px;height:40px;background:#eef;border:1px solid'>%s</p>"
    words, none = (box % text * 4 for text in ("Ten words are here", "&nbsp;"))
    half = box % "Ten words are here" * 2 + box % "&nbsp;" * 2
    picture = png(render("html", words).image)
    right, tricked = Reward("html")([words, none], [picture] * 2)
    assert (right.score, tricked.score, tricked.error_kind) == (1.0, 0.0, "text")
    assert "0 marks that look like letters" in tricked.message
    # By code it is known what is to be read.
    right, partly, tricked = Reward("html")([words, half, none], [words] * 3)
    assert (right.score, tricked.error_kind) == (1.0, None)
    assert 0 < tricked.score < partly.score < 1


SUBJECTS = {
    "notes": ("lilypond", "\\relative c' { c4 d e f }"),
    "chart": (
        "matplotlib",
        "import matplotlib.pyplot as plt\nplt.bar(['A', 'B', 'C'], [1, 3, 2])\nplt.title('Rain')",
    ),
}


@pytest.mark.parametrize("preset", rewards.PRESETS)
def test_presets_sum_to_one_and_need_no_weights(preset):
    components = rewards.PRESETS[preset]
    format, code = SUBJECTS.get(preset, ("latex", CODE))
    assert sum(components.values()) == pytest.approx(1)
    assert Reward(format, components)(code, code).score == pytest.approx(1)
    assert set(GUARDS) == set(Reward(format, components).guards)


def test_failing_does_not_pay_under_the_preset_but_under_the_published_one():
    """A blank page, where the page has a dark top."""
    page = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">{}</svg>'
    dark, blank = page.format('<rect width="200" height="80"/>'), page.format("")
    score = {
        name: Reward("svg", rewards.PRESETS[name], guards=())(blank, dark).score
        for name in ("image", "image_published")
    }
    assert score["image_published"] < 0 <= score["image"]


def test_a_reward_of_layouts_sees_what_a_picture_hides():
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200">{}</svg>'
    right = drawing.format(
        '<rect width="90" height="60" fill="teal"/><text y="90">Year 2024</text>'
    )
    wrong = right.replace("2024", "2042")
    empty = drawing.format('<rect width="90" height="60" fill="teal"/>')
    reward = Reward("svg", {"layout_similarity": 1.0})
    whole, digit, none = (result.score for result in reward([right, wrong, empty], [right] * 3))
    assert whole == 1
    assert none < digit < 0.99
    picture = Reward("svg", {"layout_similarity": 1.0})(right, png_bytes())
    assert picture.score is None
    assert "needs code" in picture.message
    assert Reward("svg", rewards.PRESETS["layout"])(right, right).score == 1


def test_what_is_compared_by_default_is_what_the_reference_has(monkeypatch):
    page = '<svg xmlns="http://www.w3.org/2000/svg"><text y="40">Rain</text></svg>'
    drawn = png(render("svg", page, protocol="corrected").image)
    reward = Reward("svg")
    coded, drawn_alone = reward([page, page], [page, drawn])
    assert (coded.score, drawn_alone.score) == (1, 1)
    assert coded.components.keys() == rewards.preset_for("svg").keys()
    assert drawn_alone.components.keys() == rewards.PRESETS["image"].keys()
    assert reward(page, b"no picture").error_kind == "reference"
    assert reward("<svg", drawn).score == 0
    asked = Reward("svg", {"layout_similarity": 1.0})(page, drawn)
    assert (asked.score, asked.error_kind) == (None, "reference")
    monkeypatch.setitem(LAYOUT_METRICS, "layout_similarity", lambda *layouts: None)
    assert reward(page, page).components.keys() == rewards.PRESETS["image"].keys()


def test_a_plot_without_data_is_compared_by_its_layout():
    plot = "plt.plot([1, 2, 4]); plt.title('Rain')"
    words = "plt.figtext(0.5, 0.5, 'No rain')"
    results = Reward("matplotlib")([plot, words, words], [plot, words, plot])
    assert [result.score for result in results[:2]] == [pytest.approx(1), pytest.approx(1)]
    assert [result.components.keys() for result in results] == [
        rewards.PRESETS[name].keys() for name in ("chart", "layout", "chart")
    ]
    assert results[2].score < 0.5


def test_a_completion_can_not_choose_to_be_unscored_by_a_page_that_can_not_be_told(monkeypatch):
    reason = "the page has more than 50,000 nodes"

    def draw(*args, **options):
        return replace(render_completion(*args, **options), layout=None, layout_reason=reason)

    monkeypatch.setattr(pictures, "render_completion", draw)
    page = '<svg xmlns="http://www.w3.org/2000/svg"><text y="40">Rain</text></svg>'
    result = Reward("svg", rewards.PRESETS["layout"])(page, page)
    assert result.score == pytest.approx(0.4)
    assert (result.error_kind, result.components["layout_similarity"]) == (None, 0)


def test_a_page_that_kills_what_reads_it_has_nothing_by_components_of_layouts():
    page = "<!DOCTYPE html><p>Rain</p>"
    deadly = """<script>Object.defineProperty(window, 'Chart', {get() {
        const a = []; for (;;) a.push(new Array(3e7).fill(0))}})</script>"""
    result = Reward("html", rewards.PRESETS["layout"], findings=True)(page + deadly, page)
    assert "reading what is on it: the engine died each time" in result.findings.reason
    assert result.score == pytest.approx(0.4)
    assert result.components["layout_similarity"] == 0


def test_a_reward_says_what_is_wrong_where_it_is_asked():
    page = '<svg xmlns="http://www.w3.org/2000/svg"><text y="40">{}</text></svg>'
    right, wrong = page.format("Rain"), page.format("Rian")
    found = Reward("svg", findings=True)(wrong, right).findings
    assert found.sentence == '1 of 1 texts misspelt ("Rian" for "Rain").'
    assert Reward("svg")(wrong, right).findings is None
    assert Reward("svg", findings=True)("no picture", right).findings is None
    alone = Reward("svg", findings=True)(right, png(render("svg", right).image))
    assert alone.score is not None
    assert "needs code" in alone.findings.reason


def test_what_the_reference_has_nothing_of_is_no_fault_of_the_answer(monkeypatch):
    monkeypatch.setitem(LAYOUT_METRICS, "layout_similarity", lambda *layouts: None)
    result = Reward("latex", {"layout_similarity": 1.0})(CODE, CODE)
    assert (result.score, result.error_kind) == (None, "reference")
    assert "nothing that layout_similarity could compare" in result.message


@pytest.mark.parametrize("format", rendered_formats())
def test_each_format_has_a_preset_that_its_engine_can_tell(format):
    assert rewards.preset_for(format) in rewards.PRESETS.values()
    assert engine_of(format).draw_with_layout is not None


def png_bytes() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (9, 9)).save(file, "PNG")
    return file.getvalue()
