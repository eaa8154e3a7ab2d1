"""What is said of one completion."""

import json

import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.explain import Cut, explain
from helm_structext.formats import FORMATS
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render
from helm_structext.rewards.guards import OF_COMPLETIONS, OF_RENDERINGS

TIMERS = (
    "<p id='a'>early</p><script>setTimeout(() => { a.textContent = 'late' }, 700);"
    "console.error('said')</script>"
)
SITE = json.dumps([{"filename": "index.html", "content": TIMERS}])


def test_a_fence_with_prose_around_it_and_code_that_is_wrong():
    found = explain("yaml", "Here you are:\n```yaml\na: 1\nb: [2\n```\nDone.")
    assert (found.extraction, found.guards) == ("tagged", [*OF_COMPLETIONS])
    for reading in found.readings:
        assert reading.cuts == [
            Cut("what a code fence holds", "Here you are:\n```yaml\n", "\n```\nDone.")
        ]
        assert reading.code == "a: 1\nb: [2"
        assert (reading.error_kind, reading.made, reading.log) == ("syntax", "", "")
        assert reading.error.startswith("line 3, column 1")
        assert (reading.tries, reading.guards, reading.cache) == ([], {}, None)


def test_a_structure_is_shown_and_readings_may_differ():
    completion = "<think>[]?</think><|BEGIN_CODE|>[1]</END_CODE>"
    published, corrected = explain("json", completion).readings
    assert published.error_kind == "syntax"  # the malformed tag stays in the code
    assert [cut.rule for cut in published.cuts] == ["what stands between tags"]
    assert (corrected.made, corrected.error_kind) == ("[1]", None)
    assert [(cut.rule, cut.before, cut.behind) for cut in corrected.cuts] == [
        ("the answer, without reasoning before it and marks of its end", "<think>[]?</think>", ""),
        ("what stands between tags", "<|BEGIN_CODE|>", "</END_CODE>"),
    ]


def test_several_files_are_put_together():
    files = [
        "```ts\n@Component({templateUrl: './a.html'}) export class A {}\n```",
        "```html\n<p>1</p>\n```",
    ]
    completion = "\n".join(["Two files.", *files])
    (cut,) = explain("angular", completion).readings[1].cuts
    assert cut == Cut("what a code fence holds", "", "", rewritten=True)


def test_code_that_does_not_compile_has_its_log_its_time_and_its_key():
    for reading in explain("latex", "```latex\n\\undefined\n```").readings:
        assert (reading.error_kind, reading.made) == ("syntax", "")
        assert "Undefined control sequence" in reading.error
        assert "./job.tex" in reading.log
        (tried,) = reading.tries
        assert tried.allowed == 30
        assert tried.virtual == 0


def test_a_page_with_timers_has_a_clock_of_its_own():
    published, corrected = explain("webpage", f"Sure:\n```json\n{SITE}\n```").readings
    for reading in (published, corrected):
        assert reading.made == "a picture of 1920x1080 pixels"
        assert "said" in reading.log
        (tried,) = reading.tries
        assert tried.virtual == pytest.approx(1.0)  # ten frames
        assert tried.used < 1.0  # the timer was not waited for


def test_the_place_in_the_cache_is_that_of_render(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    for protocol, reading in zip(PROTOCOLS, explain("typst", "A").readings, strict=True):
        assert not reading.cached
        kept = render("typst", "A", protocol=protocol, cache=tmp_path / "renderings")
        assert reading.cache == kept.path
    assert all(reading.cached for reading in explain("typst", "A").readings)


def test_guards_that_fire_have_their_reasons(tmp_path):
    reference = tmp_path / "page.png"
    render("typst", "#rect(width: 9cm, height: 9cm, fill: black)").image.save(reference)
    data = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ" * 100
    found = explain("typst", f"#v(1em)\n// {data}", reference)
    assert found.guards == [*OF_COMPLETIONS, *OF_RENDERINGS]
    for reading in found.readings:
        assert {"embedded", "blank"} <= reading.guards.keys()
        assert "characters of data" in reading.guards["embedded"]
    assert not any(one.guards for one in explain("typst", "#rect(fill: black)").readings)


def test_a_picture_that_a_script_puts_together_is_noticed_on_the_rendering():
    draw = "c.fillStyle = `hsl(${(37 * x * y) % 360} 80% 50%)`; c.fillRect(x, y, 1, 1)"
    code = (
        "<img id=a width=600><script>const s = document.createElement('canvas'); s.width = s.height = 40; const c = s.getContext('2d');"
        f"for (let x = 0; x < 40; x++) for (let y = 0; y < 40; y++) {{ {draw} }}; a.src = s.toDataURL()</script><!-- "
        + " ".join(f'"{number:05d}x{number:05d}"' for number in range(100))
        + " -->"
    )
    assert OF_COMPLETIONS["embedded"](code) is None
    for reading in explain("html", code).readings:
        assert "carries itself" in reading.guards["embedded"]


def test_what_is_wrong_beside_a_reference_s_code_is_said_in_a_sentence(tmp_path, capsys):
    page = '<svg xmlns="http://www.w3.org/2000/svg"><text y="40">{}</text></svg>'
    for reading in explain("svg", page.format("Rian"), page.format("Rain")).readings:
        assert reading.wrong == '1 of 1 texts misspelt ("Rian" for "Rain").'
    assert explain("svg", page.format("Rian")).readings[0].wrong == ""
    (tmp_path / "a.svg").write_text(page.format("Rian"))
    (tmp_path / "b.svg").write_text(page.format("Rain"))
    arguments = ["explain", "svg", str(tmp_path / "a.svg"), "--reference", str(tmp_path / "b.svg")]
    assert main(arguments) == 0
    assert '  wrong    1 of 1 texts misspelt ("Rian" for "Rain").' in capsys.readouterr().out


def test_a_reference_that_can_not_be_used_is_no_fault_of_the_completion(tmp_path):
    with pytest.raises(SetupError, match="the reference can't be used"):
        explain("typst", "A", tmp_path / "absent.png")


def test_the_command_prints_every_line(tmp_path, capsys):
    (tmp_path / "completion.txt").write_text(f"Sure:\n```json\n{SITE}\n```\nDone.")
    assert main(["explain", "webpage", str(tmp_path / "completion.txt")]) == 0
    said = capsys.readouterr().out
    assert "webpage, rule `fenced`" in said
    assert "Chromium" in said
    for protocol in ("published", "corrected"):
        assert f"\n{protocol}:\n" in said
    assert said.count("what a code fence holds; gone: ") == 2
    assert said.count("a picture of 1920x1080 pixels") == 2
    assert said.count("the page's own clock went on 1.0 s") == 2
    assert said.count("none of length, embedded fired") == 2
    assert said.count(".png is not there") == 2


def test_the_command_takes_pictures_and_code_as_references(tmp_path, capsys):
    (tmp_path / "completion.txt").write_text("#v(1em)")
    (tmp_path / "code.typ").write_text("#rect(width: 9cm, height: 9cm, fill: black)")
    Image.new("RGB", (9, 9)).save(tmp_path / "picture.png")
    for name, guard in (("code.typ", "blank"), ("picture.png", "size")):
        arguments = ["explain", "typst", str(tmp_path / "completion.txt")]
        assert main([*arguments, "--reference", str(tmp_path / name), "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert [guard in reading["guards"] for reading in record["readings"]] == [True, True]


def test_a_long_log_is_cut_and_whole_in_json(tmp_path, capsys):
    (tmp_path / "code.tex").write_text(r"\undefined")
    assert main(["explain", "latex", str(tmp_path / "code.tex")]) == 0
    assert "lines before, all of them with --json" in capsys.readouterr().out
    assert main(["explain", "latex", str(tmp_path / "code.tex"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["readings"][0]["log"].splitlines()) > 12


def test_an_unknown_format_is_the_user_s_mistake(tmp_path, capsys):
    assert main(["explain", "poem", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in ("unknown format poem", *FORMATS))
