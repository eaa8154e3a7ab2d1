"""Which lines of the package the tests run: a summary behind them, and in a file the lines that none ran.

`TESTED_LINES=FILE pytest …` asks for it, as `make test` does. It has to be imported before the package is. SlipCover takes
its probes out of what ran often: it costs seconds for each process, not a share of each test. What goes wrong with it
is said, and fails no test.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from support import ROOT

PACKAGE = ROOT / "src/helm_structext"
SOURCES = [str(PACKAGE)]
OMITTED = [str(PACKAGE / "sandbox/etc/*")]
"""Runs in the sandbox alone."""
LEAST = 10
"""So many files are named in the summary."""
KEY = "tested lines"
HITS = 5_000
"""Of a line, after which probes are taken out: each time, all functions of the package are gone through."""


class LinesPlugin:
    """Notes the lines that run; processes of pytest-xdist send theirs to the one that started them."""

    def __init__(self, file: Path) -> None:
        import slipcover

        sends = "PYTEST_XDIST_WORKER" in os.environ
        self.seen = slipcover.Slipcover(
            d_miss_threshold=HITS,
            **({} if sends else {"source": SOURCES, "omit": OMITTED}),
        )
        self.received: list[str] = []
        self.file = file
        sys.meta_path.insert(0, ProbedModules(self.seen))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[KEY] = try_to(lambda: json.dumps(self.seen.get_coverage()))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.received.append(getattr(node, "workeroutput", {}).get(KEY, ""))

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(KEY)
        terminalreporter.write_line(try_to(self.summarize))

    def summarize(self) -> str:
        """Writes the file; returns what is shown."""
        import slipcover

        lines = self.seen.get_coverage()
        parts = [part for part in self.received if part.startswith("{")]
        for part in parts:
            slipcover.merge_coverage(lines, json.loads(part))
        with self.file.open("w", encoding="utf-8") as file:
            slipcover.print_coverage(lines, outfile=file, skip_covered=True)
        lost = [part or "it was killed" for part in self.received if part not in parts]
        return "\n".join(
            [
                describe_lines(lines),
                f"All lines that did not run: {self.file}",
                "What ran in commands, worker processes and sandboxes is not counted.",
                *(f"Nor is a process of the tests: {reason}" for reason in lost),
            ]
        )


class ProbedModules(MetaPathFinder):
    """Finds modules of the package where they lie, whatever folders are asked for: pytest has its own idea of them."""

    def __init__(self, seen: Any) -> None:
        self.seen = seen

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        package, *_ = folders = name.split(".")
        if package != PACKAGE.name:
            return None
        folder = PACKAGE.parent.joinpath(*folders[:-1])
        spec = PathFinder.find_spec(name, [str(folder)])
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = ProbedLoader(self.seen, spec.loader)
        return spec


class ProbedLoader(SourceFileLoader):
    def __init__(self, seen: Any, loader: SourceFileLoader) -> None:
        super().__init__(loader.name, loader.path)
        self.seen = seen

    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        return code and self.seen.instrument(code)

    def exec_module(self, module: ModuleType) -> None:
        self.seen.register_module(module)  # in whose functions probes are taken out
        super().exec_module(module)


def try_to(do: Callable[[], Any]) -> Any:
    """Returns what comes of a call, or why nothing does."""
    try:
        return do()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def describe_lines(lines: dict[str, Any]) -> str:
    """Returns which share of all lines ran, and the files with the smallest shares.

    >>> def count(ran, missing):
    ...     share = 100 * ran / (ran + missing)
    ...     return {"covered_lines": ran, "missing_lines": missing, "percent_covered": share}
    >>> files = {"a.py": {"summary": count(9, 1)}, "b.py": {"summary": count(2, 2)}, "c.py": {"summary": count(7, 0)}}
    >>> print(describe_lines({"files": files, "summary": count(18, 3)}))
    85.7% of 21 lines ran, least of:
     50.0%     2 did not  b.py
     90.0%     1 did not  a.py
    """
    whole = lines["summary"]
    total = whole["covered_lines"] + whole["missing_lines"]
    files = [(known["summary"], file) for file, known in lines["files"].items()]
    files.sort(key=lambda one: (one[0]["percent_covered"], -one[0]["missing_lines"]))
    return "\n".join(
        [
            f"{whole['percent_covered']:.1f}% of {total:,} lines ran, least of:",
            *(
                f"{known['percent_covered']:5.1f}% {known['missing_lines']:5} did not  {file}"
                for known, file in files[:LEAST]
                if known["missing_lines"]
            ),
        ]
    )


def make_plugins() -> list[LinesPlugin]:
    """Returns the plugin where `TESTED_LINES` asks for it, and none where it can't be had."""
    file = os.environ.get("TESTED_LINES")
    if not file:
        return []
    plugin = try_to(lambda: LinesPlugin(Path(file).resolve()))
    if isinstance(plugin, str):
        print(f"No summary of tested lines: {plugin}", file=sys.stderr)
        return []
    return [plugin]


PLUGINS = make_plugins()
