"""Pages as HTML: with a style sheet, or with the classes of Tailwind or Bootstrap."""

import html
from dataclasses import replace
from random import Random

from helm_structext.scenes.page.look import BootstrapLook, PageLook, TailwindLook, make_look
from helm_structext.scenes.page.markup import (
    PageElement,
    PageNode,
    Repeat,
    expand_lists,
    find_styles,
    make,
    make_page,
)
from helm_structext.scenes.page.scene import PageScene
from helm_structext.scenes.page.style import font_address
from helm_structext.scenes.page.syntax import HtmlSyntax, escape_attribute
from helm_structext.scenes.writing import indent


def write_html(scene: PageScene, rng: Random) -> str:
    """Writes a page as one file of HTML.

    Args:
        scene: what is on it.
        rng: decides how the style is written, and whether there are comments.
    """
    look = make_look(scene, [PageLook, PageLook, TailwindLook, BootstrapLook], rng, configured=True)
    page = make_page(scene)
    sheet = look.sheet(find_styles(page), root="body" if type(look) is PageLook else "")
    style = ["<style>", *indent(sheet.split("\n")), "</style>"] if sheet else []
    return write_document(scene, page, look, style, [], rng)


def write_document(
    scene: PageScene,
    page: PageElement,
    look: PageLook,
    style: list[str],
    scripts: list[str],
    rng: Random,
) -> str:
    """Returns a document of HTML.

    Args:
        scene: what is on it.
        page: its tree.
        look: how its style is written.
        style: lines of the head that bring its style sheet.
        scripts: lines at the end of the body.
        rng: decides whether there are comments.
    """
    if isinstance(look, BootstrapLook):
        page = use_columns(page)
    syntax = HtmlSyntax(look, comments=rng.random() < 0.4)
    (whole,) = expand_lists(page)
    assert isinstance(whole, PageElement)
    styles = "" if type(look) is PageLook else look.classes("body", whole.styles)
    opened = f'<body class="{escape_attribute(styles)}">' if styles else "<body>"
    fonts = (
        [f'<link href="{escape_attribute(font_address(look.fonts))}" rel="stylesheet">']
        if look.fonts
        else []
    )
    body = [line for child in whole.children for line in syntax.lines(child)]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{scene.language}">',
            "<head>",
            *indent(
                [
                    '<meta charset="utf-8">',
                    '<meta name="viewport" content="width=device-width, initial-scale=1">',
                    f"<title>{html.escape(scene.brand, quote=False)}</title>",
                    *look.head(),
                    *fonts,
                    *style,
                ]
            ),
            "</head>",
            opened,
            *indent([*body, *scripts]),
            "</body>",
            "</html>",
            "",
        ]
    )


def use_columns(node: PageElement) -> PageElement:
    """Returns a tree whose grids of cards are rows and columns of Bootstrap."""

    def change(child: PageNode) -> PageNode:
        return use_columns(child) if isinstance(child, PageElement) else child

    grid = next((style for style in node.styles if style.startswith("grid-")), "")
    (first, *others) = node.children or [""]
    if not grid or others or not isinstance(first, Repeat):
        return replace(node, children=tuple(map(change, node.children)))
    card = replace(first.element, styles=(*first.element.styles, "h-100"))
    column = replace(first, element=make("div", "col", card))
    return replace(node, styles=(f"row row-cols-{grid[5:]} g-4",), children=(column,))
