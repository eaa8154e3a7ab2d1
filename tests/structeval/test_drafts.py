"""Questions that a model drafts: what it is asked, what is rejected and why, and from the draft to a run."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from helm.common.request import ErrorFlags, Request, RequestResult

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.helm import drafts as asking
from helm_structext.models.answer_index import request_key
from helm_structext.structeval import drafts
from helm_structext.structeval.drafts import (
    TRIES,
    check_draft,
    drafting_prompt,
    make_drafts,
    read_draft,
    write_drafts,
)
from helm_structext.structeval.rows import load_questions
from helm_structext.structeval.tasks import TASKS
from support.helm import helm_run, run, stats_of, suite
from support.openai_server import MODEL, openai_server

ZOO = {
    "query": "<code>\nzoo:\n  name: Noah\n  pens:\n  - animal: {kind: ibis, legs: 2}\n</code>",
    "raw_output_metric": ["zoo.name", "zoo.pens[0].animal.kind"],
}
PLANETS = {
    "task": "Write a list of planets.",
    "feature_requirements": ['The root is "planets".', 'Each has a "name" and "moons".'],
    "raw_output_metric": ["planets[0].name", "planets[0].moons"],
}
PAGE = {
    "task": "Make a page about a trip.",
    "feature_requirements": ['The heading is "Trip".'],
    "raw_output_metric": ["Trip", "<h1>"],
    "VQA": [{"question": "What is the heading?", "answer": "Trip"}],
}
TURNED = {
    "query": "<code><h1>Trip</h1></code>",
    "raw_output_metric": ["Trip", "return"],
    "VQA": PAGE["VQA"],
}
GOOD: dict[str, dict[str, Any]] = {
    "yaml_to_json": ZOO,
    "text_to_json": PLANETS,
    "text_to_html": PAGE,
    "html_to_react": TURNED,
}


def drafted(task: str, /, **changes: Any) -> drafts.QuestionDraft:
    said = {name: value for name, value in {**GOOD[task], **changes}.items() if value is not ...}
    return check_draft(read_draft(task, json.dumps(said)))


FIGURE_8 = """\
You are a prompt-design assistant building benchmark items for conversion tasks.

Input Format: XML
Output Format: JSON

Your task: Think silently through the checklist and then output a single JSON object with:

- "raw_output_metric": dot-paths for the expected keys/attributes in the JSON structure
- "query": A generated input format XML code inside <code>...</code> tags.

Assumed Mapping Rule (state it implicitly in the paths):

- No XML attributes unless absolutely necessary. If an attribute is required, map it to a key prefixed \
with "@", and include that in dot-paths.

CHECKLIST (INTERNAL – DO NOT OUTPUT)

1. Pick a super creative and random domain.
2. Generate XML code with:
   - At least two levels of nesting
   - At least one list inside an object/element
3. Avoid XML attributes where possible; prefer child elements.
4. Wrap the code in <code>...</code> tags.
5. Dot-path rules:
   - JSON / YAML / TOML: parent.child, list[0].child
   - XML: element.child or element.@attr (only if used)
   - CSV: csv::Header (not used here)

OUTPUT FORMAT

"""


def test_the_prompt_of_conversions_is_the_printed_one():
    prompt = drafting_prompt("xml_to_json")
    assert prompt == FIGURE_8 + '{"query": "<code>...</code>", "raw_output_metric": ["..."]}'
    assert "csv::Header (not used here)" not in drafting_prompt("json_to_csv")


def test_every_task_has_a_prompt_that_names_its_formats_and_fields():
    for task, kind in TASKS.items():
        prompt = drafting_prompt(task)
        shape = json.loads(prompt.splitlines()[-1])
        assert all(f'- "{name}": ' in prompt for name in shape)
        assert ("VQA" in shape, "query" in shape) == (kind.rendered, kind.input != "text")
        assert "{" not in prompt.rpartition("OUTPUT FORMAT")[0]


@pytest.mark.parametrize("task", [task for task in GOOD if task != "html_to_react"])
def test_a_good_draft_is_a_question(task):
    found = drafted(task)
    assert found.reason == ""
    assert found.query.startswith("Please output ")
    assert list(found.keywords) == GOOD[task]["raw_output_metric"]
    for around in (f"Sure!\n```json\n{found.reply}\n```", f"<think>{{</think>{found.reply} Bye."):
        assert read_draft(task, around).query == found.query


@pytest.mark.parametrize(
    ("task", "changes", "reason"),
    [
        ("yaml_to_json", {"query": "zoo: 1"}, "query has no <code>...</code>"),
        ("yaml_to_json", {"query": 7}, "query is no text"),
        ("yaml_to_json", {"query": ...}, "query is no text"),
        ("yaml_to_json", {"query": "<code>a: [</code>"}, "the input is not YAML: syntax: line 2"),
        ("yaml_to_json", {"query": "<code>a: [1]</code>"}, "the input has no two levels of nesting"),
        ("yaml_to_json", {"query": "<code>a: {b: 1}</code>"}, "the input has no list"),
        ("yaml_to_json", {"raw_output_metric": []}, "raw_output_metric is no list, or an empty one"),
        ("yaml_to_json", {"raw_output_metric": ["zoo.name", "zoo.nme"]}, "path zoo.nme leads to nothing in the input"),
        ("yaml_to_json", {"raw_output_metric": ["zoo.pens[1]"]}, "path zoo.pens[1] leads to nothing in the input"),
        ("yaml_to_json", {"raw_output_metric": ["zoo[0"]}, "path 'zoo[0' has a [ that is never closed"),
        ("yaml_to_json", {"raw_output_metric": ["csv::zoo"]}, "path csv::zoo is not one of JSON"),
        ("yaml_to_json", {"raw_output_metric": ["[0]"]}, "path [0] names nothing"),
        ("yaml_to_json", {"raw_output_metric": [["zoo"]]}, "an item of raw_output_metric is no text"),
        ("yaml_to_json", {"raw_output_metric": ["\ud800"]}, "an item of raw_output_metric has half a character in it"),
        ("yaml_to_json", {"raw_output_metric": ["a"] * 201}, "raw_output_metric has more than 200 items"),
        ("yaml_to_json", {"raw_output_metric": ["a" * 2001]}, "an item of raw_output_metric has more than 2,000 characters"),
        ("text_to_json", {"task": " "}, "task is no text"),
        ("text_to_json", {"feature_requirements": "Two."}, "feature_requirements is no list, or an empty one"),
        ("text_to_json", {"raw_output_metric": ["planets[0].rings"]}, "path planets[0].rings: the query does not name rings"),
        ("text_to_html", {"VQA": []}, "VQA is no list, or an empty one"),
        ("text_to_html", {"VQA": ["What?"]}, "question 1 of VQA is no text"),
        ("text_to_html", {"VQA": [{"question": "Look.", "answer": "Trip"}]}, "question 1 of VQA does not end with a question mark"),
        ("text_to_html", {"VQA": [{"question": "What?", "answer": True}]}, "answer 1 of VQA is no text"),
        ("text_to_html", {"VQA": [*PAGE["VQA"], *PAGE["VQA"]]}, "VQA asks a question twice"),
    ],
)  # fmt: skip
def test_what_is_rejected_says_why(task, changes, reason):
    assert drafted(task, **changes).reason.startswith(reason)


@pytest.mark.parametrize("reply", ["", "No.", "{", "[1]", "}{", '{"a": 1', '{"a":' * 19_000 + "}"])
def test_a_reply_without_an_object_is_rejected(reply):
    assert read_draft("yaml_to_json", reply).reason == "the reply holds no JSON object"
    assert "longer than" in read_draft("yaml_to_json", "x" * 100_001).reason


XML = "<zoo><pen><kind>ibis</kind></pen><pen><kind>emu</kind></pen></zoo>"


@pytest.mark.parametrize(
    ("task", "code", "path", "leads"),
    [
        ("xml_to_json", XML, "zoo.pen[1].kind", True),
        ("xml_to_json", XML, "pens[1].kind", True),
        ("xml_to_json", XML, "zoo.kind.pen", False),
        ("json_to_xml", '{"pens": [{"kind": "ibis"}]}', "zoo.pens.pen[0].kind", True),
        ("json_to_xml", '{"pens": [{"kind": "ibis"}]}', "zoo.pens.pen[0].name", False),
        ("json_to_csv", '{"pens": [{"kind": {"en": "ibis"}}]}', "csv::kind.en", True),
        ("json_to_csv", '{"pens": [{"kind": {"en": "ibis"}}]}', "csv::en.kind", False),
        ("csv_to_yaml", "kind,legs\nibis,2", "animals[0].legs", True),
        ("csv_to_yaml", "kind,legs\nibis,2", "animals[0].wings", False),
        ("csv_to_yaml", "kind,legs", "legs", False),
    ],
)
def test_paths_of_formats_that_differ_are_followed_by_their_names(task, code, path, leads):
    said = {"query": f"<code>{code}</code>", "raw_output_metric": [path]}
    assert (check_draft(read_draft(task, json.dumps(said))).reason == "") is leads


def test_an_input_that_does_not_render_is_rejected():
    assert drafted("html_to_react").reason == ""
    broken = {**TURNED, "query": "<code>{{ no: 1</code>"}
    draft = check_draft(read_draft("vue_to_react", json.dumps(broken)))
    assert draft.reason.startswith("the input does not render: ")


def test_the_same_question_counts_once_and_a_task_gives_up():
    asked = []

    def ask(prompt: str, number: int) -> str:
        asked.append((prompt, number))
        return json.dumps(ZOO).replace("ibis", "IBIS") if number == 1 else json.dumps(ZOO)

    found = list(make_drafts("yaml_to_json", 2, ask))
    assert asked == [(drafting_prompt("yaml_to_json"), number) for number in range(2 * TRIES)]
    assert [draft.id for draft in found] == ["180500", *[""] * 5]
    assert {draft.reason for draft in found[1:]} == {"it is the same as an earlier one"}


def test_everything_is_kept_for_people(tmp_path):
    replies = iter([json.dumps(PAGE), "=1+1", json.dumps(PAGE).replace("Trip", "Tour")])
    write_drafts(list(make_drafts("text_to_html", 2, lambda *_: next(replies))), tmp_path)
    with (tmp_path / "review.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["task_id"] for line in lines] == ["000400", "", "000401"]
    assert lines[1]["rejected"] == "the reply holds no JSON object"
    assert lines[1]["reply"] == "'=1+1", "which no spreadsheet computes"
    assert json.loads(lines[0]["VQA"]) == PAGE["VQA"]
    questions = list(load_questions(str(tmp_path), ["text_to_html"]))
    assert [question.pairs[0]["answer"] for question in questions] == ["Trip", "Tour"]


def test_a_replayed_model_drafts_and_helm_runs_what_it_drafted(tmp_path):
    replay = tmp_path / "prod_env" / "replay" / "author.jsonl"
    replay.parent.mkdir(parents=True)
    tasks = ("text_to_json", "text_to_csv", "text_to_toml", "text_to_xml", "text_to_yaml")
    replies = dict.fromkeys(tasks, "I'd rather not.") | {"text_to_json": json.dumps(PLANETS)}
    replay.write_text(
        "".join(
            json.dumps({"key": request_key(drafting_prompt(task), []), "completion": reply}) + "\n"
            for task, reply in replies.items()
        )
    )
    run(tmp_path, "helm-structext", "init")
    command = ("generate", "structeval", "--model", "structext/replay-author", "--count", "1")
    said = run(
        tmp_path,
        *("helm-structext", *command, "--seed", "1", "-o", "drafts"),
        *("--subset", "t_generation"),
    ).stdout
    assert "1 question in drafts; 12 drafts rejected: review.csv says why of each" in said
    assert "Fewer than 1 questions: text_to_csv, text_to_toml" in said
    (row,) = pq.read_table(tmp_path / "drafts" / "train.parquet").to_pylist()
    assert (row["task_id"], row["raw_output_metric"]) == ("000500", PLANETS["raw_output_metric"])
    entry = "structeval:task=text_to_json,source=drafts,model=structext/blank"
    helm_run(tmp_path, "--max-eval-instances", "5", "-r", entry)
    (made,) = suite(tmp_path).glob("structeval:task=text_to_json,*")
    assert stats_of(made)["structeval_score"] == 0


def test_what_was_asked_once_is_not_asked_again(tmp_path, monkeypatch, empty_registries):
    monkeypatch.chdir(tmp_path)
    replies = iter(range(100))

    def reply(_: dict[str, Any]) -> str:
        return json.dumps(ZOO).replace("Noah", f"Zoo {next(replies)}")

    command = ["generate", "structeval", "--model", MODEL, "--task", "yaml_to_json", "--seed"]
    with openai_server(reply) as server:
        server.configure(tmp_path)
        assert main([*command, "1", "--count", "2", "-o", "a"]) == 0
        assert [request["temperature"] for request in server.requests] == [1.0, 1.0]
        assert main([*command, "1", "--count", "3", "-o", "b"]) == 0
        assert len(server.requests) == 3, "the first two are in HELM's cache"
        assert main([*command, "2", "--count", "1", "-o", "c"]) == 0
        assert len(server.requests) == 4
    rows = [pq.read_table(Path(name) / "train.parquet").to_pylist() for name in "abc"]
    assert rows[0] == rows[1][:2]
    assert "Zoo 3" in rows[2][0]["query"]


class Refusing:
    """Stands where HELM's client of all models does."""

    def __init__(self, **flags: bool) -> None:
        self.flags = ErrorFlags(**flags) if flags else None

    def make_request(self, _: Request) -> RequestResult:
        fields = {"completions": [], "embedding": [], "cached": False, "error_flags": self.flags}
        return RequestResult(success=False, error="no such luck", **fields)


def test_a_model_that_can_not_be_asked_stops_and_what_a_filter_withholds_does_not(monkeypatch):
    monkeypatch.setattr(asking, "deployment_of", lambda name, _: (name, name))
    with pytest.raises(
        SetupError, match=r"me/author can't be asked \(no such luck\); run the same"
    ):
        asking._asker("me/author", 1, Refusing())("prompt", 0)  # type: ignore[arg-type]
    withheld = Refusing(is_retriable=False, is_fatal=False)
    assert asking._asker("me/author", 1, withheld)("prompt", 0) == ""  # type: ignore[arg-type]


def test_nothing_to_use_is_an_error_and_the_replies_are_kept(
    tmp_path, monkeypatch, capsys, empty_registries
):
    monkeypatch.chdir(tmp_path)
    command = ["generate", "structeval", "--model", MODEL, "--seed", "1", "--count", "1", "-o", "a"]
    with openai_server("No.") as server:
        server.configure(tmp_path)
        assert main([*command, "--task", "yaml_to_json"]) == 2
    assert "no draft of me/my-vlm can be used: a/review.csv says why" in capsys.readouterr().err
    assert (tmp_path / "a" / "review.csv").read_text().count("no JSON object") == TRIES
    assert main([*command, "--task", "yaml_to_json", "--subset", "v_generation"]) == 2
    assert "is not of --subset v_generation" in capsys.readouterr().err
