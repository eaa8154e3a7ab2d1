"""HELM adapter of StructEval: completions and verdicts become statistics."""

from collections.abc import Mapping, Sequence
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat

from helm_structext.errors import ERROR_KINDS
from helm_structext.extraction import extract, without_reasoning
from helm_structext.metrics import (
    keyword_score,
    path_score,
    structeval_score,
    structeval_score_published,
    syntax_score,
    syntax_score_published,
)
from helm_structext.structeval.tasks import TASKS

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
    *(f"render_error_{kind}" for kind in ERROR_KINDS),
)


class StructEvalMetric(Metric):
    """Scores completions as section 3 of the paper says.

    Text (StructEval-T) has a syntax and a path score. What renders (StructEval-V) has a syntax
    score (whether it rendered), a keyword score, and a VQA score where a judge was asked; without
    one it has no final score. Keywords are looked for in the whole completion, as published, but
    not in the reasoning before it.

    Args:
        protocol: ``published`` or ``corrected``: how code is found in completions.
    """

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each of `METRICS`; one without a value has no count."""
        assert request_state.instance.extra_data is not None
        assert request_state.result is not None
        assert request_state.annotations is not None
        extra_data, annotations = request_state.instance.extra_data, request_state.annotations
        completion = request_state.result.completions[0].text
        (rendering, *_) = annotations["rendering"]
        values: dict[str, float | None] = dict.fromkeys(METRICS)
        values |= {
            f"render_error_{kind}": float(kind == rendering.get("kind")) for kind in ERROR_KINDS
        }
        if TASKS[extra_data["task"]].rendered:
            rendered = "error" not in rendering
            (judged,) = annotations.get("judge") or [None]
            values |= rendered_scores(completion, extra_data["keywords"], rendered, judged)
        else:
            code = extract(completion, extra_data["format"], self._protocol)
            values |= text_scores(code, extra_data["keywords"], extra_data["format"])
        stats = []
        for name, value in values.items():
            stat = Stat(MetricName(name))
            # A count of 0 says "no value" without a warning from helm-summarize.
            stats.append(stat if value is None else stat.add(value))
        return stats


def text_scores(code: str, paths: Sequence[str], format: str) -> dict[str, float | None]:
    """Returns the scores of text (StructEval-T): metric to value.

    Args:
        code: as extracted from a completion.
        paths: those that should be in it.
        format: one of `helm_structext.structeval.tasks.TEXT_FORMATS`.
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
