"""Times the generator of MMR questions, without and with its checker.

    python benchmarks/mmr_generate.py [questions]

Prints a Markdown table within about five minutes on two cores. Seconds of the processor include
the workers' and Tesseract's, so that they matter more than those on the clock where other programs
run on the machine.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from helm_structext.generate.mmr import generate_mmr
from helm_structext.renderers.pool import worker_count
from helm_structext.tables import markdown

SEED = 2026


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main(count: int) -> None:
    rows: list[list[str | float | None]] = []
    for check in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            start, used = time.perf_counter(), processor_seconds()
            report = generate_mmr(count, SEED, Path(folder), check=check)
            rows.append(
                [
                    "with the checker" if check else "without",
                    str(report.questions),
                    str(report.pictures),
                    f"{time.perf_counter() - start:.0f}",
                    f"{processor_seconds() - used:.0f}",
                    f"{report.pass_rate:.1%} of {report.checked}" if check else None,
                ]
            )
    print(f"{worker_count()} workers, seed {SEED}\n")
    header = ["", "Questions", "Pictures", "Seconds", "Processor seconds", "Proven"]
    print(markdown(header, rows))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
