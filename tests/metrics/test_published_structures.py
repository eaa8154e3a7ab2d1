"""StructEval's published scores of text: equal to its code's, but for texts that ours refuses."""

import json
from collections import Counter

import pytest

from helm_structext.metrics import (
    path_score,
    path_score_published,
    published_structures,
    syntax_score,
    syntax_score_published,
    text_scores_published,
)
from helm_structext.metrics.structures import MAX_DEPTH, MAX_LENGTH
from support import GOLDEN

LINES = (GOLDEN / "structeval_texts.jsonl").read_text(encoding="utf-8").splitlines()


def test_every_text_scores_what_the_published_code_gives_it():
    """Well-formed texts and mutated ones, with the values of the published parsers and paths."""
    assert len(LINES) > 2000
    ours_differ: Counter[str] = Counter()
    for line in LINES:
        row = json.loads(line)
        text, paths, format = row["text"], row["paths"], row["format"]
        published = (row["syntax"], pytest.approx(row["path_score"]))
        assert text_scores_published(text, paths, format) == published, line
        ours_differ[format] += (
            syntax_score(text, format),
            path_score(text, paths, format),
        ) != published
    # By the standards, texts of three formats are read otherwise.
    assert {format for format, number in ours_differ.items() if number} == {"csv", "toml", "yaml"}


@pytest.mark.parametrize(
    ("format", "text", "ours", "published"),
    [
        ("toml", "a = [1, 'b']", 1, 0),
        ("toml", "a = {x = 1}\n[a.b]\ny = 2", 0, 1),
        ("toml", "\ufeffa = 1", 0, 1),
        ("yaml", "a:\t1", 1, 0),
        ("csv", "a,b\n1", 0, 1),
    ],
)
def test_where_the_published_parsers_leave_the_standards(format, text, ours, published):
    assert (syntax_score(text, format), syntax_score_published(text, format)) == (ours, published)


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("json", "[" * (MAX_DEPTH + 2) + "1" + "]" * (MAX_DEPTH + 2)),
        ("json", f'"{"x" * MAX_LENGTH}"'),
        ("toml", f'a = "{"x" * MAX_LENGTH}"'),
        (
            "yaml",
            "\n".join(
                ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 20))]
            ),
        ),
    ],
    ids=["deep", "long", "long toml", "aliases"],
)
def test_what_no_parser_of_ours_reads_is_no_structure_here_either(format, text):
    """The published code would read it, or fill the machine's memory."""
    assert text_scores_published(text, ["a"], format) == (0, 0)


def test_a_parser_ends_with_its_time(monkeypatch):
    """Called as a worker calls it, which has a main thread of its own."""
    monkeypatch.setattr(published_structures, "MAX_SECONDS", 0.2)
    assert published_structures._scores("a: 1\n" + "- [1, 2]\n" * 40_000, ["a"], "yaml") == (0, 0)
    assert published_structures._scores("a: 1", ["a"], "yaml") == (1, 1)


def test_what_is_no_text_or_has_no_path_is_refused():
    with pytest.raises(TypeError):
        syntax_score_published(1, "json")
    with pytest.raises(ValueError, match="at least one path"):
        path_score_published("{}", [], "json")
