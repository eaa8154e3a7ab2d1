"""How the style of a page is written: as a style sheet, or in the classes of Tailwind or Bootstrap.

All three say the same declarations, so that a page looks the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from helm_structext.patterns import Pattern
from helm_structext.scenes.page.scene import PageScene
from helm_structext.scenes.page.style import (
    BY_TAG,
    RESET,
    Declarations,
    css_rule,
    fill_tokens,
    font_address,
    merge_rules,
    style_rules,
    token_values,
)
from helm_structext.scenes.scene import Level

COLOR_ROLES = (
    "primary",
    "contrast",
    "page",
    "surface",
    "soft",
    "tint",
    "ink",
    "muted",
    "line",
    "edge",
    "dark",
    "pale",
)
ROOTS = ("page", "shell")
"""Classes of whole pages."""
SHORT_RULES: Mapping[Level, float] = {"easy": 0.8, "medium": 0.8, "hard": 1}
"""How often rules of a style sheet stand in a line each: in long ones, always."""
TOKEN = Pattern(r"\$(\w+)")


@dataclass(frozen=True)
class PageLook:
    """A style sheet with the classes of a page.

    Args:
        rules: class to declarations with names of tokens.
        values: what these names stand for.
        fonts: families to load.
        variables: whether the style sheet has variables for them.
        short: whether its rules are short.
    """

    rules: Mapping[str, Declarations]
    values: Mapping[str, str]
    fonts: Sequence[str]
    variables: bool = False
    short: bool = False

    def classes(self, tag: str, styles: Sequence[str]) -> str:
        """Returns what the attribute ``class`` of an element holds."""
        return " ".join(styles)

    def rest(self, style: str) -> Declarations:
        """Returns the declarations of a class that the style sheet has to say."""
        return self.rules.get(style, {})

    def name(self, style: str) -> str:
        """Returns the name of a class."""
        return style

    def sheet(self, used: Iterable[str], *, root: str = "", imports: bool = False) -> str:
        """Returns the style sheet.

        Args:
            used: classes of the page.
            root: the selector of the whole page, if that is not its class.
            imports: whether it loads the fonts itself.
        """
        chosen = {*used}
        rules = {
            name: self.rest(name)
            for name in self.rules
            if name.partition("::")[0] in chosen and self.rest(name)
        }
        said = " ".join(value for rule in rules.values() for value in rule.values())
        tokens = {
            token: self.values[token] for token in dict.fromkeys(f[1] for f in TOKEN.finditer(said))
        }
        parts = [f"@import url('{font_address(self.fonts)}');"] if imports and self.fonts else []
        all_rules: dict[str, Declarations] = {}
        if self.variables and tokens:
            all_rules[":root"] = {f"--{token}": value for token, value in tokens.items()}
            tokens = {token: f"var(--{token})" for token in tokens}
        all_rules |= self.base()
        for name, rule in rules.items():
            selector = root if root and name in ROOTS else "." + self.name(name)
            all_rules[selector] = {key: fill_tokens(value, tokens) for key, value in rule.items()}
        parts += [
            css_rule(selector, rule, short=self.short) for selector, rule in all_rules.items()
        ]
        return ("\n" if self.short else "\n\n").join(parts)

    def base(self) -> Mapping[str, Declarations]:
        """Returns the rules for elements without a class."""
        return RESET

    def head(self) -> list[str]:
        """Returns what the head of a page loads for it, fonts apart."""
        return []


BOOTSTRAP_SPACES = {"0": "0", "4px": "1", "8px": "2", "16px": "3", "24px": "4", "48px": "5"}
BOOTSTRAP_SIDES = {
    "gap": "gap", "padding": "p", "margin": "m", "margin-bottom": "mb", "margin-top": "mt", "padding-top": "pt",
}  # fmt: skip
BOOTSTRAP_WORDS = {
    "display: flex": "d-flex", "display: grid": "d-grid", "display: block": "d-block",
    "display: inline-flex": "d-inline-flex", "flex-direction: column": "flex-column", "flex-wrap: wrap": "flex-wrap",
    "align-items: center": "align-items-center", "align-items: flex-start": "align-items-start",
    "align-items: flex-end": "align-items-end", "align-items: baseline": "align-items-baseline",
    "justify-content: center": "justify-content-center", "justify-content: space-between": "justify-content-between",
    "justify-content: space-around": "justify-content-around", "justify-content: flex-end": "justify-content-end",
    "text-align: center": "text-center", "text-align: left": "text-start", "text-align: right": "text-end",
    "font-weight: 500": "fw-medium", "font-weight: 600": "fw-semibold", "font-weight: 700": "fw-bold",
    "white-space: nowrap": "text-nowrap", "width: 100%": "w-100", "height: 100%": "h-100",
    "overflow: hidden": "overflow-hidden", "position: relative": "position-relative",
    "position: absolute": "position-absolute", "border-radius: 50%": "rounded-circle", "margin: 0 auto": "mx-auto",
    "list-style: none": "list-unstyled", "text-decoration: none": "text-decoration-none", "color: inherit": "text-reset",
    "min-height: 100vh": "min-vh-100", "flex-shrink: 0": "flex-shrink-0", "font-style: italic": "fst-italic",
}  # fmt: skip
BOOTSTRAP_NAMES = ("card", "badge", "table", "nav", "nav-link", "figure", "mark", "container")
"""Classes of ours that Bootstrap has, too."""
BOOTSTRAP_PARTS = {"button": "btn", "input": "form-control"}


class BootstrapLook(PageLook):
    """Bootstrap's classes for what it has classes for, and a style sheet for the rest."""

    def classes(self, tag: str, styles: Sequence[str]) -> str:
        known = [style for style in styles if style in self.rules]
        merged = {**BY_TAG.get(tag, {}), **merge_rules(self.rules, known)}
        utilities = [bootstrap_class(name, value) for name, value in merged.items()]
        own = [self.name(style) for style in known if self.rest(style)]
        parts = [BOOTSTRAP_PARTS[style] for style in styles if style in BOOTSTRAP_PARTS]
        others = [style for style in styles if style not in self.rules]
        return " ".join(dict.fromkeys([*parts, *own, *others, *filter(None, utilities)]))

    def rest(self, style: str) -> Declarations:
        return {
            name: value
            for name, value in self.rules[style].items()
            if not bootstrap_class(name, value)
        }

    def name(self, style: str) -> str:
        return f"page-{style}" if style in BOOTSTRAP_NAMES else style

    def base(self) -> Mapping[str, Declarations]:
        return {}

    def head(self) -> list[str]:
        return [
            '<link href="https://cdn.jsdelivr.net/npm/bootstrap@5.3.3/dist/css/bootstrap.min.css" rel="stylesheet">'
        ]


def bootstrap_class(name: str, value: str) -> str:
    """Returns Bootstrap's class for a declaration, or nothing.

    >>> bootstrap_class("gap", "24px"), bootstrap_class("display", "flex"), bootstrap_class("gap", "13px")
    ('gap-4', 'd-flex', '')
    """
    if name in BOOTSTRAP_SIDES and value in BOOTSTRAP_SPACES:
        return f"{BOOTSTRAP_SIDES[name]}-{BOOTSTRAP_SPACES[value]}"
    return BOOTSTRAP_WORDS.get(f"{name}: {value}", "")


TAILWIND_WORDS = {
    "display: flex": "flex", "display: grid": "grid", "display: block": "block", "display: inline-flex": "inline-flex",
    "flex-direction: column": "flex-col", "flex-wrap: wrap": "flex-wrap", "flex: 1": "flex-1",
    "flex-shrink: 0": "shrink-0", "align-items: center": "items-center", "align-items: flex-start": "items-start",
    "align-items: start": "items-start", "align-items: flex-end": "items-end", "align-items: baseline": "items-baseline",
    "align-items: stretch": "items-stretch", "justify-content: center": "justify-center",
    "justify-content: space-between": "justify-between", "justify-content: space-around": "justify-around",
    "justify-content: flex-end": "justify-end", "text-align: center": "text-center", "text-align: left": "text-left",
    "text-align: right": "text-right", "font-weight: 500": "font-medium", "font-weight: 600": "font-semibold",
    "font-weight: 700": "font-bold", "white-space: nowrap": "whitespace-nowrap", "width: 100%": "w-full",
    "height: 100%": "h-full", "overflow: hidden": "overflow-hidden", "position: relative": "relative",
    "position: absolute": "absolute", "border-radius: 50%": "rounded-full", "border-radius: 999px": "rounded-full",
    "border-radius: 0px": "rounded-none", "margin: 0 auto": "mx-auto", "margin: 0": "", "cursor: pointer": "cursor-pointer",
    "min-height: 100vh": "min-h-screen", "font-style: italic": "italic", "font-style: normal": "",
    "font-family: inherit": "", "background: transparent": "bg-transparent", "border-collapse: collapse": "border-collapse",
    "vertical-align: middle": "align-middle", "appearance: none": "appearance-none", "resize: none": "resize-none",
    "text-decoration: underline": "underline", "min-width: 0": "min-w-0", "grid-column: 1 / -1": "col-span-full",
    "fill: none": "fill-none", "stroke: currentColor": "stroke-current", "stroke-width: 2": "stroke-2",
    "color: inherit": "text-inherit",
}  # fmt: skip
TAILWIND_LENGTHS = {
    "gap": "gap", "width": "w", "height": "h", "min-height": "min-h", "max-width": "max-w", "margin-bottom": "mb",
    "margin-top": "mt", "padding-top": "pt", "top": "top", "left": "left",
}  # fmt: skip
TAILWIND_VALUES = {
    "font-size": "text", "line-height": "leading", "color": "text", "background": "bg", "border-radius": "rounded",
    "box-shadow": "shadow", "letter-spacing": "tracking", "accent-color": "accent",
    "text-underline-offset": "underline-offset",
}  # fmt: skip
TAILWIND_BORDERS = {
    "border": "",
    "border-top": "-t",
    "border-bottom": "-b",
    "border-left": "-l",
    "border-right": "-r",
}
ONLY_FOUR = ("max-width", "min-height")
"""Properties whose scale has other steps in older releases."""


class TailwindLook(PageLook):
    """Tailwind's classes alone; with `variables`, colors have names in its configuration."""

    def classes(self, tag: str, styles: Sequence[str]) -> str:
        merged = merge_rules(self.rules, [style for style in styles if style in self.rules])
        found = [one for name, value in merged.items() for one in self.utilities(name, value)]
        if "input" in styles:
            found.append(f"placeholder:{self.value_class('color', '$muted')}")
        return " ".join(dict.fromkeys(found))

    def rest(self, style: str) -> Declarations:
        return {}

    def base(self) -> Mapping[str, Declarations]:
        return {}

    def head(self) -> list[str]:
        script = ['<script src="https://cdn.tailwindcss.com"></script>']
        if not self.variables:
            return script
        colors = [f"            {role}: '{self.values[role]}'," for role in COLOR_ROLES]
        opened = [
            "<script>",
            "  tailwind.config = {",
            "    theme: {",
            "      extend: {",
            "        colors: {",
        ]
        return [
            *script,
            *opened,
            *(line[2:] for line in colors),
            "        },",
            "      },",
            "    },",
            "  };",
            "</script>",
        ]

    def utilities(self, name: str, value: str) -> list[str]:
        """Returns the classes of a declaration."""
        filled = fill_tokens(value, self.values)
        if (word := TAILWIND_WORDS.get(f"{name}: {filled}")) is not None:
            return [word] if word else []
        if name == "padding":
            return tailwind_padding(filled.split())
        if name in TAILWIND_BORDERS:
            width, _, color = value.split(" ", 2)
            side = TAILWIND_BORDERS[name]
            thick = "" if width == "1px" else f"-{width.removesuffix('px')}"
            return [f"border{side}{thick}", self.value_class("border", color)]
        if name == "grid-template-columns":
            count = filled.removeprefix("repeat(").partition(",")[0]
            return [f"grid-cols-{count if 'repeat' in filled else bracket(filled)}"]
        if name == "gap" and " " in filled:
            down, across = filled.split()
            return [f"gap-x-{tailwind_length(across)}", f"gap-y-{tailwind_length(down)}"]
        if name == "border-radius" and " " in filled:
            return [f"rounded-t-{bracket(filled.split()[0])}"]
        if name in TAILWIND_LENGTHS:
            length = bracket(filled) if name in ONLY_FOUR else tailwind_length(filled)
            return [f"{TAILWIND_LENGTHS[name]}-{length}"]
        if name in TAILWIND_VALUES:
            return [self.value_class(name, value)]
        return [f"[{name}:{bracket(filled)[1:-1]}]"]

    def value_class(self, name: str, value: str) -> str:
        """Returns the class that gives a property a value, a color by its name if it has one."""
        start = TAILWIND_VALUES.get(name, name)
        role = value.removeprefix("$")
        if self.variables and value.startswith("$") and role in COLOR_ROLES:
            return f"{start}-{role}"
        return f"{start}-{bracket(fill_tokens(value, self.values))}"


def bracket(value: str) -> str:
    """Returns a value as Tailwind's classes hold one.

    >>> bracket("1px solid red")
    '[1px_solid_red]'
    """
    return f"[{value.replace(', ', ',').replace(' ', '_')}]"


def tailwind_length(length: str) -> str:
    """Returns a length on Tailwind's scale, or as it is.

    >>> tailwind_length("24px"), tailwind_length("10px"), tailwind_length("232px")
    ('6', '2.5', '[232px]')
    """
    pixels = length.removesuffix("px")
    if not pixels.isdigit():
        return bracket(length)
    steps = int(pixels) / 4
    small = steps <= 4 and steps * 2 % 1 == 0 and steps not in (4.5,)
    middle = steps <= 12 and steps % 1 == 0
    return f"{steps:g}" if small or middle or steps in (14, 16, 20, 24, 28, 32) else bracket(length)


def tailwind_padding(sides: Sequence[str]) -> list[str]:
    """Returns the classes of CSS's ``padding``.

    >>> tailwind_padding(["24px"]), tailwind_padding(["0", "24px"]), tailwind_padding(["16px", "20px", "24px"])
    (['p-6'], ['px-6'], ['pt-4', 'px-5', 'pb-6'])
    """
    if len(sides) == 1:
        return [f"p-{tailwind_length(sides[0])}"]
    top, right, *more = sides
    bottom, left = [*more, *([top, right][len(more) :])]
    vertical = {"py": top} if top == bottom else {"pt": top, "pb": bottom}
    horizontal = {"px": left} if left == right else {"pl": left, "pr": right}
    pairs = {**vertical, **horizontal}
    order = ("py", "pt", "px", "pl", "pr", "pb")
    return [
        f"{name}-{tailwind_length(pairs[name])}"
        for name in order
        if name in pairs and pairs[name] != "0"
    ]


def make_look(
    scene: PageScene, kinds: Sequence[type[PageLook]], rng: Random, *, configured: bool = False
) -> PageLook:
    """Returns how a scene's style is written, by lot.

    Args:
        scene: whose theme it is.
        kinds: style sheet, Tailwind or Bootstrap; each as often as it is to be drawn.
        rng: decides.
        configured: whether Tailwind has a configuration, in which colors have names.
    """
    kind, variables, short = (
        rng.choice(kinds),
        rng.random() < 0.6,
        rng.random() < SHORT_RULES[scene.level],
    )
    theme = scene.theme
    variables = variables and (configured or kind is not TailwindLook)
    return kind(style_rules(theme), token_values(theme), theme.fonts, variables, short)
