"""The LaTeX renderer: the published steps, the corrected ones, and one picture per code."""

import threading

import pytest
from PIL import ImageChops

from helm_structext.errors import CTAN, MissingResource, RenderError, SetupError
from helm_structext.renderers import latex, render, render_completion
from helm_structext.renderers.tex_files import missing_tex_files
from helm_structext.renderers.tex_needs import write_needs
from helm_structext.sandbox import Limits
from helm_structext.storage import cache
from support.caches import kept_kinds
from support.damage import ANY_FILE

WIDE_TABLE = (
    r"\begin{table}\caption{T}\begin{tabular}{ll}a&b\\\hline c&$x_1$\end{tabular}\end{table}"
)
PICTURE = r"\begin{tikzpicture}\draw[red] (0,0) circle (1) node {$\sum_i^n x_i$};\end{tikzpicture}"


def equal(one, other) -> bool:
    return one.size == other.size and ImageChops.difference(one, other).getbbox() is None


@pytest.mark.parametrize("body", [WIDE_TABLE, PICTURE, f"a\n\n{WIDE_TABLE} $$x$$ {PICTURE}"])
def test_dumped_preamble_gives_the_page_of_the_loaded_one(body):
    document = latex.complete(body, latex.STEPS["published"]).text
    dumped, *_ = latex.compile_once(document, "", {}, Limits(), latex.IMAGE2STRUCT)
    loaded, *_ = latex.compile_once("%\n" + document, "", {}, Limits(), latex.IMAGE2STRUCT)
    assert equal(dumped, loaded)


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("$x$", "$x$"),
        ("Sure:\n```latex\n$x$\n```\nDone.", "$x$"),
        ("```tex\n$x$\n```", "tex\n$x$"),  # The published code leaves the language in.
        (r"\begin{equation}x\label{eq:a}\end{equation}", "\\begin{equation*}\nx\\end{equation*}"),
        (
            "\\documentclass[12pt]{report}\n\\usepackage{nowhere}\n\\newcommand{\\R}{R}\n"
            "\\begin{document}\n\\R  \t x % why\n\\end{document}",
            "\\newcommand{\\R}{R}\n\\R   x % why",  # Blanks are joined before tabs become blanks.
        ),
        # Math outside math mode, wrapped; a blank line in it can't be helped.
        (r"x^2 + \alpha", r"$$x^2 + \alpha$$"),
        (r"\documentstyle{article}\begin{document}x\end{document} More.", "x"),
        # What stands between package lines is lost to the published expression.
        ("\\usepackage{a}\\newcommand{\\z}{z}\nx", "x"),
    ],
)
def test_published_steps(completion, text):
    assert render_completion("latex", completion).text == text


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("```tex\n$x$\n```", "$x$"),
        ("```latex\n$x$", "$x$"),
        ("$x$ % why\n\\% sure", "$x$\n\\% sure"),
        ("x % why", "x"),
        ("x^2", "\\begin{equation*}\nx^2\n\\end{equation*}"),
        ("\\usepackage{bm}\\newcommand{\\z}{z}\n\\z", "\\newcommand{\\z}{z}\n\\z"),
        (
            r"\begin{tabularx}{3cm}{XX}a&b\end{tabularx} \alpha",
            "\\begin{equation*}\n\\begin{tabularx}\n{3cm}{XX}a&b\\end{tabularx}\n\\alpha\n\\end{equation*}",
        ),
        (
            r"\begin{tabularx}{3cm}{XX}a&b\end{tabularx}",
            "\\begin{tabularx}\n{3cm}{XX}a&b\\end{tabularx}",
        ),
    ],
)
def test_corrected_steps(completion, text):
    assert render_completion("latex", completion, protocol="corrected").text == text


@pytest.mark.parametrize(
    ("completion", "kind", "message"),
    [
        (r"\undefined", "syntax", "line 1: Undefined control sequence \\undefined: \\undefined"),
        ("a\n\n$x", "syntax", "in display math, line 3: Display math should end"),
        (r"$x_1_2$", "syntax", "Double subscript"),
        ("Here:\n\\documentclass{article}\n\\begin{document}x\\end{document}", "syntax", "Missing"),
        (r"\documentclass{article} x", "syntax", r"Missing \begin{document}"),
        (r"\begin{tabularx}{3cm}{X}a\end{tabularx}", "syntax", "Environment tabularx undefined"),
        ("日本", "missing", "Unicode character"),
        ("\ud800", "syntax", "U+D800"),
        ("", "empty", "there is no code"),
        ("{}", "empty", "the document has no page"),
        ("~ % The comment takes the end of the document along.", "syntax", "Emergency stop"),
    ],
)
def test_errors_of_the_code(completion, kind, message):
    with pytest.raises(RenderError) as caught:
        render_completion("latex", completion)
    assert caught.value.kind == kind
    assert message in caught.value.message


TABLE = r"\begin{tabular}{ll}\toprule a&b\\\bottomrule\end{tabular}"
BOOKTABS = r"\documentclass{article}\usepackage{booktabs}"


@pytest.mark.parametrize(
    "code",
    [
        rf"{BOOKTABS}\begin{{document}}{TABLE}\end{{document}}",
        f"\\documentclass[11pt]{{article}}\n% mine\n\\usepackage\n  {{booktabs}}\n\\begin{{document}}\n{TABLE}\n\\end{{document}}",
        rf"\usepackage{{booktabs,amsmath}}{TABLE}",
        rf"\usepackage[flushleft]{{threeparttable}}\usepackage{{booktabs}} {TABLE}",
        TABLE,
    ],
)
def test_packages_of_an_answer_are_loaded_in_corrected(code):
    drawn = render("latex", code, protocol="corrected")
    reference = f"{BOOKTABS}\n\\begin{{document}}\n{TABLE}\\end{{document}}"
    assert equal(drawn.image, render("latex", reference, protocol="corrected").image)
    assert drawn.missing == ()


def test_signs_of_mathtools_are_known_in_corrected():
    code = r"\begin{align*} a &= b \\ &\vdotswithin= \\ \MoveEqLeft c \end{align*}"
    assert render("latex", code, protocol="corrected").tex_errors in (None, ())


def test_the_published_steps_say_which_packages_they_removed():
    code = rf"{BOOKTABS}{{}}" "\n" rf"\begin{{document}}{TABLE}\end{{document}}"
    said = r"Image2Struct's preamble is fixed: \usepackage{booktabs} was removed"
    with pytest.raises(RenderError) as caught:
        render("latex", code)
    assert caught.value.message.endswith(said)
    assert render("latex", "\\usepackage{booktabs}\n$x$").log.startswith(said)
    assert "removed" not in render("latex", "\\usepackage{amsmath}\n$x$").log


@pytest.mark.parametrize(
    "packages",
    [
        r"\usepackage[table]{xcolor}",
        r"\usepackage[dvipsnames,table]{xcolor}\usepackage{amsmath}",
        r"\usepackage{colortbl}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}",
        r"\usepackage[noend]{algpseudocode}\usepackage[table]{xcolor}",  # Clashes, so it stands alone.
    ],
)
def test_options_that_clash_with_the_preamble(packages):
    body = r"\begin{tabular}{ll}\rowcolor{red}a&b\end{tabular}"
    code = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    image = render("latex", code, protocol="corrected").image
    assert (255, 0, 0) in {color for _, color in image.getcolors(10_000)}


def test_an_answer_that_does_not_go_with_the_preamble_is_drawn_alone():
    code = (
        r"\documentclass{article}\usepackage[ruled]{algorithm2e}\begin{document}"
        r"\begin{algorithm}\KwIn{x}\caption{C}\end{algorithm}\end{document}"
    )
    assert render("latex", code, protocol="corrected").image.width > 500
    with pytest.raises(RenderError) as caught:  # It is the first error that is told.
        render("latex", code.replace(r"\KwIn", r"\nope"), protocol="corrected")
    assert "algorithm" in caught.value.message


def test_a_package_that_is_not_installed_is_left_out_and_told():
    code = r"\documentclass{article}\usepackage{nothere,bm}\begin{document}$\bm{x}$\end{document}"
    drawn = render("latex", code, protocol="corrected")
    assert drawn.missing == (MissingResource("package", CTAN, "nothere"),)
    with pytest.raises(RenderError) as caught:
        render("latex", code.replace(r"\bm{x}", r"\nope"), protocol="corrected")
    assert caught.value.missing == drawn.missing


@pytest.mark.parametrize(
    ("code", "known"),
    [
        (r"\multirow{2}{*}{a}", r"\usepackage{multirow}\multirow{2}{*}{a}"),
        (r"$\bm{x}\cancel{y}$", r"\usepackage{bm,cancel}$\bm{x}\cancel{y}$"),
        (r"\SI{3}{\metre}", r"\usepackage{siunitx}\SI{3}{\metre}"),
        (
            r"\begin{tabular}{m{1cm}}a\end{tabular}",
            r"\usepackage{array}\begin{tabular}{m{1cm}}a\end{tabular}",
        ),
        (r"\newcommand{\toprule}{T}\nope", None),
    ],
)
def test_what_code_is_known_to_need_is_loaded_in_corrected(code, known):
    if known is None:
        with pytest.raises(RenderError, match="nope"):
            render("latex", code, protocol="corrected")
        return
    drawn = render("latex", code, protocol="corrected")
    assert equal(drawn.image, render("latex", known, protocol="corrected").image)
    assert r"\usepackage" not in drawn.text


def test_symbols_of_mathematics_are_drawn_in_corrected():
    drawn = render("latex", "a→b ✓ αβ 2≤3 10⁻⁶", protocol="corrected")
    spelled = r"a$\rightarrow$b $\checkmark$ $\alpha$$\beta$ 2$\leq$3 10$^{-}$$^6$"
    assert drawn.image.size == render("latex", spelled, protocol="corrected").image.size


@pytest.mark.parametrize("text", ["你好", "繁體", "込み入る", "Привет"])
def test_other_alphabets_are_drawn_in_corrected_or_told(text):
    with pytest.raises(RenderError) as caught:
        render("latex", text)
    assert [one.kind for one in caught.value.missing] == ["font"]
    if text == "Привет" and missing_tex_files(["t2afcm.fd"]):  # of a large package
        with pytest.raises(RenderError) as caught:
            render("latex", text, protocol="corrected")
        assert [one.package for one in caught.value.missing] == ["with Cyrillic signs"]
    else:
        assert render("latex", text, protocol="corrected").image.width > 50


def test_blank_page_is_a_picture():
    image = render("latex", "~").image
    assert image.getextrema() == ((255, 255),) * 3
    assert image.size == (1700, 1760)


def test_corrected_page_has_no_number_and_is_not_cut():
    low = r"x \vspace*{19cm}\par low"
    published = render("latex", low).image
    corrected = render("latex", low, protocol="corrected").image
    assert corrected.height > published.height * 10
    assert equal(render("latex", "x").image, render("latex", "x", protocol="corrected").image)


def test_document_is_compiled_until_its_references_settle():
    twice = r"\section{First}\tableofcontents"
    assert render("latex", twice).image.height > render("latex", r"\section{First}").image.height


def test_assets_lie_beside_the_document(tmp_path):
    dot = tmp_path / "dot.png"
    render("latex", r"\rule{1cm}{1cm}").image.save(dot)
    code = r"\includegraphics[width=2cm]{img/dot.png}"
    assert render("latex", code, assets={"img/dot.png": dot}).image.width > 100
    with pytest.raises(RenderError, match=r"img/dot\.png"):
        render("latex", code)


def test_chance_and_date_are_fixed():
    code = r"\today\ \pdfuniformdeviate1000000 \pgfmathparse{rnd}\pgfmathresult\ \the\time"
    first, second = render("latex", code), render("latex", code)
    assert first.image.tobytes() == second.image.tobytes()


def test_format_is_made_once_by_many_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    images = []
    threads = [
        threading.Thread(target=lambda: images.append(render("latex", "$x$").image))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(images) == 4
    assert len(list((tmp_path / "formats").glob("*.fmt"))) == 1
    assert kept_kinds() == {"formats": 1}


@pytest.mark.parametrize("damage", ["empty", "a flipped bit", "cut off", "a folder"])
def test_a_damaged_format_is_made_anew(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    path = latex.preamble_format("\\documentclass{article}\n")
    content = path.read_bytes()
    ANY_FILE[damage](path)
    assert latex.preamble_format("\\documentclass{article}\n").read_bytes() == content


def test_a_damaged_format_is_not_the_models_mistake(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    honest = render("latex", "$x$").image.tobytes()
    (path,) = (tmp_path / "formats").glob("*.fmt")
    ANY_FILE["zeros"](path)
    assert render("latex", "$x$").image.tobytes() == honest


def test_preamble_that_fails_is_the_machines_fault(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    preamble = "\\documentclass{article}\n\\usepackage{nowhere}\n"
    monkeypatch.setattr(latex, "PREAMBLE", preamble)
    monkeypatch.setattr(latex, "IMAGE2STRUCT", latex.Profile(preamble, dpi=200, errors=False))
    with pytest.raises(SetupError, match=r"nowhere\.sty"):
        render("latex", "$x$")
    assert cache.cache_folder() == tmp_path


@pytest.mark.parametrize("signs", ["ㅤ가각", "ㄱ你ㅤ", "".join(map(chr, range(0x2E80, 0xA000)))])
def test_signs_of_any_alphabet_have_a_font(signs):
    needs = write_needs(signs, f"Unicode character {signs[0]} (U+{ord(signs[0]):04X})")
    assert r"\usepackage{CJKutf8" in needs
    assert (
        len(
            write_needs(
                "你" + "".join(map(chr, range(0x100, 0x2E00))), "Unicode character 你 (U+4F60)"
            )
        )
        < 200_000
    )


def test_another_package_of_tex_is_another_version(tmp_path, monkeypatch):
    files = tmp_path / "ls-R"
    monkeypatch.setattr(latex, "file_lists", lambda: [files])
    versions = []
    for names in ("article.cls", "article.cls fontawesome5.sty", "article.cls"):
        files.write_text(names)
        latex.programs_version.cache_clear()
        versions.append(latex.version())
    latex.programs_version.cache_clear()
    assert versions[0] == versions[2] != versions[1]
