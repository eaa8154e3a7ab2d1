"""What an engine finds inside of its sandbox: an allow-list."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helm_structext.errors import SetupError

EPOCH = 1704067200
"""The time inside, where an engine asks for one: 2024-01-01 00:00 UTC."""
ETC = Path(__file__).with_name("etc")
"""What the sandbox has instead of the machine's own files in /etc."""

FONTS = "fonts/fonts.conf"
"""Fontconfig's configuration, below /etc."""

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "SOURCE_DATE_EPOCH": str(EPOCH),
    "OPENSSL_CONF": "/dev/null",
}

# What any program needs to start: the loader, the libraries, the locale that `ENVIRONMENT` names, and
# the shell that unpacks the job.
SYSTEM_PATHS = (
    *(("/bin",) if Path("/bin").is_symlink() else ()),
    "/lib",
    "/lib64",
    "/usr/lib64",
    *(str(path) for path in sorted(Path("/usr/lib").glob("*-linux-gnu*"))),
    "/usr/lib/locale/C.utf8",
    "/etc/ld.so.cache",
)
SYSTEM_PROGRAMS = ("sh", "tar")
DEVICES = ("/dev/null", "/dev/urandom")


@dataclass(frozen=True)
class SandboxProfile:
    """What an engine finds inside: an allow-list.

    Args:
        programs: names, found on the user's PATH.
        paths: files and folders that keep their place; those that don't exist are left out.
        etc: made-up files below /etc, which lie beside this module.
        environment: variables beside `ENVIRONMENT`; `{etc}` stands for the made-up /etc, and
            `{root}` goes before the path of a folder which is to show no more than `paths`.
        proc: whether there is a /proc (that of the sandbox, never the host's), with what the kernel
            tells of the process that is started. Landlock shows it of no process below that one, so
            a job of `run`, which a shell starts, can't have it.
        sockets: whether its processes talk to each other by pairs of sockets.
    """

    programs: tuple[str, ...]
    paths: tuple[str, ...] = ()
    etc: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    proc: bool = False
    sockets: bool = False

    @property
    def view(self) -> dict[str, Path]:
        """The tree of `{root}`, if the environment names it: path from there → where it leads."""
        if not any("{root}" in value for value in self.environment.values()):
            return {}
        return {path.lstrip("/"): Path(path) for path in self.paths if Path(path).exists()}

    def variables(self, etc: Path, home: str, root: str = "") -> dict[str, str]:
        """Returns all of the environment inside.

        Args:
            etc: where the made-up /etc lies.
            home: the scratch folder.
            root: of a tree that shows no more than `paths`.

        Raises:
            SetupError: a program is not installed.

        >>> SandboxProfile(("sh",), environment={"A": "{etc}/a"}).variables(Path("/e"), "/job")["A"]
        '/e/a'
        """
        # Beside the fonts of this list, a machine may have any others.
        fonts = {"FONTCONFIG_FILE": str(etc / FONTS)} if FONTS in self.etc else {}
        folders = [str(program(name).parent) for name in self.programs]
        return {
            **ENVIRONMENT,
            "HOME": home,
            "TMPDIR": home,
            **fonts,
            **{name: value.format(etc=etc, root=root) for name, value in self.environment.items()},
            "ETC": str(etc),
            "PATH": ":".join(dict.fromkeys([*folders, "/usr/bin", "/bin"])),
        }


def program(name: str) -> Path:
    """Returns where a program lies.

    Raises:
        SetupError: it is not installed.
    """
    found = shutil.which(name)
    if found is None:
        raise SetupError(
            f"The program {name!r} was not found. `helm-structext doctor` names the package."
        )
    return Path(found)
