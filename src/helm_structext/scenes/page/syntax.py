"""How trees of elements are written: what HTML, JSX and the templates of Vue and Angular share."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from helm_structext.scenes.page.code import LINE, list_key
from helm_structext.scenes.page.look import PageLook
from helm_structext.scenes.page.markup import (
    ItemField,
    PageElement,
    PageNode,
    Repeat,
    Variation,
)
from helm_structext.scenes.writing import indent

VOID = ("input", "path", "circle", "rect")
"""Tags of elements without content."""


@dataclass(frozen=True)
class RecordScope:
    """Where fields of records are found while the element of a list is written.

    Args:
        record: an expression for the record.
        repeat: its list, while its outermost element is written.
        outer: an expression for the record around that list.
    """

    record: str = ""
    repeat: Repeat | None = None
    outer: str = ""

    def find(self, field: ItemField) -> str:
        """Returns the expression for a field."""
        if field.name and self.record:
            return f"{self.record}.{field.name}"
        return field.name or self.record


TOP = RecordScope()


class HtmlSyntax:
    """Writes trees without lists as HTML.

    Args:
        look: how the page's style is written.
        comments: whether a comment stands before each part of the page.
    """

    void_end = ">"
    comment = "<!-- {} -->"

    def __init__(self, look: PageLook, comments: bool = False) -> None:
        self.look = look
        self.comments = comments

    def lines(self, node: PageNode, scope: RecordScope = TOP) -> list[str]:
        """Returns the lines of a node."""
        if isinstance(node, str):
            return self.text_lines(node)
        if isinstance(node, ItemField):
            return [self.field(scope.find(node))]
        if isinstance(node, Repeat):
            return self.loop(node, scope)
        if node.when:
            return self.condition(scope.find(node.when), node, scope)
        named = (
            [self.comment.format(split_name(node.component))]
            if self.comments and node.component
            else []
        )
        return [*named, *self.element_lines(node, scope)]

    def element_lines(self, node: PageElement, scope: RecordScope) -> list[str]:
        """Returns the lines of an element that is there."""
        inside = RecordScope(scope.record)
        attributes = self.all_attributes(node, scope)
        opening = " ".join([node.tag, *attributes])
        broken = len(opening) > LINE and len(attributes) > 1
        end = {"input": self.void_end}.get(node.tag, " />") if node.tag in VOID else ">"
        opened = [f"<{opening}{end}"]
        if broken:
            opened = [f"<{node.tag}", *(f"  {attribute}" for attribute in attributes), end.strip()]
        if node.tag in VOID:
            return opened
        lines = [line for child in self.children_of(node) for line in self.lines(child, inside)]
        closing = f"</{node.tag}>"
        if not lines or node.tag == "textarea":
            return [*opened[:-1], opened[-1] + "".join(lines) + closing]
        plain = all(not isinstance(child, PageElement | Repeat) for child in node.children)
        whole = "".join([opened[-1], *lines, closing])
        if (
            len(lines) == 1
            and (plain or node.tag == "svg")
            and not broken
            and len(whole) <= LINE + 10
        ):
            return [whole]
        return [*opened, *indent(lines), closing]

    def all_attributes(self, node: PageElement, scope: RecordScope) -> list[str]:
        """Returns the attributes of an element."""
        found = self.loop_attributes(node, scope)
        if node.variation:
            found += self.varied_class(node, node.variation, scope)
        elif styles := self.look.classes(node.tag, node.styles):
            found.append(self.class_attribute(styles))
        for name, value in self.attributes_of(node).items():
            if isinstance(value, ItemField):
                found.append(self.bind(name, scope.find(value)))
            else:
                found.append(self.attribute(name, value))
        found += self.model(node)
        if node.inline:
            found.append(self.inline(node, scope))
        return found

    def text_lines(self, text: str) -> list[str]:
        """Returns a text, in lines of a readable length."""
        if len(text) <= LINE:
            return [self.text(text)]
        return [
            self.text(line)
            for line in wrap(text, LINE, break_on_hyphens=False, break_long_words=False)
        ]

    def text(self, text: str) -> str:
        """Returns a text as it is written between tags."""
        return html.escape(text, quote=False)

    def attribute(self, name: str, value: str) -> str:
        """Returns an attribute with a fixed value; an empty one is its name."""
        return f'{name}="{escape_attribute(value)}"' if value else name

    def class_attribute(self, styles: str) -> str:
        """Returns the attribute with classes."""
        return self.attribute("class", styles)

    def children_of(self, node: PageElement) -> Sequence[PageNode]:
        """Returns what is written between the tags of an element."""
        return node.children

    def attributes_of(self, node: PageElement) -> dict[str, str | ItemField]:
        """Returns the attributes that are written as such."""
        return dict(node.attributes)

    def inline(self, node: PageElement, scope: RecordScope) -> str:
        """Returns the attribute with an element's own style."""
        said = "; ".join(f"{name}: {value}{unit}" for name, (value, unit) in node.inline.items())
        return self.attribute("style", said)

    def model(self, node: PageElement) -> list[str]:
        """Returns what ties an input to the state of the form."""
        return []

    def loop_attributes(self, node: PageElement, scope: RecordScope) -> list[str]:
        """Returns the attributes that the outermost element of a list has for it."""
        return []

    def field(self, expression: str) -> str:
        """Returns an expression between tags."""
        raise NotImplementedError

    def bind(self, name: str, expression: str) -> str:
        """Returns an attribute whose value is an expression."""
        raise NotImplementedError

    def varied_class(
        self, node: PageElement, variation: Variation, scope: RecordScope
    ) -> list[str]:
        """Returns the attributes for classes of which one is there only sometimes."""
        classes = split_classes(
            self.look.classes(node.tag, node.styles),
            self.look.classes(node.tag, (*node.styles, variation.style)),
        )
        if variation.when:
            return self.choose_class(scope.find(variation.when), *classes)
        repeat = scope.repeat
        assert repeat is not None
        key = scope.find(list_key(repeat) or ItemField())
        chosen = self.choose_class(f"{repeat.state} === {key}", *classes)
        return [*chosen, self.choose_record(node, repeat.state, key)]

    def choose_class(self, test: str, shared: str, plain: str, varied: str) -> list[str]:
        """Returns the attributes for classes of which some depend on a test.

        Args:
            test: the expression that decides.
            shared: classes that are always there.
            plain: those that are there where it does not hold.
            varied: those that are there where it holds.
        """
        raise NotImplementedError

    def choose_record(self, node: PageElement, state: str, key: str) -> str:
        """Returns the attribute by which a click on an element makes its record the chosen one of its list."""
        raise NotImplementedError

    def loop(self, node: Repeat, scope: RecordScope) -> list[str]:
        """Returns the lines of a list."""
        raise NotImplementedError

    def condition(self, expression: str, node: PageElement, scope: RecordScope) -> list[str]:
        """Returns the lines of an element that is there only if an expression holds."""
        raise NotImplementedError


def escape_attribute(value: str) -> str:
    """Returns a value as it stands between double quotes.

    >>> escape_attribute("a < 'b'")
    "a &lt; 'b'"
    """
    return html.escape(value, quote=False).replace('"', "&quot;")


def split_classes(plain: str, varied: str) -> tuple[str, str, str]:
    """Returns what two lists of classes have in common, and what only the first and only the second has.

    >>> split_classes("chip grey", "chip blue bold")
    ('chip', 'grey', 'blue bold')
    """
    first, second = plain.split(), varied.split()
    return (
        " ".join(name for name in first if name in second),
        " ".join(name for name in first if name not in second),
        " ".join(name for name in second if name not in first),
    )


def split_name(name: str) -> str:
    """Returns a component's name as words.

    >>> split_name("CallToAction")
    'Call to action'
    """
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return words.strip().capitalize()
