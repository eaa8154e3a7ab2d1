"""What a page shows, and how it is drawn by lot: a theme, and sections with their texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from helm_structext.scenes.colors import mix_colors
from helm_structext.scenes.page.icons import MENU_ICONS, REASONS, TOPIC_ICONS
from helm_structext.scenes.scene import Level, Scene, read_words

YEARS = (2023, 2024, 2025)
"""In which pages were written; the last one is now."""
ALL_YEAR = range(1, 13)
GUIDE_MONTHS: Mapping[str, Sequence[int]] = {"wheel": (3, 4)}
"""Icon of a topic to the months in which its guide appears, where it is about a season."""
POST_MONTHS: Mapping[tuple[str, int], Sequence[int]] = {
    ("wheel", 0): (2, 3, 4),
    ("book", 0): (11, 12),
}
"""The same of posts: icon, and place among the topic's posts."""

Content = Mapping[str, Any]
"""Field to a text, a number, or records of a list."""

PRIMARY = (
    "#1d4ed8", "#4338ca", "#6d28d9", "#9d174d", "#be123c", "#b91c1c", "#9a3412", "#92400e", "#3f6212", "#166534",
    "#047857", "#0f766e", "#0e7490", "#0369a1", "#1e3a5f", "#334155", "#7c2d12", "#5b21b6", "#831843", "#14532d",
)  # fmt: skip
"""Colours that white text can be read on."""
TILES = (
    "#c2703d", "#3d7ea6", "#6a8d4f", "#8e5a9b", "#b8863b", "#4f8f8b", "#b45c6f", "#5b6f9e", "#7d6b5d", "#56856a",
)  # fmt: skip
"""Colours of blocks that stand for pictures and people."""
NIGHTS = ("#0f172a", "#111827", "#18181b", "#1a1625", "#10201c")
RISE, FALL = ("#15803d", "#dc2626"), ("#4ade80", "#f87171")
STATUS_COLORS = ("#16a34a", "#2563eb", "#d97706", "#dc2626")

FONTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "latin": (
        ("Inter", "Inter"), ("Source Sans 3", "Source Sans 3"), ("Manrope", "Manrope"), ("Nunito", "Nunito"),
        ("Lora", "Source Sans 3"), ("Playfair Display", "Inter"), ("Roboto Slab", "Source Sans 3"),
        ("IBM Plex Sans", "IBM Plex Sans"), ("", ""),
    ),
    "el": (
        ("Inter", "Inter"), ("Source Sans 3", "Source Sans 3"), ("Manrope", "Manrope"),
        ("Roboto Slab", "Source Sans 3"), ("", ""),
    ),
    "zh": (("Noto Sans SC", "Noto Sans SC"), ("Noto Serif SC", "Noto Sans SC")),
    "ja": (("Noto Sans JP", "Noto Sans JP"), ("Noto Serif JP", "Noto Sans JP")),
}  # fmt: skip
"""Families of headings and of texts, by language; without a name, one that every system has."""
SERIFS = ("Lora", "Playfair Display", "Roboto Slab", "Noto Serif SC", "Noto Serif JP")

NOT_READ = ("icon", "color", "picture", "marks", "key")
"""Fields that hold no text."""


@dataclass(frozen=True)
class PageTheme:
    """How a page looks.

    Args:
        colors: role to color, as ``#rrggbb``.
        fonts: families to load.
        heading_font: the value of CSS's ``font-family`` in headings.
        body_font: the same of all other texts.
        heading_weight: of headings, 600 to 800.
        slanted: whether quotes are in italics.
        radius: of corners, in pixels.
        pill: whether buttons have round ends.
        space: above and below a section, in pixels.
        align: of headings over sections, ``left`` or ``center``.
        card: what sets cards off: ``bordered``, ``raised`` or ``tinted``.
        header: ``light`` or ``colored``.
    """

    colors: Mapping[str, str]
    fonts: tuple[str, ...]
    heading_font: str
    body_font: str
    heading_weight: int
    slanted: bool
    radius: int
    pill: bool
    space: int
    align: str
    card: str
    header: str


@dataclass(frozen=True)
class PageSection:
    """A part of a page.

    Args:
        layout: how it is laid out, a key of `markup.LAYOUTS`.
        content: what is in it.
    """

    layout: str
    content: Content


@dataclass(frozen=True, kw_only=True)
class PageScene(Scene):
    """A page of a small company.

    Args:
        brand: name of the company, the page's title.
        theme: how the page looks.
        sections: its parts, from top to bottom.
    """

    LOOK = frozenset({"theme"})

    brand: str
    theme: PageTheme
    sections: tuple[PageSection, ...]

    @property
    def texts(self) -> Sequence[str]:
        """What is to be read on a picture of it: each text as often as it stands there."""
        return [text for section in self.sections for text in find_texts(section.content)]


def find_texts(content: Any) -> Iterator[str]:
    """Yields the texts of a section's content.

    >>> [*find_texts({"title": "Team", "icon": "star", "people": [{"name": "Ann", "color": "#123456"}]})]
    ['Team', 'Ann']
    """
    if isinstance(content, str):
        if content:
            yield content
    elif isinstance(content, Mapping):
        for field, value in content.items():
            if field not in NOT_READ:
                yield from find_texts(value)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from find_texts(value)


def draw_colors(rng: Random) -> dict[str, str]:
    """Returns the colors of a theme by role: one page in five is dark."""
    primary = rng.choice(PRIMARY)
    if rng.random() < 0.2:
        page = rng.choice(NIGHTS)
        bright = mix_colors("#ffffff", primary, 0.45)
        white = "#ffffff"
        return {
            "primary": bright, "contrast": "#0b1220", "page": page, "surface": mix_colors(page, white, 0.05),
            "soft": mix_colors(page, white, 0.03), "tint": mix_colors(page, bright, 0.18), "ink": "#eef1f5",
            "muted": "#aab4c0", "line": mix_colors(page, white, 0.14), "edge": mix_colors(page, white, 0.3),
            "dark": mix_colors(page, "#000000", 0.4), "pale": "#c3cbd5", "rise": FALL[0], "fall": FALL[1],
        }  # fmt: skip
    page = rng.choice(["#ffffff", "#ffffff", mix_colors("#ffffff", primary, 0.02)])
    return {
        "primary": primary, "contrast": "#ffffff", "page": page, "surface": "#ffffff",
        "soft": mix_colors("#ffffff", primary, 0.06), "tint": mix_colors("#ffffff", primary, 0.13),
        "ink": mix_colors("#1b232d", primary, 0.08), "muted": "#55606e", "line": "#dfe4ea", "edge": "#b9c2cd",
        "dark": mix_colors("#0d131c", primary, 0.18), "pale": "#ccd3dc", "rise": RISE[0], "fall": RISE[1],
    }  # fmt: skip


def font_value(family: str) -> str:
    """Returns the value of CSS's ``font-family`` for a family, with one that stands in for it.

    >>> font_value("Lora"), font_value("Noto Sans JP"), font_value("")
    ('Lora, serif', "'Noto Sans JP', sans-serif", 'Arial, sans-serif')
    """
    generic = "serif" if family in SERIFS else "sans-serif"
    name = family or "Arial"
    return f"'{name}', {generic}" if " " in name else f"{name}, {generic}"


def draw_theme(rng: Random, language: str) -> PageTheme:
    """Draws how a page looks."""
    heading, body = rng.choice(FONTS.get(language, FONTS["latin"]))
    return PageTheme(
        colors=draw_colors(rng),
        fonts=tuple(name for name in dict.fromkeys((heading, body)) if name),
        heading_font=font_value(heading),
        body_font=font_value(body),
        heading_weight=700 if heading in SERIFS else rng.choice([600, 700, 700]),
        slanted=language not in ("zh", "ja"),
        radius=rng.choice([0, 4, 8, 12, 12, 16, 20]),
        pill=rng.random() < 0.3,
        space=rng.choice([48, 56, 64]),
        align=rng.choice(["left", "center"]),
        card=rng.choice(["bordered", "bordered", "raised", "tinted"]),
        header=rng.choice(["light", "light", "colored"]),
    )


@dataclass(frozen=True)
class PageLot:
    """What a page is drawn from.

    Args:
        rng: decides.
        words: of the language.
        topic: of the words, what the company does.
        icon: of the topic.
        brand: name of the company.
        founded: year.
        level: how much is to be in it.
        colors: of the theme.
        owner: to whom the company belongs, and no customer.
    """

    rng: Random
    words: Mapping[str, Any]
    topic: Mapping[str, Any]
    icon: str
    brand: str
    founded: int
    level: Level
    colors: Mapping[str, str]
    owner: str

    def count(self, easy: int, medium: int, hard: int) -> int:
        """Returns the number of something at the page's level."""
        return {"easy": easy, "medium": medium, "hard": hard}[self.level]

    def text(self, *path: str) -> str:
        """Returns one of the texts that the words have under some keys."""
        found: Any = self.words
        for key in path:
            found = found[key]
        return str(found if isinstance(found, str) else self.rng.choice(found)).replace(
            "{brand}", self.brand
        )

    def year(self) -> str:
        """Returns a year in which the company was there."""
        return str(self.rng.randint(self.founded, 2024))

    def date(self, months: Sequence[int] = ALL_YEAR, years: Sequence[int] = YEARS) -> str:
        """Returns a date in some months, from 1, of some years, as the language writes it."""
        return str(
            self.words["date"].format(
                day=self.rng.randint(1, 28),
                month=self.words["months"][self.rng.choice(months) - 1],
                year=self.rng.choice(years),
            )
        )

    def number(self, value: float, decimals: int = 0) -> str:
        """Returns a number as the language writes it."""
        signs = self.words["number"]
        plain = f"{value:,.{decimals}f}"
        return (
            plain.replace(",", "\0")
            .replace(".", signs["decimal"])
            .replace("\0", signs["thousands"])
        )

    def percent(self, value: float, decimals: int = 0) -> str:
        """Returns a share of hundred as the language writes it."""
        return str(self.words["number"]["percent"].format(number=self.number(value, decimals)))

    def price(self, value: float) -> str:
        """Returns a price as the language writes it; small ones have cents where there are any."""
        decimals = self.words["number"]["decimals"] if value % 1 else 0
        return str(self.words["number"]["price"].format(amount=self.number(value, decimals)))

    def phone(self) -> str:
        """Returns a phone number of those that are kept for examples, where a country has any."""
        signs = self.words["number"]["phone"]
        return "".join(str(self.rng.randint(0, 9)) if sign == "#" else sign for sign in signs)

    def tiles(self, number: int) -> list[str]:
        """Returns different colors of blocks, with the page's own among them."""
        return self.rng.sample([*TILES], number)

    def people(self, number: int) -> list[str]:
        """Returns different names of people other than the owner."""
        others = [name for name in self.words["people"] if name != self.owner]
        return self.rng.sample(others, number)


def initials(name: str) -> str:
    """Returns what stands for a name in a circle.

    >>> initials("Amelia Hart"), initials("王小明")
    ('AH', '王')
    """
    parts = name.split()
    if name[0] >= "\u3040":
        # Names in Chinese and Japanese begin with the family's, which is enough.
        return name[0]
    return parts[0][0] + parts[-1][0] if len(parts) > 1 else name[0]


def draw_price(rng: Random, value: float) -> float:
    """Draws a price near a usual one."""
    near = value * rng.uniform(0.8, 1.25)
    if near >= 1000:
        return round(near / 10) * 10
    if near >= 100:
        return round(near / 5) * 5
    return max(1, round(near) + rng.choice([0, 0, 0.5, -0.1]))


Draw = Callable[[PageLot], PageSection]


def draw_header(lot: PageLot, active: str) -> PageSection:
    """Draws the top of a page: logo, links and an action."""
    keys = [key for key in lot.words["navigation"] if key not in (active, "help")]
    chosen = {active, *lot.rng.sample(keys, 3)}
    links = [text for key, text in lot.words["navigation"].items() if key in chosen]
    return PageSection(
        "header",
        {
            "brand": lot.brand,
            "icon": lot.icon,
            "links": links,
            "active": links.index(lot.words["navigation"][active]),
            "action": lot.text("actions", "account"),
        },
    )


def draw_picture(lot: PageLot) -> list[dict[str, Any]]:
    """Draws shapes that stand for a photograph, on 560 by 300."""
    rng = lot.rng
    primary = lot.colors["primary"]
    light = lot.colors["contrast"]
    back = mix_colors(light, primary, 0.25)
    shapes: list[dict[str, Any]] = [{"tag": "rect", "width": 560, "height": 300, "fill": back}]
    design = rng.choice(["hills", "circles", "steps"])
    if design == "hills":
        shapes.append({"tag": "circle", "cx": rng.randint(90, 470), "cy": rng.randint(60, 110),
                       "r": rng.randint(30, 48), "fill": rng.choice(TILES)})  # fmt: skip
        for step, base in enumerate((150, 190, 235)):
            left, middle, right = (base + rng.randint(-30, 30) for _ in range(3))
            path = f"M0 {left}C140 {middle - 60} 230 {middle - 50} 300 {middle}S460 {right + 50} 560 {right}V300H0z"
            shapes.append(
                {"tag": "path", "d": path, "fill": mix_colors(back, primary, 0.35 + 0.3 * step)}
            )
    elif design == "circles":
        for step in range(rng.randint(4, 6)):
            shapes.append({"tag": "circle", "cx": 60 + 90 * step + rng.randint(-20, 20), "cy": rng.randint(70, 230),
                           "r": rng.randint(30, 80), "fill": rng.choice([primary, *TILES]),
                           "opacity": rng.choice([0.6, 0.75, 0.9])})  # fmt: skip
    else:
        for step in range(7):
            height = 50 + 28 * step + rng.randint(-16, 16)
            shapes.append({"tag": "rect", "x": 34 + 72 * step, "y": 300 - height, "width": 56, "height": height,
                           "fill": mix_colors(back, primary, 0.4 + 0.09 * step)})  # fmt: skip
    return shapes


def draw_hero(lot: PageLot) -> PageSection:
    """Draws what a landing page says first, with or without a picture."""
    split = lot.rng.random() < 0.6
    return PageSection(
        "hero",
        {
            "eyebrow": lot.topic["name"],
            "title": lot.rng.choice(lot.topic["headlines"]),
            "text": lot.rng.choice(lot.topic["leads"]),
            "primary": lot.text("actions", "start"),
            "secondary": lot.text("actions", "more"),
            "picture": draw_picture(lot) if split else [],
        },
    )


def draw_reasons(lot: PageLot, number: int) -> list[dict[str, str]]:
    """Draws what the company is proud of: icon, title and text."""
    chosen = lot.rng.sample([*lot.topic["features"].items()], number)
    icons = lot.rng.sample(REASONS, number)
    return [
        {"icon": icon, "title": title, "text": text}
        for icon, (title, text) in zip(icons, chosen, strict=True)
    ]


def draw_features(lot: PageLot) -> PageSection:
    """Draws cards of good reasons."""
    number = lot.count(3, lot.rng.choice([3, 4]), 4)
    return PageSection(
        "features",
        {
            "title": lot.text("features"),
            "text": lot.text("features_text"),
            "features": draw_reasons(lot, number),
        },
    )


def draw_figures(lot: PageLot) -> PageSection:
    """Draws a band of numbers."""
    rng = lot.rng
    values = {
        "customers": f"{lot.number(rng.randint(8, 96) * 50)}+",
        "years": str(2025 - lot.founded),
        "cities": str(rng.randint(2, 14)),
        "rating": f"{lot.number(rng.randint(44, 50) / 10, 1)} / 5",
    }
    keys = [key for key in values if lot.level == "hard" or key != "cities"]
    return PageSection(
        "figures",
        {"figures": [{"value": values[key], "label": lot.words["figures"][key]} for key in keys]},
    )


def draw_quotes(lot: PageLot) -> PageSection:
    """Draws what customers say."""
    number = lot.count(2, 2, 3)
    records = zip(
        lot.rng.sample(lot.words["quotes"], number),
        lot.people(number),
        lot.tiles(number),
        strict=True,
    )
    return PageSection(
        "quotes",
        {
            "title": lot.text("quotes_title"),
            "quotes": [
                {
                    "text": text,
                    "color": color,
                    "initials": initials(name),
                    "name": name,
                    "note": lot.text("customer").format(year=lot.year()),
                }
                for text, name, color in records
            ],
        },
    )


def draw_faq(lot: PageLot) -> PageSection:
    """Draws questions with their answers."""
    chosen = lot.rng.sample([*lot.words["faq"].items()], lot.count(2, 4, 6))
    return PageSection(
        "faq",
        {
            "title": lot.text("faq_title"),
            "questions": [{"question": question, "answer": answer} for question, answer in chosen],
        },
    )


def draw_call(lot: PageLot) -> PageSection:
    """Draws a band that asks for a first step."""
    return PageSection(
        "call",
        {
            "title": lot.text("call_title"),
            "text": lot.text("call_text"),
            "action": lot.text("actions", "start"),
        },
    )


def draw_newsletter(lot: PageLot) -> PageSection:
    """Draws a form with one field."""
    words = lot.words["newsletter"]
    return PageSection("newsletter", {**words, "action": lot.text("actions", "subscribe")})


def draw_footer(lot: PageLot) -> PageSection:
    """Draws the end of a page, without columns on an easy one."""
    names = ("company", "service", "legal")[: lot.count(0, 2, 3)]
    columns = [lot.words["footer"][name] for name in names]
    return PageSection(
        "footer",
        {
            "brand": lot.brand if columns else "",
            "text": lot.text("footer", "text").format(year=lot.founded) if columns else "",
            "columns": [{"title": title, "links": links} for title, *links in columns],
            "note": lot.text("footer", "note").format(year=2025),
        },
    )


def draw_catalogue(lot: PageLot) -> PageSection:
    """Draws products with filters over them."""
    rng = lot.rng
    words = lot.words["catalogue"]
    number = lot.count(3, rng.choice([4, 6]), 6)
    names = rng.sample([*lot.topic["products"]], number)
    active = rng.choice([0, 0, 1, 2])
    # What a filter leaves is all of its kind.
    badges = words["badges"][active - 1 : active] if active else ["", "", *words["badges"]]
    badges = badges if lot.level != "easy" else [""]
    return PageSection(
        "catalogue",
        {
            "title": lot.text("catalogue", "title"),
            "count": words["count"].format(number=rng.randint(number, 9 * number)),
            "filters": words["filters"],
            "active": active,
            "products": [
                {
                    "color": color,
                    "icon": lot.icon,
                    "badge": rng.choice(badges),
                    "name": name,
                    "reviews": words["reviews"].format(number=rng.randint(11, 240)),
                    "price": lot.price(draw_price(rng, lot.topic["products"][name])),
                }
                for name, color in zip(names, lot.tiles(number), strict=True)
            ],
            "actions": [lot.text("actions", "buy")] * number if lot.level != "easy" else [],
        },
    )


def draw_plans(lot: PageLot) -> PageSection:
    """Draws plans, of which each has all that the one before has."""
    rng = lot.rng
    words = lot.words["plans"]
    number = lot.count(2, 3, rng.choice([3, 4]))
    start = rng.choice([0, 1]) if number < 4 else 0
    benefits = rng.sample(words["benefits"], number + 2)
    popular = rng.randint(1, number - 1)
    # A month costs about as much as the cheapest things of all shops.
    cheapest = min(min(topic["products"].values()) for topic in lot.words["topics"])
    price = draw_price(rng, cheapest * rng.uniform(1, 3))
    plans = []
    for place in range(number):
        plans.append(
            {
                "name": words["names"][start + place],
                "tag": words["popular"] if place == popular else "",
                "popular": place == popular,
                "note": words["notes"][start + place],
                "price": lot.price(round(price)),
                "period": words["period"],
                "benefits": benefits[: 3 + place],
            }
        )
        price *= rng.uniform(1.5, 2.2)
        price = round(price / 10) * 10 if price > 100 else round(price)
    return PageSection(
        "plans",
        {
            "title": lot.text("plans", "title"),
            "text": lot.text("plans", "text"),
            "billing": words["billing"] if lot.level != "easy" else [],
            "active": rng.choice([0, 1]),
            "plans": plans,
            "actions": [lot.text("actions", "choose")] * number,
        },
    )


def draw_comparison(lot: PageLot, plans: PageSection) -> PageSection:
    """Draws a table of what each of some plans has."""
    names = [plan["name"] for plan in plans.content["plans"]]
    offered = plans.content["plans"][-1]["benefits"]
    return PageSection(
        "comparison",
        {
            "title": lot.text("plans", "comparison"),
            "first": lot.words["plans"]["benefit"],
            "columns": names,
            "rows": [
                {
                    "benefit": benefit,
                    "marks": [
                        "check" if benefit in plan["benefits"] else "minus"
                        for plan in plans.content["plans"]
                    ],
                }
                for benefit in offered
            ],
        },
    )


def draw_form(lot: PageLot) -> PageSection:
    """Draws a form that is filled in, for a purpose."""
    rng = lot.rng
    words = lot.words["form"]
    purpose = rng.choice(["signup", "booking", "contact"])
    title, text, submit = words[purpose]
    name = rng.choice(lot.words["people"])
    values = {
        "name": name,
        "email": f"{rng.choice(['hello', 'post', 'info', 'me'])}{rng.randint(2, 99)}@example.com",
        "phone": lot.phone(),
        "city": rng.choice(lot.words["cities"]),
        "date": lot.date(years=YEARS[-1:]),
        "people": str(rng.randint(1, 8)),
        "product": rng.choice([*lot.topic["products"]]),
        "message": rng.choice(words["message"]),
    }
    keys = {
        "signup": ("name", "email", "city", "phone", "product"),
        "booking": ("name", "email", "date", "people", "product", "phone", "message"),
        "contact": ("name", "email", "product", "message", "phone", "city"),
    }[purpose][: lot.count(2, 5, 7)]
    # An odd field before one that fills the row would leave a gap.
    keys = tuple(sorted(keys, key=lambda key: key in ("product", "message")))
    short = [key for key in keys if key != "message"]
    wide = short[-1] if lot.level != "easy" and len(short) % 2 else ""
    aside = lot.level == "hard" or (lot.level == "medium" and rng.random() < 0.5)
    return PageSection(
        "form",
        {
            "title": title,
            "text": text,
            "fields": [
                {
                    "key": key,
                    "label": words["fields"][key],
                    "value": values[key],
                    "wide": key in (wide, "message"),
                }
                for key in keys
            ],
            "consent": words["fields"]["consent"] if lot.level != "easy" else "",
            "submit": submit,
            "aside": lot.text("form", "aside") if aside else "",
            "points": draw_reasons(lot, lot.count(0, 3, 4)) if aside else [],
        },
    )


def draw_article(lot: PageLot) -> PageSection:
    """Draws an article of a topic."""
    rng = lot.rng
    title, lead = lot.topic["guide"]
    parts = lot.topic["paragraphs"].items()
    name = rng.choice(lot.words["people"])
    words = lot.words["article"]
    return PageSection(
        "article",
        {
            "eyebrow": lot.topic["name"],
            "title": title,
            "lead": lead,
            "color": rng.choice(TILES),
            "initials": initials(name),
            "author": words["author"].format(person=name),
            "meta": f"{lot.date(GUIDE_MONTHS.get(lot.icon, ALL_YEAR))} · {words['minutes'].format(number=rng.randint(3, 12))}",
            "picture": draw_picture(lot) if lot.level != "easy" else [],
            "parts": [{"heading": heading, "text": text} for heading, text in parts],
            "quote": rng.choice(lot.topic["leads"]) if lot.level != "easy" else "",
        },
    )


def draw_posts(lot: PageLot, heading: str) -> PageSection:
    """Draws cards of articles.

    Args:
        lot: what the page is drawn from.
        heading: key of the article's words for what stands over them.
    """
    posts = [*lot.topic["posts"].items()]
    chosen = lot.rng.sample(posts, lot.count(2, 2, 3))
    return PageSection(
        "posts",
        {
            "title": lot.text("article", heading),
            "posts": [
                {
                    "color": color,
                    "date": lot.date(POST_MONTHS.get((lot.icon, posts.index(post)), ALL_YEAR)),
                    "title": post[0],
                    "text": post[1],
                }
                for post, color in zip(chosen, lot.tiles(len(chosen)), strict=True)
            ],
            "actions": [lot.text("actions", "read")] * len(chosen),
        },
    )


def draw_profile(lot: PageLot) -> PageSection:
    """Draws who somebody is: skills and details."""
    rng = lot.rng
    words = lot.words["profile"]
    name = rng.choice(lot.words["people"])
    since = lot.year()
    numbers = {
        "projects": rng.randint(6, 60),
        "followers": rng.randint(120, 4800),
        "reviews": rng.randint(9, 90),
    }
    details = {
        "city": rng.choice(lot.words["cities"]),
        "since": since,
        "email": f"team{rng.randint(2, 99)}@example.com",
        "phone": lot.phone(),
    }
    skills = rng.sample(words["skills"], lot.count(3, 4, 5))
    return PageSection(
        "profile",
        {
            "color": rng.choice(TILES),
            "initials": initials(name),
            "name": name,
            "role": lot.text("profile", "roles"),
            "text": lot.text("profile", "text").format(year=since),
            "counts": [
                {"value": lot.number(number), "label": words["counts"][key]}
                for key, number in numbers.items()
            ][: lot.count(0, 3, 3)],
            "follow": lot.text("actions", "follow"),
            "message": lot.text("actions", "message"),
            "skills_title": lot.text("profile", "skills_title"),
            "skills": [
                {"name": skill, "level": lot.percent(share), "share": share}
                for skill, share in zip(
                    skills, (rng.randint(11, 19) * 5 for _ in skills), strict=True
                )
            ],
            "details_title": lot.text("profile", "details_title"),
            "details": [
                {"name": words["details"][key], "value": value} for key, value in details.items()
            ],
        },
    )


def draw_sidebar(lot: PageLot) -> PageSection:
    """Draws the menu of a dashboard."""
    menu = lot.words["dashboard"]["menu"]
    number = lot.count(4, 5, 6)
    return PageSection(
        "sidebar",
        {
            "brand": lot.brand,
            "icon": lot.icon,
            "links": [
                {"icon": icon, "text": text} for icon, text in zip(MENU_ICONS, menu, strict=True)
            ][:number],
            "active": 0,
        },
    )


def draw_topbar(lot: PageLot) -> PageSection:
    """Draws what a dashboard says first."""
    name = lot.owner
    return PageSection(
        "topbar",
        {
            "title": lot.text("dashboard", "hello").format(person=name),
            "text": lot.text("dashboard", "text"),
            "color": lot.rng.choice(TILES),
            "initials": initials(name),
        },
    )


def draw_metrics(lot: PageLot, orders: int, visitors: int) -> PageSection:
    """Draws the numbers of a week.

    Args:
        lot: what the page is drawn from.
        orders: of the week.
        visitors: of the week.
    """
    rng = lot.rng
    words = lot.words["dashboard"]
    mean = sum(lot.topic["products"].values()) / len(lot.topic["products"])
    values = {
        "revenue": lot.price(round(orders * mean)),
        "orders": lot.number(orders),
        "visitors": lot.number(visitors),
        "conversion": lot.percent(100 * orders / visitors, 1),
    }
    grown = {
        key: rng.choice([-1, 1, 1]) * rng.randint(4, 90) / 10 for key in ("orders", "visitors")
    }
    changes = {
        **grown,
        "revenue": grown["orders"] + rng.choice([-1, 1]) * rng.randint(1, 30) / 10,
        "conversion": 100 * (100 + grown["orders"]) / (100 + grown["visitors"]) - 100,
    }
    keys = [*values][: lot.count(3, 4, 4)]
    metrics = []
    for key in keys:
        change = round(changes[key], 1) or 0.1
        sign = "+" if change > 0 else "−"
        metrics.append(
            {
                "label": words["metrics"][key],
                "value": values[key],
                "change": f"{sign}{lot.percent(abs(change), 1)}",
                "color": lot.colors["rise" if change > 0 else "fall"],
            }
        )
    return PageSection("metrics", {"metrics": metrics})


def draw_chart(lot: PageLot, orders: int, visitors: int) -> PageSection:
    """Draws how the orders or the visitors of a week are spread over its days."""
    title, total = lot.rng.choice(
        [*zip(lot.words["dashboard"]["chart"], (orders, visitors), strict=True)]
    )
    shares = [lot.rng.uniform(0.4, 1) for _ in lot.words["weekdays"]]
    values = [round(total * share / sum(shares)) for share in shares[1:]]
    values.append(total - sum(values))
    return PageSection(
        "chart",
        {
            "title": title,
            "days": [
                {
                    "value": lot.number(value),
                    "height": round(150 * value / max(values)),
                    "day": day,
                }
                for day, value in zip(lot.words["weekdays"], values, strict=True)
            ],
        },
    )


def draw_activity(lot: PageLot) -> PageSection:
    """Draws what happened last, the newest first."""
    words = lot.words["dashboard"]
    number = lot.count(0, 3, 4)
    times = sorted(lot.rng.sample(range(2, 58), number))
    records = zip(lot.people(number), times, lot.tiles(number), strict=True)
    return PageSection(
        "activity",
        {
            "title": lot.text("dashboard", "activity_title"),
            "events": [
                {
                    "color": color,
                    "initials": initials(name),
                    "text": lot.text("dashboard", "activity").format(person=name),
                    "time": words["ago"][0].format(number=minutes),
                }
                for name, minutes, color in records
            ],
        },
    )


def draw_orders(lot: PageLot) -> PageSection:
    """Draws a table of orders."""
    rng = lot.rng
    words = lot.words["dashboard"]
    number = lot.count(3, 4, 7)
    order = rng.randint(1200, 9800)
    prices = {name: draw_price(rng, price) for name, price in lot.topic["products"].items()}
    names = lot.people(number)
    rows = []
    for place, name in enumerate(names):
        product = rng.choice([*lot.topic["products"]])
        status = rng.choice([0, 0, 1, 2, 3])
        rows.append(
            {
                "number": f"#{order - place}",
                "customer": name,
                "product": product,
                "amount": lot.price(prices[product] * rng.choice([1, 1, 1, 2])),
                "status": words["statuses"][status],
                "color": STATUS_COLORS[status],
            }
        )
    return PageSection(
        "orders",
        {"title": lot.text("dashboard", "table"), "columns": words["columns"], "orders": rows},
    )


def draw_landing(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a landing page."""
    middle: list[Draw] = [draw_figures, draw_quotes, draw_faq]
    more = sorted(lot.rng.sample(middle, lot.count(0, 1, 3)), key=middle.index)
    ends = [lot.rng.choice([draw_call, draw_newsletter])][: lot.count(0, 1, 1)]
    return [
        draw_header(lot, "home"),
        *(draw(lot) for draw in (draw_hero, draw_features, *more, *ends)),
    ]


def draw_dashboard(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a dashboard."""
    orders = lot.rng.randint(40, 900)
    visitors = orders * lot.rng.randint(18, 60)
    chart, table = draw_chart(lot, orders, visitors), draw_orders(lot)
    below = {
        "easy": [lot.rng.choice([chart, table])],
        "medium": [chart, draw_activity(lot)],
        "hard": [chart, draw_activity(lot), table],
    }[lot.level]
    return [draw_sidebar(lot), draw_topbar(lot), draw_metrics(lot, orders, visitors), *below]


def draw_shop(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a shop."""
    more: list[Draw] = [draw_newsletter, draw_features, draw_faq]
    return [
        draw_header(lot, "products"),
        draw_catalogue(lot),
        *(draw(lot) for draw in lot.rng.sample(more, lot.count(0, 0, 2))),
    ]


def draw_form_page(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a page with a form."""
    more = [draw_faq(lot)] if lot.level == "hard" else []
    return [draw_header(lot, "contact"), draw_form(lot), *more]


def draw_journal(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a page with an article."""
    article = draw_article(lot)
    more = [draw_posts(lot, "related")] if lot.level != "easy" else []
    more += [draw_newsletter(lot)] if lot.level == "hard" else []
    return [draw_header(lot, "journal"), article, *more]


def draw_pricing(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a page of prices."""
    plans = draw_plans(lot)
    more = (
        [draw_faq(lot)]
        if lot.level == "hard" or (lot.level == "medium" and lot.rng.random() < 0.4)
        else []
    )
    more = [draw_comparison(lot, plans), *more] if lot.level == "hard" else more
    return [draw_header(lot, "prices"), plans, *more]


def draw_profile_page(lot: PageLot) -> list[PageSection]:
    """Draws the sections of a page about somebody."""
    more = {"easy": [], "medium": [], "hard": [draw_posts(lot, "latest"), draw_quotes(lot)]}[
        lot.level
    ]
    return [draw_header(lot, "team"), draw_profile(lot), *more]


PAGES: Mapping[str, Callable[[PageLot], list[PageSection]]] = {
    "landing": draw_landing,
    "dashboard": draw_dashboard,
    "shop": draw_shop,
    "form": draw_form_page,
    "article": draw_journal,
    "pricing": draw_pricing,
    "profile": draw_profile_page,
}
"""Type of a page to how its sections are drawn."""


def draw_page(rng: Random, level: Level, language: str, type: str = "") -> PageScene:
    """Draws a page by lot.

    Args:
        rng: decides.
        level: how much is in it.
        language: of its texts.
        type: of its types; by lot if it is empty.

    >>> draw_page(Random(1), "easy", "en") == draw_page(Random(1), "easy", "en")
    True
    """
    words = read_words("page", language)
    type = type or rng.choice([*PAGES])
    theme = draw_theme(rng, language)
    place = rng.randrange(len(words["topics"]))
    topic = words["topics"][place]
    brand = rng.choice(topic["brands"])
    founded, owner = rng.randint(1988, 2016), rng.choice(words["people"])
    icon = TOPIC_ICONS[place]
    lot = PageLot(rng, words, topic, icon, brand, founded, level, theme.colors, owner)
    sections = PAGES[type](lot)
    if type != "dashboard":
        sections.append(draw_footer(lot))
    if theme.card == "tinted" and type == "dashboard":
        theme = replace(theme, card="bordered")
    return PageScene(
        type=type,
        language=language,
        level=level,
        brand=brand,
        theme=theme,
        sections=tuple(sections),
    )
