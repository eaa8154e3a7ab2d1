"""Pages as a single-file component of Vue: with the composition or the options API."""

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


class VueSyntax(HtmlSyntax):
    """Writes trees as templates of Vue."""

    void_end = " />"

    def text(self, text: str) -> str:
        # Braces that stand together would begin an expression.
        return super().text(text).replace("{{", "{&#123;")

    def field(self, expression: str) -> str:
        return f"{{{{ {expression} }}}}"

    def bind(self, name: str, expression: str) -> str:
        return f':{name}="{expression}"'

    def inline(self, node: PageElement, scope: RecordScope) -> str:
        if all(isinstance(value, str) for value, _ in node.inline.values()):
            return super().inline(node, scope)
        said = []
        for name, (value, unit) in node.inline.items():
            assert isinstance(value, ItemField)
            found = scope.find(value)
            said.append(f"{name}: {f'`${{{found}}}{unit}`' if unit else found}")
        return f':style="{{ {", ".join(said)} }}"'

    def choose_class(self, test: str, shared: str, plain: str, varied: str) -> list[str]:
        value = f"{test} ? {js_text(varied, chr(39))} : {js_text(plain, chr(39))}"
        if not plain:
            value = f"{{ {js_text(varied, chr(39))}: {test} }}"
        return [self.class_attribute(shared), f':class="{value}"']

    def choose_record(self, node: PageElement, state: str, key: str) -> str:
        prevent = ".prevent" if node.tag == "a" else ""
        return f'@click{prevent}="{state} = {key}"'

    def loop_attributes(self, node: PageElement, scope: RecordScope) -> list[str]:
        if scope.repeat is None:
            return []
        one, key = scope.repeat.one, list_key(scope.repeat)
        outer = RecordScope(scope.outer)
        items = scope.repeat.items
        found = outer.find(items) if isinstance(items, ItemField) else scope.repeat.name
        record = one if key else f"({one}, index)"
        return [f'v-for="{record} in {found}"', f':key="{scope.find(key) if key else "index"}"']

    def loop(self, node: Repeat, scope: RecordScope) -> list[str]:
        return self.element_lines(node.element, RecordScope(node.one, node, scope.record))

    def condition(self, expression: str, node: PageElement, scope: RecordScope) -> list[str]:
        first, *others = self.element_lines(node, scope)
        tag = f"<{node.tag}"
        return [f'{tag} v-if="{expression}"{first[len(tag) :]}', *others]

    def attributes_of(self, node: PageElement) -> dict[str, str | ItemField]:
        found = super().attributes_of(node)
        if node.model:
            found.pop("value", None)
            found.pop("checked", None)
        return found

    def children_of(self, node: PageElement) -> tuple[PageNode, ...]:
        return () if node.model else node.children

    def model(self, node: PageElement) -> list[str]:
        return [f'v-model="form.{node.model}"'] if node.model else []


def write_vue(scene: PageScene, rng: Random) -> str:
    """Writes a page as a single-file component of Vue.

    Args:
        scene: what is on it.
        rng: decides between the two APIs, and how the style is written.
    """
    look = make_look(scene, [PageLook, PageLook, TailwindLook], rng)
    page = make_page(scene)
    quote = rng.choice(['"', "'"])
    template = ["<template>", *indent(VueSyntax(look).element_lines(page, TOP)), "</template>"]
    setup = rng.random() < 0.7
    script = setup_lines(page, quote) if setup else option_lines(page, quote)
    parts = [["<script setup>" if setup else "<script>", *script, "</script>"], template]
    if rng.random() < 0.4:
        parts.reverse()
    sheet = look.sheet(find_styles(page), imports=True)
    if sheet:
        parts.append(["<style>", *sheet.split("\n"), "</style>"])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def setup_lines(page: PageElement, quote: str) -> list[str]:
    """Returns the lines of a script for the composition API."""
    lists = find_lists(page)
    values = find_values(page)
    states = [one for one in lists if one.state]
    names = [*(["ref"] if states else []), *(["reactive"] if values else [])]
    lines = [f"import {{ {', '.join(names)} }} from {js_text('vue', quote)};", ""] if names else []
    for one in lists:
        first, *others = js_value(one.items, quote)
        lines += [f"const {one.name} = {first}", *others]
        lines[-1] += ";"
        if one.state:
            lines.append(f"const {one.state} = ref({js_text(chosen_key(one), quote)});")
    if values:
        first, *others = js_value(values, quote)
        lines += [f"const form = reactive({first}", *others]
        lines[-1] += ");"
    return lines


def option_lines(page: PageElement, quote: str) -> list[str]:
    """Returns the lines of a script for the options API."""
    data: list[str] = []
    for one in find_lists(page):
        first, *others = js_value(one.items, quote)
        data += [f"{one.name}: {first}", *others]
        data[-1] += ","
        if one.state:
            data.append(f"{one.state}: {js_text(chosen_key(one), quote)},")
    if values := find_values(page):
        first, *others = js_value(values, quote)
        data += [f"form: {first}", *others]
        data[-1] += ","
    return [
        "export default {",
        f"  name: {js_text('App', quote)},",
        "  data() {",
        "    return {",
        *(f"      {line}" for line in data),
        "    };",
        "  },",
        "};",
    ]
