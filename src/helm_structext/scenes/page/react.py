"""Pages as components of React: with a style sheet of their own, one in the page, or Tailwind's classes."""

from dataclasses import replace
from random import Random

from helm_structext.scenes.page.code import (
    chosen_key,
    find_components,
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
    find_fields,
    find_styles,
    make_page,
)
from helm_structext.scenes.page.scene import PageScene
from helm_structext.scenes.page.syntax import TOP, HtmlSyntax, RecordScope

NAMES = {"for": "htmlFor", "class": "className", "stroke-width": "strokeWidth"}
"""Attributes that have another name in JSX."""
SHORT = 50
"""Characters of classes that may stand there twice."""


class JsxSyntax(HtmlSyntax):
    """Writes trees as JSX.

    Args:
        look: how the page's style is written.
        apart: whether parts of the page are components of their own.
        template: whether classes of which one is there only sometimes stand in a template.
        cards: whether what is made for each record of a list is a component, too.
    """

    void_end = " />"

    def __init__(self, look: PageLook, apart: bool, template: bool, cards: bool) -> None:
        super().__init__(look)
        self.apart = apart
        self.template = template
        self.cards = cards

    def lines(self, node: PageNode, scope: RecordScope = TOP) -> list[str]:
        if self.apart and isinstance(node, PageElement) and node.component:
            return [f"<{node.component} />"]
        return super().lines(node, scope)

    def text(self, text: str) -> str:
        plain = not any(sign in text for sign in "{}<>&") and text == text.strip()
        return text if plain else f"{{{js_text(text)}}}"

    def text_lines(self, text: str) -> list[str]:
        return super().text_lines(text) if self.text(text) == text else [self.text(text)]

    def attribute(self, name: str, value: str) -> str:
        name = NAMES.get(name, name)
        if any(sign in value for sign in '"&<>'):
            return f"{name}={{{js_text(value)}}}"
        return f'{name}="{value}"' if value else name

    def field(self, expression: str) -> str:
        return f"{{{expression}}}"

    def bind(self, name: str, expression: str) -> str:
        return f"{NAMES.get(name, name)}={{{expression}}}"

    def inline(self, node: PageElement, scope: RecordScope) -> str:
        said = []
        for name, (value, unit) in node.inline.items():
            if isinstance(value, str):
                said.append(f"{name}: {js_text(value + unit)}")
            elif unit == "%":
                said.append(f"{name}: `${{{scope.find(value)}}}%`")
            else:
                # Numbers are pixels.
                said.append(f"{name}: {scope.find(value)}")
        return f"style={{{{ {', '.join(said)} }}}}"

    def choose_class(self, test: str, shared: str, plain: str, varied: str) -> list[str]:
        if self.template or len(shared) >= SHORT:
            choice = f"{shared} ${{{test} ? {js_text(varied)} : {js_text(plain)}}}"
            return [f"className={{`{choice}`}}"]
        texts = (js_text(" ".join(filter(None, [shared, one]))) for one in (varied, plain))
        return ["className={{{} ? {} : {}}}".format(test, *texts)]

    def choose_record(self, node: PageElement, state: str, key: str) -> str:
        return f"onClick={{() => {setter(state)}({key})}}"

    def loop_attributes(self, node: PageElement, scope: RecordScope) -> list[str]:
        if scope.repeat is None:
            return []
        key = list_key(scope.repeat)
        return [f"key={{{scope.find(key) if key else 'index'}}}"]

    def loop(self, node: Repeat, scope: RecordScope) -> list[str]:
        if self.cards and is_card(node):
            key = list_key(node)
            assert key is not None
            card = f"<{card_name(node)} key={{{node.one}.{key.name}}} {{...{node.one}}} />"
            return [f"{{{node.name}.map(({node.one}) => (", f"  {card}", "))}"]
        items = scope.find(node.items) if isinstance(node.items, ItemField) else node.name
        record = node.one if list_key(node) else f"{node.one}, index"
        body = self.element_lines(node.element, RecordScope(node.one, node))
        return [f"{{{items}.map(({record}) => (", *(f"  {line}" for line in body), "))}"]

    def condition(self, expression: str, node: PageElement, scope: RecordScope) -> list[str]:
        lines = self.element_lines(node, scope)
        if len(lines) == 1:
            return [f"{{{expression} && {lines[0]}}}"]
        return [f"{{{expression} && (", *(f"  {line}" for line in lines), ")}"]

    def attributes_of(self, node: PageElement) -> dict[str, str | ItemField]:
        found = super().attributes_of(node)
        if node.model:
            found.pop("value", None)
            found.pop("checked", None)
        return found

    def children_of(self, node: PageElement) -> tuple[PageNode, ...]:
        return () if node.model else node.children

    def model(self, node: PageElement) -> list[str]:
        if not node.model:
            return []
        if node.attributes.get("type") == "checkbox":
            return [
                f"checked={{form.{node.model}}}",
                f"onChange={{(event) => setForm({{ ...form, {node.model}: event.target.checked }})}}",
            ]
        return [f"value={{form.{node.model}}}", "onChange={handleChange}"]


def is_card(repeat: Repeat) -> bool:
    """Says whether a person might make what a list shows of each record a component: it is large, and never changes."""
    large = sum(isinstance(child, PageElement) for child in repeat.element.children) > 1
    return (
        large
        and not repeat.state
        and not isinstance(repeat.items, ItemField)
        and bool(list_key(repeat))
    )


def card_name(repeat: Repeat) -> str:
    """Returns the name of the component for each record of a list."""
    kind = {"article": "Card", "tr": "Row"}.get(repeat.element.tag, "Item")
    return f"{repeat.one.capitalize()}{kind}"


def setter(state: str) -> str:
    """Returns the name of what sets a state."""
    return f"set{state[0].upper()}{state[1:]}"


def write_react(scene: PageScene, rng: Random) -> str:
    """Writes a page as components of React.

    Args:
        scene: what is on it.
        rng: decides how the style is written, and what is a component of its own.
    """
    look = make_look(scene, [PageLook, PageLook, TailwindLook], rng)
    page = make_page(scene)
    syntax = JsxSyntax(
        look, apart=rng.random() < 0.65, template=rng.random() < 0.4, cards=rng.random() < 0.4
    )
    place = rng.choice(["file", "file", "string"])
    sheet = look.sheet(find_styles(page), imports=True)
    if not sheet:
        place = "none"
    parts = find_components(page) if syntax.apart else []
    state = bool(find_values(page)) or any(one.state for one in find_lists(page))
    arrow = rng.random() < 0.2
    blocks = [[f'import {"React, { useState }" if state else "React"} from "react";']]
    blocks[0] = (
        [*(['import { useState } from "react";'] if state else [])]
        if rng.random() < 0.6
        else blocks[0]
    )
    if place == "file":
        blocks[0].append('import "./App.css";')
    blocks += [record_lines(one) for one in find_lists(page)]
    if place == "string":
        blocks.append(["const styles = `", *sheet.replace("\\", "\\\\").split("\n"), "`;"])
    for one in find_lists(page):
        if syntax.cards and is_card(one):
            fields = ", ".join(find_fields(one.element))
            blocks.append(
                component_lines(card_name(one), one.element, syntax, arrow, props=f"{{ {fields} }}")
            )
    for part in parts:
        blocks.append(component_lines(part.component, part, syntax, arrow))
    styles = ["<style>{styles}</style>"] if place == "string" else []
    blocks.append(component_lines("App", page, syntax, arrow, styles))
    if arrow:
        blocks.append(["export default App;"])
    else:
        blocks[-1][0] = f"export default {blocks[-1][0]}"
    code = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    return f"{code}\n/* App.css */\n{sheet}\n" if place == "file" else code


def record_lines(repeat: Repeat) -> list[str]:
    """Returns the lines that declare a list."""
    first, *others = js_value(repeat.items)
    lines = [f"const {repeat.name} = {first}", *others]
    return [*lines[:-1], lines[-1] + ";"]


def component_lines(
    name: str,
    node: PageElement,
    syntax: JsxSyntax,
    arrow: bool,
    styles: list[str] | None = None,
    props: str = "",
) -> list[str]:
    """Returns the lines of a component.

    Args:
        name: of the component.
        node: what it shows.
        syntax: how that is written.
        arrow: whether it is written as an arrow.
        styles: what else it shows first.
        props: what it takes.
    """
    # Components of its own within it have states of their own.
    inside = without_components(node) if syntax.apart else node
    states = [one for one in find_lists(inside) if one.state]
    values = find_values(inside)
    body: list[str] = []
    for one in states:
        body.append(
            f"const [{one.state}, {setter(one.state)}] = useState({js_text(chosen_key(one))});"
        )
    if values:
        first, *others = js_value(values, room=70)
        lines = [f"const [form, setForm] = useState({first}", *others]
        body += [*lines[:-1], lines[-1] + ");", ""]
        body += [
            "const handleChange = (event) => {",
            "  setForm({ ...form, [event.target.name]: event.target.value });",
            "};",
        ]
    shown = syntax.element_lines(node, TOP)
    if styles:
        shown = [shown[0], *(f"  {line}" for line in styles), *shown[1:]]
    opened, closed = (
        (f"const {name} = ({props}) => {{", "};")
        if arrow
        else (f"function {name}({props}) {{", "}")
    )
    if arrow and not body:
        return [f"const {name} = ({props}) => (", *(f"  {line}" for line in shown), ");"]
    body += [""] if body else []
    body += ["return (", *(f"  {line}" for line in shown), ");"]
    return [opened, *(f"  {line}" if line else "" for line in body), closed]


def without_components(node: PageElement) -> PageElement:
    """Returns an element without the components in it."""
    kept = tuple(
        without_components(child) if isinstance(child, PageElement) else child
        for child in node.children
        if not (isinstance(child, PageElement) and child.component)
    )
    return replace(node, children=kept)
