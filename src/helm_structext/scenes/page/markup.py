"""Pages as trees of elements: what all formats have in common before each writes it in its own way.

Lists stay lists: `Repeat` holds records and the element that is made for each of them, whose texts are
`ItemField`. So a format writes them as a person would, by a loop over data, or one after the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from helm_structext.scenes.page.icons import ICONS
from helm_structext.scenes.page.scene import Content, PageScene, PageTheme


@dataclass(frozen=True)
class ItemField:
    """What stands in a field of the record around it; without a name, the record itself, a text."""

    name: str = ""


@dataclass(frozen=True)
class Variation:
    """A class that an element has only sometimes.

    Args:
        style: the class.
        when: a field that says so, or None: if the record is the chosen one of its list.
    """

    style: str
    when: ItemField | None = None


@dataclass(frozen=True)
class PageElement:
    """An element of a page.

    Args:
        tag: of HTML.
        styles: its classes.
        children: elements, lists and texts.
        attributes: of HTML.
        inline: property of CSS to its value and unit.
        variation: a class more.
        when: a field that must hold something, or there is no such element.
        component: what a person would name it who makes it a component.
        model: which value of the form it holds: text or, for a box to check, whether it is checked.
    """

    tag: str
    styles: tuple[str, ...] = ()
    children: tuple["PageNode", ...] = ()
    attributes: Mapping[str, str | ItemField] = field(default_factory=dict)
    inline: Mapping[str, tuple[str | ItemField, str]] = field(default_factory=dict)
    variation: Variation | None = None
    when: ItemField | None = None
    component: str = ""
    model: str = ""


@dataclass(frozen=True)
class Repeat:
    """An element for each record of a list.

    Args:
        name: of the list, in code.
        one: a record's name.
        items: texts or records, or a field of the record around it that holds them.
        element: what is made for each.
        state: name of the state that says which one is chosen, or nothing if none is.
        chosen: which one is, from 0.
    """

    name: str
    one: str
    items: Sequence[Any] | ItemField
    element: PageElement
    state: str = ""
    chosen: int = 0


PageNode = PageElement | Repeat | ItemField | str


def make(tag: str, styles: str = "", *children: PageNode | None, **more: Any) -> PageElement:
    """Returns an element; children that are None are left out.

    >>> make("p", "note", "Hello", None).children
    ('Hello',)
    """
    kept = tuple(child for child in children if child is not None)
    return PageElement(tag, tuple(styles.split()), kept, **more)


def make_icon(path: str | ItemField, styles: str = "icon") -> PageElement:
    """Returns an icon: the path of `ICONS`, or the field that holds it."""
    return make(
        "svg",
        styles,
        make("path", "", attributes={"d": path}),
        attributes={"viewBox": "0 0 24 24"},
    )


def make_picture(shapes: Sequence[Mapping[str, Any]]) -> PageElement:
    """Returns shapes as a picture."""
    drawn = [
        make(
            shape["tag"],
            "",
            attributes={key: str(value) for key, value in shape.items() if key != "tag"},
        )
        for shape in shapes
    ]
    box = {"viewBox": "0 0 560 300", "preserveAspectRatio": "xMidYMid slice"}
    return make("svg", "picture", *drawn, attributes=box)


def make_button(text: str | ItemField, styles: str = "") -> PageElement:
    """Returns a button."""
    return make("button", f"button {styles}", text, attributes={"type": "button"})


def make_avatar(
    styles: str = "avatar", initials: str | ItemField = "", color: str | ItemField = ""
) -> PageElement:
    """Returns a circle with initials; by default those of the record around it."""
    return make(
        "div",
        styles,
        initials or ItemField("initials"),
        inline={"background": (color or ItemField("color"), "")},
    )


def add_icons(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns records with the paths of their icons in place of their names."""
    return [{**item, "icon": ICONS[item["icon"]]} for item in items]


def make_head(content: Content) -> PageElement:
    """Returns what stands over a section: its title and maybe a text."""
    text = content.get("text")
    return make(
        "div",
        "section-head",
        make("h2", "section-title", content["title"]),
        make("p", "section-text", text) if text else None,
    )


def make_section(name: str, *children: PageNode | None, styles: str = "") -> PageElement:
    """Returns a section as wide as the page, with its content in the middle."""
    return make("section", f"section {styles}", make("div", "container", *children), component=name)


def make_logo(content: Content, styles: str = "logo") -> PageElement:
    """Returns the name of the company with its mark."""
    return make(
        "a",
        styles,
        make("span", "logo-mark", make_icon(ICONS[content["icon"]])),
        make("span", "", content["brand"]),
        attributes={"href": "#"},
    )


def header(content: Content, theme: PageTheme) -> PageElement:
    link = make(
        "a",
        "nav-link",
        ItemField(),
        attributes={"href": "#"},
        variation=Variation("nav-link-active"),
    )
    links = Repeat("links", "link", content["links"], link, "active", content["active"])
    return make(
        "header",
        "header",
        make(
            "div",
            "container header-row",
            make_logo(content),
            make("nav", "nav", links),
            make_button(content["action"], "header-action"),
        ),
        component="Header",
    )


def hero(content: Content, theme: PageTheme) -> PageElement:
    middle = not content["picture"]
    copy = make(
        "div",
        "hero-copy hero-copy-center" if middle else "hero-copy",
        make("span", "eyebrow", content["eyebrow"]),
        make("h1", "hero-title", content["title"]),
        make("p", "hero-text", content["text"]),
        make(
            "div",
            "buttons",
            make_button(content["primary"]),
            make_button(content["secondary"], "button-quiet"),
        ),
    )
    inside = make("div", "container", make("div", "hero-center", copy))
    if not middle:
        inside = make("div", "container hero-split", copy, make_picture(content["picture"]))
    return make("section", "hero", inside, component="Hero")


def features(content: Content, theme: PageTheme) -> PageElement:
    card = make(
        "article",
        "card",
        make("div", "card-icon", make_icon(ItemField("icon"))),
        make("h3", "card-title", ItemField("title")),
        make("p", "card-text", ItemField("text")),
    )
    items = add_icons(content["features"])
    cards = Repeat("features", "feature", items, card)
    return make_section("Features", make_head(content), make("div", f"grid-{len(items)}", cards))


def figures(content: Content, theme: PageTheme) -> PageElement:
    figure = make(
        "div",
        "figure",
        make("strong", "figure-value", ItemField("value")),
        make("span", "figure-label", ItemField("label")),
    )
    return make_section(
        "Stats", make("div", "figures", Repeat("stats", "stat", content["figures"], figure))
    )


def quotes(content: Content, theme: PageTheme) -> PageElement:
    person = make(
        "div",
        "person",
        make_avatar(),
        make(
            "div",
            "",
            make("p", "person-name", ItemField("name")),
            make("p", "person-note", ItemField("note")),
        ),
    )
    card = make("article", "card", make("p", "quote-text", ItemField("text")), person)
    cards = Repeat("testimonials", "testimonial", content["quotes"], card)
    return make_section(
        "Testimonials",
        make_head(content),
        make("div", f"grid-{len(content['quotes'])}", cards),
        styles="" if theme.card == "tinted" else "section-soft",
    )


def faq(content: Content, theme: PageTheme) -> PageElement:
    item = make(
        "div",
        "faq-item",
        make("h3", "card-title", ItemField("question")),
        make("p", "card-text", ItemField("answer")),
    )
    return make_section(
        "Faq",
        make_head(content),
        make("div", "faq", Repeat("questions", "entry", content["questions"], item)),
    )


def call(content: Content, theme: PageTheme) -> PageElement:
    copy = make(
        "div", "", make("h2", "call-title", content["title"]), make("p", "", content["text"])
    )
    return make_section(
        "CallToAction", make("div", "call", copy, make_button(content["action"], "button-light"))
    )


def newsletter(content: Content, theme: PageTheme) -> PageElement:
    copy = make(
        "div",
        "",
        make("h2", "call-title", content["title"]),
        make("p", "section-text", content["text"]),
    )
    entry = make(
        "input", "input", attributes={"type": "email", "placeholder": content["placeholder"]}
    )
    form = make("form", "newsletter-form", entry, make_button(content["action"]))
    return make_section(
        "Newsletter",
        make("div", "newsletter", copy, form),
        styles="" if theme.card == "tinted" else "section-soft",
    )


def catalogue(content: Content, theme: PageTheme) -> PageElement:
    chip = make(
        "button",
        "chip",
        ItemField(),
        attributes={"type": "button"},
        variation=Variation("chip-active"),
    )
    chips = Repeat("filters", "filter", content["filters"], chip, "selected", content["active"])
    bar = make("div", "bar", make("div", "chips", chips), make("span", "count", content["count"]))
    card = make(
        "article",
        "product",
        make(
            "div",
            "product-picture",
            make_icon(ItemField("icon"), "product-icon"),
            make("span", "badge", ItemField("badge"), when=ItemField("badge")),
            inline={"background": (ItemField("color"), "")},
        ),
        make(
            "div",
            "product-body",
            make(
                "div",
                "product-row",
                make("h3", "card-title", ItemField("name")),
                make("span", "price", ItemField("price")),
            ),
            make("span", "meta grow", ItemField("reviews")),
            make_button(content["actions"][0], "button-wide") if content["actions"] else None,
        ),
    )
    cards = Repeat("products", "product", add_icons(content["products"]), card)
    columns = 2 if len(content["products"]) == 2 else 4 if len(content["products"]) == 4 else 3
    return make_section("Catalogue", make_head(content), bar, make("div", f"grid-{columns}", cards))


def plans(content: Content, theme: PageTheme) -> PageElement:
    benefit = make(
        "li", "benefit", make_icon(ICONS["check"], "check"), make("span", "", ItemField())
    )
    card = make(
        "article",
        "plan",
        make(
            "div",
            "plan-top",
            make("h3", "card-title", ItemField("name")),
            make("span", "tag", ItemField("tag"), when=ItemField("tag")),
        ),
        make("p", "card-text", ItemField("note")),
        make(
            "div",
            "plan-price",
            make("span", "plan-amount", ItemField("price")),
            make("span", "meta", ItemField("period")),
        ),
        make("ul", "benefits", Repeat("benefits", "benefit", ItemField("benefits"), benefit)),
        make_button(content["actions"][0], "button-wide"),
        variation=Variation("plan-popular", ItemField("popular")),
    )
    chip = make(
        "button",
        "chip",
        ItemField(),
        attributes={"type": "button"},
        variation=Variation("chip-active"),
    )
    billing = Repeat("periods", "period", content["billing"], chip, "billing", content["active"])
    bar = make("div", "bar", make("div", "chips", billing)) if content["billing"] else None
    items = content["plans"]
    return make_section(
        "Pricing",
        make_head(content),
        bar,
        make("div", f"grid-{len(items)}", Repeat("plans", "plan", items, card)),
    )


def comparison(content: Content, theme: PageTheme) -> PageElement:
    column = make("th", "head-cell middle", ItemField())
    mark = make("td", "cell", make_icon(ItemField(), "mark"))
    rows = [{**row, "marks": [ICONS[mark] for mark in row["marks"]]} for row in content["rows"]]
    row = make(
        "tr",
        "",
        make("td", "cell", ItemField("benefit")),
        Repeat("marks", "mark", ItemField("marks"), mark),
    )
    first = make("th", "head-cell", content["first"])
    head = make(
        "thead", "", make("tr", "", first, Repeat("tiers", "tier", content["columns"], column))
    )
    table = make("table", "table", head, make("tbody", "", Repeat("rows", "row", rows, row)))
    return make_section("Comparison", make_head(content), make("div", "panel", table))


def form(content: Content, theme: PageTheme) -> PageElement:
    fields = []
    for entry in content["fields"]:
        key, value = entry["key"], entry["value"]
        shared = {"id": key, "name": key}
        if key == "message":
            control = make("textarea", "input textarea", value, attributes=shared, model=key)
        else:
            type = {"email": "email", "phone": "tel"}.get(key, "text")
            control = make(
                "input", "input", attributes={**shared, "type": type, "value": value}, model=key
            )
        label = make("label", "label", entry["label"], attributes={"for": key})
        fields.append(make("div", "field field-wide" if entry["wide"] else "field", label, control))
    consent = None
    if content["consent"]:
        box = make(
            "input", "checkbox", attributes={"type": "checkbox", "checked": ""}, model="consent"
        )
        consent = make("label", "consent", box, make("span", "", content["consent"]))
    two = len(content["fields"]) > 2
    submit = make("button", "button button-wide", content["submit"], attributes={"type": "submit"})
    inside = make(
        "form",
        "form",
        make(
            "div",
            "form-head",
            make("h1", "form-title", content["title"]),
            make("p", "card-text", content["text"]),
        ),
        make("div", "fields fields-2" if two else "fields", *fields),
        consent,
        submit,
    )
    aside = None
    if content["aside"]:
        point = make(
            "div",
            "point",
            make("div", "card-icon", make_icon(ItemField("icon"))),
            make(
                "div",
                "point-copy",
                make("h3", "person-name", ItemField("title")),
                make("p", "card-text", ItemField("text")),
            ),
        )
        points = Repeat("points", "point", add_icons(content["points"]), point)
        aside = make("aside", "aside", make("h2", "call-title", content["aside"]), points)
    row = make("div", f"form-row form-row-{'split' if aside else 'narrow'}", inside, aside)
    return make_section("ContactForm", row)


def article(content: Content, theme: PageTheme) -> PageElement:
    meta = make(
        "div",
        "person",
        make_avatar("avatar", content["initials"], content["color"]),
        make(
            "div",
            "",
            make("p", "person-name", content["author"]),
            make("p", "person-note", content["meta"]),
        ),
    )
    part = make(
        "section",
        "article-part",
        make("h2", "article-heading", ItemField("heading")),
        make("p", "", ItemField("text")),
    )
    return make_section(
        "Article",
        make(
            "article",
            "article",
            make("span", "eyebrow", content["eyebrow"]),
            make("h1", "article-title", content["title"]),
            make("p", "article-lead", content["lead"]),
            meta,
            make_picture(content["picture"]) if content["picture"] else None,
            Repeat("parts", "part", content["parts"], part),
            make("blockquote", "pull-quote", content["quote"]) if content["quote"] else None,
        ),
    )


def posts(content: Content, theme: PageTheme) -> PageElement:
    card = make(
        "article",
        "post",
        make("div", "post-color", inline={"background": (ItemField("color"), "")}),
        make(
            "div",
            "post-body",
            make("span", "meta", ItemField("date")),
            make("h3", "card-title", ItemField("title")),
            make("p", "card-text grow", ItemField("text")),
            make("a", "link", content["actions"][0], attributes={"href": "#"}),
        ),
    )
    cards = Repeat("posts", "post", content["posts"], card)
    return make_section(
        "Posts",
        make_head(content),
        make("div", f"grid-{max(2, len(content['posts']))}", cards),
        styles="" if theme.card == "tinted" else "section-soft",
    )


def profile(content: Content, theme: PageTheme) -> PageElement:
    count = make(
        "div",
        "count-item",
        make("span", "count-value", ItemField("value")),
        make("span", "", ItemField("label")),
    )
    counts = make("div", "counts", Repeat("counts", "count", content["counts"], count))
    top = make(
        "div",
        "profile",
        make_avatar("portrait", content["initials"], content["color"]),
        make(
            "div",
            "profile-copy",
            make("h1", "profile-name", content["name"]),
            make("span", "eyebrow", content["role"]),
            make("p", "section-text", content["text"]),
            counts if content["counts"] else None,
        ),
        make(
            "div",
            "buttons",
            make_button(content["follow"]),
            make_button(content["message"], "button-quiet"),
        ),
    )
    skill = make(
        "div",
        "skill",
        make(
            "div",
            "skill-row",
            make("span", "", ItemField("name")),
            make("span", "", ItemField("level")),
        ),
        make("div", "track", make("div", "fill", inline={"width": (ItemField("share"), "%")})),
    )
    detail = make(
        "div",
        "detail",
        make("span", "detail-name", ItemField("name")),
        make("span", "detail-value", ItemField("value")),
    )
    panels = make(
        "div",
        "columns",
        make_panel(content["skills_title"], Repeat("skills", "skill", content["skills"], skill)),
        make_panel(
            content["details_title"],
            make("div", "", Repeat("details", "detail", content["details"], detail)),
        ),
    )
    return make_section("Profile", top, panels)


def make_panel(title: str, *children: PageNode, name: str = "") -> PageElement:
    """Returns a card with a title and something large in it."""
    return make("section", "panel", make("h2", "panel-title", title), *children, component=name)


def footer(content: Content, theme: PageTheme) -> PageElement:
    link = make("li", "footer-link", make("a", "", ItemField(), attributes={"href": "#"}))
    column = make(
        "div",
        "footer-column",
        make("h4", "footer-title", ItemField("title")),
        make("ul", "footer-column", Repeat("links", "link", ItemField("links"), link)),
    )
    brand = make(
        "div",
        "footer-brand",
        make("span", "footer-title", content["brand"]),
        make("p", "footer-note", content["text"]),
    )
    columns = make(
        "div",
        "footer-columns",
        brand,
        Repeat("footerColumns", "column", content["columns"], column),
    )
    note = make("p", "footer-note", content["note"])
    inside = make("div", "container", columns if content["columns"] else None, note)
    return make("footer", "footer", inside, component="Footer")


def sidebar(content: Content, theme: PageTheme) -> PageElement:
    link = make(
        "a",
        "menu-link",
        make_icon(ItemField("icon")),
        make("span", "", ItemField("text")),
        attributes={"href": "#"},
        variation=Variation("menu-link-active"),
    )
    links = Repeat("menu", "entry", add_icons(content["links"]), link, "active", content["active"])
    return make(
        "aside",
        "sidebar",
        make_logo(content, "logo sidebar-logo"),
        make("nav", "menu", links),
        component="Sidebar",
    )


def topbar(content: Content, theme: PageTheme) -> PageElement:
    copy = make(
        "div",
        "",
        make("h1", "topbar-title", content["title"]),
        make("p", "card-text", content["text"]),
    )
    return make(
        "header",
        "topbar",
        copy,
        make_avatar("avatar", content["initials"], content["color"]),
        component="Topbar",
    )


def metrics(content: Content, theme: PageTheme) -> PageElement:
    card = make(
        "article",
        "metric",
        make("span", "metric-label", ItemField("label")),
        make("strong", "metric-value", ItemField("value")),
        make(
            "span", "metric-change", ItemField("change"), inline={"color": (ItemField("color"), "")}
        ),
    )
    items = content["metrics"]
    return make(
        "div", f"grid-{len(items)}", Repeat("metrics", "metric", items, card), component="Metrics"
    )


def chart(content: Content, theme: PageTheme) -> PageElement:
    bar = make(
        "div",
        "bar-item",
        make("span", "", ItemField("value")),
        make("div", "bar-column", inline={"height": (ItemField("height"), "px")}),
        make("span", "bar-label", ItemField("day")),
    )
    bars = make("div", "bars", Repeat("days", "day", content["days"], bar))
    return make_panel(content["title"], bars, name="WeekChart")


def activity(content: Content, theme: PageTheme) -> PageElement:
    event = make(
        "li",
        "event",
        make_avatar(),
        make(
            "div",
            "event-copy",
            make("span", "", ItemField("text")),
            make("span", "meta", ItemField("time")),
        ),
    )
    events = make("ul", "events", Repeat("events", "event", content["events"], event))
    return make_panel(content["title"], events, name="Activity")


def orders(content: Content, theme: PageTheme) -> PageElement:
    cells = ["number", "customer", "product", "amount"]
    status = make(
        "div",
        "status",
        make("span", "dot", inline={"background": (ItemField("color"), "")}),
        make("span", "", ItemField("status")),
    )
    row = make(
        "tr",
        "",
        *(
            make("td", "cell number" if cell == "amount" else "cell", ItemField(cell))
            for cell in cells
        ),
        make("td", "cell", status),
    )
    heads = [
        make("th", "head-cell number" if cell == "amount" else "head-cell", text)
        for cell, text in zip([*cells, "status"], content["columns"], strict=True)
    ]
    table = make(
        "table",
        "table",
        make("thead", "", make("tr", "", *heads)),
        make("tbody", "", Repeat("orders", "order", content["orders"], row)),
    )
    return make_panel(content["title"], table, name="OrderTable")


LAYOUTS: Mapping[str, Callable[[Content, PageTheme], PageElement]] = {
    layout.__name__: layout
    for layout in (
        header, hero, features, figures, quotes, faq, call, newsletter, catalogue, plans, comparison, form, article,
        posts, profile, footer, sidebar, topbar, metrics, chart, activity, orders,
    )
}  # fmt: skip
"""Layout of a section to what makes its element."""


def make_page(scene: PageScene) -> PageElement:
    """Returns a scene's page as a tree.

    >>> from random import Random
    >>> from helm_structext.scenes.page.scene import draw_page
    >>> make_page(draw_page(Random(1), "easy", "en")).tag
    'div'
    """
    parts = {
        section.layout: LAYOUTS[section.layout](section.content, scene.theme)
        for section in scene.sections
    }
    if scene.type == "dashboard":
        side = parts.pop("sidebar")
        if "activity" in parts:
            pair = make("div", "two-thirds", parts["chart"], parts.pop("activity"))
            parts["chart"] = pair
        return make("div", "shell", side, make("main", "content", *parts.values()))
    top, *middle, bottom = parts.values()
    for first, second in pairwise([*range(len(middle))]):
        # Two tinted sections would look like one.
        if "section-soft" in middle[first].styles:
            middle[second] = replace(middle[second], styles=middle[second].styles[:1])
    return make("div", "page", top, make("main", "main", *middle), bottom)


def expand_lists(node: PageNode, item: Any = None, chosen: bool = False) -> list[PageElement | str]:
    """Returns a tree without lists and fields: each record's element stands there, as in a page of HTML."""
    if isinstance(node, str):
        return [node]
    if isinstance(node, ItemField):
        return [item_value(node, item)]
    if isinstance(node, Repeat):
        items = item_value(node.items, item) if isinstance(node.items, ItemField) else node.items
        return [
            made
            for place, one in enumerate(items)
            for made in expand_lists(node.element, one, bool(node.state) and place == node.chosen)
        ]
    if node.when and not item_value(node.when, item):
        return []

    def value(of: Any) -> Any:
        return str(item_value(of, item)) if isinstance(of, ItemField) else of

    varied = node.variation
    if varied and (item_value(varied.when, item) if varied.when else chosen):
        node = replace(node, styles=(*node.styles, varied.style))
    return [
        replace(
            node,
            children=tuple(made for child in node.children for made in expand_lists(child, item)),
            attributes={name: value(one) for name, one in node.attributes.items()},
            inline={name: (value(one), unit) for name, (one, unit) in node.inline.items()},
            variation=None,
            when=None,
        )
    ]


def item_value(of: ItemField, item: Any) -> Any:
    """Returns what a field of a record holds."""
    return item[of.name] if of.name else item


def find_fields(node: PageNode) -> list[str]:
    """Returns the fields of the record around a tree that it shows, each once."""
    if isinstance(node, ItemField):
        return [node.name]
    if isinstance(node, Repeat):
        return [node.items.name] if isinstance(node.items, ItemField) else []
    if isinstance(node, str):
        return []
    inline = [value for value, _ in node.inline.values()]
    when = [node.when, node.variation and node.variation.when]
    own = [
        one.name
        for one in [*when, *node.attributes.values(), *inline]
        if isinstance(one, ItemField)
    ]
    below = [name for child in node.children for name in find_fields(child)]
    return [*dict.fromkeys([*own, *below])]


def find_styles(node: PageNode) -> list[str]:
    """Returns the classes of a tree, each once, in the order of the tree."""
    if isinstance(node, Repeat):
        return find_styles(node.element)
    if not isinstance(node, PageElement):
        return []
    own = [*node.styles, *([node.variation.style] if node.variation else [])]
    below = [style for child in node.children for style in find_styles(child)]
    return [*dict.fromkeys([*own, *below])]
