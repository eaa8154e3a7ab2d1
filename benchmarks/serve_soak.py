"""Sends thousands of completions through a server whose engines are killed at random meanwhile.

    python benchmarks/serve_soak.py [--cheap 2000] [--mixed 200] [--kill-every 5] [--restart-every 0]

Cheap completions are texts and replies; mixed ones are those of the samples in all rendered formats,
right and broken ones, and some that never end. What each should score is found out before, in this
process, undisturbed. Prints what the server held in each tenth of the time, and
exits with an error unless every completion is answered as it should be and nothing is left.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_structext.rewards import Batch, MMRReward, Reward, RewardResult, StructEvalReward
from helm_structext.sandbox import tree
from helm_structext.sandbox.launcher import PR_SET_CHILD_SUBREAPER, prctl
from helm_structext.serving.client import Client, Result
from looks import Look, by_tenths, look, now_and_then
from rewards import COMPONENTS, items

CONNECTIONS = 64
HOSTILE_SHARE = 0.01
TIMEOUT = 5.0
"""Seconds of mixed completions, as for training: those that never end would take most of the time."""

Expected = tuple[float | None, str | None]


@dataclass
class Server:
    """One that is looked at, whose engines are killed and which is restarted.

    Attributes:
        looks: in order.
        killed: names of programs, to how often.
    """

    folder: Path
    port: int = 0
    looks: list[Look] = field(default_factory=list)
    killed: "Counter[str]" = field(default_factory=Counter)
    restarts: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        program = Path(sys.executable).with_name("helm-structext")
        command = [str(program), "serve", "--port", str(self.port), "--warm"]
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]
        self.port = int(self.url.rpartition(":")[2])

    def look(self) -> None:
        """Notes what it holds."""
        self.looks.append(look(self.process.pid))

    def kill_engines(self, every: float) -> None:
        """Kills one of its engines at random times, so many seconds apart in the mean."""
        chance = random.Random(2)
        while not self.over.wait(chance.expovariate(1 / every)):
            if below := tree(self.process.pid)[1:]:
                pid = chance.choice(below)
                with suppress(OSError):
                    name = Path(f"/proc/{pid}/comm").read_text().strip()
                    os.kill(pid, signal.SIGKILL)
                    self.killed[name] += 1

    def restart(self, every: float) -> None:
        """Kills it and starts it again at the same address, so many seconds apart."""
        while not self.over.wait(every):
            self.process.kill()
            self.process.communicate()
            self.start()
            self.restarts += 1


def main() -> int:
    """Runs the soak."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cheap", type=int, default=2000)
    parser.add_argument("--mixed", type=int, default=200)
    parser.add_argument("--kill-every", type=float, default=5.0, help="seconds; 0 kills none")
    parser.add_argument("--restart-every", type=float, default=0.0, help="seconds; 0 never")
    options = parser.parse_args()
    asked = [*cheap(options.cheap), *mixed(options.mixed)]
    random.Random(1).shuffle(asked)
    should_be = expected(asked)
    known = tree(os.getpid())
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what the server loses is found below this process
    print(f"{len(asked)} completions, {len(should_be)} of them different", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        server.start()
        start = time.monotonic()
        results = soak(server, asked, options.kill_every, options.restart_every)
        print(f"answered in {time.monotonic() - start:.0f} s")
        wrong = [*ended(server, known)]
    report(server)
    wrong += differing(asked, results, should_be)
    print("\n".join(wrong[:20]) or "every completion answered as it should be, nothing left")
    return bool(wrong)


def cheap(count: int) -> Iterator[dict[str, Any]]:
    """Yields replies to MMR's questions, and texts in JSON, of which a third are wrong."""
    for number in range(count):
        right = number % 3 > 0
        if number % 2:
            word = f"word {number % 100}"
            yield {"kind": "text", "completion": word if right else "", "reference": word}
        else:
            code = f'{{"title": {number % 100}}}' if right else "no"
            yield {"task": "text_to_json", "completion": code, "reference": ["title", "moons"]}


def mixed(count: int) -> Iterator[dict[str, Any]]:
    """Yields completions of all rendered formats."""
    for item in items(count, int(HOSTILE_SHARE * count)) if count else ():
        yield {**vars(item), "components": COMPONENTS, "timeout": TIMEOUT}


def key(item: Mapping[str, Any]) -> str:
    """What makes an item the same as another one."""
    return repr(sorted(item.items()))


def expected(asked: Sequence[Mapping[str, Any]]) -> dict[str, Expected]:
    """Scores each different item once, in this process."""
    different = {key(item): item for item in asked}
    tasks = [
        task
        for item in different.values()
        for task in reward(item).tasks([item["completion"]], [item["reference"]])
    ]
    return dict(zip(different, map(outcome, Batch(tasks).results()), strict=True))


def reward(item: Mapping[str, Any]) -> Reward | StructEvalReward | MMRReward:
    """The one that scores an item."""
    if "format" in item:
        return Reward(item["format"], item["components"], timeout=item["timeout"])
    return StructEvalReward(item["task"]) if "task" in item else MMRReward(item["kind"])


def outcome(result: RewardResult | Result) -> Expected:
    """What of a result is always the same."""
    return result.score, result.error_kind


def soak(
    server: Server, asked: Sequence[Mapping[str, Any]], kill_every: float, restart_every: float
) -> list[Result]:
    """Asks for all of them while the server is disturbed."""
    threads = []
    if kill_every:
        threads.append(threading.Thread(target=server.kill_engines, args=[kill_every]))
    if restart_every:
        threads.append(threading.Thread(target=server.restart, args=[restart_every]))
    for thread in threads:
        thread.start()
    try:
        client = Client(server.url, connections=CONNECTIONS)
        with client, now_and_then(server.look):
            return client.score(asked)
    finally:
        server.over.set()
        for thread in threads:
            thread.join()


def ended(server: Server, known: Collection[int]) -> Iterator[str]:
    """Stops the server, and yields what it leaves: files, and processes that were not known before it."""
    server.process.terminate()
    if status := server.process.wait(120):
        yield f"the server ended with {status}"
    time.sleep(2)
    for pid in {*tree(os.getpid())} - {*known}:
        with suppress(OSError):  # it ends just now
            said = Path(f"/proc/{pid}/status").read_text()
            if "State:\tZ" not in said:
                yield f"process left: {said.split()[1]}"
    yield from (f"file left: {path}" for path in server.folder.iterdir())


def report(server: Server) -> None:
    """Prints what was seen."""
    print(by_tenths(server.looks))
    print(f"killed: {dict(server.killed)}, server restarted: {server.restarts}")


def differing(
    asked: Sequence[Mapping[str, Any]], results: Sequence[Result], should_be: Mapping[str, Expected]
) -> Iterator[str]:
    """Yields what has another result than it should have."""
    for item, result in zip(asked, results, strict=True):
        if outcome(result) != (right := should_be[key(item)]):
            what = item.get("format") or item.get("task") or item.get("kind")
            yield f"{what}: {outcome(result)} instead of {right}: {result.message[:200]}"


if __name__ == "__main__":
    sys.exit(main())
