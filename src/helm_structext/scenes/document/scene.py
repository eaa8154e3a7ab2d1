"""Documents: a title and what stands below it, as data, and how they are drawn."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

import yaml

from helm_structext.scenes.formula.tree import MathNode, parse_formula
from helm_structext.scenes.scene import Level, Scene, read_words

TYPES = ("report", "article", "recipe", "how-to", "minutes", "data sheet")
ACCENTS = ("#000000", "#1f3a5f", "#7a1f1f", "#1e5631", "#4a2c6f", "#8a4b08", "#0b5563")
"""Colors of headings; each has a contrast of 6 or more with white."""

ROWS = 5
"""Of the table that a topic has."""

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


SpanStyle = Literal["plain", "emphasis", "strong", "code", "link", "note", "formula"]


@dataclass(frozen=True)
class TextSpan:
    """A stretch of text.

    Args:
        text: what is read; of a formula nothing.
        style: how it looks.
        address: where a link leads.
        tree: of a formula.
    """

    text: str
    style: SpanStyle = "plain"
    address: str = ""
    tree: MathNode | None = None


Spans = tuple[TextSpan, ...]


@dataclass(frozen=True)
class Heading:
    """A heading below the title; the highest has the level 1."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    spans: Spans


@dataclass(frozen=True)
class ListItem:
    """An item, with what stands below it: a list, or code."""

    spans: Spans
    below: "ItemList | CodeBlock | None" = None


@dataclass(frozen=True)
class ItemList:
    """A list with bullets or numbers."""

    items: tuple[ListItem, ...]
    numbered: bool = False


@dataclass(frozen=True)
class TableCell:
    """A cell, over one or more columns and rows."""

    text: str
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True)
class TableBlock:
    """A table.

    Args:
        head: rows of headers; a place that a cell above or beside covers has no cell.
        body: rows of values, likewise.
        numeric: of each column, whether it holds numbers, which stand at its right.
        caption: stands above it, or is empty.
    """

    head: tuple[tuple[TableCell, ...], ...]
    body: tuple[tuple[TableCell, ...], ...]
    numeric: tuple[bool, ...]
    caption: str = ""

    @property
    def spanned(self) -> bool:
        """Whether a cell covers more than one place."""
        cells = [cell for row in (*self.head, *self.body) for cell in row]
        return any(cell.columns > 1 or cell.rows > 1 for cell in cells)


@dataclass(frozen=True)
class DisplayFormula:
    """A formula on a line of its own."""

    tree: MathNode


@dataclass(frozen=True)
class CodeBlock:
    """Lines of code.

    Args:
        language: as code fences name it.
        code: without a newline at its end.
    """

    language: str
    code: str


@dataclass(frozen=True)
class QuoteBlock:
    """A quotation, or a hint."""

    spans: Spans


DocumentBlock = (
    Heading | Paragraph | ItemList | TableBlock | DisplayFormula | CodeBlock | QuoteBlock
)


@dataclass(frozen=True, kw_only=True)
class DocumentScene(Scene):
    """A document of one page.

    Args:
        title: its title.
        byline: who wrote it and when, or empty.
        blocks: what stands below.
        serif: whether its letters have serifs; Markdown has one font.
        accent: color of title and headings, ``#rrggbb``; Markdown has none.
        centered: whether title and byline stand in the middle.
        ruled: whether tables have but a few horizontal lines, or lines around each cell.
    """

    LOOK = frozenset({"serif", "accent", "centered", "ruled"})

    title: str
    byline: str
    blocks: tuple[DocumentBlock, ...]
    serif: bool
    accent: str
    centered: bool
    ruled: bool

    @property
    def texts(self) -> Sequence[str]:
        """Title, byline, and the texts of all blocks; formulas have none."""
        texts = [
            self.title,
            self.byline,
            *(one for block in self.blocks for one in texts_of(block)),
        ]
        return [text for text in texts if text]


def texts_of(block: DocumentBlock) -> list[str]:
    """Returns what is to be read of a block: paragraphs, items, cells, lines of code.

    >>> texts_of(Paragraph((TextSpan("Two "), TextSpan("words", "strong"), TextSpan("."))))
    ['Two words.']
    """
    match block:
        case Heading(text):
            return [text]
        case Paragraph(spans) | QuoteBlock(spans):
            return read_spans(spans)
        case ItemList(items):
            below = [texts_of(item.below) if item.below else [] for item in items]
            return [
                text
                for item, more in zip(items, below, strict=True)
                for text in (*read_spans(item.spans), *more)
            ]
        case TableBlock(head, body, _, caption):
            return [caption, *(cell.text for row in (*head, *body) for cell in row)]
        case CodeBlock(_, code):
            return [line.strip() for line in code.split("\n")]
        case DisplayFormula():
            return []


def read_spans(spans: Spans) -> list[str]:
    """Returns the texts of spans: stretches that no formula and no mark of a note parts, and notes behind.

    >>> read_spans((TextSpan("a "), TextSpan("of b", "note"), TextSpan("c")))
    ['a', 'c', 'of b']
    """
    texts, notes = [""], []
    for span in spans:
        if span.style in ("formula", "note"):
            texts.append("")
        else:
            texts[-1] += span.text
        if span.style == "note":
            notes.append(span.text)
    return [text.strip() for text in (*texts, *notes) if text.strip()]


def find_notes(blocks: Iterable[DocumentBlock]) -> list[str]:
    """Returns the footnotes of blocks, in order."""
    notes: list[str] = []
    for block in blocks:
        match block:
            case Paragraph(spans) | QuoteBlock(spans):
                notes += [span.text for span in spans if span.style == "note"]
            case ItemList(items):
                notes += [
                    span.text for item in items for span in item.spans if span.style == "note"
                ]
    return notes


MARKS: tuple[tuple[str, SpanStyle], ...] = (
    ("**", "strong"),
    ("*", "emphasis"),
    ("`", "code"),
    ("$", "formula"),
)


def parse_spans(text: str) -> Spans:
    r"""Returns the spans of a text with marks of Markdown.

    >>> [(span.text, span.style) for span in parse_spans("a *b* `c`")]
    [('a ', 'plain'), ('b', 'emphasis'), (' ', 'plain'), ('c', 'code')]
    """
    spans: list[TextSpan] = []
    plain = ""
    while text:
        mark, style = next((row for row in MARKS if text.startswith(row[0])), ("", "plain"))
        if mark and (end := text.find(mark, len(mark))) > 0:
            inner, rest = text[len(mark) : end], text[end + len(mark) :]
            tree = parse_formula(inner) if style == "formula" else None
            found = TextSpan("" if tree else inner, style, tree=tree)
        elif text[0] == "[" and "](" in text:
            inner, _, behind = text[1:].partition("](")
            address, _, rest = behind.partition(")")
            found = TextSpan(inner, "link", address)
        else:
            plain, text = plain + text[0], text[1:]
            continue
        spans += [TextSpan(plain), found] if plain else [found]
        plain, text = "", rest
    return (*spans, TextSpan(plain)) if plain else tuple(spans)


@cache
def read_plans() -> Mapping[str, Any]:
    """Returns what the documents of all languages share: numbers, formulas and code."""
    file = Path(__file__).parent / "plans.yaml"
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


PROJECTS = (
    *("meadow", "harbor", "lantern", "orbit", "willow", "beacon", "compass", "granite", "heron"),
    *("juniper", "kestrel", "lagoon", "maple", "nimbus", "otter", "pebble", "quartz", "saffron"),
    *("acorn", "bramble", "cobalt", "delta", "ember", "fjord", "garnet", "hazel", "indigo"),
)
PURPOSES = ("app", "atlas", "data", "lab", "log", "map", "notes", "shop", "tools", "watch")
"""Of projects that snippets of code are about, such as ``willow_data``."""


def split_number(rng: Random, number: int, parts: int) -> list[int]:
    """Splits a number by lot.

    >>> sum(split_number(Random(1), 26_010, 5))
    26010
    """
    weights = [rng.uniform(0.4, 1.6) for _ in range(parts)]
    found = [round(number * weight / sum(weights)) for weight in weights[1:]]
    return [number - sum(found), *found]


class DocumentWriter:
    """Draws the parts of one document: texts of its language with numbers and names by lot.

    Args:
        rng: the lot.
        level: how much there will be.
        language: of the texts.
    """

    def __init__(self, rng: Random, level: Level, language: str) -> None:
        self.rng = rng
        self.size = ("easy", "medium", "hard").index(level)
        self.words = read_words("document", language)
        self.labels: Mapping[str, str] = self.words["labels"]
        self.formats: Mapping[str, str] = self.words["formats"]
        self.year = rng.randint(2015, 2025)
        self.place = rng.choice(self.words["places"])
        self.people: list[str] = [*self.words["people"]]
        rng.shuffle(self.people)
        # Whoever writes about a year does it in the next one.
        self.day = date(self.year + 1, rng.randint(1, 6), rng.randint(1, 28))
        # Of plurals in Russian, those of tens need but one form.
        self.total = rng.randrange(26_000, 98_000, 10)
        self.parts = split_number(rng, self.total, ROWS)
        self.next_person = 0

    def person(self) -> str:
        """Names who comes next."""
        self.next_person += 1
        return self.people[self.next_person % len(self.people)]

    def number(self, low: float, high: float, decimals: int = 0) -> str:
        """Draws a number and writes it as the language does."""
        value = round(self.rng.uniform(low, high), decimals)
        if decimals == 0:
            value = self.rng.randint(int(low), int(high))
        return self.spell(value, decimals)

    def spell(self, value: float, decimals: int) -> str:
        """Writes a number as the language does."""
        marks = {",": self.formats["thousands"], ".": self.formats["decimal"], "-": "\u2212"}
        text = f"{value:,.{decimals}f}"
        return "".join(marks.get(sign, sign) for sign in text)

    def unit(self, sign: str) -> str:
        """Writes the sign of a unit behind a number as the language does."""
        return NO_BREAK_SPACE + str(self.words["signs"][sign])

    def date_of(self, day: date) -> str:
        """Writes a date as the language does."""
        return self.formats["date"].format(
            day=day.day, month=self.words["months"][day.month - 1], number=day.month, year=day.year
        )

    def fill(self, text: str) -> str:
        """Returns a text with its holes filled."""
        rng = self.rng
        fillings: dict[str, Callable[[], str]] = {
            "{p}": lambda: self.formats["percent"].format(self.number(2, 38, 1)),
            "{few}": lambda: self.formats["percent"].format(self.number(0.2, 1.9, 1)),
            "{second}": lambda: self.formats["percent"].format(
                self.spell(100 * self.parts[1] / self.total, 1)
            ),
            "{n}": lambda: self.spell(self.total, 0),
            "{m}": lambda: str(rng.randrange(60, 480, 10)),
            "{s}": lambda: str(rng.randint(8, 20)),
            "{person}": self.person,
            "{place}": lambda: self.place,
            "{year}": lambda: str(self.year),
            "{before}": lambda: str(self.year - 1),
        }
        for hole, filling in fillings.items():
            while hole in text:
                text = text.replace(hole, filling(), 1)
        return text

    def spans(self, *texts: str, note: str = "") -> Spans:
        """Returns texts as the spans of one paragraph, with a note at its end."""
        between = self.formats["between"]
        filled = [parse_spans(self.fill(text)) for text in texts]
        if note:
            filled[-1] += (TextSpan(self.fill(note), "note"),)
        joined: list[TextSpan] = []
        for spans in filled:
            if joined and between:
                joined.append(TextSpan(between))
            joined += spans
        return merge_spans(joined)

    def some(self, texts: Sequence[Any], count: int) -> list[Any]:
        """Draws some of a list, in its order."""
        places = sorted(self.rng.sample(range(len(texts)), min(count, len(texts))))
        return [texts[place] for place in places]

    def items(self, texts: Sequence[str], *, numbered: bool = False) -> ItemList:
        """Returns a list of texts."""
        return ItemList(tuple(ListItem(self.spans(text)) for text in texts), numbered)

    def topic_table(
        self, topic: Mapping[str, Any], plan: Mapping[str, Any], wide: bool
    ) -> TableBlock:
        """Draws a table of a topic: two columns of values, or those of two years."""
        table = topic["table"]
        columns = table["columns"]
        places = self.some(range(ROWS), 3 + min(self.size, 2))
        values = self.table_values(plan)
        caption = f"{table['caption']}, {self.year}" if not wide else table["caption"]
        if not wide:
            head = [[TableCell(text) for text in (table["of"], *columns)]]
        else:
            years = [TableCell(str(year), columns=2) for year in (self.year - 1, self.year)]
            head = [[TableCell(table["of"], rows=2), *years], [TableCell(c) for c in columns * 2]]
        count = len(columns) * (1 + wide)
        body = [
            [TableCell(table["rows"][place]), *map(TableCell, values[place][-count:])]
            for place in places
        ]
        return TableBlock(
            tuple(map(tuple, head)), tuple(map(tuple, body)), (False, *[True] * count), caption
        )

    def table_values(self, plan: Mapping[str, Any]) -> list[list[str]]:
        """Draws the values of each row: two of the year before, and two of the year, which go together."""
        factor, decimals = plan["part"]
        grown = [self.rng.uniform(-18, 12) for _ in self.parts]
        before = [
            round(part / (1 + change / 100)) for part, change in zip(self.parts, grown, strict=True)
        ]
        earlier = [self.rng.uniform(-18, 12) for _ in self.parts]
        rows: list[list[str]] = [[] for _ in self.parts]
        for parts, changes in ((before, earlier), (self.parts, grown)):
            for row, part, change in zip(rows, parts, changes, strict=True):
                row.append(self.spell(part * factor, decimals))
                match plan["beside"]:
                    case "share":
                        row.append(self.spell(100 * part / sum(parts), 1))
                    case "change":
                        row.append(self.spell(change, 1))
                    case low, high, digits:
                        row.append(self.number(low, high, digits))
        return rows

    def title_and_blocks(self, type: str) -> tuple[str, list[DocumentBlock]]:
        """Draws a document of a type."""
        return {
            "report": self.report,
            "article": self.article,
            "recipe": self.recipe,
            "how-to": self.guide,
            "minutes": self.minutes,
            "data sheet": self.data_sheet,
        }[type]()

    def pick(self, name: str) -> tuple[Mapping[str, Any], Any]:
        """Draws a subject, and what all languages share of it."""
        place = self.rng.randrange(len(self.words[name]))
        return self.words[name][place], read_plans().get(name, [None] * (place + 1))[place]

    def formula(self) -> list[DocumentBlock]:
        """Draws a formula with the sentence before it."""
        place = self.rng.randrange(len(self.words["formulas"]))
        text = self.words["formulas"][place]
        tree = parse_formula(read_plans()["formulas"][place])
        return [Paragraph(self.spans(text)), DisplayFormula(tree)]

    def report(self) -> tuple[str, list[DocumentBlock]]:
        """A summary, results in a table, advice; a method, if it is large."""
        topic, plan = self.pick("topics")
        facts = [*topic["facts"]]
        self.rng.shuffle(facts)
        note = topic["note"] if self.size else ""
        blocks: list[DocumentBlock] = [
            Heading(self.labels["summary"]),
            Paragraph(self.spans(*facts[:2], note=note)),
        ]
        table = self.topic_table(topic, plan, self.size > 0 and self.rng.random() < 0.7)
        if self.size == 0:
            part = self.rng.choice((table, self.items(self.some(topic["points"], 3))))
            return self.fill(self.rng.choice(topic["titles"])), [*blocks, part]
        blocks += [Heading(self.labels["results"]), Paragraph(self.spans(*facts[2:4])), table]
        if self.size == 2:
            blocks += [
                Heading(self.labels["method"]),
                *self.formula(),
                Paragraph(self.spans(*facts[4:6])),
                Heading(self.labels["points"]),
                self.nested(topic),
                QuoteBlock(self.spans(topic["quote"])),
            ]
        advice = self.items(topic["advice"], numbered=True)
        return self.fill(self.rng.choice(topic["titles"])), [
            *blocks,
            Heading(self.labels["advice"]),
            advice,
        ]

    def nested(self, topic: Mapping[str, Any]) -> ItemList:
        """A list of points, of which one has a list below it."""
        points = [ListItem(self.spans(text)) for text in self.some(topic["points"], 3)]
        place = self.rng.randrange(len(points))
        rows = self.some(topic["table"]["rows"], 2)
        below = ItemList(tuple(ListItem((TextSpan(row),)) for row in rows))
        points[place] = ListItem(points[place].spans, below)
        return ItemList(tuple(points))

    def article(self) -> tuple[str, list[DocumentBlock]]:
        """Paragraphs, a quotation, and a list; sections, if it is large."""
        topic, plan = self.pick("topics")
        facts = [*topic["facts"]]
        self.rng.shuffle(facts)
        blocks: list[DocumentBlock] = [
            Paragraph(self.spans(*facts[:2], note=topic["note"] if self.size else "")),
            QuoteBlock(self.spans(topic["quote"])),
        ]
        if self.size == 0:
            blocks += [self.items(self.some(topic["points"], 3))]
        if self.size:
            blocks += [
                Heading(self.labels["background"]),
                Paragraph(self.spans(*facts[2:4])),
                self.nested(topic),
            ]
        if self.size == 2:
            blocks += [
                Heading(self.labels["results"]),
                Paragraph(self.spans(*facts[4:5])),
                self.topic_table(topic, plan, self.rng.random() < 0.5),
                Heading(self.labels["method"], 2),
                *self.formula(),
            ]
        if self.size:
            blocks += [
                Heading(self.labels["outlook"]),
                Paragraph(self.spans(*facts[5:6], *self.some(topic["advice"], 2))),
            ]
        return self.fill(self.rng.choice(topic["titles"])), blocks

    def recipe(self) -> tuple[str, list[DocumentBlock]]:
        """Ingredients, steps and a tip."""
        dish, _ = self.pick("dishes")
        rng = self.rng
        facts = (
            ("serves", str(rng.randint(2, 6))),
            ("time", f"{rng.randrange(25, 55, 5)}{NO_BREAK_SPACE}{self.labels['minutes']}"),
        )
        line = [
            self.formats["pair"].format(name=f"**{self.labels[name]}**", value=value)
            for name, value in facts
        ]
        rows = [self.ingredient(text) for text in dish["ingredients"]]
        count = (4, 6, 6)[self.size]
        blocks: list[DocumentBlock] = [
            Paragraph(self.spans(dish["intro"])),
            Paragraph(self.spans(self.formats["and"].join(line))),
            Heading(self.labels["ingredients"]),
            self.items(
                [
                    self.formats["ingredient"].format(amount=f"**{amount}**", name=name)
                    for name, amount in rows[:count]
                ]
            ),
        ]
        if self.size:
            blocks += [
                Heading(self.labels["steps"]),
                self.items(dish["steps"], numbered=True),
                QuoteBlock(
                    self.spans(
                        self.formats["pair"].format(
                            name=f"**{self.labels['tip']}**", value=dish["tip"]
                        )
                    )
                ),
            ]
        if self.size == 2:
            cells = [
                (TableCell(name), TableCell(f"{self.number(low, high, 1)}{self.unit('g')}"))
                for name, (low, high) in zip(
                    self.words["nutrients"], read_plans()["nutrients"], strict=True
                )
            ]
            head = TableCell(self.labels["property"]), TableCell(self.labels["value"])
            blocks += [
                Heading(self.labels["energy"], 2),
                TableBlock((head,), tuple(cells), (False, True)),
            ]
        return dish["title"], blocks

    def ingredient(self, text: str) -> tuple[str, str]:
        """Draws how much of an ingredient it takes."""
        name, unit, low, high = text.split("|")
        step = 10 if unit in ("g", "ml") else 1
        amount = self.rng.randrange(int(low), int(high) + 1, step)
        return name, self.words["units"][unit].format(amount)

    def guide(self) -> tuple[str, list[DocumentBlock]]:
        """Requirements, and steps with code."""
        guide, snippets = self.pick("guides")
        names = {
            "project": f"{self.rng.choice(PROJECTS)}_{self.rng.choice(PURPOSES)}",
            "port": self.rng.randrange(3000, 9900, 10),
            "small": self.rng.randint(5, 40),
            "hour": self.rng.randint(0, 5),
        }
        codes = [CodeBlock(language, code.format(**names)) for language, code in snippets]
        count = (2, 3, 4)[self.size]
        steps = tuple(
            ListItem(self.spans(text), code)
            for text, code in zip(guide["steps"][:count], codes[:count], strict=True)
        )
        blocks: list[DocumentBlock] = [Paragraph(self.spans(guide["intro"]))]
        if self.size:
            blocks += [Heading(self.labels["needs"]), self.items(guide["needs"])]
        blocks += [Heading(self.labels["guide"]), ItemList(steps, numbered=True)]
        if self.size == 2:
            tip = self.formats["pair"].format(name=f"**{self.labels['tip']}**", value=guide["tip"])
            blocks += [
                Heading(self.labels["result"]),
                Paragraph(self.spans(guide["result"])),
                QuoteBlock(self.spans(tip)),
            ]
        return guide["title"], blocks

    def minutes(self) -> tuple[str, list[DocumentBlock]]:
        """Who was there, what was said, and who has to do what."""
        agenda = self.some(self.words["agenda"], (2, 3, 4)[self.size])
        self.rng.shuffle(agenda)
        self.people = present = self.people[: 3 + self.size]
        line = self.formats["pair"].format(
            name=f"**{self.labels['present']}**", value=self.formats["list"].join(present)
        )
        blocks: list[DocumentBlock] = [Paragraph(self.spans(line))]
        if self.size == 2:
            blocks += [
                Heading(self.labels["agenda"]),
                self.items([one["topic"] for one in agenda], numbered=True),
            ]
        for one in agenda:
            blocks += [
                Heading(one["topic"], 1 + (self.size == 2)),
                Paragraph(self.spans(one["remark"])),
            ]
        if self.size:
            blocks += [
                Heading(self.labels["decisions"]),
                self.items([one["decision"] for one in agenda]),
                Heading(self.labels["tasks"]),
                self.tasks(agenda, present),
            ]
        return self.rng.choice(self.words["meetings"]), blocks

    def tasks(self, agenda: Sequence[Mapping[str, str]], present: Sequence[str]) -> TableBlock:
        """Who does what, until when."""
        head = tuple(TableCell(self.labels[name]) for name in ("task", "who", "until"))
        days = sorted(self.rng.sample(range(5, 60), len(agenda)))
        body = tuple(
            (
                TableCell(one["task"]),
                TableCell(self.rng.choice(present)),
                TableCell(self.date_of(date.fromordinal(self.day.toordinal() + days[place]))),
            )
            for place, one in enumerate(agenda)
        )
        return TableBlock((head,), body, (False, False, False))

    def data_sheet(self) -> tuple[str, list[DocumentBlock]]:
        """What a device can do, and its figures, in groups."""
        device, plan = self.pick("devices")
        models = [
            f"{self.rng.choice('ABDHKMRSTX')}{self.rng.choice('CELNPQVZ')} {self.rng.randint(12, 98) * 10}"
            for _ in range(1 + self.size)
        ]
        groups = [device["properties"][:3], device["properties"][3:]]
        head = [TableCell(self.labels["property"]), *map(TableCell, models)]
        grouped = self.size > 0
        if grouped:
            head[0] = TableCell(self.labels["property"], columns=2)
        body: list[tuple[TableCell, ...]] = []
        for group, names in enumerate(groups[: 1 + grouped]):
            for place, name in enumerate(names):
                low, high, decimals, unit = plan[3 * group + place]
                values = [
                    TableCell(f"{self.number(low, high, decimals)}{self.unit(unit)}")
                    for _ in models
                ]
                first = (
                    [TableCell(device["groups"][group], rows=3)] if grouped and not place else []
                )
                body.append((*first, TableCell(name), *values))
        numeric = (*[False] * (1 + grouped), *[True] * len(models))
        table = TableBlock((tuple(head),), tuple(body), numeric)
        features = self.some(device["features"], 3 + (self.size == 2))
        blocks: list[DocumentBlock] = [Paragraph(self.spans(device["intro"]))]
        blocks += [Heading(self.labels["features"]), self.items(features)]
        blocks += [Heading(self.labels["data"]), table]
        if self.size:
            blocks += [
                Heading(self.labels["safety"]),
                QuoteBlock(self.spans(device["warning"])),
            ]
        return f"{device['name']} {models[0]}", blocks


def place_cells(
    rows: Sequence[Sequence[TableCell]], columns: int
) -> list[list[tuple[TableCell | None, int]]]:
    """Returns rows of a table with a place for each column.

    Returns:
        of each row its cells with the columns that they cover, and None where a cell of a row above stands.

    >>> place_cells([[TableCell("a", rows=2), TableCell("b")], [TableCell("c")]], 2)[1][0]
    (None, 1)
    """
    covered = [0] * columns
    placed = []
    for row in rows:
        waiting = list(row)
        found: list[tuple[TableCell | None, int]] = []
        column = 0
        while column < columns:
            if covered[column]:
                covered[column] -= 1
                found.append((None, 1))
                column += 1
                continue
            cell = waiting.pop(0)
            for one in range(column, column + cell.columns):
                covered[one] = cell.rows - 1
            found.append((cell, cell.columns))
            column += cell.columns
        placed.append(found)
    return placed


def merge_spans(spans: Sequence[TextSpan]) -> Spans:
    """Returns spans with plain ones beside each other as one.

    >>> merge_spans([TextSpan("a"), TextSpan(" "), TextSpan("b", "strong")])
    (TextSpan(text='a ', style='plain', address='', tree=None), TextSpan(text='b', style='strong', address='', tree=None))
    """
    merged: list[TextSpan] = []
    for span in spans:
        if merged and span.style == merged[-1].style == "plain":
            merged[-1] = TextSpan(merged[-1].text + span.text)
        else:
            merged.append(span)
    return tuple(merged)


def draw_document(rng: Random, level: Level, language: str) -> DocumentScene:
    """Draws a document by lot.

    >>> scene = draw_document(Random(1), "easy", "en")
    >>> scene == draw_document(Random(1), "easy", "en")
    True
    """
    type = rng.choice(TYPES)
    writer = DocumentWriter(rng, level, language)
    title, blocks = writer.title_and_blocks(type)
    day = writer.date_of(writer.day)
    return DocumentScene(
        type=type,
        language=language,
        level=level,
        title=title,
        byline=writer.formats["byline"].format(person=writer.person(), date=day),
        blocks=tuple(blocks),
        serif=rng.random() < 0.5,
        accent=rng.choice(ACCENTS),
        centered=rng.random() < 0.4,
        ruled=rng.random() < 0.6,
    )
