"""Kills commands at random moments and continues them: the results must be those of one undisturbed call.

    python benchmarks/crash.py [--times 100] [--only helm-run score-file collect slurm] [--instances 4] [--seed 1]

`helm-run` answers the samples of all three benchmarks with the oracle and with a model that is careless;
`score-file` scores the same completions, which must give HELM's own numbers, too; `collect` makes a round
from a host on this machine (`benchmarks/collect.py`). Each is called once undisturbed. Then it is called in
new folders, with an empty cache, and killed (SIGKILL, the command's own process alone) at a moment drawn from
the whole time that the undisturbed call took; the same command continues, and is killed again, until it ends by
itself; all of it over and over, until there were so many kills.

`slurm` is a few runs of each benchmark, split over jobs on two nodes of a cluster on this machine (its packages
come with `make test-slurm`). There nodes are killed at moments drawn from the time of a job, with all that their jobs
started, and return once Slurm has noticed; `helm-run` ends by itself, and has to have what it has without Slurm.

Prints a table for each; exits with an error unless

- statistics and scores are the same, byte for byte, but for times;
- all that is kept in caches is whole;
- no process is left a few seconds after a kill, and in the end no file that an undisturbed call does not leave.
"""

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from helm_structext.results.tabular import Cell, markdown  # noqa: E402
from helm_structext.sandbox import tree  # noqa: E402
from helm_structext.sandbox.launcher import PR_SET_CHILD_SUBREAPER, prctl  # noqa: E402
from helm_structext.storage.cache import read_kept, read_record  # noqa: E402
from helm_structext.storage.contents import KINDS, RECORD, CacheFolder  # noqa: E402
from support.caches import without_renderings  # noqa: E402
from support.completions import assert_scored_as_by_helm  # noqa: E402
from support.helm import BIN, init, suite, without_run_times  # noqa: E402
from support.slurm import NODES, Cluster, slurm_cluster, wait_for  # noqa: E402

MODELS = ("structext/oracle", "structext/replay-careless")
PATIENCE = 60
"""Seconds within which what a killed command has started must have ended."""
ON_SLURM = (
    "image2struct_latex:subset=equation,source=sample",
    "structeval:task=text_to_svg,source=sample,judge=none",
    "mmr:task=font_color,source=sample",
)
SLURM = {"INSTANCES": "2", "SECONDS": "1", "ATTEMPTS": "1000"}
"""Options of `helm_structext.slurm`: runs are split, and a job is lost any number of times."""
JOB_SECONDS = 20
"""About what a job on Slurm takes: the next node is lost within that time."""


@dataclass
class Outcome:
    """What became of a command's kills.

    Args:
        what: was killed.
        kills: how often.
        rounds: calls that ended by themselves, each after some kills.
        differ: files whose content is not that of the undisturbed call.
        damaged: what is kept in caches and not whole.
        processes: that outlived a kill.
        files: that the undisturbed call does not leave.
    """

    what: str
    kills: int = 0
    rounds: int = 0
    differ: set[str] = field(default_factory=set)
    damaged: set[str] = field(default_factory=set)
    processes: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    @property
    def good(self) -> bool:
        """Whether nothing was lost and nothing left."""
        return not (self.differ or self.damaged or self.processes or self.files)


def start(command: Sequence[str], folder: Path) -> "subprocess.Popen[bytes]":
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "HELM_STRUCTEXT_CACHE": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
    }
    with (folder.parent / f"{folder.name}.log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def new_folder(path: Path) -> Path:
    """A folder to run HELM in, with a cache that holds nothing that was rendered."""
    init(path)
    (path / "tmp").mkdir()
    without_renderings(path / "cache")
    return path


def finish(command: Sequence[str], folder: Path) -> None:
    with start(command, folder) as process:
        if process.wait():
            raise SystemExit(
                f"{' '.join(command)} ended with {process.returncode}; see {folder}.log"
            )


def kill(process: "subprocess.Popen[bytes]", known: Collection[int]) -> set[str]:
    """Kills a command, and returns the names of what outlives it; what does is ended, too."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    return outliving(known)


def outliving(known: Collection[int]) -> set[str]:
    """Waits for all processes below this one but those that are known, and ends those that stay; returns names."""
    deadline = time.monotonic() + PATIENCE
    while (left := {*below()} - {*known}) and time.monotonic() < deadline:
        time.sleep(0.1)
    names = set()
    for pid in left:
        try:
            names.add(Path(f"/proc/{pid}/comm").read_text().strip())
            os.kill(pid, signal.SIGKILL)
        except OSError:  # it has ended meanwhile
            pass
    return names


def below() -> list[int]:
    """The processes that descend from this one; orphans of what was killed do, and are reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    return tree(os.getpid())[1:]


def killed(
    outcome: Outcome,
    command: Sequence[str],
    make: Callable[[], Path],
    seconds: float,
    times: int,
    chance: random.Random,
) -> Iterator[Path]:
    """Yields the folders of calls that ended by themselves after kills, until there were so many."""
    while outcome.kills < times:
        folder = make()
        known = {*below()}  # what has made the folder
        while True:
            process = start(command, folder)
            last = outcome.kills >= times
            try:
                status = process.wait(None if last else chance.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                outcome.processes |= kill(process, known)
                outcome.kills += 1
                continue
            if status:
                raise SystemExit(f"{' '.join(command)} ended with {status}; see {folder}.log")
            break
        outcome.rounds += 1
        print(f"{outcome.what}: {outcome.kills} kills, {outcome.rounds} rounds", file=sys.stderr)
        yield folder


def compare(
    outcome: Outcome, whole: Path, folder: Path, contents: Callable[[Path], dict[str, str]]
) -> None:
    """Notes in what a folder differs from one whose calls nobody disturbed."""
    outcome.differ |= differing(contents(whole), contents(folder))
    outcome.damaged |= set(damaged(folder))
    outcome.files |= files_of(folder) - files_of(whole)


def differing(expected: dict[str, str], found: dict[str, str]) -> set[str]:
    names = expected.keys() | found.keys()
    return {name for name in names if expected.get(name) != found.get(name)}


def statistics(folder: Path) -> dict[str, str]:
    return {
        f"{path.parent.name}/{path.name}": without_run_times(path)
        for path in suite(folder).glob("*/*stats.json")
    }


def scores(folder: Path) -> dict[str, str]:
    return {"scores.jsonl": sha256((folder / "scores.jsonl").read_bytes()).hexdigest()}


def damaged(folder: Path) -> Iterator[str]:
    """Yields what a folder's caches hold that is not whole, ours and HELM's."""
    for name, kind in KINDS.items():
        for path in (folder / "cache" / name).rglob("*.*"):
            if not is_whole(path, kind):
                yield f"{name}/{path.name}"
    for path in (folder / "prod_env" / "cache").rglob("*.sqlite"):
        with sqlite3.connect(path) as database:
            if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                yield path.name


def is_whole(path: Path, kind: CacheFolder) -> bool:
    """Whether a file of a cache is what its record, or its name, says."""
    if not kind.records:
        return path.stem == sha256(path.read_bytes()).hexdigest()
    if path.suffix != RECORD:
        return path.with_suffix(RECORD).is_file()
    if (record := read_record(path)) is None:
        return False
    beside = path.with_suffix(kind.ending or "")
    return "content" not in record or read_kept(beside, record) is not None


def files_of(folder: Path) -> set[str]:
    """The relative names of all files, but for what the folder's cache shares with others."""
    return {
        str((Path(place) / name).relative_to(folder))
        for place, _, names in os.walk(folder)
        for name in names
    }


def helm_run(whole: Path, instances: int, times: int, chance: random.Random) -> Outcome:
    command = helm_run_command(instances)
    seconds = undisturbed(command, whole)
    outcome = Outcome("helm-run")
    numbers = iter(range(sys.maxsize))
    make = lambda: new_folder(whole.parent / f"helm-run-{next(numbers)}")  # noqa: E731
    for folder in killed(outcome, command, make, seconds, times, chance):
        compare(outcome, whole, folder, statistics)
        shutil.rmtree(folder)
    return outcome


def helm_run_command(instances: int) -> list[str]:
    entries = str(ROOT / "run_specs" / "sample.conf")
    options = ["--suite", "s", "--num-threads", "2", "--max-eval-instances", str(instances)]
    return [str(BIN / "helm-run"), *options, "--conf-paths", entries, "--models-to-run", *MODELS]


def undisturbed(command: Sequence[str], folder: Path) -> float:
    """Runs a command to its end; returns its seconds."""
    begin = time.monotonic()
    finish(command, folder)
    return time.monotonic() - begin


def score_file(whole: Path, instances: int, times: int, chance: random.Random) -> Outcome:
    """Scores what an undisturbed helm-run answered."""
    if not suite(whole).exists():
        finish(helm_run_command(instances), whole)
    assert_scored_as_by_helm(whole)  # writes completions.jsonl
    completions = (whole / "completions.jsonl").read_bytes()
    numbers = iter(range(sys.maxsize))

    def make() -> Path:
        folder = new_folder(whole.parent / f"score-file-{next(numbers)}")
        (folder / "completions.jsonl").write_bytes(completions)
        return folder

    words = ["score-file", "completions.jsonl", "-o", "scores.jsonl", "--pictures", "pictures"]
    command = [str(BIN / "helm-structext"), *words]
    one = make()
    seconds = undisturbed(command, one)
    outcome = Outcome("score-file")
    for folder in killed(outcome, command, make, seconds, times, chance):
        compare(outcome, one, folder, scores)
        shutil.rmtree(folder)
    return outcome


def collect(whole: Path, instances: int, times: int, chance: random.Random) -> Outcome:
    """A round from a made-up host: `benchmarks/collect.py` compares files and questions itself."""
    script = [sys.executable, str(Path(__file__).with_name("collect.py")), "made-up"]
    options = ["--kill", str(times), "--seed", str(chance.randrange(2**31))]
    known = {*below()}
    done = subprocess.run([*script, *options], capture_output=True, text=True)
    print(done.stdout, done.stderr[-2000:], file=sys.stderr)
    outcome = Outcome("collect", kills=times, rounds=1)
    if done.returncode:
        outcome.differ.add("the dataset, or what was asked")
    outcome.processes |= outliving(known)
    return outcome


def slurm(whole: Path, instances: int, times: int, chance: random.Random) -> Outcome:
    """Runs whose jobs lose their nodes."""
    options = ["--suite", "s", "--num-threads", "1", "--max-eval-instances", str(instances)]
    entries = [f"{entry},model={model}" for entry in ON_SLURM for model in MODELS]
    plain = [str(BIN / "helm-run"), *options, "--run-entries", *entries]
    command = [*plain, "--runner-class-name", "helm_structext.slurm.SlurmRunner"]
    os.environ |= {f"HELM_STRUCTEXT_SLURM_{name}": value for name, value in SLURM.items()}
    without, one = (new_folder(whole.parent / f"slurm-{name}") for name in ("without", "with"))
    finish(plain, without)
    outcome = Outcome("nodes of Slurm")
    (state := whole.parent / "slurm").mkdir()
    with slurm_cluster(state) as cluster:
        finish(command, one)
        outcome.differ |= differing(statistics(without), statistics(one))
        cluster.wait_until_idle()
        known = {*below()}  # daemons, and what they have started
        while outcome.kills < times:
            folder = new_folder(whole.parent / f"slurm-{outcome.rounds}")
            process = start(command, folder)
            while outcome.kills < times and process.poll() is None:
                try:
                    process.wait(chance.uniform(0, JOB_SECONDS))
                except subprocess.TimeoutExpired:
                    lose(cluster, chance.choice(NODES))
                    outcome.kills += 1
            if status := process.wait():
                raise SystemExit(f"{' '.join(command)} ended with {status}; see {folder}.log")
            cluster.wait_until_idle()
            outcome.rounds += 1
            print(f"Slurm: {outcome.kills} kills, {outcome.rounds} rounds", file=sys.stderr)
            outcome.processes |= outliving(
                known | {daemon.pid for daemon in cluster.daemons.values()}
            )
            compare(outcome, one, folder, statistics)
            shutil.rmtree(folder)
    return outcome


def lose(cluster: Cluster, node: str) -> None:
    """Kills a node, and starts it again once Slurm knows that it is gone."""
    cluster.kill_node(node)
    wait_for(
        lambda: "down" in cluster.ask("sinfo", "-hN", "-n", node, "-o%T"), f"the end of {node}"
    )
    cluster.start_node(node)


COMMANDS = {"helm-run": helm_run, "score-file": score_file, "collect": collect, "slurm": slurm}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=100, help="kills of each command")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--instances", type=int, default=4, help="of each run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory(prefix="helm-structext-crash-") as scratch:
        whole = new_folder(Path(scratch) / "undisturbed")
        good = True
        for name in options.only:
            chance = random.Random(options.seed)
            one = COMMANDS[name](whole, options.instances, options.times, chance)
            print(table(one), flush=True)
            good &= one.good
    if not good:
        raise SystemExit(1)


def table(one: Outcome) -> str:
    """What became of a command, and the first names of what is not as it should be."""
    header = ["command", "kills", "rounds", "differ", "damaged", "processes left", "files left"]
    found = [sorted(names) for names in (one.differ, one.damaged, one.processes, one.files)]
    row: list[Cell] = [one.what, one.kills, one.rounds, *map(len, found)]
    named = [
        f"{what}: {name}"
        for what, names in zip(header[3:], found, strict=True)
        for name in names[:10]
    ]
    return "\n".join([markdown(header, [row]), *named])


if __name__ == "__main__":
    main()
