"""The scores of StructEval's answers: section 3 of the paper, one function for text and one for pictures."""

from collections.abc import Mapping, Sequence
from typing import Any

from helm_structext.errors import error_values
from helm_structext.extraction import without_reasoning
from helm_structext.metrics import (
    keyword_score,
    path_score,
    structeval_score,
    structeval_score_published,
    syntax_score,
    syntax_score_published,
)

JUDGE_METRICS = (
    "judge_unreadable",
    "judge_requests",
    "judge_prompt_tokens",
    "judge_completion_tokens",
)
"""What judging took, which HELM's costs.json leaves out."""

METRICS = (
    "syntax_score",
    "syntax_score_published",
    "path_score",
    "keyword_score",
    "vqa_score",
    "structeval_score",
    "structeval_score_published",
    *JUDGE_METRICS,
    *error_values(None),
)


def text_scores(code: str, paths: Sequence[str], format: str) -> dict[str, float | None]:
    """Returns the scores of text (StructEval-T): metric to value.

    Args:
        code: as extracted from a completion.
        paths: those that should be in it.
        format: one of `helm_structext.formats.text_formats`.
    """
    syntax, published = syntax_score(code, format), syntax_score_published(code, format)
    found = path_score(code, paths, format)
    return {
        "syntax_score": syntax,
        "syntax_score_published": published,
        "path_score": found,
        "structeval_score": structeval_score(syntax, found),
        "structeval_score_published": structeval_score_published(published, found),
    }


def rendered_scores(
    completion: str, keywords: Sequence[str], rendered: bool, judged: Mapping[str, Any] | None
) -> dict[str, float | None]:
    """Returns the scores of what renders (StructEval-V): metric to value.

    Args:
        completion: as the model wrote it.
        keywords: those that should be in it.
        rendered: whether it gave a picture.
        judged: the judge's annotation (`helm_structext.structeval.judge`), or None without a judge.
    """
    syntax = float(rendered)
    found = keyword_score(without_reasoning(completion), keywords)
    values: dict[str, float | None] = {"syntax_score": syntax, "keyword_score": found}
    if judged is not None:
        vqa = judged["vqa_score"]
        values |= {
            "vqa_score": vqa,
            "structeval_score": structeval_score(syntax, found, vqa),
            "structeval_score_published": structeval_score_published(syntax, found, vqa),
            "judge_unreadable": float(not judged["parsed"]),
            "judge_requests": judged["requests"],
            "judge_prompt_tokens": judged["prompt_tokens"],
            "judge_completion_tokens": judged["completion_tokens"],
        }
    return values
