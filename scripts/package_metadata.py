"""What the package's metadata says of its repository, for `pyproject.toml`: addresses and README.

No file names the repository's address: it is where the checkout was cloned from, or what
`HELM_STRUCTEXT_REPOSITORY` says. From a source distribution, it is what that one was built with. README's
pictures and links, which lead to files of the repository, lead there by whole addresses: the pages
of a package index show nothing else. Without an address there are no project URLs, and README
stays as it is.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

SETTING = "HELM_STRUCTEXT_REPOSITORY"
NAME = "Repository"
PAGES = {
    NAME: "",
    "Documentation": "/blob/HEAD/docs/index.md",
    "Changelog": "/blob/HEAD/CHANGELOG.md",
    "Issues": "/issues",
}
LINK = re.compile(r"(!?)(\[[^]]*\]\()(?!\w+:|#)([^)\s]+\))")
# git@host:owner/name.git, https://user:token@host/owner/name.git/
REMOTE = re.compile(
    r"(?:git@|(?:https?|ssh|git)://(?:[^/@\s]+@)?)([\w.-]+)[:/]([^\s]+?)(?:\.git)?/?"
)


def web_address(remote: str) -> str:
    """Returns the page of a repository on the web, without names and keys of users, or "".

    >>> web_address("git@example.org:us/it.git"), web_address("https://me:key@example.org/us/it/")
    ('https://example.org/us/it', 'https://example.org/us/it')
    >>> web_address("/home/me/it")
    ''
    """
    found = REMOTE.fullmatch(remote.strip())
    return f"https://{found[1]}/{found[2]}" if found else ""


def repository(root: Path) -> str:
    """Returns the page of the repository that a folder comes from, or ""."""
    if SETTING in os.environ:
        return web_address(os.environ[SETTING])
    if (about := root / "PKG-INFO").exists():
        lines = about.read_text("utf-8").splitlines()
        start = f"Project-URL: {NAME}, "
        return next((line.removeprefix(start) for line in lines if line.startswith(start)), "")
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # no git
        return ""
    return web_address(said.stdout) if said.returncode == 0 else ""


def absolute(text: str, address: str) -> str:
    """Returns a document in Markdown whose links to files have whole addresses.

    >>> absolute("![A](docs/a.png) [B](B.md#c) [D](https://d.org)", "https://e.org/us/it")
    '![A](https://e.org/us/it/raw/HEAD/docs/a.png) [B](https://e.org/us/it/blob/HEAD/B.md#c) [D](https://d.org)'
    """
    return LINK.sub(
        lambda link: f"{link[1]}{link[2]}{address}/{'raw' if link[1] else 'blob'}/HEAD/{link[3]}",
        text,
    )


class Hook(MetadataHookInterface):
    """Sets the two fields that depend on the address."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets them."""
        root = Path(self.root)
        readme = (root / "README.md").read_text("utf-8")
        if address := repository(root):
            metadata["urls"] = {name: address + page for name, page in PAGES.items()}
            readme = absolute(readme, address)
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
