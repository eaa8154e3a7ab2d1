"""Times the generator of MMR questions, without and with its checker, and compares two sets.

    python benchmarks/mmr_generate.py [questions]

Prints a Markdown table within about five minutes on two cores, and what the two sets, of different
seeds, have in common. Seconds of the processor include the workers', and Tesseract's too where
HELM_STRUCTEXT_SANDBOX=off leaves it no sandbox of its own; they matter more than those on the clock
where other programs run on the machine.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

from helm_structext.mmr.generate.dataset import generate_mmr
from helm_structext.results.tabular import markdown
from helm_structext.sandbox import worker_count

SEED = 2026


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def questions_of(folder: Path, *columns: str) -> set[tuple[str, ...]]:
    table = pq.read_table(folder / "train.parquet", columns=list(columns))
    return {tuple(row.values()) for row in table.to_pylist()}


def main(count: int) -> None:
    rows: list[list[str | float | None]] = []
    said, asked = [], []
    for seed, check in ((SEED, False), (SEED + 1, True)):
        with tempfile.TemporaryDirectory() as name:
            start, used = time.perf_counter(), processor_seconds()
            report = generate_mmr(count, seed, Path(name), check=check)
            rows.append(
                [
                    f"{'with' if check else 'without'} the checker, seed {seed}",
                    str(report.questions),
                    str(report.pictures),
                    f"{time.perf_counter() - start:.0f}",
                    f"{processor_seconds() - used:.0f}",
                    f"{report.pass_rate:.1%} of {report.checked}" if check else None,
                ]
            )
            said.append(questions_of(Path(name), "Question", "Answer"))
            asked.append(questions_of(Path(name), "Question", "img_id"))
    print(f"{worker_count()} workers; load of the machine {os.getloadavg()[0]:.1f} at the end\n")
    header = ["", "Questions", "Pictures", "Seconds", "Processor seconds", "Proven"]
    print(markdown(header, rows))
    print(
        f"\nThe two sets share {len(asked[0] & asked[1])} questions about a picture; "
        f"{len(said[0] & said[1])} have the same words and the same answer, about other pictures."
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
