"""Runs the steps of the Containerfile in a root file system of Debian, where no images can be had, and then its server.

    sudo python scripts/try_container.py [--build-arg NAME=VALUE …] [--base FILE.tar] [--folder FOLDER]

The root file system is made by mmdebstrap, or unpacked from a tar file of one, and stands for the image that `FROM`
names. The default command then runs as the container's user, once for each sandbox: it must become healthy, score a
formula and a webpage over HTTP, and end when it is told to. What is installed is removed, but with `--folder`.
"""

import argparse
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IN_ROOT = ROOT / "scripts" / "in-root"
IMAGE = re.compile(r".*\bdebian:13(-slim)?")
SUITE = "trixie"
TOKEN = "0123456789abcdef"
SANDBOXES = "bubblewrap", "landlock"
ITEMS = (
    {"format": "latex", "completion": "$x^2$", "reference": "$x^2$"},
    {"format": "html", "completion": "<h1>Yes</h1>", "reference": "<h1>Yes</h1>"},
)
HEALTHY_SECONDS = 300
STOP_SECONDS = 90


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yields each instruction of a Containerfile with its arguments.

    >>> list(instructions("# It\\nFROM it\\nRUN a && \\\\\\n  # why\\n  b\\n"))
    [('FROM', 'it'), ('RUN', 'a && b')]
    """
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\s*\\\n", " ", "\n".join(lines)).splitlines():
        if line:
            name, _, arguments = line.partition(" ")
            yield name.upper(), arguments.strip()


def command_of(arguments: str) -> list[str]:
    """Returns the words of a command: of a JSON list, or what a shell is given.

    >>> command_of('["serve", "--warm"]'), command_of("a && b")
    (['serve', '--warm'], ['/bin/sh', '-c', 'a && b'])
    """
    return json.loads(arguments) if arguments.startswith("[") else ["/bin/sh", "-c", arguments]


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """Returns a text with the values of `$NAME` and `${NAME}`.

    >>> expanded("/opt/bin:$PATH", {"PATH": "/bin"})
    '/opt/bin:/bin'
    """
    return re.sub(r"\$\{?(\w+)\}?", lambda found: variables.get(found[1], ""), text)


def copied(patterns: str) -> list[str]:
    """Returns what a `.dockerignore` that names what is taken takes.

    >>> copied("# All but these.\\n*\\n!src\\n!LICENSE\\n")
    ['src', 'LICENSE']
    """
    first, *rest = [line for line in patterns.split() if line[0] in "*!"]
    if first != "*" or not all(line.startswith("!") for line in rest):
        raise ValueError("only a list of what is taken is understood: *, and then !NAME")
    return [line[1:] for line in rest]


@dataclass
class Container:
    """A root file system, and what the instructions so far have set."""

    folder: Path
    build_arguments: Mapping[str, str]
    variables: dict[str, str] = field(
        default_factory=lambda: {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        }
    )
    arguments: dict[str, str] = field(default_factory=dict)
    user: str = "0:0"
    workdir: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def words(self, command: Sequence[str], **variables: str) -> list[str]:
        """Returns how a command is started in here, as the container's user."""
        uid, _, gid = self.user.partition(":")
        passwd = (self.folder / "etc/passwd").read_text().splitlines()
        homes = [line.split(":")[5] for line in passwd if line.split(":")[2] == uid]
        given = {"HOME": (homes or ["/"])[0], **self.variables, **self.arguments, **variables}
        return [
            *[str(IN_ROOT), *shared(), str(self.folder)],
            *["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"],
            *[
                "env",
                f"--chdir={self.workdir}",
                *(f"{name}={text}" for name, text in given.items()),
            ],
            *command,
        ]

    def do(self, name: str, arguments: str) -> None:
        """Carries one instruction out.

        Raises:
            subprocess.CalledProcessError: a command failed.
            ValueError: it is none that is known here.
        """
        match name:
            case "FROM":
                if not IMAGE.fullmatch(arguments):
                    raise ValueError(f"{arguments} is not Debian 13")
            case "ARG":
                key, _, default = arguments.partition("=")
                self.arguments[key] = self.build_arguments.get(key, default)
            case "ENV":
                for word in shlex.split(arguments):
                    key, _, text = word.partition("=")
                    self.variables[key] = expanded(text, self.variables)
            case "WORKDIR":
                self.workdir = arguments
                inside(self.folder, arguments).mkdir(parents=True, exist_ok=True)
            case "COPY":
                *sources, target = shlex.split(arguments)
                self.copy(sources, inside(self.folder, f"{self.workdir}/{target}"))
            case "RUN":
                subprocess.run(self.words(command_of(arguments)), check=True)
            case "USER":
                self.user = arguments
            case "HEALTHCHECK":
                self.health = command_of(arguments.partition("CMD ")[2])
            case "ENTRYPOINT":
                self.entrypoint = command_of(arguments)
            case "CMD":
                self.command = command_of(arguments)
            case "EXPOSE":
                pass  # Its network is this machine's.
            case _:
                raise ValueError(f"{name} is not an instruction that is known here")

    def copy(self, sources: Sequence[str], target: Path) -> None:
        """Copies files and folders of the checkout, as far as `.dockerignore` lets them in."""
        taken = copied((ROOT / ".dockerignore").read_text("utf-8"))
        for source in taken if "." in sources else sources:
            if Path(source).parts[0] not in taken:
                raise ValueError(f"{source} is left out by .dockerignore")
            path = ROOT / source
            if path.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(path, target / source, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(path, target / path.name)


def inside(folder: Path, path: str) -> Path:
    """Returns where a path of the container lies."""
    return folder / os.path.normpath(path).lstrip("/")


def shared() -> list[str]:
    """Returns the options that lend a container uv's cache, for speed."""
    cache = Path.home() / ".cache" / "uv"
    return ["--bind", str(cache), "/root/.cache/uv"] if cache.is_dir() else []


def make_root(folder: Path, base: Path | None) -> None:
    """Makes the root file system that stands for the image."""
    if base:
        folder.mkdir(parents=True, exist_ok=True)
        command: list[str | Path] = [
            "tar",
            "--extract",
            "--file",
            base,
            "--directory",
            folder,
            "--exclude=./dev/*",
        ]
    else:
        options = ["--quiet", "--variant=minbase", "--include=ca-certificates"]
        command = ["mmdebstrap", *options, SUITE, folder]
    subprocess.run(command, check=True)


def serves(container: Container, sandbox: str) -> None:
    """Starts the default command, waits for its health check, scores, and ends it.

    Raises:
        SystemExit: it did something else.
    """
    settings = {"HELM_STRUCTEXT_SERVE_TOKEN": TOKEN, "HELM_STRUCTEXT_SANDBOX": sandbox}
    words = [*container.entrypoint, *container.command]
    started = time.monotonic()
    process = subprocess.Popen(container.words(words, **settings))
    try:
        while subprocess.run(container.words(container.health), capture_output=True).returncode:
            if process.poll() is not None or time.monotonic() - started > HEALTHY_SECONDS:
                sys.exit(f"{sandbox}: the server does not become healthy")
            time.sleep(1)
        print(f"{sandbox}: healthy after {time.monotonic() - started:.0f} s", flush=True)
        client = runpy.run_path(str(ROOT / "src/helm_structext/serving/client.py"))["Client"]
        with client("http://127.0.0.1:8320", token=TOKEN) as asking:
            results = asking.score(ITEMS, components={"earth_mover_similarity": 1.0}, seconds=300)
        for item, result in zip(ITEMS, results, strict=True):
            print(f"{sandbox}: {item['format']} {result.score} {result.message}")
        if [result.score for result in results] != [1.0, 1.0]:
            sys.exit(f"{sandbox}: these are not the scores of right answers")
        stop(process)
    finally:
        process.kill()
        process.wait()


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the server as a container's engine does, by SIGTERM to its own process."""
    pid = process.pid
    for _ in range(2):  # unshare, the shell in there, and then the server
        (pid,) = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    os.kill(pid, signal.SIGTERM)
    started = time.monotonic()
    status = process.wait(STOP_SECONDS)
    print(f"ended with {status} after {time.monotonic() - started:.1f} s", flush=True)
    if status:
        sys.exit("that is not 0")


def megabytes(folder: Path) -> int:
    """Returns what a folder takes on the disk."""
    said = subprocess.run(["du", "-sxm", folder], capture_output=True, text=True, check=True)
    return int(said.stdout.split()[0])


def main() -> None:
    """Builds, and tries each sandbox."""
    summary, _, details = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build-arg", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--base", type=Path, metavar="FILE", help="a tar file of the system")
    parser.add_argument("--folder", type=Path, help="where it is made, and stays")
    options = parser.parse_args()
    given = dict(word.split("=", 1) for word in options.build_arg)
    with tempfile.TemporaryDirectory(prefix="container-") as scratch:
        folder = options.folder or Path(scratch) / "root"
        make_root(folder, options.base)
        container = Container(folder, given)
        for name, arguments in instructions((ROOT / "Containerfile").read_text("utf-8")):
            started = time.monotonic()
            print(f"{name} {arguments[:80]}", flush=True)
            container.do(name, arguments)
            if name == "RUN":
                seconds = time.monotonic() - started
                print(f"  {seconds:.0f} s, {megabytes(folder):,} MB in all", flush=True)
        # They are of the build alone.
        container.arguments.clear()
        for sandbox in SANDBOXES:
            serves(container, sandbox)


if __name__ == "__main__":
    main()
