"""Collecting against hosts on this machine that answer at once: how fast, killed, and what it is good for.

    .venv/bin/python benchmarks/collect.py [made-up|latex|webpage|music] [--count N]
    .venv/bin/python benchmarks/collect.py made-up --kill 20
    .venv/bin/python benchmarks/collect.py latex --count 25 --helm

Prints candidates a minute and where their time goes. With `--kill`, a round is collected undisturbed,
and again while it is killed so many times at random moments; the two datasets must be equal byte for
byte, and no question may be asked twice but the one that was in flight at a kill. With `--helm`,
helm-run evaluates the baselines on a round: in how many instances the oracle's rendering is the
picture, pixel for pixel, which all must be where there is a structure, and what each baseline scores.
"""

import argparse
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from helm_structext.baselines import BASELINES  # noqa: E402
from helm_structext.image2struct.collect.database import Database  # noqa: E402
from helm_structext.image2struct.collect.journal import JOURNAL  # noqa: E402
from helm_structext.image2struct.results import (  # noqa: E402
    EMS,
    Image2StructResult,
    Image2StructResultSet,
    read_run,
    result_sets,
)
from helm_structext.image2struct.tasks import DOMAINS  # noqa: E402
from helm_structext.pictures import read_picture  # noqa: E402
from helm_structext.protocols import PROTOCOLS  # noqa: E402
from helm_structext.results.runs import finished_runs  # noqa: E402
from helm_structext.results.tabular import SCORE, Cell, markdown  # noqa: E402
from support.collecting import items, shop  # noqa: E402
from support.helm import init, run, suite  # noqa: E402
from support.hosts import CONTACT, Request  # noqa: E402

MADE_UP = "made-up"
FIRST, LAST = "2026-10-01", "2026-10-31"
ORACLE = BASELINES[0]
NO_STRUCTURE = "holds no structure"
"""In what the oracle says of music."""


@dataclass(frozen=True)
class Setting:
    """A host that runs, and what collects from it.

    Args:
        command: that collects into a folder.
        asked: what each host was asked, in order.
    """

    command: Callable[[Path], Sequence[str]]
    asked: Sequence[list[Request]]

    @property
    def requests(self) -> list[Request]:
        """What all hosts were asked."""
        return [request for asked in self.asked for request in asked]


@contextmanager
def made_up(count: int) -> Iterator[Setting]:
    with shop(a=items(4 * count), b=items(4 * count, "b")) as host:
        program = [sys.executable, "-m", "support.collecting", host.url]
        yield Setting(lambda folder: [*program, str(folder), str(count)], [host.requests])


@contextmanager
def latex(count: int) -> Iterator[Setting]:
    from support.arxiv_papers import papers
    from support.arxiv_server import arxiv_server

    with arxiv_server(papers(2 * count, seed=1), page=100) as arxiv:
        yield by_command("latex", count, arxiv.addresses, [arxiv.host.requests])


@contextmanager
def webpage(count: int) -> Iterator[Setting]:
    from support.github_server import github
    from support.repositories import repositories

    os.environ["GITHUB_TOKEN"] = "for-this-machine-alone"
    with github(repositories(6 * count, seed=1)) as hub:
        yield by_command("webpage", count, hub.addresses, [hub.api.requests, hub.codeload.requests])


@contextmanager
def music(count: int) -> Iterator[Setting]:
    from support.collecting_music import uploads
    from support.imslp_server import Imslp

    with Imslp(uploads=uploads(count + count // 5)) as wiki:
        # Not the command: it wants a trained classifier.
        program = [sys.executable, "-m", "support.collecting_music", wiki.url]
        yield Setting(lambda folder: [*program, str(folder), str(count)], [wiki.requests])


def by_command(
    domain: str, count: int, addresses: Mapping[str, str], asked: Sequence[list[Request]]
) -> Setting:
    """Collects a domain as users do."""
    program = str(Path(sys.executable).with_name("helm-structext"))
    window = ["--from", FIRST, "--to", LAST, "--count", str(count), "--per-day", str(count)]
    others = ["--contact", CONTACT, "--no-moderation"]
    hosts = [f"--address={name}={url}" for name, url in addresses.items()]
    words = [program, "collect", domain, *window, *others, *hosts]
    return Setting(lambda folder: [*words, "-o", str(folder)], asked)


SETTINGS = {MADE_UP: made_up, "latex": latex, "webpage": webpage, "music": music}


def start(setting: Setting, folder: Path) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    return subprocess.Popen(setting.command(folder), env={**os.environ, "PYTHONPATH": paths})


def finished(setting: Setting, folder: Path) -> tuple[float, float]:
    """Collects a round; returns the seconds to the first request, and to the end."""
    asked = len(setting.requests)
    begin = time.monotonic()
    first = 0.0
    with start(setting, folder) as process:
        while process.poll() is None:
            if not first and len(setting.requests) > asked:
                first = time.monotonic() - begin
            time.sleep(0.01)
    if process.returncode:
        raise SystemExit(f"collecting ended with {process.returncode}")
    return first, time.monotonic() - begin


def speed(setting: Setting, folder: Path) -> bool:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    first, seconds = finished(setting, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    stages: Counter[str] = Counter()
    with Database(folder / JOURNAL) as database:
        for (document,) in database.rows("SELECT seconds FROM outcomes"):
            stages.update(json.loads(document))
        ((candidates,),) = database.rows("SELECT count(*) FROM candidates WHERE stage != 'taken'")
    print(f"{candidates} candidates in {seconds - first:.1f} s after {first:.1f} s of starting up:")
    print(
        f"{60 * candidates / (seconds - first):.0f} candidates a minute, {used:.1f} s of processors"
    )
    print("\n| stage | seconds of all threads | of a candidate |\n|---|---:|---:|")
    for stage, spent in stages.most_common():
        print(f"| {stage} | {spent:.2f} | {spent / candidates:.4f} |")
    return True


def killed(setting: Setting, kills: int, folder: Path, seed: int) -> bool:
    first, seconds = finished(setting, folder / "whole")
    asked = questions(setting)
    for requests in setting.asked:
        requests.clear()
    total = outcomes(folder / "whole")
    chance = random.Random(seed)
    done = 0
    # Spread over the round by what it has done, for what is in flight at a kill is done anew.
    for moment in sorted(chance.uniform(0, total) for _ in range(kills)):
        with start(setting, folder / "killed") as process:
            while outcomes(folder / "killed") < int(moment) and process.poll() is None:
                time.sleep(0.2)
            try:
                process.wait(first + moment % 1 * (seconds - first) / total)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                done += 1
    finished(setting, folder / "killed")
    found = questions(setting)
    again = sum(number - 1 for number in found.values())
    same = digests(folder / "whole") == digests(folder / "killed")
    files = len(digests(folder / "whole"))
    print(f"killed {done} times: {files} files {'the same' if same else 'NOT THE SAME'}")
    print(
        f"{len(asked)} questions undisturbed, {len(found)} when killed, {again} of them asked again"
    )
    return same and again <= done and max(asked.values()) == 1


def outcomes(folder: Path) -> int:
    """Candidates of a round that have been worked off; 0 while its journal can't be read."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{(folder / JOURNAL).as_uri()}?mode=ro", uri=True)) as journal,
    ):
        return int(journal.execute("SELECT count(*) FROM outcomes").fetchone()[0])
    return 0


def questions(setting: Setting) -> Counter[str]:
    return Counter(
        f"{one.method} {one.path} {sorted(one.query.items())} {sha256(one.body).hexdigest()}"
        for one in setting.requests
    )


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and not file.name.startswith(JOURNAL)
    }


# Runs of HELM


def evaluated(domain: str, setting: Setting, folder: Path) -> bool:
    """Evaluates the baselines on a round, and prints a table of its subsets, by protocol.

    Returns:
        Whether each picture that has a structure is what the oracle's answer renders to.
    """
    finished(setting, folder / "round")
    name = f"image2struct_{domain}"
    entries = [
        f"{name}:source={folder / 'round'},protocol={protocol},model={model}"
        for protocol in PROTOCOLS
        for model in BASELINES
    ]
    structured = DOMAINS[name].structured
    command = ["helm-run", "--suite", "s", "--max-eval-instances", "100000", "-r", *entries]
    init(folder)
    log = run(folder, *command, *(["--exit-on-error"] if structured else []), check=structured)
    results = [one for of in finished_runs(suite(folder), [name]) for one in read_run(of)]
    rows = [
        row_of(part)
        for of_protocol in result_sets(results)
        for part in of_protocol.parts() or [of_protocol]
    ]
    scores = [f"EMS of {name}" for name in BASELINES]
    print(markdown(["protocol", "subset", "instances", "equal", *scores], rows))
    reasons = {line for line in log.stderr.splitlines() if NO_STRUCTURE in line}
    print(*sorted(reasons)[:1], sep="\n")
    return not structured or all(instances == equal for _, _, instances, equal, *_ in rows)


def row_of(part: Image2StructResultSet) -> list[Cell]:
    """Protocol, subset, instances, equal pictures, and the mean EMS of each baseline."""
    equal = sum(is_picture(answer) for answer in part.of_model(ORACLE))
    means = part.by_model(EMS)
    counts = [len(part.instances), equal if ORACLE in part.models else None]
    scores = [f"{means[name]:{SCORE}}" if name in means else None for name in BASELINES]
    return [part.stem, part.instances[0].part, *counts, *scores]


def is_picture(answer: Image2StructResult) -> bool:
    """Whether an answer renders to the picture that the model saw."""
    if answer.rendering is None:
        return False
    ours, theirs = (np.asarray(read_picture(path)) for path in (answer.rendering, answer.picture))
    return np.array_equal(ours, theirs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domain", nargs="?", choices=SETTINGS, default=MADE_UP)
    parser.add_argument("--count", type=int, default=100, help="instances of each subset")
    parser.add_argument("--kill", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills")
    parser.add_argument("--helm", action="store_true", help="evaluate the baselines on the round")
    options = parser.parse_args()
    if options.helm and options.domain == MADE_UP:
        parser.error(f"--helm needs a domain of the benchmark, which {MADE_UP} is not")
    with (
        tempfile.TemporaryDirectory() as name,
        SETTINGS[options.domain](options.count) as setting,
    ):
        if options.helm:
            good = evaluated(options.domain, setting, Path(name))
        elif options.kill:
            good = killed(setting, options.kill, Path(name), options.seed)
        else:
            good = speed(setting, Path(name))
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
