"""What pages get of our files: those of one folder, whatever address they write."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from helm_structext.renderers.web import cdn, javascript, mermaid, npm_files, page, webpage
from helm_structext.renderers.web.local_files import local_file
from helm_structext.renderers.web.vega_data import read_example_data

SECRET, PUBLIC = b"the secret of the host", b"what pages may have"
HONEST = {
    "node_modules/jquery/dist/jquery.min.js",
    "node_modules/mermaid/dist/mermaid.esm.min.mjs",
    "node_modules/mermaid/dist/chunks/a b/c-1.mjs",
    "node_modules/@scope/name/$id.js",
    "vendor/react.js",
}


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder of packages, with secrets around it and ways that lead to them."""
    folder = tmp_path / "js"
    for name in HONEST:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(PUBLIC)
    for secret in (tmp_path, folder, folder / "node_modules/..%2f", folder / "nearby"):
        secret.mkdir(exist_ok=True, parents=True)
        for name in ("secret.mjs", "secret.js", "secret.css", "package.json"):
            (secret / name).write_bytes(SECRET)
    for inside in ("node_modules/jquery/dist", "node_modules/mermaid/dist", "vendor"):
        (folder / inside / "link.mjs").symlink_to(tmp_path / "secret.mjs")
        (folder / inside / "folder").symlink_to(tmp_path)
        os.mkfifo(folder / inside / "pipe.mjs")
    # A neighbor whose name begins like the folder's.
    (folder / "vendor-2").mkdir()
    (folder / "vendor-2/secret.js").write_bytes(SECRET)
    (folder / "vendor/modules.json").write_text("{}")
    monkeypatch.setattr(javascript, "js_target", lambda: folder)
    monkeypatch.setattr(javascript, "changed_files", lambda _: [])  # It has no record.
    for cached in (javascript.js_folder, npm_files.modules):
        cached.cache_clear()
    yield folder
    for cached in (javascript.js_folder, npm_files.modules):
        cached.cache_clear()


SERVERS: dict[str, Callable[[str], object]] = {
    **{
        f"{host}/{before}": lambda name, host=host, before=before: cdn.answer(
            f"https://{host}/{before}{name}"
        )
        for host in cdn.HOSTS
        for before in ("", "npm/jquery@3/", "jquery/dist/")
    },
    **{
        f"cdnjs, {library}": lambda name, library=library: cdn.answer(
            f"https://cdnjs.cloudflare.com/ajax/libs/{library}/1.2.3/{name}"
        )
        for library in ("jquery", "bulma", "mermaid")
    },
    "fonts": lambda name: cdn.answer(f"https://fonts.googleapis.com/css2?family={name}"),
    "modules": lambda name: cdn.answer(f"https://esm.sh/{name}"),
    "vendor": lambda name: cdn.answer(npm_files.VENDOR + name),
    "mermaid": lambda name: mermaid.serve({}, f"mermaid/{name}"),
    "icons of mermaid": lambda name: mermaid.serve({}, f"icons/{name}"),
    "example data": read_example_data,
    "example data in a folder": lambda name: read_example_data(f"vega-datasets/data/{name}"),
    "site": lambda name: page.site_reply({}, name),
    "webpage": lambda name: webpage.reply({}, name),
}


def tricks(folder: Path) -> list[str]:
    """Names that lead out of the folders, by every way that paths and addresses know."""
    outside = ["secret.mjs", "package.json", "etc/passwd", "../secret.css", "vendor-2/secret.js"]
    ups = ["../" * depth for depth in (1, 2, 3, 20)]
    names = [up + name for up in ups for name in outside]
    encoded = [way(name) for name in names for way in ENCODINGS]
    names += [before + name for before in ("dist/", "./") for name in names]
    absolute = [f"{folder.parent}/secret.mjs", f"{folder}/package.json", "/etc/passwd"]
    absolute += [f"/{name}" for name in absolute] + [f"//localhost{name}" for name in absolute]
    absolute += [f"file://{name}" for name in absolute] + [
        quote(name, safe="") for name in absolute
    ]
    links = ["link.mjs", "folder/secret.mjs", "dist/link.mjs", "dist/folder/secret.css", "pipe.mjs"]
    odd = ["", ".", "..", "/", "\0", "%00", "secret.mjs\0.js", "..%2f/secret.mjs", "~/secret.mjs"]
    odd += ["secret.mjs%00", "\\\\localhost\\secret.mjs", "C:\\secret.mjs", "a" * 5000, "\udc80"]
    odd += [
        "?../../secret.mjs",
        "#../secret.mjs",
        "x?y=/../../secret.mjs",
        "...",
        "....//secret.mjs",
    ]
    return names + encoded + absolute + links + odd


ENCODINGS = [
    lambda name: name.replace("../", "..%2f"),
    lambda name: name.replace("..", "%2e%2e"),
    lambda name: name.replace("../", "%2E%2E%2F"),
    lambda name: name.replace("../", "%252e%252e%252f"),
    lambda name: name.replace("../", "..\\"),
    lambda name: name.replace("../", "..%5c"),
    lambda name: name.replace("../", ".%00./"),
    lambda name: name.replace("../", "..;/"),
    lambda name: name.replace("../", "....//"),
    lambda name: name.replace("../", "..//"),
    lambda name: name.replace("../", ".././"),
    lambda name: name.replace("..", "%c0%ae%c0%ae"),
    lambda name: name.replace("..", "．．"),
    lambda name: name + "?v=1",
    lambda name: name + "#a",
    lambda name: f"x/{name}",
]


@pytest.mark.parametrize("server", SERVERS)
def test_no_address_leads_out_of_the_folder(server, installed):
    for name in tricks(installed):
        reply = SERVERS[server](name)
        assert reply is None or SECRET not in reply.body, name
        assert reply is None or b"root:" not in reply.body, name


@pytest.mark.parametrize("folder", ["", "node_modules", "vendor", "node_modules/mermaid/dist"])
def test_no_name_leads_out_of_the_folder(folder, installed):
    inside = installed / folder
    for name in tricks(installed):
        found = local_file(inside, name)
        assert found is None or found.is_relative_to(inside), name
        assert found is None or found.is_file()


def test_files_of_the_folder_are_served(installed):
    for name in HONEST:
        assert local_file(installed, name) == installed / name
    for reply in (
        cdn.answer("https://unpkg.com/jquery@3/dist/jquery.min.js"),
        cdn.answer("https://fonts.gstatic.com/@scope/name/%24id.js"),
        cdn.answer(f"{npm_files.VENDOR}react.js?v=1"),
        mermaid.serve({}, "mermaid/mermaid.esm.min.mjs"),
        mermaid.serve({}, "mermaid/chunks/../chunks/a%20b/c-1.mjs"),
    ):
        assert (reply.body, reply.status, reply.type[:15]) == (PUBLIC, 200, "text/javascript")


def test_a_link_that_stays_in_the_folder_is_followed(installed):
    (installed / "vendor/other.js").symlink_to("react.js")
    assert local_file(installed / "vendor", "other.js") == installed / "vendor/react.js"
