"""What a dataset consists of: counts, lengths, words and sizes of pictures.

Rows are looked at one by one, and nothing is kept of them but counts.

Source: StructEval, Tables 1 and 7; MMR, Figures 1a, 2 and 3.
"""

import math
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from heapq import nsmallest

from helm_structext.pictures import size_of
from helm_structext.results.plots import NO_INTERVAL, draw_histograms, horizontal_bars
from helm_structext.results.tabular import Cell, Column, Table
from helm_structext.scoring.scorer import Input
from helm_structext.texts import one_line

MAX_WORDS = 200_000
"""Different words of a text that are counted at a time; then those that came once are forgotten."""

MAX_WORD = 80
"""Characters of a word; what is longer counts as the word of its beginning."""

SIGNS = f"{string.punctuation}–—…“”„«»‘’·•、。，：；！？（）「」《》"

_FUNCTION_WORDS = (
    "a an and are as at be been but by can do does for from has have how if in into is it its many must no not "
    "of on or s should so than that the their them then there these they this to was we were what when where "
    "which who will with would you your"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that say little of what a text is about."""


@dataclass(frozen=True)
class RowFacts:
    """What describes a row of a dataset.

    Args:
        groups: what it is counted by: heading, such as ``Task``, to the row's.
        numbers: name to how many of something it has; what it can't have is absent.
        texts: name to text, whose lengths are measured and words are counted.
        picture: its picture's id, "" where it has none: several rows may share one.
        shown: what there is in the picture: name to words or names.
        size: width and height of that in pixels.
        load: returns that as the bytes of a PNG file.
    """

    groups: Mapping[str, str]
    numbers: Mapping[str, float] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    picture: str = ""
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    load: Callable[[], bytes] | None = None


@dataclass
class NumberCounts:
    """Numbers of which only how often each one came is kept.

    >>> tally = NumberCounts()
    >>> for number in (1, 2, 2, 9):
    ...     tally.add(number)
    >>> tally.total, tally.mean, tally.median, tally.least, tally.most
    (4, 3.5, 2, 1, 9)
    """

    counts: Counter[float] = field(default_factory=Counter)

    def add(self, number: float) -> None:
        """Takes a number into account."""
        self.counts[number] += 1

    @property
    def total(self) -> int:
        """How many there were."""
        return self.counts.total()

    @property
    def mean(self) -> float:
        """Their mean, NaN of none."""
        return (
            math.fsum(number * count for number, count in self.counts.items()) / self.total
            if self.counts
            else math.nan
        )

    @property
    def median(self) -> float:
        """The lower one of the two in the middle."""
        left = (self.total + 1) // 2
        for number in sorted(self.counts):
            left -= self.counts[number]
            if left <= 0:
                return number
        return math.nan

    @property
    def least(self) -> float:
        """The smallest one."""
        return min(self.counts, default=math.nan)

    @property
    def most(self) -> float:
        """The largest one."""
        return max(self.counts, default=math.nan)


@dataclass
class WordCounts:
    """How often each word comes in texts, as far as `MAX_WORDS` different ones allow."""

    counts: Counter[str] = field(default_factory=Counter)
    total: int = 0
    forgotten: bool = False

    def add(self, words: Iterable[str]) -> None:
        """Counts words."""
        for word in words:
            self.counts[word[:MAX_WORD]] += 1
            self.total += 1
        if len(self.counts) > MAX_WORDS:
            self.counts = Counter({word: n for word, n in self.counts.items() if n > 1})
            self.forgotten = True

    def frequent(self, most: int) -> list[tuple[str, int]]:
        """Returns the most frequent words that say something, with their counts.

        Of words as frequent as each other, those come first that the alphabet has first.

        >>> words = WordCounts()
        >>> words.add(["the", "pear", "is", "a", "pear", "1", "apple"])
        >>> words.frequent(2)
        [('pear', 2), ('apple', 1)]
        """
        counted = (
            (word, number)
            for word, number in self.counts.items()
            if word not in FUNCTION_WORDS and any(map(str.isalpha, word))
        )
        return nsmallest(most, counted, key=lambda item: (-item[1], item[0]))

    @property
    def note(self) -> str:
        """What is to be said of the counts, if anything."""
        forgotten = (
            f" Of more than {MAX_WORDS:,} different words, those were forgotten that had come once."
        )
        return forgotten if self.forgotten else ""


@dataclass
class Description:
    """What is counted of a dataset while its rows pass."""

    rows: int = 0
    groups: dict[str, Counter[str]] = field(default_factory=dict)
    numbers: dict[tuple[str, str], dict[str, NumberCounts]] = field(default_factory=dict)
    within: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=dict)
    words: dict[str, NumberCounts] = field(default_factory=lambda: defaultdict(NumberCounts))
    characters: dict[str, NumberCounts] = field(default_factory=lambda: defaultdict(NumberCounts))
    vocabulary: dict[str, WordCounts] = field(default_factory=lambda: defaultdict(WordCounts))
    sides: dict[str, NumberCounts] = field(default_factory=lambda: defaultdict(NumberCounts))
    pictures: set[bytes] = field(default_factory=set)

    def add(self, row: RowFacts, read: Callable[[bytes], str] | None = None) -> None:
        """Counts a row.

        Args:
            row: what describes it.
            read: returns the text of a picture, to be measured as other texts are.
        """
        self.rows += 1
        for heading, value in [*row.groups.items(), (ALL, ALL)]:
            if heading != ALL:
                self.groups.setdefault(heading, Counter())[value] += 1
            others = self.within.setdefault((heading, value), set())
            others.update(other for other in row.groups.items() if other[0] != heading)
            spreads = self.numbers.setdefault((heading, value), {})
            for name, number in row.numbers.items():
                spreads.setdefault(name, NumberCounts()).add(number)
        for name, text in row.texts.items():
            self._measure(name, split_words(text), len(text))
        if row.picture and self._is_new(row.picture):
            if row.size:
                self._measure_size(row.size)
            for name, words in row.shown.items():
                self._measure(name, words, sum(map(len, words)))
            if read and row.load:
                text = read(row.load())
                self._measure(READ, split_words(text), len(text))

    def _measure(self, name: str, words: Sequence[str], characters: int) -> None:
        self.words[name].add(len(words))
        self.characters[name].add(characters)
        self.vocabulary[name].add(words)

    def _measure_size(self, size: tuple[int, int]) -> None:
        width, height = size
        for name, number in zip(SIDES, (width, height, width * height / 1e6), strict=True):
            self.sides[name].add(number)

    def _is_new(self, picture: str) -> bool:
        key = blake2b(picture.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        before = len(self.pictures)
        self.pictures.add(key)
        return len(self.pictures) > before


ALL = "all"
READ = "Text read in pictures"
SIDES = ("Width", "Height", "Megapixels")
LENGTHS = ("Mean", "Median", "Least", "Most")


def split_words(text: str) -> list[str]:
    """Returns the words between blanks, in small letters, without signs around them.

    >>> split_words("The <h1> says: “Trip Summary”, don't it?")
    ['the', 'h1', 'says', 'trip', 'summary', "don't", 'it']
    """
    return [word for part in text.casefold().split() if (word := part.strip(SIGNS))]


def facts_of_input(asked: Input) -> RowFacts:
    """Returns what describes what a run asks, for a benchmark that says no more of its rows.

    >>> from helm_structext.scoring.scorer import InstanceKey
    >>> asked = Input(InstanceKey("days", "1"), "Which day?", "date", target="2026-11-26")
    >>> facts_of_input(asked).groups, facts_of_input(asked).texts
    ({'Part': 'days'}, {'Questions': 'Which day?', 'References': '2026-11-26'})
    """
    texts = {"Questions": asked.text, "References": asked.target}
    picture = asked.picture
    return RowFacts(
        {"Part": asked.key.part or ALL},
        texts={name: text for name, text in texts.items() if text},
        picture=asked.key.id if picture else "",
        size=size_of(picture) if picture else None,
        load=(lambda: picture) if picture else None,
    )


def describe_rows(
    rows: Iterable[RowFacts], read: Callable[[bytes], str] | None = None
) -> Description:
    """Returns what is counted of rows.

    Args:
        rows: of a dataset; each is looked at once.
        read: see `Description.add`.
    """
    description = Description()
    for row in rows:
        description.add(row, read)
    return description


def description_tables(
    name: str, title: str, description: Description, most: int
) -> Iterator[Table]:
    """Yields tables of a dataset, with plots.

    Args:
        name: the beginning of files' names.
        title: of the dataset.
        description: what was counted of it.
        most: how many of the most frequent words are shown.
    """
    several = [heading for heading, values in description.groups.items() if len(values) > 1]
    for heading in several or list(description.groups)[-1:]:
        yield _counts_table(name, title, description, heading)
    if description.words:
        yield _lengths_table(name, title, description)
        yield _all_words_table(name, title, description, most)
    if description.sides:
        yield _sizes_table(name, title, description)
    for text, words in description.vocabulary.items():
        yield _words_table(name, title, text, words, most)


def _counts_table(name: str, title: str, description: Description, heading: str) -> Table:
    counts = description.groups[heading]
    places = [*((heading, value) for value in counts), (ALL, ALL)]
    finer = [other for other in description.groups if _divides(description, other, heading)]
    numbers = list(dict.fromkeys(n for spreads in description.numbers.values() for n in spreads))
    rows: list[list[Cell]] = []
    for place in places:
        number = counts[place[1]] if place[0] == heading else description.rows
        spreads = description.numbers[place]
        rows.append(
            [
                place[1],
                *(sum(one == other for one, _ in description.within[place]) for other in finer),
                number,
                100 * number / description.rows,
                *(spreads[n].mean if n in spreads else None for n in numbers),
            ]
        )
    columns = [
        Column(heading),
        *(Column(f"{other}s") for other in finer),
        Column("Instances"),
        Column("%", ".1f"),
        *(Column(n, ".1f") for n in numbers),
    ]
    note = f"How many instances there are by {heading.lower()}."
    if numbers:
        note += f" {', '.join(numbers)}: the mean over the instances that may have any."
    drawing = _counts_drawing(counts.items(), f"{title}: instances by {heading.lower()}")
    return Table(
        f"{name}-{heading.lower()}",
        f"{title} by {heading.lower()}",
        note,
        columns,
        rows,
        drawing=drawing,
    )


def _divides(description: Description, finer: str, heading: str) -> bool:
    """Whether each value of a heading stands below one of another, as tasks do below subsets."""
    values = description.groups[finer]
    above = [
        {value for one, value in description.within[finer, each] if one == heading}
        for each in values
    ]
    return (
        finer != heading
        and 1 < len(description.groups[heading]) < len(values)
        and all(len(one) == 1 for one in above)
    )


def _lengths_table(name: str, title: str, description: Description) -> Table:
    rows: list[Sequence[Cell]] = []
    for text, words in description.words.items():
        signs = description.characters[text]
        rows.append([text, words.total, *_numbers(words), signs.mean, signs.most])
    columns = [Column("Text"), Column("Number")]
    columns += [Column(f"Words: {one.lower()}", ".2f") for one in LENGTHS]
    columns += [Column(f"Characters: {one}", ".2f") for one in ("mean", "most")]
    spreads = {text: words.counts for text, words in description.words.items()}
    return Table(
        f"{name}-lengths",
        f"{title}: lengths of texts",
        "Words are what stands between blanks, of which some scripts have none; of objects, each one is a word. "
        "What is in a picture counts once for all its instances. Median: the lower one of two.",
        columns,
        rows,
        drawing=partial(draw_histograms, spreads, f"{title}: lengths in words"),
    )


def _sizes_table(name: str, title: str, description: Description) -> Table:
    return Table(
        f"{name}-pictures",
        f"{title}: sizes of pictures",
        f"In pixels. {description.sides[SIDES[0]].total} different pictures; what several instances are "
        "about counts once.",
        [Column("Side"), *(Column(one, ".2f") for one in LENGTHS)],
        [[side, *_numbers(spread)] for side, spread in description.sides.items()],
    )


def _counts_drawing(counts: Iterable[tuple[str, int]], title: str) -> Callable[[], bytes]:
    bars = {label: (float(count), NO_INTERVAL) for label, count in counts}
    most = max((count for count, _ in bars.values()), default=0) or 1
    return partial(horizontal_bars, bars, title, most, ",.0f")


def _numbers(spread: NumberCounts) -> list[float]:
    return [spread.mean, spread.median, spread.least, spread.most]


def _words_table(name: str, title: str, text: str, words: "WordCounts", most: int) -> Table:
    common = words.frequent(most)
    drawing = _counts_drawing(common, f"{title}: words of {text.lower()}")
    return Table(
        f"{name}-words-{text.lower()}".replace(" ", "-"),
        f"{title}: most frequent words of {text.lower()}",
        f"Of {words.total:,} words, {len(words.counts):,} of them different. {WORDS_NOTE}{words.note}",
        [Column("Word"), Column("Count"), Column("‰", ".1f")],
        [[word, n, 1000 * n / words.total] for word, n in common],
        printed=False,
        drawing=drawing if common else None,
    )


def _all_words_table(name: str, title: str, description: Description, most: int) -> Table:
    columns = {text: words.frequent(most) for text, words in description.vocabulary.items()}
    rows: list[list[Cell]] = [
        [
            place + 1,
            *(
                _format_word(words[place]) if place < len(words) else None
                for words in columns.values()
            ),
        ]
        for place in range(max(map(len, columns.values())))
    ]
    note = f"With how often each one comes. {WORDS_NOTE}"
    header = [Column("Rank"), *map(Column, columns)]
    return Table(f"{name}-words", f"{title}: most frequent words", note, header, rows)


def _format_word(counted: tuple[str, int]) -> str:
    word, number = counted
    return f"{one_line(word, 40)} {number}"


WORDS_NOTE = "English function words, and what has no letter, are left out."
