"""What LaTeX and TikZ of StructEval are: other profiles of the same renderer."""

import pytest
from PIL import ImageChops

from helm_structext.errors import RenderError
from helm_structext.renderers import engine_of, latex, latex_document, render
from helm_structext.sandbox import Limits

CIRCLE = r"\begin{tikzpicture}\draw[red] (0,0) circle (1) node {$\sum_i^n x_i$};\end{tikzpicture}"
AXIS = r"\begin{tikzpicture}\begin{axis}\addplot{x^2};\end{axis}\end{tikzpicture}"


@pytest.mark.parametrize("body", [CIRCLE, AXIS, "Text and $x$"])
def test_dumped_preamble_gives_the_page_of_the_loaded_one(body):
    document = latex_document.complete_document(body).text
    dumped, _ = latex.compile_once(document, "", {}, Limits(), latex_document.PROFILE)
    loaded, _ = latex.compile_once("%\n" + document, "", {}, Limits(), latex_document.PROFILE)
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
