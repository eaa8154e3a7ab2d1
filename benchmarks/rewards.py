"""Completions a second as rewards: in process, over HTTP, on Ray, and against fresh engines.

    python benchmarks/rewards.py [--count 2048] [--hostile 8] [--ways process http serve actors]
    python benchmarks/rewards.py --baseline [--count 24]

The first scores one batch of mixed formats (right, broken and hostile completions of the samples) each
way (``serve`` and ``actors`` are a cluster of Ray's on this machine, with a replica or an actor of one
processor for each core; they need the extra ``ray``), and prints completions a second, quantiles of the seconds of work and of waiting, processor time
and memory. The second renders the same completions as trainers' own code mostly does, with a fresh
headless browser for each page, a fresh pdflatex for each excerpt and a fresh Python for each script,
as many at a time as there are cores, and prints how many times as fast ours is.
"""

import argparse
import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import rendered_formats
from helm_structext.renderers import Rendering, render, render_completion
from helm_structext.renderers.latex import PREAMBLE
from helm_structext.rewards import PRESETS, BaseReward, Batch, Reward
from helm_structext.sandbox import MIB, tree, usage, worker_count
from looks import now_and_then
from ray_node import ray_node

COMPONENTS = PRESETS["image"]
CONNECTIONS = 64
HOSTILE = {
    "latex": r"\def\a{\a\a}\a",
    "html": "<p>x</p><script>for (;;);</script>",
    "matplotlib": "while True:\n    pass",
    "typst": "#let f(n) = f(n + 1) + f(n)\n#f(1)",
    "svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>for (;;);</script></svg>",
    "lilypond": "#(let loop () (loop))",
}
CHROMIUM = (
    *("chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1920,1080"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-domain-reliability", "--no-first-run", "--disable-gpu"),
)


@dataclass(frozen=True)
class Item:
    """A completion, and code that draws what it should look like."""

    format: str
    completion: str
    reference: str


@dataclass(frozen=True)
class Took:
    """What a way of scoring needed.

    Args:
        seconds: of all.
        worked: seconds of each completion; so is `waited`.
        scores: of the completions, or None.
        used: by the process that gives out the work, and on the whole machine.
    """

    seconds: float
    worked: Sequence[float]
    waited: Sequence[float]
    scores: Sequence[float | None]
    used: "Used"


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, help="completions; by default 2048, or 24 of a format")
    parser.add_argument("--hostile", type=int, default=8, help="of them, which never end")
    parser.add_argument("--ways", nargs="+", default=["process", "http"], choices=WAYS)
    parser.add_argument("--baseline", action="store_true")
    options = parser.parse_args()
    if options.baseline:
        return compare(options.count or 24)
    mixed = [*items(options.count or 2048, options.hostile)]
    print(f"{len(mixed)} completions: {dict(Counter(item.format for item in mixed))}", flush=True)
    print("| way | completions/s | work p50, p95, p99 s | waiting p50, p95, p99 s | ", end="")
    print("processor s each, own | MiB | no score |\n|---|---:|---|---|---:|---:|---:|")
    batch([*{item.format: item for item in mixed}.values()]).results()  # References are kept.
    first: Took | None = None
    for name in options.ways:
        this = WAYS[name](mixed)
        first = first or this
        rate = len(mixed) / this.seconds
        print(
            f"| {name} | {rate:.2f} ({this.seconds and first.seconds / this.seconds:.0%}) "
            f"| {quantiles(this.worked)} | {quantiles(this.waited)} "
            f"| {this.used.processor / len(mixed):.3f}, {this.used.own / len(mixed):.3f} "
            f"| {this.used.memory} "
            f"| {sum(score is None for score in this.scores)} |",
            flush=True,
        )
        if differing := sum(a != b for a, b in zip(first.scores, this.scores, strict=True)):
            print(f"{name}: {differing} scores differ")
            return 1
    return 0


def items(count: int, hostile: int) -> Iterator[Item]:
    """Yields completions of all formats in a mixed order, the same on each call."""
    lists = []
    for format in rendered_formats():
        found = completions(format)
        reference = next(code for text in found if (code := rendering_code(format, text)))
        lists.append([Item(format, text, reference) for text in found])
    mixed = [
        item for group in islice(zip(*map(cycle, lists), strict=False), count) for item in group
    ][: count - hostile]
    references = {item.format: item.reference for item in mixed}
    endless = [
        Item(name, code, references[name]) for name, code in HOSTILE.items() if name in references
    ]
    mixed += islice(cycle(endless), hostile)
    random.Random(0).shuffle(mixed)
    yield from mixed


def rendering_code(format: str, completion: str) -> str:
    """The code of a completion that renders, or ""."""
    try:
        rendering = render_completion(format, completion, protocol="corrected")
    except RenderError:
        return ""
    assert isinstance(rendering, Rendering)
    return extract(completion, format, "corrected")


def quantiles(values: Sequence[float]) -> str:
    """The median, and what 95 and 99 of a hundred don't exceed."""
    return ", ".join(f"{value:.2f}" for value in np.quantile(values, (0.5, 0.95, 0.99)))


@dataclass(frozen=True)
class Used:
    """What the machine and a process on it have used so far.

    Args:
        processor: seconds of all processors; engines that have ended took their own times along.
        own: seconds of the process alone.
        memory: MiB of it and all below it, at most.
    """

    processor: float
    own: float
    memory: int


def used_by(pid: int, memory: int = 0) -> Used:
    """Looks at the machine's processors and a process."""
    user, nice, system, _idle, _waiting, *interrupts = map(
        int, Path("/proc/stat").read_text().split(maxsplit=9)[1:9]
    )
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    all_of_it = user + nice + system + sum(interrupts[:2])
    return Used(all_of_it / ticks, sum(map(int, fields[11:13])) / ticks, memory)


@contextlib.contextmanager
def watched(pid: int) -> Iterator[Callable[[], Used]]:
    """Gives what returns what has been used since then."""
    before, memory = used_by(pid), [0]

    def used() -> Used:
        now = used_by(pid)
        return Used(now.processor - before.processor, now.own - before.own, max(memory))

    with now_and_then(lambda: memory.append(usage(tree(pid)).memory // MIB)):
        yield used


def took(results: Sequence[Any], seconds: float, used: Used) -> Took:
    """What a way needed, with what its results say, which are those of rewards or of the client."""
    return Took(
        seconds,
        [result.worked for result in results],
        [result.waited for result in results],
        [result.score for result in results],
        used,
    )


def batch(
    mixed: Sequence[Item], placed: Callable[[BaseReward], BaseReward] = lambda reward: reward
) -> Batch:
    """A batch of all, whose rewards are where `placed` puts them."""
    formats = {item.format for item in mixed}
    rewards = {format: placed(Reward(format, COMPONENTS)) for format in formats}
    return Batch(
        [
            task
            for item in mixed
            for task in rewards[item.format].tasks([item.completion], [item.reference])
        ]
    )


def in_process(mixed: Sequence[Item]) -> Took:
    """One batch of this process."""
    with watched(os.getpid()) as used:
        start = time.monotonic()
        results = batch(mixed).results()
        seconds = time.monotonic() - start
        spent = used()
    return took(results, seconds, spent)


def over_http(mixed: Sequence[Item]) -> Took:
    """A server on this machine, asked by a client with many connections."""
    from helm_structext.serving.client import Client

    program = Path(sys.executable).with_name("helm-structext")
    with subprocess.Popen(
        [program, "serve", "--port", "0", "--warm"], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        try:
            with Client(url, connections=CONNECTIONS) as client, watched(server.pid) as used:
                start = time.monotonic()
                results = client.score([vars(item) for item in mixed], components=COMPONENTS)
                seconds = time.monotonic() - start
                spent = used()
        finally:
            server.terminate()
    return took(results, seconds, spent)


def on_ray_serve(mixed: Sequence[Item]) -> Took:
    """Replicas of the app on Ray Serve, asked by a client with many connections."""
    from ray import serve

    from helm_structext.serving.client import Client
    from helm_structext.serving.ray import RayOptions, deployment

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with ray_node(worker_count()):
        serve.start(http_options={"host": "127.0.0.1", "port": port})
        replicas = deployment(RayOptions(warm=tuple(rendered_formats()))).options(
            num_replicas=worker_count(), autoscaling_config=None, ray_actor_options={"num_cpus": 1}
        )
        serve.run(replicas.bind(), name="rewards")
        with (
            Client(f"http://127.0.0.1:{port}", connections=CONNECTIONS) as client,
            watched(os.getpid()) as used,
        ):
            start = time.monotonic()
            results = client.score([vars(item) for item in mixed], components=COMPONENTS)
            seconds = time.monotonic() - start
            spent = used()
        serve.shutdown()
    return took(results, seconds, spent)


def on_actors(mixed: Sequence[Item]) -> Took:
    """One batch of this process, which actors of Ray's measure."""
    from helm_structext.serving.ray import Actors

    with ray_node(worker_count()), Actors(worker_count()) as actors:
        batch(mixed[: 2 * len(HOSTILE)], actors.reward).results()  # They have begun.
        with watched(os.getpid()) as used:
            start = time.monotonic()
            results = batch(mixed, actors.reward).results()
            seconds = time.monotonic() - start
            spent = used()
    return took(results, seconds, spent)


WAYS: dict[str, Callable[[Sequence[Item]], Took]] = {
    "process": in_process,
    "http": over_http,
    "serve": on_ray_serve,
    "actors": on_actors,
}


def fresh_browser(code: str, folder: Path) -> None:
    """A browser is started for one page."""
    page = folder / "page.html"
    page.write_text(code, encoding="utf-8")
    profile = f"--user-data-dir={folder / 'profile'}"
    picture = f"--screenshot={folder / 'page.png'}"
    _call([*CHROMIUM, profile, picture, page.as_uri()], folder)


def fresh_latex(code: str, folder: Path) -> None:
    """A document is compiled from its preamble on, and its page is drawn."""
    document = rf"{PREAMBLE}\begin{{document}}{code}\end{{document}}"
    (folder / "page.tex").write_text(document, encoding="utf-8")
    _call(["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "page.tex"], folder)
    if (folder / "page.pdf").exists():
        _call(["pdftoppm", "-r", "200", "-png", "-singlefile", "page.pdf", "page"], folder)


def fresh_python(code: str, folder: Path) -> None:
    """A script is run by a Python of its own."""
    saved = "\nimport matplotlib.pyplot as plt\nplt.savefig('page.png')\n"
    (folder / "page.py").write_text(code + saved, encoding="utf-8")
    _call([sys.executable, "page.py"], folder, MPLBACKEND="Agg")


def _call(command: Sequence[Any], folder: Path, **environment: str) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, cwd=folder, env={**os.environ, **environment}, timeout=30,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


FRESH = {
    "latex": fresh_latex,
    "html": fresh_browser,
    "svg": fresh_browser,
    "canvas": fresh_browser,
    "matplotlib": fresh_python,
}


def compare(count: int) -> int:
    """Renders the same right completions both ways, round about."""
    print(
        "| format | fresh engine, a second | ours, a second | times as fast |\n|---|---:|---:|---:|"
    )
    for format, fresh in FRESH.items():
        codes = [code for text in completions(format) if (code := rendering_code(format, text))]
        codes = [*islice(cycle(codes), count)]

        def theirs(code: str, draw: Callable[[str, Path], None] = fresh) -> None:
            with tempfile.TemporaryDirectory() as folder:
                draw(code, Path(folder))

        def ours(code: str, format: str = format) -> None:
            render(format, code, protocol="corrected")

        taken = []
        for way in (theirs, ours):
            with ThreadPoolExecutor(worker_count()) as threads:
                # A training's engines are warm.
                list(threads.map(way, codes[: 2 * worker_count()]))
                start = time.monotonic()
                list(threads.map(way, codes))
            taken.append((time.monotonic() - start) / count)
        rates = [1 / seconds for seconds in taken]
        print(
            f"| {format} | {rates[0]:.2f} | {rates[1]:.2f} | {rates[1] / rates[0]:.1f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
