"""The answer of a trial as one small HTML file, which needs nothing else and runs nothing."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from helm_structext.report.panels import clip
from helm_structext.storage.files import write_text
from helm_structext.trial.checks import Check, Outcome
from helm_structext.trial.sample import Trial

MARKS: dict[Outcome, str] = {"ok": "ok", "note": "note", "model": "FAILED", "setup": "FAILED"}
"""What a check's outcome is called."""


def write_page(output: Path, name: str, checks: Iterable[Check], trial: Trial) -> None:
    """Writes the page of a trial.

    What the model wrote is text in it, never markup, and the page's security policy allows no
    script at all.

    Args:
        output: the file.
        name: of the model.
        checks: what was looked at.
        trial: the answer.

    Raises:
        SetupError: the file can't be written.
    """
    folder = files(__package__)
    style = (folder / "page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = Template((folder / "page.html").read_text("utf-8")).substitute(
        title=escape(f"{name}, tried once"),
        style=style,
        style_hash=f"sha256-{digest}",
        rendering=_picture(trial.rendering, "what the model wrote", trial.error),
        reference=_picture(trial.reference, "what it should be", ""),
        scores=_scores(trial.scores or {}),
        wrong=escape(trial.wrong),
        speed=escape(str(trial.speed or "")),
        completion=escape(clip(trial.completion)),
        prompt=escape(trial.prompt),
        checks="".join(map(_row, checks)),
    )
    write_text(output, page)


def _picture(path: Path | None, alt: str, error: str) -> str:
    if path is None:
        return f'<p class="bad">No picture: {escape(error)}</p>'
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{alt}" src="data:image/png;base64,{data}">'


def _scores(scores: Mapping[str, float]) -> str:
    if not scores:
        return "<p>None: no picture, or not in the form that was asked for; the checks say why.</p>"
    rows = (
        f'<tr><td>{escape(metric)}</td><td class="number">{value:.4f}</td></tr>'
        for metric, value in scores.items()
    )
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _row(check: Check) -> str:
    mark = MARKS[check.outcome]
    bad = ' class="bad"' if mark == "FAILED" else ""
    return (
        f"<tr><td>{escape(check.name)}</td><td{bad}>{mark}</td><td>{escape(check.detail)}</td></tr>"
    )
