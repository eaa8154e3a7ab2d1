"""What TeX, Typst, LilyPond and Matplotlib tell of their pictures: the boxes lie on the ink, whoever wrote the code."""

import io
import json
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image, ImageChops

from helm_structext.errors import SetupError
from helm_structext.findings import compare
from helm_structext.layouts import MAX_BOXES, MAX_SYMBOLS, SymbolBox
from helm_structext.renderers import lilypond, matplotlib, page_layout, python, render
from helm_structext.renderers.engine import ReaderDied
from helm_structext.renderers.page_layout import check_layout, read_page, read_told
from helm_structext.sandbox import Limits, ProcessDied

RED = "#ff0000"
SCORE = '\\version "2.24.0"\n'
WORDS = {
    "latex": r"\textcolor[rgb]{1,0,0}{Hamburg} \hspace{3cm} second\rule{4cm}{3mm}",
    "latex_document": r"\documentclass{article}\usepackage{xcolor}\begin{document}"
    r"\textcolor[rgb]{1,0,0}{Hamburg} \hspace{3cm} second\rule{4cm}{3mm}\end{document}",
    "tikz": r"\begin{tikzpicture}\node[red] {Hamburg}; \node at (6,-1) {second};"
    r"\fill (2,1) rectangle +(3,0.5);\end{tikzpicture}",
    "typst": "#set page(width: 9cm, height: auto)\n#text(fill: rgb(255, 0, 0))[Hamburg]"
    "#h(3cm)second\n#rect(fill: black, width: 3cm, height: 5mm)",
    "lilypond": SCORE + r"\markup { \with-color #red Hamburg \hspace #9 second } { c'1 }",
    "matplotlib": "plt.figtext(.2, .5, 'Hamburg', color='red')\nplt.figtext(.6, .7, 'second')\n"
    "plt.gcf().add_artist(plt.Rectangle((.1, .1), .3, .2, color='k'))",
}


def told(format, code, **options):
    rendering = render(format, code, layout=True, **options)
    assert rendering.layout is not None, rendering.layout_reason
    assert rendering.layout.size == rendering.image.size
    return rendering


def texts(format, code, **options):
    return [one.text for one in told(format, code, **options).layout.texts]


def red_box(image):
    """Around all that is rather red."""
    red, green, _ = image.split()
    return ImageChops.subtract(red, green).point(lambda level: 255 * (level > 90)).getbbox()


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize("format", WORDS)
def test_boxes_lie_on_the_ink(format, protocol):
    rendering = told(format, WORDS[format], protocol=protocol)
    (word,) = (one for one in rendering.layout.texts if one.text == "Hamburg")
    assert word.color == RED
    assert word.visible
    ink = red_box(rendering.image)
    left, top, right, bottom = word.box
    assert abs(left - ink[0]) < 6
    assert abs(right - ink[2]) < 6
    assert top < ink[1] + 3
    assert bottom > ink[3] - 3
    height = ink[3] - ink[1]  # of capitals and descenders
    assert height <= bottom - top + 2 < 2 * height
    assert 0.8 * height < word.size < 1.6 * height
    (other,) = (one for one in rendering.layout.texts if one.text == "second")
    assert other.color == "#000000"
    assert other.box[0] > right


@pytest.mark.parametrize("format", WORDS)
def test_pictures_are_the_same_with_and_without_a_layout(format):
    plain, wanted = render(format, WORDS[format]), told(format, WORDS[format])
    assert plain.layout is None
    assert plain.layout_reason == ""
    assert plain.image.tobytes() == wanted.image.tobytes()
    assert plain.text == wanted.text
    assert plain.missing == wanted.missing


@pytest.mark.parametrize("format", ["latex", "latex_document", "tikz", "typst", "matplotlib"])
def test_filled_rectangles_are_told(format):
    rendering = told(format, WORDS[format])
    dark = rendering.image.convert("L").point(lambda level: 255 * (level < 40))
    solid = dark.reduce(8).point(lambda level: 255 * (level > 250)).getbbox()
    boxes = [one.box for one in rendering.layout.elements if one.color == "#000000"]
    assert any(
        all(abs(side - 8 * known) < 12 for side, known in zip(box, solid, strict=True))
        for box in boxes
    )


def test_lines_of_a_text_are_joined_and_columns_are_not():
    code = r"""
    Caf\'e na\"ive \c{c}a l\'i, fin efficient office, Stra\ss e.

    \begin{tabular}{lr} Name & Value \\ \hline Alpha beta & 1.25 \end{tabular}

    {\Large Big words}"""
    rendering = told("latex", code)
    found = [one.text for one in rendering.layout.texts]
    assert found == [
        "Café naïve ça lí, fin efficient office, Straße.",
        *("Name", "Value", "Alpha beta", "1.25", "Big words"),
    ]
    sizes = {one.text: one.size for one in rendering.layout.texts}
    assert sizes["Big words"] == pytest.approx(sizes["Name"] * 14.4 / 10, rel=0.02)
    assert any(one.kind == "rule" for one in rendering.layout.elements)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (r"$E = mc^2$", "E = mc2"),
        (r"$x_i^2 + \hat{y} \neq \vec F$", "x2i + ŷ ≠ F⃗"),
        (r"$a \mapsto \sqrt{b} \le \mathbb{R}$", "a ↦ √b ≤ R"),
        (r"$\big( \alpha \Big\} \Bigg]$", "(α}]"),
        (r"$\Bigg( \alpha \big\rangle$", "(α⟩"),
    ],
)
def test_formulas_are_read_in_unicode(code, expected):
    assert texts("latex", code) == [expected]


@pytest.mark.parametrize(
    ("format", "code", "expected"),
    [
        ("latex", r"$\dfrac{x^2}{\mathbb{R}}$", ["x CMMI10", "2 CMR7", "R MSBM10", "rule "]),
        (
            "typst",
            "#set page(width: auto, height: auto)\n$ x^2/RR $",
            ["𝑥 NewCMMath-Book", "2 NewCMMath-Book", "ℝ NewCMMath-Book", "rule "],
        ),
    ],
)
def test_symbols_lie_on_the_ink_one_by_one(format, code, expected):
    rendering = told(format, code)
    symbols = rendering.layout.symbols
    assert [f"{one.text} {one.font}" for one in symbols] == expected
    dark = np.asarray(rendering.image.convert("L")) < 128
    for one in symbols:
        left, top, right, bottom = (round(side) for side in one.box)
        inside = dark[max(top, 0) : bottom + 1, max(left, 0) : right + 1]
        assert inside.any()
    power, base = symbols[1], symbols[0]
    assert power.size == pytest.approx(0.7 * base.size, rel=0.02)
    assert power.box[1] < base.box[1]


FACES = {
    "latex": r"one \textbf{two} \emph{three} \textbf{\textit{four}} $x$\textsf{\textbf{A}} \texttt{B} $\leq$",
    "latex_document": r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}\begin{document}"
    r"one \textbf{two} \textsl{three} \textbf{\textit{four}} $x$\textsf{\textbf{A}} \texttt{B} $\leq$\end{document}",
    "typst": 'one *two* _three_ *_four_* $x$#text(font: "Liberation Sans")[*A*] `B`',
}


@pytest.mark.parametrize("format", FACES)
def test_letters_are_bold_or_italic_by_the_names_of_their_fonts(format):
    line = told(format, FACES[format], protocol="corrected").layout.texts[0]
    letters = "onetwothreefourxAB"
    assert "".join(line.text.split()).startswith(letters)
    assert line.faces.startswith("rrr" + "bbb" + "iiiii" + "zzzz" + "i" + "b" + "r")
    assert line.faces[len(letters) :] in ("", "?")  # Of a sign, nothing is known.


@pytest.mark.parametrize(
    ("name", "faces"),
    [
        ("Helvetica-BoldOblique", "z"),
        ("Arial,Bold", "b"),
        ("ABCDEF+NimbusRomNo9L-MediItal", "z"),
        ("NimbusRomNo9L-Regu", "r"),
        ("FiraSans-Medium", "r"),
        ("SFBX1000", "b"),
        ("CMSY10", ""),
        ("Capitals", "r"),
    ],
)
def test_a_font_is_believed(name, faces):
    content = "BT /T 10 Tf 20 20 Td (words in it) Tj ET"
    layout, _ = read_page(write_pdf(content, font=f"/BaseFont /{name}"), 72, page())
    assert [one.faces for one in layout.texts] == [faces]


def test_signs_of_several_parts_are_one():
    found = texts(
        "latex", r"$\left[\begin{matrix}1\\2\\3\\4\\5\end{matrix}\right] \sum \int \prod$"
    )
    joined = " ".join(found)
    assert [joined.count(sign) for sign in "[]∑∫∏"] == [1] * 5
    assert [joined.count(sign) for sign in "12345"] == [1] * 5


def test_other_scripts_are_read():
    russian = r"\documentclass{article}\usepackage{fontspec}\setmainfont{Liberation Sans}\begin{document}Проверка: ё, й.\end{document}"
    assert texts("latex_document", russian, protocol="corrected")[0] == "Проверка: ё, й."
    chinese = r"\documentclass{article}\usepackage{ctex}\begin{document}中文测试\end{document}"
    assert texts("latex_document", chinese, protocol="corrected")[0] == "中文测试"
    assert texts("typst", "#set page(height: auto)\n日本語 и $𝑥 = α$ ﬁn") == ["日本語 и x = α fin"]
    assert texts("matplotlib", "plt.figtext(.1, .1, '標題')", protocol="corrected") == ["標題"]
    assert texts("lilypond", SCORE + r"\markup { 静夜思 } { c' }")[0] == "静夜思"


TURNED = {
    "tikz": r"\begin{tikzpicture}\node[rotate=ANGLE] {turned words}; \node at (4,0) {level};\end{tikzpicture}",
    "typst": "#set page(height: auto)\n#rotate(-ANGLEdeg, reflow: true)[turned words] #h(2cm) level",
    "matplotlib": "plt.figtext(.2, .4, 'turned words', rotation=ANGLE)\nplt.figtext(.6, .5, 'level')",
}


@pytest.mark.parametrize("angle", ["90", "45", "-90", "30"])
@pytest.mark.parametrize("format", TURNED)
def test_turned_texts_are_one_piece_each(format, angle):
    rendering = told(format, TURNED[format].replace("ANGLE", angle))
    boxes = {one.text: one.box for one in rendering.layout.texts}
    assert boxes.keys() == {"turned words", "level"}
    left, top, right, bottom = boxes["turned words"]
    if angle.endswith("90"):
        assert bottom - top > 3 * (right - left)
    else:
        assert (right - left > bottom - top) == (angle == "30") or angle == "45"


def test_the_foot_that_is_cut_off_is_not_told():
    code = r"Above\par\vspace*{\fill} below\newpage"
    assert texts("latex", code, protocol="published") == ["Above"]
    rendering = told("latex", code, protocol="corrected")
    assert [one.text for one in rendering.layout.texts] == ["Above", "below"]
    assert rendering.layout.texts[1].box[3] == pytest.approx(rendering.image.height, abs=8)


UNSEEN = {
    "tikz": [
        r"\begin{tikzpicture}\draw (0,0) -- (3,3); \node[text=white] at (1,2) {ghost};\end{tikzpicture}",
        r"\begin{tikzpicture}\node at (1,2) {ghost}; \fill[blue] (0,1) rectangle (2,3);\end{tikzpicture}",
        r"\begin{tikzpicture}\draw (0,0) -- (3,3); \clip (0,0) rectangle (1,1);"
        r"\node at (1,2.5) {ghost};\end{tikzpicture}",
        r"\begin{tikzpicture}\draw (0,0) -- (3,3); \node[opacity=0] at (1,2) {ghost};\end{tikzpicture}",
        r"\begin{tikzpicture}\draw (0,0) -- (3,3); \node at (1,2) {\pdfliteral direct{3 Tr}ghost};\end{tikzpicture}",
    ],
    "typst": [
        "#set page(height: auto)\n#text(white)[ghost] #rect()",
        "#set page(height: auto)\n#place(text[ghost]) #place(dx: -1cm, rect(fill: navy, width: 5cm, height: 1cm)) #v(1cm)",
        "#set page(height: auto)\n#hide[ghost] #rect()",
    ],
    "matplotlib": [
        "plt.plot([1, 2])\nplt.figtext(.5, .95, 'ghost', color='white')",
        "plt.plot([1, 2])\nplt.figtext(.5, .95, 'ghost', alpha=0)",
        "plt.figtext(.5, .5, 'ghost')\nplt.gcf().add_artist(plt.Rectangle((0, 0), 1, 1, color='c', zorder=9))",
        "plt.plot([1, 2])\nplt.text(5, 5, 'ghost', clip_on=True)",
    ],
    "lilypond": [SCORE + r"\markup { \with-color #white ghost } { c'1 }"],
}


@pytest.mark.parametrize(
    ("format", "code"), [(format, code) for format, codes in UNSEEN.items() for code in codes]
)
def test_texts_that_nobody_sees_are_not_visible(format, code):
    rendering = told(format, code)
    assert not [one for one in rendering.layout.texts if one.text == "ghost" and one.visible]
    assert "ghost" not in "".join(one.text for one in rendering.layout.symbols or ())


def test_scores_are_told_in_the_order_of_reading():
    code = (
        SCORE
        + r"""
    \header { title = "Été" composer = "N. N." tagline = ##f }
    << \new Staff \with { instrumentName = "Flute" } \relative c' { \tempo "Allegro" g4\mf a b c }
    \addlyrics { One two three four } >>"""
    )
    rendering = told("lilypond", code)
    found = [one.text for one in rendering.layout.texts]
    assert found[0] == "Été"
    assert found[-4:] == ["One", "two", "three", "four"]
    assert {"N. N.", "Flute", "Allegro", "mf"} <= {*found}
    staff = [one.box for one in rendering.layout.elements if one.box[2] - one.box[0] > 100]
    assert len(staff) == 5
    line = rendering.image.convert("L").crop(
        (0, round(staff[0][1]), rendering.image.width, round(staff[0][3]) + 1)
    )
    assert np.asarray(line).min(axis=0)[round(staff[0][0]) + 3 : round(staff[0][2]) - 3].max() < 200


def test_a_page_in_landscape_is_told_as_it_is_drawn():
    code = f"{SCORE}#(set-default-paper-size \"a6\" 'landscape) \\markup {{ word }} {{ c'1 d'1 }}"
    drawn = render("lilypond", code, protocol="corrected", layout=True)
    assert drawn.layout
    assert drawn.layout.size == drawn.image.size
    (word,) = (one.box for one in drawn.layout.texts if one.text == "word")
    first, second = (one.box for one in drawn.layout.notes.notes)
    assert word[3] - word[1] > word[2] - word[0]
    assert first[1] > second[1]  # The music goes up along the page.
    for box in (word, first, second):
        inside = drawn.image.convert("L").crop(tuple(map(round, box)))
        assert np.asarray(inside).min() < 100


def test_a_score_of_pages_tells_the_first_one():
    code = SCORE + r"\markup { first } { c'1 \pageBreak c'1 } \markup { second }"
    assert "first" in texts("lilypond", code, protocol="corrected")
    assert "second" not in texts("lilypond", code, protocol="corrected")


@pytest.mark.parametrize(
    "trick",
    [
        "#(ly:set-option 'resolution 300)",
        '#(set-default-paper-size "a4" \'landscape)',
        r"\paper { page-post-process = #(lambda (layout pages) (exit 1)) }",
        "#(module-set! (resolve-module '(lily framework-ps)) 'output-stencils (lambda rest #f))",
    ],
)
def test_what_a_score_does_to_its_page_changes_no_picture(trick):
    code = f"{SCORE}{trick} \\markup {{ word }} {{ c'1 }}"
    outcomes = []
    for layout in (False, True):
        try:
            rendering = render("lilypond", code, layout=layout)
            outcomes.append(rendering.image.tobytes())
            if layout and rendering.layout:
                (word,) = (one for one in rendering.layout.texts if one.text == "word")
                assert word.visible
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


def test_what_lilypond_tells_is_not_believed():
    page = Image.new("RGB", (100, 100), "white")
    head = b'["page", 25.4, 1, 100, 100]\n'
    for lines in (b"", b"7", b"[]", b'["text"]', head + b'["reset"]', head + b'["text", [1e9], 1, 1, 1, 1]',
                  head + b'["color", "x"]', head + b"[" * 100_000, b'["page", 25.4, 9, 100, 100]\n'):  # fmt: skip
        layout, reason = lilypond.read_steps(lines, page, (0, 0, 100, 100))
        assert (layout is None) == bool(reason)
        assert reason or not layout.texts
    many = head + b'["box", 1, 1, 1, 1, 0]\n' * (MAX_BOXES + 7)
    inked = Image.new("RGB", (100, 100), "black")  # What has no ink is left out.
    layout, _ = lilypond.read_steps(many, inked, (0, 0, 100, 100))
    assert (len(layout.elements), layout.left_out) == (MAX_BOXES, 7)


def test_figures_are_told_line_by_line():
    code = """
import numpy as np
import matplotlib.patheffects as effects
figure, (axes, other) = plt.subplots(1, 2)
axes.plot([1, 2, 3], [3, 1, 2], "s-", color="#1f77b4", label="Größe $x^2$")
axes.set_title("Two\\nlines"); axes.legend(); axes.set_ylabel("Höhe")
other.bar(["Aa", "Bb"], [1, 100], color=["#123456", "orange"]); other.set_yscale("log")
other.text(0, 5, "effect", path_effects=[effects.withStroke(linewidth=3, foreground="y")])
other.imshow(np.eye(3), extent=(0.2, 0.8, 2, 20), aspect="auto")
other.set_xlim(-0.6, 1.6); other.set_ylim(0.5, 200)
"""
    layout = told("matplotlib", code).layout
    found = {one.text for one in layout.texts}
    assert {"Größe x2", "Two", "lines", "Höhe", "Aa", "Bb", "effect", "100", "102"} <= found
    assert sum(one.text == "effect" for one in layout.texts) == 1
    colors = [one.color for one in layout.elements if one.kind == "shape"]
    assert colors.count("#1f77b4") >= 4  # the line and its marks
    assert {"#123456", "#ffa500"} <= {*colors}
    assert [one.kind for one in layout.elements].count("image") == 1


@pytest.mark.parametrize(
    "code",
    [
        "plt.figtext(.2, .5, 'kept')\nplt.savefig('a.png')\nplt.clf()",
        "plt.figtext(.2, .5, 'kept')\nplt.savefig('a.png')\nplt.close('all')",
        "plt.figtext(.2, .5, 'kept')\nplt.gcf().canvas.draw()",
    ],
)
def test_the_layout_is_that_of_the_figure_that_counts(code):
    assert texts("matplotlib", code) == ["kept"]


@pytest.mark.parametrize(
    "trick",
    [
        "import matplotlib.backends.backend_agg as agg\nagg.RendererAgg = None\n",
        "import matplotlib_layout as m\nm.NotingRenderer.note_text = lambda *a, **k: 1 / 0\n",
        "import matplotlib_layout as m\nm.json = None\n",
        "import python_server as p\np.tell_layout = lambda data: None\n",
        "import python_server as p\np.layouts.append(b'[' * 10**6)\n",
        "class Text(str):\n    def replace(self, *a): raise KeyError\nplt.figtext(.1, .1, Text('$x$'))\n",
    ],
)
def test_what_a_script_does_to_what_notes_it_changes_no_picture(trick):
    code = trick + "plt.figtext(.5, .5, 'word')"
    outcomes = []
    for layout in (False, True):
        try:
            outcomes.append(render("matplotlib", code, layout=layout).image.tobytes())
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


def test_many_marks_are_bounded():
    code = "import numpy as np\nplt.scatter(np.arange(60_000), np.arange(60_000), c=np.arange(60_000), s=1)"
    layout = told("matplotlib", code).layout
    assert len(layout.texts) + len(layout.elements) <= MAX_BOXES
    assert layout.left_out >= 10_000


# PDFs that nobody's TeX made.


def write_pdf(content, forms=(), box="0 0 300 200", font="/BaseFont /Helvetica"):
    """A PDF of one page; forms are streams that are called F0, F1, …, each of which may draw the next."""
    names = " ".join(f"/F{index} {5 + index} 0 R" for index in range(len(forms)))
    resources = f"/Resources << /Font << /T 4 0 R >> /XObject << {names} >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] {resources} /Contents {5 + len(forms)} 0 R >>".encode(),
        f"<< /Type /Font /Subtype /Type1 {font} >>".encode(),
        *(
            f"<< /Type /XObject /Subtype /Form /BBox [-999 -999 999 999] {resources} /Length {len(form)} >>"
            f"\nstream\n{form}\nendstream".encode()
            for form in forms
        ),
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode(),
    ]
    file = io.BytesIO(b"%PDF-1.5\n")
    file.seek(0, io.SEEK_END)
    places = []
    for number, one in enumerate(objects, 1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%b\nendobj\n" % (number, one))
    start = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    file.writelines(b"%010d 00000 n \n" % place for place in places)
    file.write(
        b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    )
    return file.getvalue()


def page(width=300, height=200):
    """A picture on which every place has some ink."""
    checks = np.indices((height, width)).sum(axis=0) % 2 * 255
    return Image.fromarray(checks.astype(np.uint8)).convert("RGB")


def test_a_page_is_read_in_points_and_pixels():
    content = "BT /T 20 Tf 1 0 0 rg 50 100 Td (Hello) Tj ET 0 0 1 RG 4 w 10 20 m 10 180 l S 0 1 0 rg 200 50 40 30 re f"
    layout, reason = read_page(write_pdf(content), 144, page(600, 400))
    assert reason == ""
    (word,) = layout.texts
    assert (word.text, word.color, word.size, word.visible) == ("Hello", "#ff0000", 40, True)
    assert word.box[0] == pytest.approx(100, abs=3)
    assert word.box[1] < 200 < word.box[3]
    assert [(one.kind, one.color) for one in layout.elements] == [
        ("shape", "#0000ff"),
        ("shape", "#00ff00"),
    ]
    assert layout.elements[1].box == pytest.approx((400, 240, 480, 300), abs=1)
    cropped, _ = read_page(write_pdf(content), 144, page(600, 400), (90, 100, 300, 300))
    assert cropped.size == (210, 200)
    assert cropped.texts[0].box == pytest.approx(
        (word.box[0] - 90, word.box[1] - 100, word.box[2] - 90, word.box[3] - 100)
    )
    assert not cropped.elements


def test_turned_and_shifted_pages_are_read_as_they_are_drawn():
    content = "BT /T 20 Tf 150 200 Td (Hello) Tj ET"
    layout, _ = read_page(write_pdf(content, box="100 100 400 300"), 72, page())
    assert layout.texts[0].box[0] == pytest.approx(50, abs=2)
    turned = write_pdf(content, box="100 100 400 300] /Rotate 90 /Foo [0")
    layout, _ = read_page(turned, 72, page(200, 300))
    left, top, right, bottom = layout.texts[0].box
    assert bottom - top > right - left
    assert top == pytest.approx(50, abs=2)
    assert left < 100 < right


@pytest.mark.parametrize("data", [b"", b"%PDF-1.5", b"\0" * 5000, write_pdf("")[:300], b"x" * 100])
def test_what_is_no_pdf_has_a_reason(data):
    layout, reason = read_page(data, 72, page())
    assert layout is None
    assert reason


def test_a_page_of_another_size_has_a_reason():
    layout, reason = read_page(write_pdf(""), 72, page(310, 200))
    assert layout is None
    assert "of another size" in reason


@pytest.mark.parametrize(
    "content",
    [
        "BT /T 20 Tf",
        "q " * 50_000,
        "1e38 0 0 1e38 1e38 1e38 cm BT /T 1e30 Tf (x) Tj ET 0 0 1e38 1e38 re f",
        "BT /T 10 Tf 0 0 0 0 0 0 Tm (x) Tj ET",
        "0 0 m 1e9 1e9 l S",
        "BT /T -10 Tf 50 50 Td (x) Tj ET",
        "/F9 Do",
        "W n " * 1000 + "0 0 10 10 re f",
        "BT /T 10 Tf 50 50 Td (\\000\\001\\002\\377) Tj ET",
    ],
)
def test_strange_pages_are_read_or_have_a_reason(content):
    layout, reason = read_page(write_pdf(content), 72, page())
    assert (layout is None) == bool(reason)
    for one in layout.texts if layout else ():
        assert np.isfinite(one.box).all()
        assert one.text.isprintable()


def test_many_texts_and_shapes_are_bounded():
    spread = " ".join(
        f"1 0 0 1 {index % 290} {index // 290 % 190} Tm (x) Tj" for index in range(60_000)
    )
    layout, reason = read_page(write_pdf(f"BT /T 1 Tf {spread} ET"), 72, page())
    assert reason == ""
    assert 0 < len(layout.texts) <= MAX_BOXES
    layout, _ = read_page(write_pdf("0 0 9 9 re f " * 60_000), 72, page())
    assert len(layout.elements) == MAX_BOXES
    assert layout.left_out == 10_000


def test_many_symbols_are_bounded():
    spread = " ".join(
        f"1 0 0 1 {index % 290} {index // 290 % 190} Tm (x) Tj" for index in range(30_000)
    )
    layout, _ = read_page(write_pdf(f"BT /T 1 Tf {spread} ET"), 72, page())
    assert len(layout.symbols) == MAX_SYMBOLS
    heap = [SymbolBox("x", (0, 0, 290, 190), "", 300.0)] * 2000
    assert page_layout.keep_drawn(heap[:9], page()) == tuple(heap[:9])
    assert page_layout.keep_drawn(heap, page()) is None


def test_forms_in_forms_end():
    twenty = [f"q /F{index + 1} Do /F{index + 1} Do Q" for index in range(20)]
    forms = [*twenty, "0 0 9 9 re f"]
    with suppress(ReaderDied):
        layout, reason = read_page(write_pdf("/F0 Do", forms), 72, page())
        assert (layout is None) == bool(reason)
    with suppress(ReaderDied):
        itself, _ = read_page(write_pdf("/F0 Do 5 5 9 9 re f", ["/F0 Do"]), 72, page())
        assert itself is None or len(itself.elements) >= 1
    nested = [
        "q 2 0 0 2 10 0 cm /F1 Do Q",
        "1 0 0 rg 5 5 20 10 re f BT /T 10 Tf 20 20 Td (in) Tj ET",
    ]
    layout, _ = read_page(write_pdf("/F0 Do", nested), 72, page())
    assert layout.elements[0].box == pytest.approx((20, 170, 60, 190), abs=1)
    assert layout.texts[0].box[0] == pytest.approx(50, abs=3)
    assert layout.texts[0].size == 20


def test_clipped_shapes_are_told_as_far_as_they_are_seen():
    content = "q 10 10 50 50 re W n 0 0 200 200 re f Q q 10 10 50 50 re W n 100 100 9 9 re f Q"
    layout, _ = read_page(write_pdf(content), 72, page())
    assert [one.box for one in layout.elements] == [pytest.approx((10, 140, 60, 190), abs=1)]


def test_shapes_of_a_pdf_have_the_color_of_their_outlines():
    content = "1 0 0 rg 0 0 1 RG 10 10 40 40 re B 60 10 40 40 re S 110 10 40 40 re f"
    layout, _ = read_page(write_pdf(content), 72, page())
    assert [(one.color, one.line) for one in layout.elements] == [
        ("#ff0000", "#0000ff"),
        ("#0000ff", "#0000ff"),
        ("#ff0000", ""),
    ]


@pytest.mark.parametrize(
    ("path", "box"),
    [
        ("50 50 100 60 re S", (45, 85, 155, 155)),
        ("50 50 100 60 re B", (45, 85, 155, 155)),
        ("50 50 100 60 re f", (50, 90, 150, 150)),
        ("50 50 m 150 50 l S", (45, 145, 155, 155)),  # As if it had caps at its ends.
        ("q 2 0 0 2 0 0 cm 25 25 50 30 re S Q", (40, 80, 160, 160)),
    ],
)
def test_a_box_of_a_pdf_has_half_of_its_outline_around_it(path, box):
    """PDFium itself tells all of the line's width on each side."""
    layout, _ = read_page(write_pdf(f"10 w {path}"), 72, page())
    (shape,) = layout.elements
    assert shape.box == pytest.approx(box, abs=0.5)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("10 50 80 1 re", ("rule", "#0000ff", "")),
        ("10 50 m 90 50 l", ("rule", "#0000ff", "")),
        ("10 10 m 90 90 l", ("shape", "#0000ff", "#0000ff")),
        ("10 10 m 90 90 l h", ("shape", "#0000ff", "#0000ff")),
        ("10 10 m 90 90 l 90 10 l", ("shape", "#ff0000", "#0000ff")),
    ],
)
def test_a_line_of_a_pdf_that_is_filled_too_has_the_color_of_its_stroke(path, expected):
    """What would fill it is not to be seen; where it is filled alone, that is its color."""
    ink = "1 0 0 rg 0 0 1 RG 0.5 w"
    layout, _ = read_page(write_pdf(f"{ink} {path} B"), 72, page())
    assert [(one.kind, one.color, one.line) for one in layout.elements] == [expected]
    filled, _ = read_page(write_pdf(f"{ink} 10 50 80 1 re f"), 72, page())
    assert [(one.kind, one.color) for one in filled.elements] == [("rule", "#ff0000")]


GRADIENTS = """#set page(width: 200pt, height: 100pt, margin: 0pt)
#place(rect(width: 200pt, height: 90pt, fill: gradient.linear(red, blue)))
#place(dx: 9pt, dy: 9pt, circle(radius: 9pt, fill: white, stroke: 3pt + white))
#place(dx: 50pt, dy: 9pt, rotate(20deg, scale(50%, circle(radius: 9pt, fill: gradient.radial(white, yellow), stroke: green))))
#place(dx: 99pt, dy: 9pt, rect(width: 40pt, height: 30pt, stroke: 3pt + gradient.linear(blue, lime)))
#place(dx: 150pt, dy: 9pt, rect(width: 40pt, height: 30pt, fill: white, stroke: 3pt + gradient.linear(blue, lime)))
"""


def test_gradients_of_a_pdf_have_no_color_of_their_own():
    """PDFium says that they are white; one over all of the picture is not the page."""
    layout = told("typst", GRADIENTS).layout
    assert [(one.color, one.line) for one in layout.elements] == [
        ("", ""),
        ("#ffffff", "#ffffff"),
        ("", "#2ecc40"),
        ("", ""),
        ("", ""),
    ]


def test_white_shapes_are_looked_at_within_bounds():
    """Of very many, the others are white as PDFium says."""
    dots = "1 1 1 rg" + " 10 10 5 5 re f" * 5_000
    layout, _ = read_page(write_pdf("0.5 g 0 0 300 200 re f " + dots), 72, page())
    assert {one.color for one in layout.elements[1:]} == {"#ffffff"}


def test_lines_of_a_pdf_are_dashed_or_solid():
    lines = "[3 2] 0 d 10 10 40 40 re S [] 0 d 60 10 40 40 re S [1] 0 d 110 10 m 200 10 l S 210 10 9 9 re f"
    layout, _ = read_page(write_pdf(lines), 72, page())
    assert [one.dashed for one in layout.elements] == [True, False, True, None]


def test_colors_are_those_that_are_seen_on_white():
    content = "1 1 1 rg 0 0 300 200 re f 0.5 g 10 10 40 40 re f 0 1 1 0 k 60 10 40 40 re f"
    layout, _ = read_page(write_pdf(content), 72, page())
    gray, red = (one.color for one in layout.elements)  # The white page itself is none.
    assert gray in ("#7f7f7f", "#808080")
    assert int(red[1:3], 16) > 200
    assert int(red[3:5], 16) < 80


def test_a_page_that_takes_too_long_has_a_reason(monkeypatch):
    monkeypatch.setattr(page_layout, "LAYOUT_LIMITS", Limits(seconds=0.3, memory=1024, scratch=64))
    forms = [*(" ".join([f"/F{index + 1} Do"] * 9) for index in range(9)), "0 0 9 9 re f " * 99]
    layout, reason = read_page(write_pdf("/F0 Do", forms), 72, page())
    assert layout is None
    assert "can't be read" in reason


def test_a_page_needs_the_extra(monkeypatch):
    monkeypatch.setattr(page_layout, "PACKAGES", ("pypdfium2-that-is-not-there",))
    with pytest.raises(SetupError, match="pypdfium2-that-is-not-there"):
        read_page(write_pdf(""), 72, page())


def test_what_engines_tell_is_not_believed():
    picture = page(40, 30)
    good = {"size": [40, 30], "texts": [["a", [1, 1, 9, 9], "#000000", 8, True]], "elements": []}
    assert read_told(json.dumps(good).encode(), picture)[0].texts[0].visible
    for bad in (
        b"",
        b"{",
        b"[" * 100_000,
        b"{}",
        b'{"size": [40, 31], "texts": [], "elements": []}',
        b"\xff",
    ):
        layout, reason = read_told(bad, picture)
        assert layout is None
        assert reason
    hidden = {**good, "texts": [["a", [50, 1, 90, 9], "#000000", 8, True]]}
    assert not check_layout(hidden, picture)[0].texts[0].visible


def test_a_tex_document_that_is_too_large_keeps_its_picture(monkeypatch):
    from helm_structext.renderers import latex

    monkeypatch.setattr(latex, "KEEP_PDF", latex.KEEP_PDF.replace(str(latex.MAX_PDF * 2048), "1"))
    rendering = render("latex", WORDS["latex"], layout=True)
    assert rendering.image.tobytes() == render("latex", WORDS["latex"]).image.tobytes()
    assert rendering.layout is None
    assert rendering.layout_reason


def test_a_typst_that_breaks_with_its_layout_keeps_its_picture(monkeypatch):
    make = python.make

    def dies(job, *arguments, **options):
        if job == "typst_layout_job":
            raise ProcessDied("ended by signal 11")
        return make(job, *arguments, **options)

    monkeypatch.setattr(python, "make", dies)
    rendering = render("typst", WORDS["typst"], layout=True)
    assert rendering.layout is None
    assert rendering.layout_reason.startswith("reading what is on it: the engine died each time")
    assert rendering.image.width > 500


def test_a_pdf_whose_reader_is_killed_once_is_read_in_the_second_try(monkeypatch):
    make, asked = python.make, []

    def dies_first(job, *arguments, **options):
        asked.append(job)
        if len(asked) == 1:
            raise ProcessDied("ended by signal 9")
        return make(job, *arguments, **options)

    monkeypatch.setattr(python, "make", dies_first)
    assert render("latex", WORDS["latex"], layout=True).layout is not None
    assert asked == ["pdf_job"] * 2


def test_a_job_is_told_what_is_wanted():
    limits = Limits(memory=2048)
    code = "plt.figtext(.5, .5, 'word')"
    made = python.make(
        "matplotlib_job", matplotlib.PACKAGES, code, {}, "corrected", limits, layout=True
    )
    plain = python.make("matplotlib_job", matplotlib.PACKAGES, code, {}, "corrected", limits)
    assert json.loads(made.layout)["texts"][0][0] == "word"
    assert plain.layout == b""
    assert plain.page == made.page


SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">{}</svg>'
BAR = '<rect x="20" y="20" width="60" height="50" fill="#cc3333"/>'


@pytest.mark.parametrize(
    ("over", "seen"),
    [
        ("", True),
        ('<rect x="10" y="10" width="90" height="80" fill="#3366cc"/>', False),
        ('<rect x="20" y="20" width="60" height="50" fill="#3366cc"/>', False),
        ('<rect x="10" y="10" width="90" height="80" fill="none" stroke="#3366cc"/>', True),
        ('<rect x="50" y="10" width="90" height="80" fill="#3366cc"/>', True),
        ('<rect x="10" y="10" width="90" height="80" fill="#3366cc" opacity="0.3"/>', True),
    ],
)
def test_a_shape_that_is_painted_over_is_not_on_the_picture(over, seen):
    layout = render("svg", SVG.format(BAR + over), layout=True).layout
    assert ("#cc3333" in {one.color for one in layout.elements}) == seen


TIKZ = (
    r"\documentclass[tikz]{{standalone}}\usetikzlibrary{{arrows.meta}}\usepackage{{pgfplots}}"
    r"\begin{{document}}\begin{{tikzpicture}}{}\end{{tikzpicture}}\end{{document}}"
)


@pytest.mark.parametrize(
    ("code", "heads"),
    [
        (r"\draw[->] (0,0) -- (2,0);", 1),
        (r"\draw[<->, red] (0,0) to[bend left] (2,1);", 2),
        (r"\draw[-stealth] (0,0) -- (0,1) -- (2,1);", 1),
        (r"\draw[-{Triangle[open]}] (0,0) -- (2,1);", 1),
        (r"\draw[->] (0,0) -- (2,0); \draw[->] (2,0) -- (2,2);", 2),
        (r"\draw[-latex, line width=2pt] (0,0) .. controls (1,2) .. (3,0);", 1),
        (r"\draw (0,0) -- (2,0);", 0),
        (r"\draw[-|] (0,0) -- (2,0);", 0),
        (r"\draw (0,0) -- (2,1); \fill (0,0) circle (2pt); \fill (2,1) circle (2pt);", 0),
        (r"\draw (0,0) -- (0.5,0.2); \draw (0.5,0.2) -- (1,0.6); \draw (1,0.6) -- (1.5,1);", 0),
        (r"\begin{axis} \addplot coordinates {(0,1) (1,3) (2,2)}; \end{axis}", 0),
    ],
)
def test_heads_of_arrows_are_told_where_a_line_ends(code, heads):
    layout = render("tikz", TIKZ.format(code), protocol="corrected", layout=True).layout
    assert sum(one.kind == "arrowhead" for one in layout.elements) == heads


def test_an_arrow_that_is_turned_costs_and_is_told():
    right, wrong = (
        render(
            "tikz",
            TIKZ.format(rf"\draw[{tip}] (0,0) -- (3,0);"),
            protocol="corrected",
            layout=True,
        )
        for tip in ("->", "<-")
    )
    found = compare("tikz", wrong, right)
    assert found.scores["arrowheads"] == 0
    assert "arrowhead" in found.sentence
