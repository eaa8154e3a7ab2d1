"""An audit from its options to its page: cases, answers, what was measured, tables, recommendations."""

import itertools
import json
import math
import shlex
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from helm_structext import __version__
from helm_structext.audit.answers import AuditAnswer, find_answers
from helm_structext.audit.cases import AuditCase, find_cases
from helm_structext.audit.choice import presets_tables
from helm_structext.audit.judge_tables import judge_tables, write_judge_page
from helm_structext.audit.judges import JudgedQuestion, ask_about, judge_case
from helm_structext.audit.measure import MeasuredAnswer, measure_answer
from helm_structext.audit.page import write_page
from helm_structext.audit.tables import audit_tables
from helm_structext.audit.texts import measure_texts
from helm_structext.errors import SetupError
from helm_structext.passport import make_passport, make_reward_passport
from helm_structext.processes import map_in_threads
from helm_structext.progress import progress
from helm_structext.results.passports import beside_line, keep_beside
from helm_structext.results.tabular import write_tables
from helm_structext.scenes.settings import SetSettings
from helm_structext.storage.files import read_json, write_text
from helm_structext.storage.locks import hold_files
from helm_structext.structeval.judge import Judge

SETTINGS, PAGE, JUDGE_PAGE, TABLES = "audit.json", "audit.md", "judge.md", "tables"
"""The files of an audit's folder, and the folder of its tables."""
LOCK = ".lock"
"""The file by which a process holds the folder."""


def audit_metrics(
    settings: SetSettings,
    mistakes: int,
    folder: Path,
    *,
    short: bool = False,
    minutes: float = math.inf,
) -> list[MeasuredAnswer]:
    """Measures all answers, or those that are missing, and writes tables and page.

    Args:
        settings: of the scenes.
        mistakes: kinds of mistakes that are planted in each, at most.
        folder: of the audit; it is new, or holds what was measured by the same settings.
        short: whether only that is measured by which presets are chosen.
        minutes: after which no scene is begun.

    Returns:
        All that was measured, in the order of cases.

    Raises:
        SetupError: the machine fails, the folder holds something else or can't be written. What was measured by
            then stays.
    """
    with hold_files(folder / LOCK):
        about = {"mistakes": mistakes, "short": short, "version": __version__}
        _check_folder(folder, {**settings.document(), **about})
        keep_beside(folder / PAGE, [make_reward_passport(settings.formats)])
        texts: list[MeasuredAnswer] = []
        end = time.monotonic() + 60 * minutes
        begun = itertools.takewhile(lambda _: time.monotonic() < end, find_cases(settings))
        pairs = _pairs(begun, mistakes, texts, short=short)
        with closing(
            map_in_threads(lambda pair: measure_answer(*pair, folder, short=short), pairs)
        ) as stream:
            measured = [*progress(stream, "measuring answers"), *texts]
        if not measured:
            raise SetupError(f"no scene was measured in {minutes:g} minutes; give it more")
        tables = [*presets_tables(measured), *audit_tables(measured)]
        write_tables(tables, folder / TABLES)
        words = ["--mistakes", str(mistakes), *["--short"] * short]
        words += ["--minutes", f"{minutes:g}"] if math.isfinite(minutes) else []
        command = command_of(settings, "metrics", *words)
        write_text(folder / PAGE, write_page(measured, command, tables, beside_line(folder / PAGE)))
    return measured


def _pairs(
    cases: Iterable[AuditCase], mistakes: int, texts: list[MeasuredAnswer], *, short: bool
) -> Iterator[tuple[AuditCase, AuditAnswer]]:
    """Yields what is to be drawn and measured; what is said of each scene as text takes no time, and is noted."""
    seen = set()
    for case in cases:
        if not short and (case.kind, case.number) not in seen:
            seen.add((case.kind, case.number))
            texts += measure_texts(case, mistakes)
        for answer in find_answers(case, mistakes, short=short):
            yield case, answer


def audit_judge(settings: SetSettings, judge: Judge, folder: Path) -> list[JudgedQuestion]:
    """Asks a judge about scenes, or about those that are missing, and writes tables and page.

    Args:
        settings: of the scenes.
        judge: who is asked.
        folder: of the audit; it is new, or holds what this judge said of scenes of the same settings.

    Returns:
        All that it said.

    Raises:
        SetupError: the machine fails, the judge can't be reached, the folder holds something else or can't be
            written. What was said by then stays.
    """
    with hold_files(folder / LOCK):
        _check_folder(folder, {**settings.document(), "judge": judge.name, "version": __version__})
        page = folder / JUDGE_PAGE
        keep_beside(page, [make_passport(settings.formats).having(judge=judge.name)])
        found = [
            verdict
            for case in progress(find_cases(settings), f"asking {judge.name}")
            for verdict in judge_case(case, ask_about(case, settings), judge, folder)
        ]
        write_tables(judge_tables(found), folder / TABLES)
        command = command_of(settings, "judge", "--judge", judge.name)
        write_text(page, write_judge_page(found, judge.name, command, beside_line(page)))
    return found


def command_of(settings: SetSettings, *words: str) -> str:
    """Returns the command that makes an audit, but for its folder.

    Args:
        settings: of the scenes.
        words: which audit it is, and the options that it alone has.
    """
    scenes = ["--kinds", *settings.kinds, "--formats", *settings.formats]
    scenes += ["--count", str(settings.count), "--seed", str(settings.seed)]
    scenes += ["--parallel"] * settings.parallel
    return shlex.join(["helm-structext", "audit", *words, *scenes])


def _check_folder(folder: Path, about: dict[str, object]) -> None:
    """Looks whether a folder is of this audit, and notes it in a new one."""
    file = folder / SETTINGS
    if not file.exists():
        # What was killed while it wrote the settings leaves a file that begins as theirs.
        ours = (LOCK, f".{SETTINGS}.")
        names = (path.name for path in folder.iterdir())
        if other := next((name for name in names if not name.startswith(ours)), None):
            raise SetupError(f"{folder} holds something else ({other}); name a new folder")
        write_text(file, json.dumps(about, indent=2) + "\n")
        return
    found = read_json(file, "name a new folder")
    if found != about:
        raise SetupError(
            f"{folder} holds an audit by other settings (`{file.name}` says which); the same ones go on with it, "
            "or name a new folder"
        )
