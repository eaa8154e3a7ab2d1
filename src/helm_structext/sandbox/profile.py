"""What an engine finds inside of its sandbox: an allow-list."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from helm_structext.machine.fonts import font_folders
from helm_structext.machine.programs import SYSTEM_FOLDERS, own_folder, program

EPOCH = 1704067200
"""The time inside, where an engine asks for one: 2024-01-01 00:00 UTC."""
ETC = Path(__file__).with_name("etc")
"""What the sandbox has instead of the machine's own files in /etc."""

FONTS = "fonts/fonts.conf"
"""Fontconfig's configuration, below /etc: ours, with the folders of the fonts on this machine."""
FOLDERS = b"<!-- folders -->"

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
        fonts: families (`helm_structext.machine.fonts.FAMILIES`), which fontconfig finds, and no others.
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
    fonts: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    proc: bool = False
    sockets: bool = False

    @property
    def readable(self) -> list[str]:
        """All that keeps its place: what any program needs, `paths`, fonts, and what programs bring with them.

        Raises:
            SetupError: a program or a font is not installed.
        """
        brought = filter(None, map(own_folder, self.programs))
        found = (
            *SYSTEM_PATHS,
            *self.paths,
            *map(str, font_folders(self.fonts)),
            *map(str, brought),
        )
        return list(dict.fromkeys(found))

    def made_up(self) -> dict[str, bytes]:
        """Returns the files below /etc: name → content.

        Raises:
            SetupError: a font is not installed.
        """
        files = {name: (ETC / name).read_bytes() for name in self.etc}
        return {**files, FONTS: self.fonts_conf()} if self.fonts else files

    def fonts_conf(self) -> bytes:
        """Returns fontconfig's configuration, by which it finds `fonts` and no others.

        Raises:
            SetupError: a font is not installed.
        """
        lines = []
        for folder, only in font_folders(self.fonts).items():
            lines.append(f"<dir>{escape(str(folder))}</dir>")
            if only:
                lines.append(
                    f"<selectfont><acceptfont><glob>{escape(str(only))}</glob></acceptfont>"
                    f"<rejectfont><glob>{escape(str(folder))}/*</glob></rejectfont></selectfont>"
                )
        return (ETC / FONTS).read_bytes().replace(FOLDERS, "\n  ".join(lines).encode())

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
        fonts = {"FONTCONFIG_FILE": str(etc / FONTS)} if self.fonts else {}
        found = [program(name).parent for name in self.programs]
        # Programs that bring a folder of their own were named: they go before the system's.
        folders = sorted(found, key=lambda folder: folder in SYSTEM_FOLDERS)
        libraries = [
            str(path)
            for folder in filter(None, map(own_folder, self.programs))
            for path in (folder, folder / "lib")
            if any(path.glob("*.so*"))
        ]
        return {
            **ENVIRONMENT,
            "HOME": home,
            "TMPDIR": home,
            **fonts,
            **({"LD_LIBRARY_PATH": ":".join(libraries)} if libraries else {}),
            **{name: value.format(etc=etc, root=root) for name, value in self.environment.items()},
            "ETC": str(etc),
            "PATH": ":".join(dict.fromkeys([*map(str, folders), "/usr/bin", "/bin"])),
        }
