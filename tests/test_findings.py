"""What is wrong with a picture is found, named and placed, and what is not wrong is not."""

from dataclasses import replace
from fractions import Fraction

import pytest
from PIL import Image, ImageColor

from helm_structext.findings import (
    FINDING_KINDS,
    MARKS,
    Comparison,
    compare,
    compare_layouts,
    draw_findings,
    findings_record,
    read_findings,
    ways,
)
from helm_structext.findings.kinds import MAX_OTHERS
from helm_structext.layouts import (
    ChartData,
    ElementBox,
    Music,
    MusicNote,
    MusicSign,
    PictureLayout,
    PlotAxis,
    PlotPoint,
    PlotSeries,
    SeriesStyle,
    SymbolBox,
    TextBox,
)
from helm_structext.metrics.layout import layout_scores
from helm_structext.metrics.layout_match import match_layouts
from helm_structext.metrics.text_lines import join_lines


def text(words, left, top, color="#202020", size=16.0, visible=True):
    box = (left, top, left + 9 * len(words), top + 20)
    return TextBox(words, box, color, size, visible, faces="r")


TEXTS = (
    text("Quarterly revenue", 100, 10, size=24.0),
    text("North", 40, 200),
    text("South", 140, 200),
    text("West", 240, 200),
)
ELEMENTS = (
    ElementBox("shape", (40, 60, 100, 190), "#3366cc"),
    ElementBox("shape", (140, 90, 200, 190), "#cc3333", dashed=False),
)


def note(number, step, **more):
    box = (40 * number, 250, 40 * number + 10, 258)
    rest = "" if step else "rest"
    return MusicNote(0, Fraction(number), Fraction(1), step, sound=rest, box=box, **more)


def sign(kind, value):
    return MusicSign(kind, 0, Fraction(0), value, box=(10, 240, 30, 270))


MUSIC = Music(
    (*(note(n, step) for n, step in enumerate("CEGDF")), note(5, ""), note(6, "A", tied=True)),
    (
        sign("clef", "G -2"),
        sign("key", "F#"),
        sign("time", "4/4"),
        sign("dynamic", "mf"),
        sign("lyric", "Rain"),
        sign("mark", "staccato"),
        sign("slur", "slur"),
    ),
)
NORTH, SOUTH = (
    PlotSeries(
        name,
        "bar",
        color,
        tuple(
            PlotPoint(
                at, value, box=(left + 60 * number, 190 - value, left + 20 + 60 * number, 190)
            )
            for number, (at, value) in enumerate(zip("ABC", values, strict=True))
        ),
        SeriesStyle(1.0, "solid", "circles"),
    )
    for name, color, left, values in (
        ("North", "#3366cc", 50, (20, 40, 60)),
        ("South", "#cc3333", 75, (50, 30, 10)),
    )
)
CHART = ChartData(
    "Quarterly revenue",
    PlotAxis("Quarter", categories=("A", "B", "C")),
    PlotAxis("EUR", 0, 100),
    (NORTH, SOUTH),
    (("North", "#3366cc"), ("South", "#cc3333")),
    box=(40, 60, 300, 190),
)
RIGHT = PictureLayout((400, 300), TEXTS, ELEMENTS, notes=MUSIC, charts=(CHART,))


def changed(number, **changes):
    texts = [*TEXTS]
    texts[number] = replace(texts[number], **changes)
    return replace(RIGHT, texts=tuple(texts))


def heard(number, **changes):
    notes = [*MUSIC.notes]
    notes[number] = replace(notes[number], **changes)
    return replace(RIGHT, notes=replace(MUSIC, notes=tuple(notes)))


def played(*notes):
    return replace(RIGHT, notes=replace(MUSIC, notes=notes))


def signed(kind, value):
    signs = (replace(one, value=value) if one.kind == kind else one for one in MUSIC.signs)
    return replace(RIGHT, notes=replace(MUSIC, signs=tuple(signs)))


def charted(*charts):
    return replace(RIGHT, charts=charts)


def drawn(*series):
    return charted(replace(CHART, series=series))


def named(*names):
    """The chart with other categories, at whose places the same bars stand."""
    series = (
        replace(
            one,
            points=tuple(
                point._replace(at=name) for point, name in zip(one.points, names, strict=False)
            ),
        )
        for one in (NORTH, SOUTH)
    )
    return replace(CHART, x=replace(CHART.x, categories=names), series=tuple(series))


def pointed(*points):
    return drawn(replace(NORTH, points=points), SOUTH)


WRONG = {
    "text missing": replace(RIGHT, texts=TEXTS[:3]),
    "text extra": replace(RIGHT, texts=(*TEXTS, text("unasked for", 300, 100))),
    "text misspelt": changed(0, text="Quarterly revemue"),
    "text moved": changed(3, box=(300, 100, 336, 120)),
    "text resized": changed(1, size=10.0),
    "text recolored": changed(2, color="#d02020"),
    "text restyled": changed(2, faces="b"),
    "element missing": replace(RIGHT, elements=ELEMENTS[:1]),
    "element extra": replace(RIGHT, elements=(*ELEMENTS, ElementBox("image", (240, 60, 300, 90)))),
    "element recolored": replace(
        RIGHT, elements=(ELEMENTS[0], replace(ELEMENTS[1], color="#33cc33"))
    ),
    "element restyled": replace(RIGHT, elements=(ELEMENTS[0], replace(ELEMENTS[1], dashed=True))),
    "page size": replace(RIGHT, size=(400, 200)),
    "notes transposed": played(*(replace(one, octave=5) for one in MUSIC.notes)),
    "note missing": played(*MUSIC.notes[:2], *MUSIC.notes[3:]),
    "note extra": played(*MUSIC.notes, note(7, "B")),
    "note pitch": heard(3, step="E"),
    "note octave": heard(3, octave=5),
    "note accidental": heard(3, alter=Fraction(1)),
    "note duration": heard(3, duration=Fraction(1, 2)),
    "note tie": heard(6, tied=False),
    "rest missing": played(*MUSIC.notes[:5], MUSIC.notes[6]),
    "rest extra": played(*MUSIC.notes, note(7, "")),
    "wrong key": signed("key", ""),
    "wrong time": signed("time", "3/4"),
    "wrong clef": signed("clef", "F 2"),
    "wrong lyric": signed("lyric", "Rein"),
    "wrong dynamic": signed("dynamic", "pp"),
    "wrong articulation": signed("mark", "accent"),
    "wrong slur": replace(RIGHT, notes=replace(MUSIC, signs=MUSIC.signs[:-1])),
    "plot missing": charted(),
    "plot extra": charted(CHART, CHART),
    "chart type": drawn(replace(NORTH, mark="line"), replace(SOUTH, mark="line")),
    "axis range": charted(replace(CHART, y=PlotAxis("EUR", 0, 200))),
    "category missing": charted(named("A", "B")),
    "category extra": charted(named("A", "B", "C", "D")),
    "category renamed": charted(named("A", "X", "C")),
    "category order": charted(named("B", "A", "C")),
    "legend swapped": drawn(replace(NORTH, name="South"), replace(SOUTH, name="North")),
    "series missing": drawn(NORTH),
    "series extra": drawn(NORTH, SOUTH, replace(SOUTH, name="West", color="#33cc33")),
    "series recolored": drawn(replace(NORTH, color="#33cc33"), SOUTH),
    "series restyled": drawn(replace(NORTH, style=SeriesStyle(3.0, "dashed", "squares")), SOUTH),
    "point missing": pointed(*NORTH.points[:2]),
    "point extra": pointed(*NORTH.points, PlotPoint("D", 5.0, box=(230, 185, 250, 190))),
    "value wrong": pointed(NORTH.points[0]._replace(value=32.0), *NORTH.points[1:]),
}

POWER = (
    SymbolBox("x", (0, 4, 8, 12), "CMMI10", 12.0, "#000000"),
    SymbolBox("2", (9, 0, 14, 7), "CMR7", 8.0, "#000000"),
)
FORMULA = PictureLayout((20, 16), (), symbols=POWER)
WRONG_FORMULAS = {
    "symbol missing": replace(FORMULA, symbols=POWER[:1]),
    "symbol extra": replace(
        FORMULA, symbols=(*POWER, SymbolBox("+", (17, 4, 25, 12), "CMR10", 12.0, "#000000"))
    ),
    "symbol wrong": replace(FORMULA, symbols=(POWER[0], replace(POWER[1], text="3"))),
    "symbol moved": replace(FORMULA, symbols=(POWER[0], replace(POWER[1], box=(9, 9, 14, 16)))),
}
DRAWN = replace(RIGHT, notes=None)  # Where lines of scores are, music tells.
WRONG_SHAPES = {
    kind: replace(DRAWN, elements=(ELEMENTS[0], replace(ELEMENTS[1], box=box)))
    for kind, box in (
        ("element moved", (300, 200, 360, 300)),
        ("element resized", (140, 40, 200, 190)),
    )
}


def labeled(title, label):
    """The chart with its title and the label of an axis as texts, too."""
    said = (*([text(title, 100, 10, size=24.0)] if title else ()), *TEXTS[1:])
    texts = (*said, *([text(label, 0, 120)] if label else ()))
    chart = replace(CHART, title=title, y=replace(CHART.y, label=label))
    return replace(RIGHT, texts=texts, charts=(chart,))


LABELED, UNLABELED = labeled("Quarterly revenue", "EUR"), labeled("", "")
WRONG_LABELS = {
    "title missing": labeled("", "EUR"),
    "title wrong": labeled("Quarterly revemue", "EUR"),
    "label missing": labeled("Quarterly revenue", ""),
    "label wrong": labeled("Quarterly revenue", "USD"),
}
EXTRA_LABELS = {
    "title extra": labeled("Quarterly revenue", ""),
    "label extra": labeled("", "EUR"),
}
RIGHTS = (
    dict.fromkeys(WRONG, RIGHT)
    | dict.fromkeys(WRONG_FORMULAS, FORMULA)
    | dict.fromkeys(WRONG_SHAPES, DRAWN)
    | dict.fromkeys(WRONG_LABELS, LABELED)
    | dict.fromkeys(EXTRA_LABELS, UNLABELED)
)
WRONG |= WRONG_FORMULAS | WRONG_SHAPES | WRONG_LABELS | EXTRA_LABELS


def test_every_kind_is_planted():
    assert WRONG.keys() == {*FINDING_KINDS}
    assert {kind.rpartition(" ")[2] for kind in FINDING_KINDS} - {"size"} == MARKS.keys()


@pytest.mark.parametrize("kind", WRONG)
def test_one_mistake_is_one_finding(kind):
    found = compare_layouts(WRONG[kind], RIGHTS[kind])
    assert [one.kind for one in found.findings] == [kind]
    assert 0 < found.findings[0].size <= 1
    if not kind.endswith("restyled"):  # What no score counts.
        assert min(value for value in found.scores.values() if value is not None) < 1
    assert kind.rpartition(" ")[2] in found.sentence.replace("too many", "extra").replace(
        "the page has", "size"
    )


def test_the_same_has_no_findings_and_all_scores_are_1():
    found = compare_layouts(RIGHT, RIGHT)
    assert found.findings == ()
    unknown = {name for name, score in found.scores.items() if score is None}
    assert unknown == {"arrowheads"}
    assert {score for name, score in found.scores.items() if name not in unknown} == {1.0}
    assert found.sentence == "Nothing differs that is on the picture."


def test_a_formula_is_told_by_its_symbols_and_not_once_more_by_pieces_of_its_lines():
    right = replace(FORMULA, texts=(text("x2", 0, 0),))
    pieces = text("x", 0, 0), TextBox("3", (9, 0, 14, 7), "#202020", 8.0)
    wrong = replace(WRONG_FORMULAS["symbol wrong"], texts=pieces)
    assert [one.kind for one in compare_layouts(wrong, right).findings] == ["symbol wrong"]
    larger = replace(right, texts=(replace(right.texts[0], size=40.0),))
    assert [one.kind for one in compare_layouts(larger, right).findings] == ["text resized"]


WORDS = text("wrong words", 0, 40)


@pytest.mark.parametrize("many", [2, 9])
@pytest.mark.parametrize(
    ("kind", "ours", "theirs"),
    [
        ("text extra", (WORDS,), ()),
        ("text missing", (), (WORDS,)),
        ("text misspelt", (replace(WORDS, text="wrong wards"),), (WORDS,)),
        ("text moved", (replace(WORDS, box=(0, 90, 99, 110)),), (WORDS,)),
    ],
)
def test_words_beside_a_formula_are_told_where_its_symbols_do_not_tell_them(
    many, kind, ours, theirs
):
    """In web pages the formulas alone have symbols."""
    power = [
        replace(one, box=(one.box[0] + 20 * n, one.box[1], one.box[2] + 20 * n, one.box[3]))
        for n in range(many)
        for one in POWER
    ]
    formula = text("x2" * many, 0, 0)
    page = PictureLayout((400, 200), (), symbols=tuple(power))
    wrong, right = (replace(page, texts=(formula, *more)) for more in (ours, theirs))
    found = compare_layouts(wrong, right)
    assert [one.kind for one in found.findings] == [kind]
    assert ("1 text too many" if kind == "text extra" else "texts") in found.sentence


def test_a_symbol_is_quoted_with_its_neighbors():
    said = {
        kind: compare_layouts(wrong, FORMULA).findings[0].text
        for kind, wrong in WRONG_FORMULAS.items()
    }
    assert said == {
        "symbol missing": '2 of "x^2"',
        "symbol extra": '"+" in "x^2+"',
        "symbol wrong": '"x^2": 3 for 2',
        "symbol moved": '2 of "x^2"',
    }


def test_symbols_of_a_page_with_words_are_told_by_its_texts():
    words = [replace(POWER[0], text=letter, font="CMR10") for letter in "words" * 9]
    page = replace(FORMULA, symbols=(*words, *POWER))
    assert compare_layouts(replace(page, symbols=page.symbols[:-1]), page).findings == ()


def test_what_all_texts_do_is_one_finding():
    """A page that begins lower has moved, and not each of its texts."""
    pushed = [
        replace(one, box=(one.box[0], one.box[1] + 30, one.box[2], one.box[3] + 30))
        for one in TEXTS
    ]
    found = compare_layouts(replace(RIGHT, texts=tuple(pushed)), RIGHT)
    assert [one.kind for one in found.findings] == ["text moved"]
    assert "and 3 others" in found.findings[0].text
    assert 0.6 < found.scores["text_position"] < 1


def test_hidden_texts_are_missing():
    hidden = compare_layouts(changed(1, visible=False), RIGHT)
    assert [(one.kind, one.text) for one in hidden.findings] == [("text missing", '"North"')]


def test_pieces_of_a_line_are_one_text_however_they_are_cut():
    cut = [text("Quarterly", 100, 10, size=24.0), text("revenue", 190, 10, size=24.0)]
    found = compare_layouts(replace(RIGHT, texts=(*cut, *TEXTS[1:])), RIGHT)
    assert found.findings == ()
    assert [line.text for line in join_lines(cut)] == ["Quarterly revenue"]


def test_equal_texts_are_matched_by_their_place():
    same = tuple(text("5", 40 * number, 50) for number in range(6))
    match = match_layouts(PictureLayout((400, 300), same[::-1]), PictureLayout((400, 300), same))
    assert all(one.box == other.box for one, other in match.matched)


def test_two_pictures_without_anything_on_them_have_nothing_to_compare():
    scores = layout_scores(match_layouts(PictureLayout((9, 9), ()), PictureLayout((9, 9), ())))
    assert {name for name, value in scores.items() if value is not None} == {"page_size"}


def test_an_empty_picture_has_recall_0():
    scores = layout_scores(match_layouts(PictureLayout((400, 300), ()), RIGHT))
    assert (scores["text_recall"], scores["text_precision"], scores["elements"]) == (0, None, 0)


@pytest.mark.parametrize("number", [200, 3000])
def test_many_boxes_are_bounded(number):
    texts = tuple(text(f"word {i}", i % 60 * 30, i // 60 * 30) for i in range(number))
    others = tuple(text(f"{i} ward", i % 60 * 30, i // 60 * 30) for i in range(number))
    shapes = tuple(ElementBox("shape", (i, i, i + 9, i + 9)) for i in range(number))
    one, other = (PictureLayout((2000, 2000), lines, shapes) for lines in (texts, others))
    assert 0 <= layout_scores(match_layouts(one, other))["text_recall"] <= 1


def test_findings_are_drawn_where_they_are():
    picture = Image.new("RGB", (400, 300), "white")
    for kind, wrong in WRONG.items():
        drawn = draw_findings(picture, compare_layouts(wrong, RIGHTS[kind]))
        assert (drawn.tobytes() != picture.tobytes()) == (kind != "page size")


def test_a_rendering_without_a_layout_is_said():
    from helm_structext.renderers import render

    plain = render("svg", '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">a</text></svg>')
    found = compare("svg", plain, plain)
    assert found.scores == {}
    assert found.reason == "what is on the prediction is not known: no layout was asked for"


PAGE = "<!DOCTYPE html><body style='margin:20px;font:16px Arial'>{}<h1>Rain</h1><p>in May</p><div style='width:90px;height:60px;background:teal'></div>"


def similarity(page, other):
    from helm_structext.metrics.layout import layout_similarity
    from helm_structext.renderers import render

    drawn = [render("html", one, protocol="corrected", layout=True) for one in (page, other)]
    return layout_similarity(*(one.layout for one in drawn))


@pytest.mark.parametrize(
    "trick",
    [
        "<style>body{filter:opacity(0)}</style>",
        "<style>body{clip-path:circle(0)}</style>",
        "<style>*{color:#fff!important;background:#fff!important}</style>",
        "<style>body{transform:scale(.001)}</style>",
    ],
)
def test_what_nobody_sees_is_not_there(trick):
    assert similarity(PAGE.format(trick), PAGE.format("")) < 0.4


@pytest.mark.parametrize(
    "rewrite",
    [
        "<style>body{background:white}</style>",
        "<div style='background:#fff;width:50px;height:0'></div>",
        "<style>h1{color:rgb(0,0,0)}</style>",
    ],
)
def test_what_draws_the_same_is_the_same(rewrite):
    assert similarity(PAGE.format(rewrite), PAGE.format("")) >= 0.98


def test_a_picture_is_itself_whatever_lies_on_it():
    empty = PictureLayout((90, 60), (), (ElementBox("shape", (0, 0, 90, 0), "#ff0000"),))
    assert compare_layouts(empty, empty).findings == ()
    right_to_left = (text("שלום", 60, 10), text("עולם", 20, 10))
    joined = (replace(text("x", 20, 10), text="שלום עולם", box=(20, 10, 96, 30)),)
    found = compare_layouts(
        PictureLayout((200, 60), right_to_left), PictureLayout((200, 60), joined)
    )
    assert [one.kind for one in found.findings] == []


def kinds_of(found):
    return [one.kind for one in found.findings]


def scaled(layout, by):
    texts = [
        replace(one, box=tuple(side * by for side in one.box), size=one.size * by)
        for one in layout.texts
    ]
    shapes = [replace(one, box=tuple(side * by for side in one.box)) for one in layout.elements]
    size = tuple(round(side * by) for side in layout.size)
    return replace(layout, size=size, texts=tuple(texts), elements=tuple(shapes))


@pytest.mark.parametrize("by", [0.5, 2.0])
def test_that_a_page_is_larger_is_said_once(by):
    found = compare_layouts(scaled(RIGHT, by), RIGHT)
    assert kinds_of(found) == ["page size"]
    assert found.scores["page_size"] < 0.3


def test_letters_that_all_are_larger_are_one_finding():
    larger = [replace(one, size=one.size * 1.5) for one in TEXTS]
    found = compare_layouts(replace(RIGHT, texts=tuple(larger)), RIGHT)
    assert kinds_of(found) == ["text resized"]
    assert "and 3 others" in found.sentence


def test_what_stands_below_a_lost_line_is_not_told_beside_it():
    lines = [text(f"line {number} of them", 40, 30 * number) for number in range(9)]
    short = [
        *lines[:3],
        *(
            replace(one, box=(40, one.box[1] - 30, one.box[2], one.box[3] - 30))
            for one in lines[4:]
        ),
    ]
    found = compare_layouts(
        PictureLayout((400, 300), tuple(short)), PictureLayout((400, 300), tuple(lines))
    )
    assert kinds_of(found) == ["text missing"]


def test_a_swapped_pair_of_colors_is_called_that():
    blue, red = (one.color for one in ELEMENTS)
    swapped = (replace(ELEMENTS[0], color=red), replace(ELEMENTS[1], color=blue))
    found = compare_layouts(replace(RIGHT, elements=swapped), RIGHT)
    assert kinds_of(found) == ["element recolored"] * 2
    assert found.sentence == ("2 of 2 elements recolored (shape: #3366cc and #cc3333 are swapped).")


def test_findings_beyond_a_picture_s_bound_are_counted():
    many = PictureLayout((400, 9000), tuple(text(f"word {row}", 0, 30 * row) for row in range(230)))
    found = compare_layouts(PictureLayout((400, 9000), ()), many)
    listed = [one for one in found.findings if one.kind == "text missing"]
    assert (len(listed), found.left_out) == (200, 30)


def test_rows_that_are_exchanged_are_told_however_low_they_are():
    rows = [("#7131", "May"), ("#7130", "Ada"), ("#7129", "Bob"), ("#7128", "Eve")]

    def table(*order):
        texts = [
            TextBox(
                word, (100.0 + 200 * at, 100.0 + 20 * line, 150.0 + 200 * at, 114.0 + 20 * line)
            )
            for line, row in enumerate(order)
            for at, word in enumerate(rows[row])
        ]
        return PictureLayout((1920, 1080), tuple(texts))

    right = table(0, 1, 2, 3)
    assert compare_layouts(right, right).findings == ()
    found = compare_layouts(table(0, 2, 1, 3), right)
    assert [(one.kind, one.count) for one in found.findings] == [("text moved", 2)] * 2
    assert {one.text for one in found.findings} == {
        '"#7130" and "#7129" are exchanged',
        '"Ada" and "Bob" are exchanged',
    }
    assert found.sentence.startswith("4 of 8 texts moved (")
    lower = replace(
        right,
        texts=tuple(
            replace(one, box=(one.box[0], one.box[1] + 20, one.box[2], one.box[3] + 20))
            for one in right.texts
        ),
    )
    assert compare_layouts(lower, right).findings == ()


def test_short_texts_are_followed_wherever_they_are():
    def nodes(**places):
        return PictureLayout((800, 600), tuple(text(word, *at) for word, at in places.items()))

    right = nodes(A=(50, 50), B=(700, 500), C=(400, 50))
    found = compare_layouts(nodes(A=(700, 500), B=(50, 50), C=(400, 50)), right)
    assert found.sentence == '2 of 3 texts moved ("A" and "B" are exchanged).'
    other = compare_layouts(nodes(A=(50, 50), B=(700, 500), D=(400, 50)), right)
    assert other.sentence == '1 of 3 texts misspelt ("D" for "C").'
    lost = compare_layouts(nodes(A=(50, 50), B=(700, 500), D=(40, 500)), right)
    assert lost.sentence == '1 of 3 texts missing ("C"); 1 text too many ("D").'


def test_what_no_finding_names_is_not_called_equal(monkeypatch):
    monkeypatch.setattr(ways, "WAYS", (lambda *layouts: Comparison({"a": 0.5}, (), ()),))
    found = compare_layouts(PictureLayout((9, 9), ()), PictureLayout((9, 9), ()))
    assert found.sentence == "Nothing differs that has a name here, but a is 0.50."


def test_all_that_a_finding_is_about_is_drawn_and_kept():
    lower = [replace(one, box=(one.box[0], 240.0, one.box[2], 260.0)) for one in TEXTS[1:]]
    found = compare_layouts(
        PictureLayout((400, 300), (TEXTS[0], *lower)), PictureLayout((400, 300), TEXTS)
    )
    (one,) = found.findings
    assert (one.kind, one.count, len(one.others)) == ("text moved", 3, 2)
    assert read_findings(findings_record(found)) == found
    marked = draw_findings(Image.new("RGB", (400, 300), "white"), found)
    for text in lower:
        left, top, *_ = map(int, text.box)
        assert marked.getpixel((left - 2, top - 2)) == ImageColor.getrgb(MARKS["moved"])


def test_of_many_that_a_finding_is_about_some_are_drawn():
    def grid(push):
        texts = (text(f"word {n}", 5 + push, 25 * n) for n in range(40))
        return PictureLayout((400, 1000), (text("Quarterly revenue", 200, 0), *texts))

    (one,) = compare_layouts(grid(100), grid(0)).findings
    assert one.count == 40
    assert len(one.others) == MAX_OTHERS
