"""Pages as a component of Angular: in one file, or with its template and styles beside it."""

from random import Random

from helm_structext.scenes.page.code import (
    chosen_key,
    find_lists,
    find_values,
    js_text,
    js_value,
    list_key,
)
from helm_structext.scenes.page.look import PageLook, TailwindLook, make_look
from helm_structext.scenes.page.markup import (
    ItemField,
    PageElement,
    PageNode,
    Repeat,
    find_styles,
    make_page,
)
from helm_structext.scenes.page.scene import PageScene
from helm_structext.scenes.page.syntax import TOP, HtmlSyntax, RecordScope
from helm_structext.scenes.writing import indent

SIGNS = {"{": "&#123;", "}": "&#125;", "@": "&#64;"}
"""Signs of texts that begin something in templates."""
OPENING = "{{ '{{' }}"
"""What begins an expression, as a text; written with SIGNS it would still begin one."""


class AngularSyntax(HtmlSyntax):
    """Writes trees as templates of Angular.

    Args:
        look: how the page's style is written.
        blocks: whether lists and conditions are blocks, as since release 17, or directives.
    """

    void_end = " />"

    def __init__(self, look: PageLook, blocks: bool) -> None:
        super().__init__(look)
        self.blocks = blocks

    def text(self, text: str) -> str:
        parts = (
            "".join(SIGNS.get(sign, sign) for sign in super(AngularSyntax, self).text(part))
            for part in text.split("{{")
        )
        return OPENING.join(parts)

    def attribute(self, name: str, value: str) -> str:
        return super().attribute(name, value).replace("{{", OPENING)

    def field(self, expression: str) -> str:
        return f"{{{{ {expression} }}}}"

    def bind(self, name: str, expression: str) -> str:
        # Attributes of SVG are no properties.
        return f'[{"attr.d" if name == "d" else name}]="{expression}"'

    def inline(self, node: PageElement, scope: RecordScope) -> str:
        if all(isinstance(value, str) for value, _ in node.inline.values()):
            return super().inline(node, scope)
        said = []
        for name, (value, unit) in node.inline.items():
            assert isinstance(value, ItemField)
            said.append(f'[style.{name}{f".{unit}" if unit else ""}]="{scope.find(value)}"')
        return " ".join(said)

    def choose_class(self, test: str, shared: str, plain: str, varied: str) -> list[str]:
        if not plain and " " not in varied:
            return [self.class_attribute(shared), f'[class.{varied}]="{test}"']
        one, other = (js_text(styles, "'") for styles in (varied, plain))
        return [self.class_attribute(shared), f'[class]="{test} ? {one} : {other}"']

    def choose_record(self, node: PageElement, state: str, key: str) -> str:
        return f'(click)="{state} = {key}"'

    def loop_attributes(self, node: PageElement, scope: RecordScope) -> list[str]:
        if scope.repeat is None or self.blocks:
            return []
        return [f'*ngFor="let {scope.repeat.one} of {self.list_of(scope)}"']

    def list_of(self, scope: RecordScope) -> str:
        """Returns the expression for the list around an element."""
        assert scope.repeat is not None
        items = scope.repeat.items
        return (
            RecordScope(scope.outer).find(items)
            if isinstance(items, ItemField)
            else scope.repeat.name
        )

    def loop(self, node: Repeat, scope: RecordScope) -> list[str]:
        inside = RecordScope(node.one, node, scope.record)
        body = self.element_lines(node.element, inside)
        if not self.blocks:
            return body
        key = list_key(node)
        track = inside.find(key) if key else "$index"
        return [
            f"@for ({node.one} of {self.list_of(inside)}; track {track}) {{",
            *indent(body),
            "}",
        ]

    def condition(self, expression: str, node: PageElement, scope: RecordScope) -> list[str]:
        lines = self.element_lines(node, scope)
        if self.blocks:
            return [f"@if ({expression}) {{", *indent(lines), "}"]
        tag = f"<{node.tag}"
        return [f'{tag} *ngIf="{expression}"{lines[0][len(tag) :]}', *lines[1:]]

    def attributes_of(self, node: PageElement) -> dict[str, str | ItemField]:
        found = super().attributes_of(node)
        if node.model:
            found.pop("value", None)
            found.pop("checked", None)
            found["name"] = node.model
        return found

    def children_of(self, node: PageElement) -> tuple[PageNode, ...]:
        return () if node.model else node.children

    def model(self, node: PageElement) -> list[str]:
        return [f'[(ngModel)]="form.{node.model}"'] if node.model else []


def write_angular(scene: PageScene, rng: Random) -> str:
    """Writes a page as a component of Angular.

    Args:
        scene: what is on it.
        rng: decides between blocks and directives, one file and several, and how the style is written.
    """
    look = make_look(scene, [PageLook, PageLook, TailwindLook], rng)
    page = make_page(scene)
    blocks = rng.random() < 0.6
    apart = rng.random() < 0.3
    template = AngularSyntax(look, blocks).element_lines(page, TOP)
    sheet = look.sheet(find_styles(page), imports=True).split("\n")
    values = find_values(page)
    modules = [*([] if blocks else ["CommonModule"]), *(["FormsModule"] if values else [])]
    lines = ["import { Component, ViewEncapsulation } from '@angular/core';"]
    if not blocks:
        lines.append("import { CommonModule } from '@angular/common';")
    if values:
        lines.append("import { FormsModule } from '@angular/forms';")
    lines += ["", "@Component({", "  selector: 'app-root',", "  standalone: true,"]
    if modules:
        lines.append(f"  imports: [{', '.join(modules)}],")
    lines += ["  encapsulation: ViewEncapsulation.None,"]
    styled = sheet != [""]
    if apart:
        lines.append("  templateUrl: './app.component.html',")
        lines += ["  styleUrl: './app.component.css',"] if styled else []
    else:
        lines += ["  template: `", *indent(indent(literal_lines(template))), "  `,"]
        if styled:
            lines += ["  styles: `", *indent(indent(literal_lines(sheet))), "  `,"]
    lines += ["})", "export class AppComponent {"]
    for one in find_lists(page):
        first, *others = js_value(one.items, "'")
        lines += [f"  {one.name} = {first}", *indent(others)]
        lines[-1] += ";"
        if one.state:
            lines.append(f"  {one.state} = {js_text(chosen_key(one), chr(39))};")
    if values:
        first, *others = js_value(values, "'")
        lines += [f"  form = {first}", *indent(others)]
        lines[-1] += ";"
    code = "\n".join([*lines, "}", ""])
    if apart:
        code += "\n" + "\n".join(["<!-- app.component.html -->", *template, ""])
        code += "\n" + "\n".join(["/* app.component.css */", *sheet, ""]) if styled else ""
    return code


def literal_lines(lines: list[str]) -> list[str]:
    """Returns lines as they stand between backticks.

    >>> literal_lines(["a `b` ${c}"])
    ['a \\\\`b\\\\` \\\\${c}']
    """
    return [line.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${") for line in lines]
