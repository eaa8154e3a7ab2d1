"""Collecting against hosts on this machine that answer at once: how fast, and killed at any moment.

    .venv/bin/python benchmarks/collect.py [made-up|latex|webpage] [--count N]
    .venv/bin/python benchmarks/collect.py made-up --kill 20

Without `--kill`, prints candidates a minute and where their time goes. With it, a round is collected
undisturbed, and again while it is killed so many times at random moments; the two datasets must be
equal byte for byte, and no question may be asked twice but the one that was in flight at a kill.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from helm_structext.image2struct.collect.database import Database  # noqa: E402
from helm_structext.image2struct.collect.journal import JOURNAL  # noqa: E402
from support.collecting import items, shop  # noqa: E402
from support.hosts import CONTACT, Request  # noqa: E402

MADE_UP = "made-up"
FIRST, LAST = "2026-10-01", "2026-10-31"


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


def speed(setting: Setting, folder: Path) -> None:
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


def killed(setting: Setting, kills: int, folder: Path, seed: int) -> bool:
    first, seconds = finished(setting, folder / "whole")
    asked = questions(setting)
    for requests in setting.asked:
        requests.clear()
    chance = random.Random(seed)
    done = 0
    for _ in range(kills):
        # Together they reach over the whole round, for each goes on where the last one was.
        after = first + chance.uniform(0, 1.6 * (seconds - first) / kills)
        with start(setting, folder / "killed") as process:
            try:
                process.wait(after)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domain", nargs="?", choices=SETTINGS, default=MADE_UP)
    parser.add_argument("--count", type=int, default=100, help="instances of each subset")
    parser.add_argument("--kill", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        SETTINGS[options.domain](options.count) as setting,
    ):
        if not options.kill:
            speed(setting, Path(name))
        elif not killed(setting, options.kill, Path(name), options.seed):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
