"""What reads foreign text takes time that grows with it, and never more: see `support.growth`.

`benchmarks/growth.py` does the same with every token, up to 1 MB.
"""

import importlib

import pytest

from helm_structext.patterns import Pattern
from helm_structext.renderers.web import npm_files
from support import ROOT
from support.growth import (
    CHARACTERS,
    ENTRIES,
    NOTICEABLE,
    QUICK,
    TOKENS,
    growth,
    repeated,
    seconds,
)

PACKAGE = ROOT / "src" / "helm_structext"
LENGTHS = 8_000, 32_000
"""The first at which work takes a noticeable time is enough."""
LENGTH = LENGTHS[-1]
TRIES = 3


@pytest.mark.parametrize("name", ENTRIES)
def test_work_grows_with_the_text_and_no_faster(name):
    entry = ENTRIES[name]
    for token in QUICK:
        taken = ((length, seconds(entry, repeated(token, length))) for length in LENGTHS)
        length = next((length for length, spent in taken if spent > NOTICEABLE), None)
        if length is not None:
            # What others do beside it may look like growth once; what grows does so each time.
            said = [growth(entry, token, length)]
            while said[-1] and len(said) < TRIES:
                said.append(growth(entry, token, length))
            assert "" in said, said


def test_what_grows_too_fast_is_found():
    def quadratic(text: str) -> None:
        for place in range(len(text)):
            text[place:].lower()

    # Beside other work the shorter text may take as long as the longer one.
    assert any(growth(quadratic, "a", LENGTH) for _ in range(5))
    assert not growth(lambda text: list(text * 9), "a", LENGTH)


def patterns() -> dict[str, Pattern]:
    """Every pattern of the package, by its name."""
    found = {}
    for file in sorted(PACKAGE.glob("**/*.py")):
        if "import" in (source := file.read_text(encoding="utf-8")) and "Pattern(" in source:
            name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
            module = importlib.import_module(name)
            found |= {
                f"{name}.{key}": one
                for key, one in vars(module).items()
                if isinstance(one, Pattern)
            }
    return found


BOUNDED = {
    **dict.fromkeys(
        (
            "helm_structext.storage.contents._BESIDE_PACKAGES",
            "helm_structext.storage.contents._PACKAGES",
            "helm_structext.storage.contents._PREFIX",
            "helm_structext.storage.contents._TEMPORARY",
        ),
        "names of files, which the file system bounds",
    ),
    **dict.fromkeys(
        (
            "helm_structext.audit.climbing.COLOR",
            "helm_structext.audit.climbing.NUMBER",
            "helm_structext.audit.climbing.WORD",
        ),
        "code that the audit wrote itself",
    ),
    "helm_structext.data.hub._SHARD": "names of a dataset's files, which Git bounds",
    "helm_structext.completions.inspect_logs._SAMPLE": "names in an archive, of 65,535 bytes at most",
    "helm_structext.helm.judge.NO_ROOM": "the message of an error of a client of HELM's",
    "helm_structext.run_entries._REVISION": "an argument that the user writes",
    "helm_structext.serving.service._HOST": "a header, of 64 KiB at most",
    "helm_structext.image2struct.collect.github.NAME": "parts that the pattern bounds",
    "helm_structext.image2struct.collect.github.SHA": "40 characters",
    "helm_structext.image2struct.collect.pdf.PAGES": "what pdfinfo prints, which the sandbox bounds",
    "helm_structext.renderers.web.web_fonts.FONT_FILE": "style sheets of locked packages",
    "helm_structext.renderers.web.web_fonts.FONT_FAMILY": "style sheets of locked packages",
    "helm_structext.renderers.web.web_fonts.FONT_WEIGHT": "style sheets of locked packages",
    "helm_structext.renderers.needs.SPEC": "a name and a release, which another pattern bounds",
    "helm_structext.renderers.typst_packages.SPEC": "a name and a release, which others bound",
    "helm_structext.cli.typst_setup.SPEC": "an argument that the user writes",
    "helm_structext.renderers.web.cdn.GITHUB": "a part of an address, of 2,000 characters at most",
    "helm_structext.renderers.web.vega_data.ADDRESS": "a path, of 2,000 characters at most",
    "helm_structext.layouts.boxes.COLOR": "seven letters at most, or none",
    "helm_structext.renderers.web.box_styles.NUMBER": "one value of a computed style",
    "helm_structext.scenes.page.look.TOKEN": "rules of styles of our own",
    "helm_structext.renderers.web.html.DOCUMENT": "the first 100 characters",
    "helm_structext.renderers.web.frameworks.DOCUMENT": "the first 100 characters",
}
"""Patterns that see no long text of others, and what they see."""


def test_every_pattern_is_grown(monkeypatch):
    """An entry stands for a function; this finds one that has been forgotten."""
    # Another test of this process may have read the lists of packages already.
    npm_files.listed_packages.cache_clear()
    used = set()

    def watched(method):
        def call(self, *arguments):
            used.add(id(self))
            return method(self, *arguments)

        return call

    for name in ("search", "match", "fullmatch", "finditer"):
        monkeypatch.setattr(Pattern, name, watched(getattr(Pattern, name)))
    for entry in ENTRIES.values():
        for token in (*CHARACTERS, *TOKENS):
            seconds(entry, repeated(token, 100))
    unused = {name for name, one in patterns().items() if id(one) not in used}
    assert unused == set(BOUNDED), "\n".join(sorted(unused ^ set(BOUNDED)))
