"""Answers of Image2Struct made by hand, and suites of them on disk."""

import json
from pathlib import Path
from typing import Any

from helm_structext.image2struct.results import (
    Image2StructResult,
    Image2StructResultSet,
    conditions_of,
    result_sets,
)
from helm_structext.image2struct.tables import SECTIONS
from helm_structext.results.result_sets import Selection, group_by_condition, match_models
from helm_structext.results.tabular import Table

EMS = "earth_mover_similarity"


def result(model: str, instance: str, ems: float | None, **changes: Any) -> Image2StructResult:
    """An answer; `ems` None: it did not render."""
    arguments = {"domain": "image2struct_latex", "subset": "all", "protocol": "published"}
    arguments |= {"difficulty": "all", "source": "sample", **changes.pop("arguments", {})}
    failed = ems is None
    fields = {
        "run": "run",
        "subset": "equation",
        "difficulty": "easy",
        "date": "",
        "picture": Path(f"absent/{instance}.png"),
        "reference_text": "x",
        "completion": f"{model} on {instance}",
        "finish_reason": "stop",
        "rendering": None if failed else Path("absent/rendering.png"),
        "text": "",
        "error_kind": "syntax" if failed else None,
        "error": "",
        "scores": {
            EMS: ems or 0.0,
            "compilation_success": float(not failed),
            "metric_errors": 0.0,
            **({} if failed else {"earth_mover_similarity_rendered": ems, "block_emd": 1 - ems}),
            **changes.pop("scores", {}),
        },
    }
    return Image2StructResult(
        model=model,
        instance=instance,
        domain=arguments["domain"],
        conditions=conditions_of(arguments),
        **{**fields, **changes},
    )


def scored(**models: list[float | None]) -> list[Image2StructResult]:
    """Answers of models to the instances 0, 1, …"""
    return [
        result(model, str(number), ems)
        for model, values in models.items()
        for number, ems in enumerate(values)
    ]


def groups(
    results: list[Image2StructResult], patterns: list[str] | None = None, **options: Any
) -> list[list[Image2StructResultSet]]:
    """The result sets of each condition, of the models that fit."""
    models = match_models((r.model for r in results), patterns or [])
    return group_by_condition(result_sets(results, Selection(models, **options)))


def dated(*values: tuple[str, float], model: str = "m", **changes: Any) -> list[Image2StructResult]:
    """Answers of a model to instances of these dates."""
    return [
        result(model, f"{day}-{i}", ems, date=day, **changes) for i, (day, ems) in enumerate(values)
    ]


def section(name: str, results: list[Image2StructResult], **options: Any) -> dict[str, Table]:
    """Name of a table (without the condition) to the table."""
    tables = [t for group in groups(results, **options) for t in SECTIONS[name](group)]
    return {table.name.removeprefix("published-"): table for table in tables}


def rows(table: Table) -> dict[str, dict[str, Any]]:
    """First cell to column to cell; with several rows of one name, the last."""
    names = [column.name for column in table.columns]
    return {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}


def write_suite(folder: Path, results: list[Image2StructResult]) -> Path:
    """Writes results as HELM does, as far as we read it; pictures stand in the first instance."""
    for model in {r.model for r in results}:
        ours = [r for r in results if r.model == model]
        run = folder / "benchmark_output" / "runs" / "s" / f"run,model={model.replace('/', '_')}"
        run.mkdir(parents=True)
        spec = {
            "name": f"{ours[0].domain}:subset=all,model={model}",
            "scenario_spec": {"args": {"subset": "all", **ours[0].conditions}},
            "adapter_spec": {"model": model},
        }
        picture = {"location": "pictures/{}.png", "content_type": "image/png"}
        states = [
            {
                "instance": {
                    "id": r.instance,
                    "sub_split": r.subset,
                    "extra_data": {
                        **{"date": r.date, "difficulty": r.difficulty},
                        **({"round": r.round} if r.round else {}),
                    },
                    "input": {
                        "multimedia_content": {
                            "media_objects": [
                                {"text": "Draw this", "content_type": "text/plain"},
                                {
                                    **picture,
                                    "location": str(r.seen or f"pictures/{r.instance}.png"),
                                },
                            ]
                        }
                    },
                    "references": [
                        {
                            "output": {
                                "text": r.reference_text,
                                "multimedia_content": {
                                    "media_objects": [
                                        {**picture, "location": f"pictures/{r.instance}.png"}
                                    ]
                                },
                            }
                        }
                    ],
                },
                "result": {
                    "success": not r.blocked,
                    "completions": [
                        {"text": r.completion, "finish_reason": {"reason": r.finish_reason}}
                    ],
                },
                "annotations": {
                    "rendering": [
                        {"media_object": picture, "text": r.text}
                        if r.rendering
                        else {"kind": r.error_kind, "error": "syntax: wrong"}
                    ]
                },
            }
            for r in ours
        ]
        stats = [
            {
                "instance_id": r.instance,
                "stats": [
                    {"name": {"name": name}, "count": 1, "mean": value}
                    for name, value in r.scores.items()
                ],
            }
            for r in ours
        ]
        for name, content in (
            ("run_spec", spec),
            ("scenario_state", {"request_states": states}),
            ("per_instance_stats", stats),
        ):
            (run / f"{name}.json").write_text(json.dumps(content))
    return folder
