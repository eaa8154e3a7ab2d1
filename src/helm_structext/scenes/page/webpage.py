"""Pages as the files of a site: a page, its style sheet and its script, in the JSON of Image2Struct."""

import json
from random import Random

from helm_structext.scenes.page.code import find_lists
from helm_structext.scenes.page.html import write_document
from helm_structext.scenes.page.look import PageLook, make_look
from helm_structext.scenes.page.markup import Repeat, find_styles, make_page
from helm_structext.scenes.page.scene import PageScene
from helm_structext.scenes.writing import indent


def write_webpage(scene: PageScene, rng: Random) -> str:
    """Writes a page as a list of files, in JSON.

    Args:
        scene: what is on it.
        rng: decides how the script is written.
    """
    look = make_look(scene, [PageLook], rng)
    page = make_page(scene)
    folder = rng.choice(["", "", "assets/"])
    style, script = f"{folder}style.css", f"{folder}script.js"
    states = [one for one in find_lists(page) if one.state]
    links = [f'<link href="{style}" rel="stylesheet">']
    scripts = [f'<script src="{script}"></script>'] if states else []
    files = {
        "index.html": write_document(scene, page, look, links, scripts, rng),
        style: look.sheet(find_styles(page), root="body") + "\n",
    }
    if states:
        blocks = [choice_lines(one, rng.random() < 0.5) for one in states]
        files[script] = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    listed = [{"filename": name, "content": content} for name, content in files.items()]
    return json.dumps(listed, ensure_ascii=False, indent=rng.choice([1, 2, 4]))


LOW = ("header", "form", "profile", "plans", "footer")
"""Sections that fit a window together at the medium level."""


def fits_window(scene: PageScene) -> bool:
    """Says whether all of a page is in the window, which is 1,080 pixels high and never scrolled."""
    layouts = [section.layout for section in scene.sections]
    if scene.level == "easy" or scene.type == "dashboard":
        return True
    return scene.level == "medium" and all(layout in LOW for layout in layouts)


def choice_lines(repeat: Repeat, arrow: bool) -> list[str]:
    """Returns the lines of a script by which a click chooses one of a list.

    Args:
        repeat: the list.
        arrow: whether functions are arrows.
    """
    element = repeat.element
    assert element.variation is not None
    base, active = element.styles[-1], element.variation.style
    name = f"{repeat.state}Items"
    one = repeat.one
    body = [
        *(["event.preventDefault();"] if element.tag == "a" else []),
        f'{name}.forEach((other) => other.classList.remove("{active}"));',
        f'{one}.classList.add("{active}");',
    ]
    event = "event" if element.tag == "a" else ""
    handler = f"({event}) => {{" if arrow else f"function ({event}) {{"
    return [
        f'const {name} = document.querySelectorAll(".{base}");',
        "",
        f"{name}.forEach(({one}) => {{",
        f'  {one}.addEventListener("click", {handler}',
        *indent(indent(body)),
        "  });",
        "});",
    ]
