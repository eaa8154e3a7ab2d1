"""How replies of StructEval's judge are read: strictly, and all that can be meant in one way only."""

import time

import pytest

from helm_structext.structeval.verdicts import MAX_REPLY, Unread, read_verdicts

T, F, N = True, False, None


@pytest.mark.parametrize(
    ("reply", "verdicts"),
    [
        ('{"1": true, "2": false}', [T, F]),
        (' {"2": null, "1": true}\n', [T, N]),
        ('{"1": true}', [T, N]),
        ("{}", [N, N]),
        ('{"1": "true", "2": 1}', [N, N]),
        ('{"3": true, "01": true}', [N, N]),
        ('{"1": true, "1": false}', [F, N]),
    ],
)
def test_the_published_rule_reads_an_object_and_counts_the_rest_as_no_verdict(reply, verdicts):
    assert read_verdicts(reply, 2, "published") == verdicts


@pytest.mark.parametrize(
    "reply",
    [
        *("", "true", "[true, true]", '{"1": True, "2": True}', '{"1": true, "2": true', "["),
        *('```json\n{"1": true, "2": true}\n```', 'Here it is: {"1": true, "2": true}'),
        "[" * 100_000,
    ],
)
def test_the_published_rule_reads_nothing_else(reply):
    assert read_verdicts(reply, 2, "published") == Unread("is not a JSON object alone")


PLAIN = '{"1": true, "2": false}'


@pytest.mark.parametrize(
    "reply",
    [
        # Around it
        *(PLAIN, f"```json\n{PLAIN}\n```", f"```\n{PLAIN}", f"Here you go:\n\n{PLAIN}\n\nAll done."),
        f'The page\'s heading [at its top] says "Trip {{2024}}".\n{PLAIN}',
        f'<think>Maybe {{"1": false, "2": true}}?</think>\n{PLAIN}<|im_end|>',
        f"{PLAIN}\nSo again: {PLAIN}",
        # Its names
        *('{"Q1": true, "Q2": false}', '{"question_1": true, "Question 2:": false}'),
        *("{1: true, 2: false}", '{"01": true, "02": false}', '{"2": false, "1": true}'),
        # Its values
        *('{"1": "true", "2": "False"}', '{"1": "yes", "2": "No."}', '{"1": 1, "2": "0"}'),
        *("{'1': True, '2': False}", '{"1": true, "2": false,}', "{Q1: yes, Q2: no}"),
        '{"1": {"verdict": true, "why": "It is there."}, "2": {"verdict": false, "why": "Nothing."}}',
        # Its shape
        *("[true, false]", "['True', 'no']", "true, false", '{"answers": [true, false]}'),
        '{"verdicts": {"1": true, "2": false}, "reasons": {"1": "It is there.", "2": "Nothing."}}',
        '[{"1": true}, {"2": false}]',
        '{"1": true}\n{"2": false}',
        '[{"question": 2, "verdict": false}, {"question": 1, "verdict": true}]',
        '[{"question": "Is there a title?", "verdict": true}, {"question": "Red?", "verdict": false}]',
        # Lines
        *("1. true\n2. false", "Q1: True\nQ2: FALSE.", "- **1**: true\n- **2**: false"),
        *("1) true (a title is there)\n2) false - no row, and no line", "| 1 | true |\n| 2 | false |"),
    ],
)  # fmt: skip
def test_what_is_meant_is_read(reply):
    assert read_verdicts(reply, 2, "corrected") == [T, F]


def test_null_is_a_verdict_on_the_picture_and_one_question_needs_no_number():
    assert read_verdicts("{'1': None, '2': \"null\", '3': true}", 3, "corrected") == [N, N, T]
    assert read_verdicts("Yes.", 1, "corrected") == [T]
    assert read_verdicts("```\nfalse\n```", 1, "corrected") == Unread("has no verdicts")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        # Several meanings
        ("[true, false] or [false, true]", "has two verdicts on question 1"),
        (f'For example {PLAIN}. Here: {{"1": true, "2": true}}', "has two verdicts on question 2"),
        ('{"1": true, "1": false, "2": true}', "has two verdicts on question 1"),
        ("1. true\n2. true\n1. false", "has two verdicts on question 1"),
        ("1. true\n2. true - or false", "has two verdicts on question 2"),
        ('{"1": {"expected": "Yes", "verdict": false}, "2": true}', "says neither true nor false of question 1"),
        ('{"1": {"seen": true, "clear": false}, "2": true}', "says neither true nor false of question 1"),
        # Too few, too many, others
        ("[true]", "has 1 verdict in a list, of 2"),
        ("true", "has 1 verdict in a list, of 2"),
        ("[true, true, false]", "has 3 verdicts in a list, of 2"),
        ('[{"verdict": true}]', "has 1 verdict in a list, of 2"),
        ('{"1": true}', "has no verdict on question 2"),
        ('{"1": true, "2": true, "3": true}', "has a verdict on question 3, of 2"),
        ('{"0": true, "1": true}', "has a verdict on question 0, of 2"),
        ("1. true", "has no verdict on question 2"),
        ('[{"id": 1, "verdict": true}, {"verdict": false}]', "does not say of each verdict to which question it belongs"),
        # Something else than a verdict
        ('{"1": "partly", "2": true}', "says neither true nor false of question 1"),
        ('[true, "partly"]', "says neither true nor false of question 2"),
        ('{"1": [true], "2": true}', "says neither true nor false of question 1"),
        ('{"1": 2, "2": 1}', "says neither true nor false of question 1"),
        ("[1, 0]", "has no verdicts"),
        ('[{"question": "Red?", "answer": "Yes"}, {"question": "Blue?", "answer": "No"}]', "has no verdicts"),
        # Yes and no answer the question, and true is the verdict on the pair.
        ("1. yes\n2. no", "has no verdicts"),
        ("1. True to the picture", "has no verdicts"),
        *((text, "has no verdicts") for text in ("I can't see it.", "{}", "[]", "{1 true}", "1.")),
        (f'"{PLAIN}"'.replace('"1"', r"\"1\"").replace('"2"', r"\"2\""), "has no verdicts"),
        (" " * MAX_REPLY + PLAIN, "is longer than 100,000 characters"),
    ],
)  # fmt: skip
def test_nothing_is_guessed(reply, reason):
    assert read_verdicts(reply, 2, "corrected") == Unread(reason)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        *(("", "is empty"), (" \n", "is empty"), ("<think>Perhaps {", "is empty")),
        *(("{", "is cut"), ("[true, fal", "is cut"), ('{"1": true, "2', "is cut")),
        *(('```json\n{"1": true, "2":', "is cut"), ('{"1": true}\n{"2": ', "is cut")),
    ],
)
def test_what_is_empty_or_cut_may_be_asked_for_again(reply, reason):
    assert read_verdicts(reply, 2, "corrected") == Unread(reason, short=True)


@pytest.mark.parametrize(
    "piece", ["[", "{", '["', "['", '["\\"', "[true,", '{"1":', "[a [", "1. true (", "[[true],"]
)
def test_no_reply_takes_long(piece):
    began = time.process_time()
    read = read_verdicts(piece * (MAX_REPLY // len(piece)), 3, "corrected")
    assert isinstance(read, Unread)
    assert time.process_time() - began < 5
