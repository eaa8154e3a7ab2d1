"""What `fuzz.py text` tries: everything that reads what a model says, and files (`fuzz_files`).

Each target makes an input and checks it: whatever is wrong raises an exception that the target does
not declare. What a check returns is compared where the input is an honest one.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from PIL import Image

from fuzz_files import FILES
from fuzz_inputs import (
    Input,
    Target,
    check_error,
    honest_completions,
    random_text,
    random_value,
    written,
)
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.extraction.reasoning import without_reasoning
from helm_structext.formats import FORMATS, text_formats
from helm_structext.helm.boxes import draw_boxes
from helm_structext.metrics import (
    edit_similarity,
    keyword_score,
    levenshtein_similarity,
    pnls,
    pnls_published,
)
from helm_structext.metrics.structures import check_path, parse_structure, path_exists
from helm_structext.mmr.replies import SCALES, UnreadableReply
from helm_structext.mmr.scores import score
from helm_structext.mmr.tasks import (
    KINDS,
    ParsedReply,
    read_answer,
    read_reply,
    read_reply_leniently,
)
from helm_structext.protocols import PROTOCOLS, ProtocolName
from helm_structext.renderers import (
    latex,
    latex_document,
    lilypond,
    render_completion,
    tex_log,
    typst_packages,
)
from helm_structext.renderers.engine import tidy_text
from helm_structext.renderers.web import (
    frameworks,
    html,
    mermaid_errors,
    page,
    svg,
    vega_errors,
    webpage,
)
from helm_structext.results.runs import is_refusal
from helm_structext.sandbox import Limits
from helm_structext.structeval.judge import JudgeReply, annotation
from helm_structext.structeval.scores import rendered_scores, text_scores
from helm_structext.texts import shorten_text


def _completion(chance: Random) -> str:
    return random_text(chance, "completion", honest_completions())


def _of_format(chance: Random, format: str) -> str:
    return random_text(chance, format, _parsing(format))


@lru_cache
def _parsing(format: str) -> list[str]:
    """Honest texts of a format."""
    found = [FORMATS[format].blank]
    for text in honest_completions():
        try:
            parse_structure(code := extract(text, format), format)
        except RenderError:
            continue
        found.append(code)
    return found


def _extraction(completion: str, format: str, protocol: str) -> str:
    code = extract(completion, format, protocol)
    assert protocol != "published" or code in completion, "the code is not in the completion"
    keyword_score(without_reasoning(completion), [code[:20]])
    is_refusal(completion)
    return code


def _parser(text: str, format: str, protocol: ProtocolName = "published") -> Any:
    structure = parse_structure(text, format, protocol=protocol)
    again = parse_structure(text, format, protocol=protocol)
    assert repr(again) == repr(structure), "parsed twice, it differs"
    return structure


def _scores(text: str, format: str, path: str, protocol: ProtocolName = "published") -> Any:
    check_path(path)
    values = text_scores(text, [path, "a"], format, protocol)
    return _shares(values)


def _shares(values: Mapping[str, float | None]) -> Any:
    for name, value in values.items():
        assert value is None or 0 <= value <= 1, f"{name} is {value}"
    return values


def _path(structure: Any, path: str) -> bool:
    check_path(path)
    found = path_exists(structure, path)
    assert isinstance(found, bool)
    return found


def _answer(completion: str, format: str, protocol: str) -> Any:
    return render_completion(format, completion, protocol=protocol).structure  # type: ignore[arg-type, union-attr]


_PICTURE = Image.new("RGB", (64, 48), "white")


_TRUTHS = {
    "choice": ParsedReply(choice=1),
    "text": ParsedReply(text="Emma"),
    "box": ParsedReply(box=(0, 0, 0.5, 1)),
    "text_box": ParsedReply(text="Emma", box=(0, 0, 0.5, 1)),
}


def _reply(kind: str, reply: str, scale: str) -> Any:
    truth = _TRUTHS[kind]
    lenient = read_leniently(kind, reply, scale) if truth.box else None
    strict = read_reply(kind, reply)
    assert KINDS[kind].write(strict) is not None
    for reading in (lenient, strict):
        _shares(score(reading, truth))
        if reading and reading.box:
            draw_boxes(_PICTURE, (0, 0, 1, 1), reading.box)
    return lenient, strict


def read_leniently(kind: str, reply: str, scale: str) -> ParsedReply | None:
    """A reply's lenient reading, or None where there is none."""
    try:
        return read_reply_leniently(kind, reply, scale, _PICTURE.size)
    except UnreadableReply:
        return None


def _true_answer(kind: str, answer: str) -> Any:
    truth = read_answer(kind, answer)
    _shares(score(truth, truth))
    return truth


def _verdicts(reply: str, keywords: list[str]) -> Any:
    pairs = [{"question": word, "answer": word} for word in keywords]
    judged = annotation("judge", pairs, [JudgeReply(reply, None, None)], "published")
    return _shares(
        rendered_scores(
            reply,
            keywords,
            "html",
            None,
            {**judged, **dict.fromkeys(("requests", "prompt_tokens", "completion_tokens"))},
            "corrected",
        )
    )


def _reference_length(chance: Random) -> int:
    """Mostly short: the time that a similarity takes is proportional to it."""
    return 3_000 if chance.random() < 0.01 else 100


def _similarity(prediction: str, reference: str) -> Any:
    values = {
        metric.__name__: metric(prediction, reference)
        for metric in (edit_similarity, levenshtein_similarity, pnls, pnls_published)
    }
    assert levenshtein_similarity(prediction, prediction) == 1
    return _shares(values)


def _source_input(chance: Random) -> Input:
    kind = chance.choice(("latex", "page", "log", "files", "completion"))
    return {"code": random_text(chance, kind, honest_completions()), "log": written(chance, "log")}


def _source(code: str, log: str) -> Any:
    """What renderers do with code, logs and errors outside of the sandbox."""
    seen: list[Any] = []
    for steps in latex.STEPS.values():
        try:
            completed = latex.complete(code, steps)
        except RenderError as error:
            check_error(error)
        else:
            seen += [latex.content(completed.text, steps)]
            seen += [tex_log.reason(log, latex.repair_document(completed, log, steps)[0], code)]
    seen += [latex_document.complete_document(code, protocol).text for protocol in PROTOCOLS]
    seen += [
        lilypond.explain_error(log, code),
        lilypond.explain_conversion(log),
        lilypond.find_missing(code, log),
        typst_packages.replace_versions(code, [typst_packages.TypstPackage("a", "1.0.0")]),
        mermaid_errors.reason(log),
        vega_errors.explain_error(log, code),
        page.first_line(log),
        tidy_text(code),
        shorten_text(log, 100),
    ]
    seen += [
        html.explain_error(log, html.as_written, {"index.html": code}),
        html.skip_comments(code),
    ]
    for files in (frameworks.react_files, frameworks.vue_files, frameworks.angular_files):
        try:
            seen.append(files(code))
        except RenderError as error:
            check_error(error)
    seen += [frameworks.is_vue_page(code), frameworks.add_vue(code), frameworks.is_piece(code)]
    echo = lambda kind, files, limits: SimpleNamespace(files=files)  # noqa: E731
    with patch.object(html, "compile_answer", echo):
        try:
            seen.append(html.prepare_document(code, Limits()))
        except RenderError as error:
            check_error(error)
    return seen


def _image(code: str) -> str:
    found = svg.read_root(code).code
    found.encode()
    return found


def _site(code: str, protocol: str, path: str) -> Any:
    """What becomes of the files of a web page outside of the sandbox."""
    path.encode()  # a browser sends no others
    files = webpage.files_of(code, protocol)  # type: ignore[arg-type]
    site = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    json.dumps(list(files))
    webpage.needs_jekyll(site)
    replies = [
        webpage.reply(site, path),
        page.site_reply(site, path),
        *(webpage.reply(site, name) for name in site),
    ]
    assert all(
        reply is None or (reply.type.isascii() and reply.type.isprintable()) for reply in replies
    )
    return webpage.write_listing(site), [reply and reply.status for reply in replies]


def _any_format(chance: Random) -> str:
    return chance.choice(list(FORMATS))


def _either(chance: Random) -> ProtocolName:
    return chance.choice(PROTOCOLS)


def _text_format(chance: Random) -> str:
    return chance.choice(text_formats())


def _formatted(chance: Random, **more: Any) -> Input:
    format = _text_format(chance)
    return {
        "text": _of_format(chance, format),
        "format": format,
        "protocol": _either(chance),
        **more,
    }


TARGETS = {
    "extraction": Target(
        lambda c: {"completion": _completion(c), "format": _any_format(c), "protocol": _either(c)},
        _extraction, (),
        {"completion": "Sure: <|BEGIN_CODE|>{}<|END_CODE|>", "format": "json", "protocol": "published"}, 20,
    ),
    "parser": Target(_formatted, _parser, (RenderError,), {"text": "a: [1, 2]", "format": "yaml"}, 20),
    "scores": Target(
        lambda c: _formatted(c, path=random_text(c, "path", ["a[0].b", "csv::a", "*.`a.b`"])), _scores, (ValueError,),
        {"text": '{"a": [1]}', "format": "json", "path": "a[0]"}, 10,
    ),
    "path": Target(
        lambda c: {"structure": random_value(c, 5), "path": random_text(c, "path", ["a.b[0].*.`c.d`"])},
        _path, (ValueError,), {"structure": {"a": [{"b": 1}]}, "path": "a.*.b"}, 20,
    ),
    "answer": Target(
        lambda c: {"completion": _completion(c), "format": _text_format(c), "protocol": _either(c)},
        _answer, (RenderError,),
        {"completion": "```json\n[1]\n```", "format": "json", "protocol": "corrected"}, 10,
    ),
    "reply": Target(
        lambda c: {"kind": c.choice(list(KINDS)), "reply": random_text(c, "reply", ["[0.1, 0.2, 0.5, 1]", '"Emma", [0, 0, 1, 1]', "2. Below"]), "scale": c.choice(SCALES)},
        _reply, (UnreadableReply,), {"kind": "box", "reply": "[0.1, 0.2, 0.5, 1]", "scale": "fraction"}, 20,
    ),
    "true answer": Target(
        lambda c: {"kind": c.choice(list(KINDS)), "answer": random_text(c, "reply", ["[0.1, 0.2, 0.5, 1]", '["Emma", [0, 0, 1, 1]]', "2"])[:_reference_length(c)]},
        _true_answer, (ValueError,), {"kind": "choice", "answer": "2"}, 5,
    ),
    "judge": Target(
        lambda c: {"reply": random_text(c, "json", ['{"1": true, "2": null}']), "keywords": [written(c, "any") for _ in range(c.randrange(4))]},
        _verdicts, (), {"reply": '{"1": true}', "keywords": ["a"]}, 10,
    ),
    "similarity": Target(
        lambda c: {"prediction": _completion(c), "reference": random_text(c, "any", ["The Moons of Jupiter", "well-read"])[:_reference_length(c)]},
        _similarity, (), {"prediction": "The title is Emma.", "reference": "Emma"}, 3,
    ),
    "source": Target(_source_input, _source, (), {"code": "$x$", "log": "! no"}, 3),
    "image": Target(
        lambda c: {"code": random_text(c, "xml", ['<svg width="9"><circle r="9"/></svg>'])},
        _image, (RenderError,), {"code": "<svg/>"}, 5,
    ),
    "site": Target(
        lambda c: {"code": random_text(c, "files", ['[{"filename": "index.html", "content": "<p>"}, {"filename": "a/b.css", "content": ""}]']),
                   "protocol": _either(c), "path": written(c, "any").encode("utf-8", "replace").decode()},
        _site, (RenderError,),
        {"code": '[{"filename": "a.html", "content": ""}]', "protocol": "published", "path": "a"}, 5,
    ),
    **FILES,
}  # fmt: skip
"""Name to what is tried."""
