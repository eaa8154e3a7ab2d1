"""The scores of StructEval's answers: section 3 of the paper, one function for text and one for pictures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from helm_structext.errors import MISSING, error_values
from helm_structext.extraction import extract
from helm_structext.extraction.reasoning import without_reasoning
from helm_structext.extraction.tags import ends_malformed
from helm_structext.metrics import (
    keyword_score,
    structeval_score,
    structeval_score_published,
    text_scores_published,
)
from helm_structext.metrics.structures import score_structure
from helm_structext.protocols import ProtocolName
from helm_structext.scoring.handling import MISSING_RESOURCES
from helm_structext.structeval.tasks import TASKS

JUDGE_METRICS = (
    "judge_unreadable",
    "judge_requests",
    "judge_prompt_tokens",
    "judge_completion_tokens",
)
"""What judging took, which HELM's costs.json leaves out."""

MISTAKES = ("malformed_end_tag", "lost_paths")
"""Numbers of mistakes, which change no score."""

METRICS = (
    "syntax_score",
    "syntax_score_published",
    "path_score",
    "path_score_published",
    "keyword_score",
    "vqa_score",
    "structeval_score",
    "structeval_score_published",
    *JUDGE_METRICS,
    *MISTAKES,
    *error_values(None),
    MISSING_RESOURCES,
)
JUDGED = {"vqa_score", "structeval_score", "structeval_score_published", *JUDGE_METRICS}
"""Those of a picture that need a judge."""
NOT_OF_TEXT = {"keyword_score", "vqa_score", *JUDGE_METRICS, MISSING_RESOURCES}
NOT_OF_PICTURES = {"path_score", "path_score_published", "lost_paths"}

PAGES = frozenset({"html", "react", "vue", "angular", "canvas", "markdown", "vega", "svg"})
"""Formats of which the published code takes a screenshot, whatever became of the code in it."""


def metrics_of(tasks: Iterable[str], judged: bool) -> list[str]:
    """Returns the names of all scores that answers to some tasks may have.

    Args:
        tasks: keys of `helm_structext.structeval.tasks.TASKS`.
        judged: whether there is a judge.

    >>> metrics_of(["text_to_svg"], judged=False)[:2]
    ['syntax_score', 'syntax_score_published']
    """
    rendered = {TASKS[task].rendered for task in tasks}
    missing = [NOT_OF_PICTURES | (set() if judged else JUDGED)] if True in rendered else []
    missing += [NOT_OF_TEXT] if False in rendered else []
    return [name for name in METRICS if not all(name in names for names in missing)]


def text_scores(
    code: str, paths: Sequence[str], format: str, protocol: ProtocolName
) -> dict[str, float | None]:
    """Returns the scores of text (StructEval-T): metric to value.

    Args:
        code: as extracted from a completion.
        paths: those that should be in it.
        format: one of `helm_structext.formats.text_formats`.
        protocol: by which the text is read; see `helm_structext.metrics.parse_structure`.
    """
    syntax, found, lost = score_structure(code, paths, format, protocol=protocol)
    published = text_scores_published(code, paths, format)
    return {
        "syntax_score": syntax,
        "syntax_score_published": published[0],
        "path_score": found,
        "path_score_published": published[1],
        "lost_paths": lost,
        "structeval_score": structeval_score(syntax, found),
        "structeval_score_published": structeval_score_published(*published),
    }


def rendering_score_published(format: str, kind: str | None) -> float:
    """Returns the syntax score of what renders by the published rule.

    It is 1 where there is a picture. Of a page there is one as soon as there is code: where that does
    not compile or throws, or lacks what it needs, a blank one, which the published code does not tell from
    others.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        kind: of the error, or None.

    Source: StructEval's published code, `structeval/render_engine`: the score is 1 after a screenshot. Of
    browser formats, it asks Mermaid alone whether that failed.

    >>> [rendering_score_published(name, "syntax") for name in ("canvas", "svg", "mermaid")]
    [1.0, 1.0, 0.0]
    """
    return float(kind is None or (kind in ("syntax", MISSING) and format in PAGES))


def rendered_scores(
    completion: str,
    keywords: Sequence[str],
    format: str,
    kind: str | None,
    judged: Mapping[str, Any] | None,
    protocol: ProtocolName,
) -> dict[str, float | None]:
    """Returns the scores of what renders (StructEval-V): metric to value.

    Args:
        completion: as the model wrote it.
        keywords: those that should be in it.
        format: one of `helm_structext.formats.rendered_formats`.
        kind: of the error, or None if it gave a picture.
        judged: the judge's annotation (`helm_structext.structeval.judge`), or None without a judge.
        protocol: ``published``, where keywords count in the reasoning, too, or ``corrected``.
    """
    syntax, published = float(kind is None), rendering_score_published(format, kind)
    searched = completion if protocol == "published" else without_reasoning(completion)
    found = keyword_score(searched, keywords)
    values: dict[str, float | None] = {
        "syntax_score": syntax,
        "syntax_score_published": published,
        "keyword_score": found,
    }
    if judged is not None:
        if (vqa := judged["vqa_score"]) is not None:
            values |= {
                "vqa_score": vqa,
                "structeval_score": structeval_score(syntax, found, vqa),
                "structeval_score_published": structeval_score_published(published, found, vqa),
            }
        values |= {
            "judge_unreadable": float(not judged["parsed"]),
            "judge_requests": judged["requests"],
            "judge_prompt_tokens": judged["prompt_tokens"],
            "judge_completion_tokens": judged["completion_tokens"],
        }
    return values


def answer_scores(
    task: str,
    completion: str,
    keywords: Sequence[str],
    kind: str | None,
    judged: Mapping[str, Any] | None,
    protocol: ProtocolName,
) -> dict[str, float | None]:
    """Returns the scores of a completion, of text or of what renders: metric to value.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        completion: as the model wrote it.
        keywords: paths or words that should be in it.
        kind: of the error, if it did not parse or render, or None.
        judged: see `rendered_scores`; so is `protocol`.

    >>> values = answer_scores("text_to_json", '{"a": 1}', ["a", "b"], None, None, "published")
    >>> values["syntax_score"], values["path_score"], values["render_error_syntax"]
    (1.0, 0.5, 0.0)
    """
    about = TASKS[task]
    if about.rendered:
        scores = rendered_scores(completion, keywords, about.format, kind, judged, protocol)
    else:
        code = extract(completion, about.format, protocol)
        scores = text_scores(code, keywords, about.format, protocol)
    malformed = ends_malformed(without_reasoning(completion))
    return {**error_values(kind), **scores, "malformed_end_tag": float(malformed)}
