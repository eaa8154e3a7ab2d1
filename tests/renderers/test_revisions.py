"""A picture that changed needs a new revision of its renderer, or caches would mix old and new ones."""

import pytest

import golden_pictures
from helm_structext.formats import rendered_formats
from helm_structext.renderers import engine_of

GOLDEN = golden_pictures.golden()
ANEW = "python scripts/golden_pictures.py {}"


def test_every_format_has_golden_pictures():
    assert set(GOLDEN) == set(rendered_formats())


@pytest.mark.parametrize("format", rendered_formats())
def test_pictures_are_those_of_the_revision(format):
    about = dict(GOLDEN[format])
    version, system = about.pop("version"), about.pop("system")
    now = engine_of(format).version()
    if system != golden_pictures.system():
        pytest.skip(f"the pictures are of {system}")
    if golden_pictures.programs(now) != golden_pictures.programs(version):
        pytest.skip(f"the pictures are of {version}")
    again = f"call `{ANEW.format(format)}`"
    assert now == version, f"another revision has other pictures: {again}"
    assert golden_pictures.drawn(format) == about, (
        f"pictures changed: if they should, give the renderer another REVISION and {again}; "
        "else caches would mix old ones and new ones"
    )


def test_a_revision_is_told_from_a_program():
    versions = "latex 1 (pdfTeX 1.40.24; files 7b)", "latex 2 (pdfTeX 1.40.24; files 7b)"
    assert len({*map(golden_pictures.programs, versions)}) == 1
    assert golden_pictures.programs("latex 1 (pdfTeX 1.40.25; files 7b)") != versions[0]
    browsers = "svg 1 (expat 2; browser 8: Chromium 1)", "svg 1 (expat 2; browser 9: Chromium 1)"
    assert len({*map(golden_pictures.programs, browsers)}) == 1


def test_another_picture_is_noticed(monkeypatch):
    code = dict(golden_pictures.CODE, latex=r"$x^3$")
    monkeypatch.setattr(golden_pictures, "CODE", code)
    assert golden_pictures.drawn("latex").items().isdisjoint(GOLDEN["latex"].items())
