"""What LaTeX and TikZ of StructEval are: other profiles of the same renderer."""

import pytest
from PIL import ImageChops

from helm_structext.errors import MissingResource, RenderError
from helm_structext.machine.programs import find_program
from helm_structext.renderers import engine_of, latex, latex_document, render, tex_log
from helm_structext.renderers.tex_files import tex_file_names
from helm_structext.sandbox import Limits

CIRCLE = r"\begin{tikzpicture}\draw[red] (0,0) circle (1) node {$\sum_i^n x_i$};\end{tikzpicture}"
AXIS = r"\begin{tikzpicture}\begin{axis}\addplot{x^2};\end{axis}\end{tikzpicture}"


@pytest.mark.parametrize("body", [CIRCLE, AXIS, "Text and $x$"])
def test_dumped_preamble_gives_the_page_of_the_loaded_one(body):
    document = latex_document.complete_document(body).text
    dumped, *_ = latex.compile_once(document, "", {}, Limits(), latex_document.PROFILE)
    loaded, *_ = latex.compile_once("%\n" + document, "", {}, Limits(), latex_document.PROFILE)
    assert dumped.size == loaded.size
    assert ImageChops.difference(dumped, loaded).getbbox() is None


def test_pictures_are_pages_of_300_dpi_not_cropped():
    assert render("latex_document", "Text").image.size == (2550, 3300)
    inch = r"\begin{tikzpicture}\draw[fill] (0,0) rectangle (1in,1in);\end{tikzpicture}"
    width, height = render("tikz", inch).image.size
    assert 300 < width == height < 330  # With a border of 2 points and a line.


def test_first_page_counts():
    two = r"\documentclass{article}\begin{document}~\newpage Text\end{document}"
    image = render("latex_document", two).image
    above_its_number = image.crop((0, 0, image.width, 2000))
    assert above_its_number.getextrema() == ((255, 255),) * 3


def test_packages_of_a_fragment_are_loaded_before_it():
    fragment = "\\usepackage{circuitikz}\n" + CIRCLE
    assert render("tikz", fragment).image.size == (2550, 3300)  # Text, and no drawing.
    drawn = render("tikz", fragment, protocol="corrected")
    assert drawn.image.tobytes() == render("tikz", CIRCLE).image.tobytes()
    assert "circuitikz.sty" in drawn.log


def test_log_tells_the_errors_of_a_page():
    assert "Undefined control sequence" in render("tikz", CIRCLE + r"\nope").log


def test_versions_are_those_of_the_programs():
    for name in ("latex_document", "tikz"):
        assert (
            engine_of(name).version()
            == f"{name} {latex_document.REVISION} ({latex.programs_version()})"
        )


ARTICLE = r"\documentclass{article}\usepackage{tikz}%s\begin{document}%s\end{document}"
FAILED = r"\begin{tikzpicture}\nope\end{tikzpicture}"


@pytest.mark.parametrize(
    "style",
    ["", r"\pagestyle{headings}", r"\pagenumbering{roman}\AtBeginDocument{\setcounter{page}{88}}"],
)
def test_the_number_of_a_page_alone_is_nothing_to_see(style):
    with pytest.raises(RenderError, match=r"syntax: .*Undefined control sequence"):
        render("tikz", ARTICLE % (style, FAILED))


def test_a_page_with_little_more_than_its_number_is_a_picture():
    for beside in (r"\vfill\centering 1", r"\pagestyle{empty}.", r"\rule{9cm}{1pt}"):
        assert "Undefined control" in render("tikz", ARTICLE % ("", FAILED + beside)).log
    assert render("tikz", ARTICLE % ("", r"\mbox{}")).image.size == (2550, 3300)


PICTURE = r"\begin{tikzpicture}%s\end{tikzpicture}"
LIBRARIES = {
    "positioning": r"\node[draw](a){A};\node[draw,right=2cm of a]{B};",
    "arrows.meta": r"\draw[-{Stealth[length=3mm]}](0,0)--(1,1);",
    "arrows": r"\draw[-stealth'](0,0)--(1,1);\draw[o->](0,1)--(1,0);",
    "patterns": r"\draw[pattern=north east lines](0,0) rectangle (2,2);",
    "shapes.geometric": r"\node[ellipse,draw]{e};\node[diamond,draw] at (2,0){d};",
    "fit": r"\node(a){A};\node[draw,fit=(a)]{};",
    "mindmap": r"\path[mindmap,concept color=red]node[concept]{A}child{node[concept]{B}};",
    "angles,quotes": r"\coordinate(a)at(1,0);\coordinate(b)at(0,0);\coordinate(c)at(0,1);"
    r'\draw pic[draw,angle radius=8mm,"$x$"]{angle=a--b--c};',
    "matrix": r"\matrix[matrix of nodes]{a&b\\c&d\\};",
    "graphs": r"\graph{a->{b,c}};",
    "automata": r"\node[state,accepting]{q};",
    "calc": r"\fill($(0,0)!.5!(2,2)$) circle(1);",
    "backgrounds": r"\begin{scope}[on background layer]\fill(0,0) circle(1);\end{scope}",
    "intersections": r"\path[name path=a](0,0)--(1,1);\path[name path=b](0,1)--(1,0);"
    r"\fill[name intersections={of=a and b}](intersection-1) circle(1mm);",
    "shadows": r"\node[draw,fill=white,drop shadow]{S};",
    "trees": r"\node{a}[edge from parent fork down]child{node{b}}child{node{c}};",
}


@pytest.mark.parametrize("format", ["tikz", "latex"])
@pytest.mark.parametrize(("library", "body"), LIBRARIES.items(), ids=LIBRARIES)
def test_libraries_that_a_drawing_needs_are_loaded_in_corrected(format, library, body):
    body = PICTURE % body
    drawn = render(format, body, protocol="corrected")
    if (format, library) == ("latex", "backgrounds"):  # whose preamble sets other layers
        assert drawn.image.width > 100
        return
    loaded = render(format, rf"\usetikzlibrary{{{library}}}{body}", protocol="corrected")
    assert drawn.image.size == loaded.image.size
    assert ImageChops.difference(drawn.image, loaded.image).getbbox() is None
    assert not drawn.tex_errors


def test_a_circuit_is_drawn_in_corrected():
    body = PICTURE % r"\draw(0,0)to[R=$R_1$](3,0)to[C](3,-2)to[battery1](0,-2)--(0,0);"
    published, corrected = (render("tikz", body, protocol=name) for name in latex.STEPS)
    loaded = render("tikz", rf"\usepackage{{circuitikz}}{body}", protocol="corrected")
    assert corrected.image.tobytes() == loaded.image.tobytes()
    assert published.tex_errors is not None
    assert [line.split(":")[0] for line in published.tex_errors] == ["line 1"] * 3
    assert "'/tikz/R'" in published.tex_errors[0]


@pytest.mark.parametrize("protocol", latex.STEPS)
def test_what_is_drawn_without_an_error_is_left_alone(protocol):
    # The words of many libraries, and none is needed.
    words = PICTURE % r"\node{state pattern=x ball brace Stealth};\draw[->](0,0)--(1,0);"
    drawn = render("tikz", words, protocol=protocol)
    assert drawn.tex_errors == ()
    assert "tikzlibrary" not in drawn.log.partition("job.aux")[2]
    assert drawn.image.tobytes() == render("tikz", words).image.tobytes()


@pytest.mark.parametrize("protocol", latex.STEPS)
def test_errors_that_tex_went_on_after_are_kept(protocol, tmp_path):
    code = CIRCLE + "\n\\nope\n\\never"
    for _ in range(2):  # The second one is from the cache.
        drawn = render("tikz", code, protocol=protocol, cache=tmp_path)
        assert drawn.tex_errors == (
            r"line 2: Undefined control sequence \nope",
            r"line 3: Undefined control sequence \never",
        )
    assert render("html", "<p>a").tex_errors is None


def test_signs_without_a_font_are_told_and_drawn_where_there_is_one():
    code = r"\documentclass{article}\begin{document}Hello 你好 😀\end{document}"
    published = render("latex_document", code)
    assert [one.package for one in published.missing] == ["with CJK signs", "with other signs"]
    assert published.tex_errors is not None
    assert len(published.tex_errors) == 3
    corrected = render("latex_document", code, protocol="corrected")
    assert [one.address for one in corrected.missing] == ["😀"]
    assert corrected.tex_errors == ()


@pytest.mark.skipif("c70gbsn.fd" not in tex_file_names(), reason="no Chinese fonts of TeX")
@pytest.mark.parametrize("cell", [r"$%s$", r"$\begin{matrix}%s&x\end{matrix}$", "$x_{%s}$"])
def test_chinese_is_drawn_in_mathematics_as_in_text(cell):
    document = (
        r"\documentclass[varwidth]{standalone}\usepackage{amsmath}\begin{document}%s\end{document}"
    )
    first, other = (
        render("latex_document", document % cell % text, protocol="corrected")
        for text in ("速度", "时间")
    )
    assert first.missing == other.missing == first.tex_errors == other.tex_errors == ()
    assert first.image.size == other.image.size
    assert first.image.tobytes() != other.image.tobytes()
    if cell == "$%s$":
        plain = render("latex_document", document % "速度", protocol="corrected")
        assert first.image.tobytes() == plain.image.tobytes()


@pytest.mark.skipif("t2afcm.fd" not in tex_file_names(), reason="no Russian fonts of TeX")
def test_russian_of_a_document_s_own_encoding_is_drawn():
    code = r"\documentclass{article}\usepackage[T2A]{fontenc}\begin{document}%s \textbf{b} \texttt{c}\end{document}"
    first, other = (
        render("latex_document", code % word, protocol="corrected") for word in ("Привет", "Мир")
    )
    assert first.missing == first.tex_errors == ()
    assert first.image.tobytes() != other.image.tobytes()


def test_a_color_by_its_name_alone_is_known_in_corrected():
    code = r"\begin{tikzpicture}\fill[%s] (0,0) circle (1);\end{tikzpicture}"
    named, wrong = (
        render("tikz", code % name, protocol="corrected") for name in ("ForestGreen", "Nothing")
    )
    assert named.tex_errors == ()
    assert (21, 155, 82) in {color for _, color in named.image.getcolors(99_999)}
    assert wrong.tex_errors


@pytest.mark.skipif("minted.sty" not in tex_file_names(), reason="no minted")
def test_minted_needs_a_program_that_is_not_here():
    code = (
        r"\documentclass{article}\usepackage{minted}\begin{document}"
        "\n\\begin{minted}{python}\nprint(1)\n\\end{minted}\n\\end{document}"
    )
    try:
        missing = render("latex_document", code, protocol="corrected").missing
    except RenderError as error:  # Until version 3, it draws nothing then.
        missing = error.missing
    assert MissingResource("program", package="Pygments") in missing


@pytest.mark.parametrize(
    "what", ['Missing definition for highlighting style "default"', "Cannot highlight code"]
)
def test_minted_3_says_it_where_it_highlights(what):
    log = f"job.tex:3: Package minted Error: {what} (minted executable is unavailable or disabled); attempting"
    assert tex_log.find_missing(log) == [MissingResource("program", package="Pygments")]


@pytest.mark.skipif("bbm.sty" not in tex_file_names(), reason="no bbm")
def test_bbm_is_drawn_though_its_fonts_have_no_outlines():
    code = r"\documentclass{standalone}\usepackage{%s}\begin{document}$\%s{1}_A$\end{document}"
    bbm, other = (
        render("latex_document", code % names, protocol="corrected")
        for names in (("bbm", "mathbbm"), ("dsfont", "mathds"))
    )
    assert bbm.tex_errors == ()
    assert bbm.image.tobytes() == other.image.tobytes()


@pytest.mark.skipif(not find_program("xelatex"), reason="no XeTeX")
def test_fonts_of_the_system_are_those_of_pages():
    code = (
        r"\documentclass{article}\usepackage{fontspec}\setmainfont{%s}"
        r"\begin{document}Hello Привет\end{document}"
    )
    times, liberation, none = (
        render("latex_document", code % name, protocol="corrected")
        for name in ("Times New Roman", "Liberation Serif", "No Such Font")
    )
    assert times.image.size == (2550, 3300)
    assert times.image.tobytes() == liberation.image.tobytes()
    assert times.missing == ()
    assert MissingResource("font", package="No Such Font") in none.missing
    with pytest.raises(RenderError, match="fontspec"):
        render("latex_document", code % "Liberation Serif")


def test_of_papers_xetex_sees_their_sizes_and_nothing_that_the_machine_has_set():
    profile = latex.XETEX_PROFILE
    assert "/etc/paperspecs" in profile.paths
    assert "/etc/papersize" not in profile.paths
    assert profile.environment["PAPERSIZE"] == "letter"
    assert latex.PROFILE.environment.items() < profile.environment.items()


@pytest.mark.skipif(not find_program("xelatex"), reason="no XeTeX")
def test_xetex_starts_no_programs_and_reads_no_files():
    code = (
        r"\documentclass{article}\usepackage{fontspec}\begin{document}a"
        r"\immediate\write18{echo b > c}\IfFileExists{c}{\nope}{}\IfFileExists{/etc/hostname}{\never}{}\end{document}"
    )
    assert render("latex_document", code, protocol="corrected").tex_errors == ()
