"""Rows in the schema of TIGER-Lab/StructEval, written for tests."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helm_structext.structeval.tasks import CODES, TASKS

SCHEMA = pa.schema(
    [
        *(
            (name, pa.string())
            for name in (
                "task_id",
                "query",
                "feature_requirements",
                "task_name",
                "input_type",
                "output_type",
                "query_example",
            )
        ),
        ("VQA", pa.list_(pa.struct([("question", pa.string()), ("answer", pa.string())]))),
        ("raw_output_metric", pa.list_(pa.string())),
        ("rendering", pa.bool_()),
        ("oracle_structure", pa.string()),
    ]
)


def structeval_row(task: str = "text_to_json", number: int = 0, **changes: Any) -> dict[str, Any]:
    """A row of a task; a change to ``...`` leaves a column out."""
    kind = TASKS[task]
    row = {
        "task_id": f"{CODES[kind.input]}{CODES[kind.output]}{number:02}",
        "query": f"Please output {kind.output} code: {task}, number {number}.",
        "feature_requirements": "",
        "task_name": kind.name,
        "input_type": kind.input,
        "output_type": kind.output,
        "query_example": "",
        "VQA": [{"question": "What is written?", "answer": "Moons"}] if kind.rendered else [],
        "raw_output_metric": ["Moons", "planet"] if kind.rendered else ["planet.name"],
        "rendering": kind.rendered,
        "oracle_structure": None,
    }
    row.update(changes)
    return {name: value for name, value in row.items() if value is not ...}


def write_rows(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Writes a folder that `source=` can name."""
    columns = {name for row in rows for name in row}
    schema = pa.schema([field for field in SCHEMA if field.name in columns])
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / "train-0.parquet")
    return folder
