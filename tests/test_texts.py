"""Texts that nobody expects, on every way through the package: they are read, scored, written, shown."""

import csv
import io
import itertools
import json
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pytest

from helm_structext import texts
from helm_structext.cli import main
from helm_structext.completions.predictions import export_requests
from helm_structext.errors import SetupError
from helm_structext.extraction import extract
from helm_structext.extraction.reasoning import without_reasoning
from helm_structext.formats import FORMATS, rendered_formats, text_formats
from helm_structext.helm.boxes import draw_boxes
from helm_structext.image2struct.cutoffs import read_cutoffs
from helm_structext.image2struct.rescore import prepare_rescoring
from helm_structext.metrics import (
    edit_similarity,
    keyword_score,
    levenshtein_similarity,
    parse_structure,
    path_exists,
    path_score,
    pnls,
    pnls_published,
    syntax_score,
)
from helm_structext.mmr import replies
from helm_structext.mmr.scores import METRICS, score
from helm_structext.mmr.tasks import KINDS, ParsedReply, read_reply, read_reply_leniently
from helm_structext.models.answer_index import KnownAnswer, read_answer, write_answer
from helm_structext.models.clients import OfflineModelError, read_completions
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render, render_completion
from helm_structext.report.data import First, Part, blocks
from helm_structext.report.parts import all_shown
from helm_structext.report.writing import write_report
from helm_structext.results.plots import Point, heat_map, timeline
from helm_structext.results.result_sets import Selection
from helm_structext.results.runs import is_refusal
from helm_structext.results.tabular import Column, Table, latex_text, markdown, write_tables
from helm_structext.scoring.handling import Failure, handle
from helm_structext.scoring.rescoring import RescoringOptions
from helm_structext.storage.files import read_json
from helm_structext.structeval.evaluations import read_evaluation
from helm_structext.structeval.judge import JudgeReply, annotation, judge_prompt
from helm_structext.structeval.scores import rendered_scores, text_scores
from helm_structext.structeval.verdicts import Unread, read_verdicts
from helm_structext.terminal import complain, say
from helm_structext.texts import (
    check_json_size,
    file_name,
    make_printable,
    one_line,
    parse_json,
    quote_value,
    utf8,
)
from support import image2struct_answers, mmr_answers

ODD = {
    "nothing": "",
    "blank": " \t\r\n\v\f\x85\u2028\u3000",
    "surrogate": "\ud800",
    "surrogates": "a\udc80\ud83db\udfff" * 100,
    "escaped surrogate": '"\\ud800"',
    "NUL": "\0",
    "NULs": "a\0b" * 100,
    "controls": "".join(map(chr, [*range(32), *range(127, 160)])),
    "terminal": "\x1b[2J\x1b]0;title\x07\x9b31m\x1bP\x1b\\",
    "directions": "\u202eabc\u2066\u2069\u200f",
    "line ends": "a\rb\nc\r\nd\u2028e\u2029f\x85g",
    "byte order": "\ufeff{}",
    "noncharacters": "\uffff\ufffe\U0010ffff",
    "combining": "e" + "\u0301" * 5000,
    "long line": "a" * 300_000,
    "long number": "9" * 5000,
    "negative long number": "-" + "9" * 5000,
    "long fraction": "0." + "9" * 5000,
    "long hexadecimal": "0x" + "f" * 4990,
    "long octal": "0o" + "7" * 4990,
    "large": "1e400",
    "small": "-1e-400",
    "minus zero": "-0",
    "not a number": "NaN",
    "infinite": "-Infinity",
    "other digits": "[٣, ٤, ٥, ٦]",
    "superscripts": "[²] ²",
    "box of large numbers": "[1e308, -1e308, 1e308, 1e308]",
    "box of long numbers": f"[{'9' * 400}, 0.{'1' * 400}, 1, {'9' * 5000}]",
    "list of odd things": '[null, NaN, Infinity, -0, 1e400, true, {}, [], "\\ud800"]',
    "deep list": "[" * 100_000,
    "deep closed list": "[" * 100_000 + "]" * 100_000,
    "deep object": '{"a":' * 100_000,
    "deep elements": "<a>" * 100_000,
    "deep quotes": "> " * 100_000,
    "deep braces": "{" * 100_000,
    "deep dots": "a." * 100_000 + "a = 1",
    "deep dashes": "- " * 50_000 + "a",
    "open text": '"' * 9999,
    "formats": "%s %d {0} {} {a.b} $x ${y} %(z)s \\x \\u \\N{",
    "formula": "=1+1",
    "markup": "</script><!--]]>&amp;<b>",
    "fences": "```" * 1000,
    "tags": "<|BEGIN_CODE|>" * 1000,
    "thoughts": "<think>" * 1000,
    "number fields": '{"a": 1e400, "b": NaN, "c": -0, "d": Infinity, "\\ud800": "\\u0000"}',
    "yaml numbers": "a: 1e400\nb: .inf\nc: .nan\nd: -0\ne: 0x" + "f" * 4200,
    "yaml dates": "a: 2001-02-30\nb: 9999-12-31T23:59:59-23:59\n0001-01-01: x",
    "toml numbers": "a = 1e400\nb = inf\nc = nan\nd = -0\ne = 0x" + "f" * 4990,
    "toml dates": "a = 9999-12-31T23:59:60Z",
    "xml": "<a b='&#1;'>&#xD800;</a>",
    "xml names": "<a:b xmlns:a=''/>",
    "declared encoding": "<?xml version='1.0' encoding='no-such'?><a/>",
    "csv": 'a,b\n"\0",\ud800\n1e400,' + "9" * 5000,
}

odd = pytest.mark.parametrize("text", ODD.values(), ids=ODD)
EXTRACTED = ("latex", "webpage", "lilypond", "html", "markdown", "typst", "json")
"""A format for each rule by which code is found."""


@odd
def test_extraction(text):
    for format, protocol in itertools.product(EXTRACTED, PROTOCOLS):
        for around in (text, f"```{text}\n{text}```", f"<|BEGIN_CODE|>{text}<|END_CODE|>"):
            assert isinstance(extract(around, format, protocol), str)
    assert isinstance(without_reasoning(text), str)


@odd
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", text_formats())
def test_texts_are_parsed_or_refused(format, protocol, text):
    for code in (text, f'"{text}"', f"[{text}]", f"a = {text}", f"a: {text}", f"<a>{text}</a>"):
        parsed = handle("a text", partial(parse_structure, code, format, protocol=protocol))
        if isinstance(parsed, Failure):
            assert parsed.kind == "syntax"
            assert "\n" not in parsed.message
        else:
            for path in PATHS:
                path_exists(parsed, path)
        rendered = handle(
            "a completion", partial(render_completion, format, code, protocol=protocol)
        )
        assert getattr(rendered, "kind", "syntax") in ("syntax", "empty", "resource")
        scores = text_scores(code, PATHS, format, protocol)
        assert all(0 <= value <= 1 for value in scores.values() if value is not None)
        assert syntax_score(code, format, protocol=protocol) in (0, 1)


PATHS = [
    "a",
    "[0]",
    "*",
    f"[{'9' * 5000}]",
    f"[-{'9' * 5000}]",
    "[٣]",
    "[²]",
    "[1e400]",
    "[NaN]",
    "\ud800",
    "`\0`",
    "csv::\ud800",
    "csv::",
    "@",
    "....",
    "a" * 10_000,
]


@odd
def test_dot_paths(text):
    text = text[:5000]
    for structure in ([1], {"a": [2], text: 1}, parse_structure("a\n1", "csv"), None, 10**5000):
        for path in (text, f"[{text}]", f"a.{text}", f"`{text}`", f"csv::{text}"):
            found = handle("a path", partial(path_exists, structure, path))
            assert found in (True, False) or "is never closed" in found.message
    for format in text_formats():
        assert path_score("a", ["a", text.replace("[", "")], format) in (0, 0.5, 1)


@odd
def test_texts_are_compared(text):
    short = text[:300]
    for metric in (edit_similarity, levenshtein_similarity, pnls, pnls_published):
        for pair in ((short, "abc"), ("abc", short), (short, short)):
            assert 0 <= metric(*pair) <= 1
    assert 0 <= keyword_score(text, [text, "a"]) <= 1
    assert is_refusal(text) is False
    pair = {"question": text, "answer": text}
    judged = annotation("me/judge", [pair], [JudgeReply(text, 1, 1)], "published")
    assert rendered_scores(text, [text], "html", None, judged, "published")["vqa_score"] == 0
    assert isinstance(read_verdicts(text, 3, "corrected"), Unread)
    assert isinstance(judge_prompt([{"question": text, "answer": text}]), str)


@odd
@pytest.mark.parametrize("kind", KINDS)
def test_replies_of_mmr(kind, text):
    truth = {
        "choice": ParsedReply(choice=2),
        "text": ParsedReply(text="Emma"),
        "box": ParsedReply(box=(0.1, 0.2, 0.5, 0.4)),
    }.get(kind, ParsedReply(text="Emma", box=(0.1, 0.2, 0.5, 0.4)))
    boxes = [text, f"[{text}, 0, 1, 1]", f"a[{text[:200]}]", f'"{text}", [0.1, 0.2, 0.3, 0.4]']
    for reply in boxes:
        lenient = replies.SCALES if truth.box else ()
        reads = [
            partial(read_reply, kind, reply),
            *(partial(read_reply_leniently, kind, reply, s, (640, 480)) for s in lenient),
        ]
        readings: list[ParsedReply | None] = [None]
        for read in reads:
            with suppress(replies.UnreadableReply):
                readings.append(read())
        for reading in readings:
            values = score(reading, truth)
            assert set(values) == set(METRICS)
            assert all(0 <= value <= 1 for value in values.values() if value is not None)
            if reading is not None:
                assert isinstance(KINDS[kind].write(reading), str)


@pytest.mark.parametrize("numbers", itertools.product([-1e308, -0.0, 5e-324, 1e308], repeat=4))
def test_boxes_of_any_numbers_are_drawn(numbers):
    from PIL import Image

    drawn = draw_boxes(Image.new("RGB", (20, 10)), (0.1, 0.1, 0.9, 0.9), numbers)
    assert drawn.size == (20, 10)


# On their way to disk and terminal


def strict(data: bytes) -> str:
    text = data.decode("utf-8")
    assert make_printable(text) == text
    return text


@odd
def test_the_one_way_to_write(text, tmp_path):
    assert strict(utf8(text)) == make_printable(text)
    assert json.loads(utf8(json.dumps(text, ensure_ascii=False))) == text
    assert one_line(text).splitlines() in ([one_line(text)], [])
    assert len(quote_value(text)) < 600
    name = file_name(text)
    (tmp_path / f"a{name}").write_text("x")
    assert len(list(tmp_path.iterdir())) == 1


@odd
def test_tables_are_written_and_printed(text, tmp_path, capsys):
    name = f"table {text}"[:100_000]
    rows = [[name, 0.5, (0.25, float("inf"))], ["b", float("nan"), None]]
    columns = [Column("Model"), Column(name[:2000]), Column("95%")]
    table = Table(name, name, name, columns, rows)
    files = write_tables([table], tmp_path / "tables")
    assert len(files) == 2
    (read, *_) = list(csv.reader(io.StringIO(strict(files[0].read_bytes()))))[1:]
    assert read[0].removeprefix("'").startswith("table")
    assert strict(files[1].read_bytes()).isascii()
    assert len(table.markdown().splitlines()[-3:]) == 3
    assert markdown([name], [[name]])
    say(table.markdown())
    complain(name)
    printed = capsys.readouterr()
    assert make_printable(printed.out) == printed.out
    assert make_printable(printed.err) == printed.err
    assert latex_text(text).isascii()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "cp437"])
def test_a_terminal_of_any_encoding_shows_everything(encoding, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    for text in ODD.values():
        say(text[:1000])
    say("κ – → 中")
    stream.flush()
    assert b"\x1b" not in stream.buffer.getvalue()


@pytest.mark.parametrize(
    "name", ["nothing", "surrogates", "NUL", "terminal", "line ends", "formats"]
)
def test_plots_have_any_label(name):
    label = ODD[name][:20]
    assert heat_map([label, "b"], np.eye(2), label).startswith(b"\x89PNG")
    points = {label: [Point(date(2024, 1, 1), 0.5, 0.4, 0.6)]}
    assert timeline(points, {label: date(2024, 1, 1)}, label).startswith(b"\x89PNG")


@odd
def test_reports(text, tmp_path, monkeypatch):
    from PIL import Image

    from helm_structext.benchmarks import BENCHMARKS

    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    Image.new("RGB", (8, 8)).save(tmp_path / "x.png")
    picture = tmp_path / "x.png"
    one = image2struct_answers.result(
        f"x/{text[:200]}",
        "0",
        None,
        completion=text,
        picture=picture,
        error=text,
        reference_text=text,
        text=text,
        scores={"levenshtein_similarity": float("inf"), "block_emd": float("nan")},
    )
    other = mmr_answers.answer(
        f"x/{text[:200]}", "font_color", 0, completion=text, question=text, picture=picture
    )
    results = {"image2struct": [one], "mmr": [other]}
    parts = {
        benchmark.name: (
            benchmark.report,
            benchmark.result_sets(results[benchmark.name], Selection()),
        )
        for benchmark in BENCHMARKS
        if benchmark.name in results
    }
    one_by_one = lambda work, jobs: (work(job) for job in jobs)  # noqa: E731
    monkeypatch.setattr("helm_structext.report.writing.map_in_processes", one_by_one)
    output = tmp_path / "report.html"
    assert write_report(parts, output, title=text[:2000], plans=False) == (2, 2)  # type: ignore[arg-type]
    page = output.read_bytes().decode("utf-8")
    assert "\0" not in page
    assert "\x1b" not in page
    for part, result_sets in parts.values():
        view = part.make_view(result_sets)
        assert list(blocks(Part(part, view), all_shown(view), First(0, 0), plans=False))


@odd
def test_logs_and_failures(text, caplog):
    def work() -> None:
        raise ArithmeticError(text)

    with caplog.at_level(logging.ERROR):
        failure = handle(text, work)
    assert isinstance(failure, Failure)
    for said in (str(failure), failure.log, caplog.messages[-1]):
        assert make_printable(said) == said


@odd
def test_answers_of_offline_models(text, tmp_path):
    write_answer(tmp_path, "ab12", KnownAnswer(text, "latex", text, text))
    assert read_answer(tmp_path, "ab12") == KnownAnswer(text, "latex", text, text)
    line = json.dumps({"key": text, "completion": text})
    (tmp_path / "a.jsonl").write_text(f"{line}\n\n")
    assert read_completions(tmp_path / "a.jsonl")[text]["completion"] == text


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"key": ["a"], "completion": "b"}',
        b'{"key": "a", "completion": ' + b"9" * 5000 + b"}",
        b'{"key": "a", "completion": 5}',
        b'{"key": "a", "completion": "b", "finish_reason": {}}',
        b"[]",
        b"null",
        b"\0",
        b'"\\ud800"',
    ],
)
def test_a_line_to_replay_that_is_not_as_it_should_be_is_named(line, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"key": "k", "completion": "c"}\n' + line)
    with pytest.raises(OfflineModelError, match=r"a\.jsonl, line 2"):
        read_completions(tmp_path / "a.jsonl")


DAMAGED = [b"", b"\xff", b"[" * 100_000, b"9" * 5000, b"{", b"\0" * 100, b'{"a": }']


@pytest.mark.parametrize("data", DAMAGED)
def test_a_file_in_json_that_can_not_be_read_is_named(data, tmp_path):
    path = tmp_path / "s" / "image2latex:subset=equation,model=m" / "scenario_state.json"
    path.parent.mkdir(parents=True)
    for name in ("scenario_state", "run_spec", "per_instance_stats"):
        path.with_name(f"{name}.json").write_bytes(data)
    (tmp_path / "gpt.json").write_bytes(data)
    readers: list[Callable[[], Any]] = [
        lambda: read_json(path, "do something"),
        lambda: list(export_requests(tmp_path / "s")),
        lambda: list(
            prepare_rescoring(
                tmp_path / "s", RescoringOptions(tmp_path, "published", "none")
            ).keys()
        ),
        lambda: read_evaluation(tmp_path / "gpt.json"),
    ]
    for read in readers:
        with pytest.raises(SetupError, match=r"json can't be read \("):
            read()


@pytest.mark.parametrize(
    "text",
    [
        "a: 0x" + "f" * 4200,
        "0x" + "f" * 4200 + ": 2024-01-01",
        "a: !!bool x",
        "a: " + "[" * 5000,
        "- a",
        "a: 2024-13",
        "a: \0",
        "1: 2024-01-01",
    ],
)
def test_cut_offs_that_are_none_are_named(text, tmp_path):
    (tmp_path / "cutoffs.yaml").write_text(text)
    with pytest.raises(SetupError, match=r"cutoffs\.yaml"):
        read_cutoffs(tmp_path / "cutoffs.yaml")


@pytest.mark.parametrize(
    "arguments",
    [
        ["tables", "\udc80\x1b[2J"],
        ["report", "a\0b"],
        ["render", "\x1b[2J", "x", "-o", "y.png"],
        ["render", "latex", "a\0b", "-o", "y.png"],
        ["render", "latex", "\ud800", "-o", "y.png"],
        ["score", "\ud800", "b\0"],
        ["rescore", "\ud800"],
        ["rescore", "a\0b"],
        ["predictions", "export", "\x1b[2J"],
    ],
)
def test_commands_say_what_is_wrong_with_odd_arguments(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("helm-structext: ")
    assert make_printable(said) == said


# Engines


@pytest.mark.parametrize("format", rendered_formats())
def test_engines_draw_odd_texts_or_refuse_them(format, tmp_path):
    texts = [
        ODD["surrogates"] + ODD["controls"],
        FORMATS[format].blank + "\n" + ODD["terminal"] + ODD["surrogate"],
    ]
    for text in texts:
        for _ in range(2):  # the second time from the cache
            drawn = handle("an odd text", partial(render, format, text, cache=tmp_path))
            assert getattr(drawn, "kind", "syntax") in ("syntax", "empty", "resource")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": [1, 2]}', 3),
        (r'["\"[[[[,,,", "\\", ["x,y"]]', 4),
        ('"[[[[', 0),
        ('["' + "[," * 10 + '\\"' * 10, 1),
        (json.dumps([["a,[{"] * 50_000] * 20), 20 * 50_001),
    ],
)
def test_values_of_json_are_counted_outside_of_its_strings(text, values, monkeypatch):
    for window in (1, 7, 2**20)[len(text) > 1000 and 2 :]:
        monkeypatch.setattr(texts, "WINDOW", window)
        check_json_size(text.encode(), values)
        if values:
            with pytest.raises(ValueError, match="more than"):
                check_json_size(text.encode(), values - 1)


def test_json_may_begin_with_a_byte_order_mark():
    assert parse_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_json_is_refused_before_it_takes_memory():
    many = b"[" + b"[]," * 2_000_000 + b"[]]"
    with pytest.raises(ValueError, match="holds more than"):
        parse_json(many)
    assert len(parse_json(b"[" + b'{"text": ",[{"},' * 100_000 + b"1]")) == 100_001
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(b"[" * 100_000)
