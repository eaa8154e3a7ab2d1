"""Fonts are found by asking fontconfig, wherever a system keeps them."""

import re
import subprocess
from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.machine import fonts
from helm_structext.machine.fonts import (
    FAMILIES,
    PAGE_FAMILIES,
    font_file,
    font_folders,
    missing_families,
)
from helm_structext.sandbox import SandboxProfile

LISTED = [
    "Liberation Sans\t65536\tTrueType\t/usr/share/fonts/old/LiberationSans-Regular.ttf\t20-7e",
    "Liberation Sans\t137625\tTrueType\t/usr/share/fonts/new/LiberationSans-Regular.ttf\t20-7e",
    "Liberation Sans\t999999\tTrueType\t/home/me/.fonts/LiberationSans-Regular.ttf\t20-7e",
    "Nimbus Sans\t0\tType 1\t/usr/share/fonts/type1/NimbusSans-Regular.t1\t20-7e",
    "Nimbus Sans\t65536\tCFF\t/usr/share/fonts/opentype/NimbusSans-Regular.otf\t20-7e",
    "DejaVu Sans,DejaVu Sans Condensed\t1\tTrueType\t/usr/share/fonts/all/Condensed.ttf\t20-7e",
    "Noto Color Emoji\t1\tTrueType\t/usr/share/fonts/noto/NotoColorEmoji.ttf\t20-7e",
    "Noto Sans\t1\tTrueType\t/usr/share/fonts/noto/NotoSans.ttf\t20-7e",
]


def forget() -> None:
    for function in (fonts.installed_fonts, fonts.font_folders, fonts.font_file):
        function.cache_clear()


@pytest.fixture
def list_fonts(tmp_path, monkeypatch):
    """Lets fontconfig list some lines."""
    program = tmp_path / "fc-list"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", "/home/me")

    def set_lines(lines: list[str]) -> None:
        (tmp_path / "lines").write_text("".join(f"{line}\n" for line in lines))
        program.write_text(f"#!/bin/sh\ncat {tmp_path}/lines\n")
        program.chmod(0o755)
        forget()

    yield set_lines
    forget()


def test_the_newest_of_the_systems_fonts_is_taken(list_fonts):
    list_fonts(LISTED)
    assert font_folders(("Liberation Sans",)) == {Path("/usr/share/fonts/new"): None}
    assert font_file("LiberationSans-Regular.ttf") == Path(
        "/usr/share/fonts/new/LiberationSans-Regular.ttf"
    )


def test_a_font_of_the_user_does_where_the_system_has_none(list_fonts):
    list_fonts(LISTED[2:])
    assert font_folders(("Liberation Sans",)) == {Path("/home/me/.fonts"): None}


def test_fonts_for_printers_do_not_count(list_fonts):
    list_fonts(LISTED[3:4])
    assert "Nimbus Sans" in missing_families()
    list_fonts(LISTED[3:5])
    assert font_folders(("Nimbus Sans",)) == {Path("/usr/share/fonts/opentype"): None}


def test_of_a_folder_with_other_families_one_file_counts(list_fonts):
    list_fonts(LISTED)
    only = Path("/usr/share/fonts/noto/NotoColorEmoji.ttf")
    assert font_folders(("Noto Color Emoji",)) == {only.parent: only}
    said = SandboxProfile((), fonts=("Noto Color Emoji",)).fonts_conf().decode()
    assert "<dir>/usr/share/fonts/noto</dir>" in said
    assert f"<acceptfont><glob>{only}</glob></acceptfont>" in said
    assert "<rejectfont><glob>/usr/share/fonts/noto/*</glob></rejectfont>" in said


def test_where_all_fonts_share_a_folder_none_is_left_out(list_fonts):
    list_fonts([line.replace("/new/", "/noto/") for line in LISTED])
    families = ("Liberation Sans", "Noto Color Emoji")
    assert font_folders(families) == {Path("/usr/share/fonts/noto"): None}
    assert font_folders(families[::-1]) == {Path("/usr/share/fonts/noto"): None}


def test_each_missing_family_is_named_and_is_an_error_with_its_package(list_fonts):
    list_fonts(LISTED)
    assert set(missing_families()) == FAMILIES.keys() - {
        *("Liberation Sans", "Nimbus Sans", "DejaVu Sans", "DejaVu Sans Condensed"),
        "Noto Color Emoji",
    }
    with pytest.raises(SetupError, match=r"'WenQuanYi Micro Hei' is missing: .*fonts-wqy-microhei"):
        font_folders(("DejaVu Sans", "WenQuanYi Micro Hei"))


def test_without_fontconfig_it_is_said_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    forget()
    with pytest.raises(SetupError, match="'fc-list' was not found"):
        missing_families()
    forget()


def test_fontconfig_finds_the_same_families_by_our_configuration(tmp_path):
    """What it finds here, and nothing else: not the other fonts of this machine."""
    forget()
    conf = tmp_path / "fonts.conf"
    conf.write_bytes(SandboxProfile((), fonts=PAGE_FAMILIES).fonts_conf())
    said = subprocess.run(
        ["fc-list", "--format", "%{family}\n"],
        env={"PATH": "/usr/bin:/bin", "FONTCONFIG_FILE": str(conf)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = {family for line in said.splitlines() for family in line.split(",")}
    assert set(PAGE_FAMILIES) <= found
    assert all(re.match("DejaVu|Liberation|Noto Color Emoji|WenQuanYi|文", one) for one in found)
