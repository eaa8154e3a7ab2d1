"""What packages are called on a system, and how it installs them."""

import shutil
import subprocess

import pytest

from helm_structext.data.packaged import debian_packages
from helm_structext.machine import packages as system
from helm_structext.machine.packages import (
    OperatingSystem,
    advice,
    choose_package,
    install_line,
    read_os_release,
)
from support import ROOT

BOOKWORM = OperatingSystem("Debian GNU/Linux 12 (bookworm)", ("debian", "bookworm"))
TRIXIE = OperatingSystem("Debian GNU/Linux 13 (trixie)", ("debian", "trixie"))
NOBLE = OperatingSystem("Ubuntu 24.04", ("ubuntu", "debian", "noble"))
JAMMY = OperatingSystem("Ubuntu 22.04", ("ubuntu", "debian", "jammy"))
MINT = OperatingSystem("Linux Mint 22", ("linuxmint", "ubuntu", "debian", "wilma"))


@pytest.mark.parametrize("here", [BOOKWORM, TRIXIE, NOBLE, JAMMY, MINT])
def test_the_script_and_doctor_read_the_list_in_the_same_way(here, tmp_path):
    release = tmp_path / "os-release"
    first, *others = here.tags
    release.write_text(
        f'ID={first}\nID_LIKE="{" ".join(others[:-1])}"\nVERSION_CODENAME={others[-1]}\n'
    )
    said = subprocess.run(
        [ROOT / "scripts" / "install-system-packages", "--names", ROOT / "debian-packages.txt"],
        env={"PATH": "/usr/bin:/bin", "OS_RELEASE": str(release)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert said == list(
        filter(None, (choose_package(line, here.tags) for line in debian_packages()))
    )
    assert len(said) > 30


def test_each_release_gets_its_own_names():
    assert BOOKWORM.package("fonts-liberation2") == "fonts-liberation2"
    assert TRIXIE.package("fonts-liberation2") == "fonts-liberation"
    assert JAMMY.package("fonts-liberation") == "fonts-liberation2"
    assert NOBLE.package("fonts-liberation2") == "fonts-liberation"
    # What the list does not hold comes with another package, and is called the same.
    assert TRIXIE.package("ghostscript") == "ghostscript"


def test_where_no_package_has_a_program_it_is_said_what_to_do():
    said = advice("chromium-headless-shell", NOBLE)
    assert said.startswith("no package of Ubuntu 24.04 has it: get chrome-headless-shell")
    assert "HELM_STRUCTEXT_CHROMIUM" in said


@pytest.mark.parametrize(
    ("tags", "name", "expected"),
    [
        (("fedora",), "chromium-headless-shell", "dnf install chromium-headless"),
        (("rocky", "rhel", "fedora"), "bubblewrap", "dnf install bubblewrap"),
        (("arch",), "fonts-liberation2", "pacman -S ttf-liberation"),
        (("alpine",), "tesseract-ocr", "apk add tesseract-ocr"),
        (("alpine",), "texlive-pictures", "install what Debian's package texlive-pictures holds"),
        ((), "bubblewrap", "install what Debian's package bubblewrap holds"),
    ],
)
def test_other_systems_get_the_names_that_are_known_and_else_debians(tags, name, expected):
    assert advice(name, OperatingSystem("this system", tags)) == expected


@pytest.mark.parametrize(
    ("user", "sudo", "expected"),
    [
        (
            0,
            False,
            "apt-get update && apt-get install -y --no-install-recommends bubblewrap lmodern",
        ),
        (
            1000,
            True,
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends bubblewrap lmodern",
        ),
        (
            1000,
            False,
            "su -c 'apt-get update && apt-get install -y --no-install-recommends bubblewrap lmodern'",
        ),
    ],
)
def test_the_line_is_one_that_this_user_can_give(user, sudo, expected, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/sudo" if sudo else None)
    assert install_line(["lmodern", "bubblewrap", "lmodern"], TRIXIE) == expected


def test_the_line_leaves_out_what_the_system_has_not():
    assert install_line(["chromium-headless-shell"], NOBLE) == ""
    assert install_line(["bubblewrap"], OperatingSystem("this system", ())) == ""
    assert install_line([], TRIXIE) == ""


def test_only_debian_12_and_13_were_tried():
    assert BOOKWORM.tried
    assert TRIXIE.tried
    assert not any(
        one.tried for one in (NOBLE, JAMMY, MINT, OperatingSystem("Debian sid", ("debian",)))
    )


def test_a_system_without_a_release_file_has_no_tags(monkeypatch):
    def absent() -> dict[str, str]:
        raise OSError("no os-release")

    monkeypatch.setattr("platform.freedesktop_os_release", absent)
    system.current_system.cache_clear()
    try:
        assert system.current_system().tags == ()
    finally:
        system.current_system.cache_clear()
    assert read_os_release({}).family == ""
