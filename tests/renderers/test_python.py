"""Typst and Matplotlib: warm interpreters that fork for each job."""

import io

import pytest
from PIL import Image

from helm_structext.errors import MissingResource, RenderError, SetupError
from helm_structext.renderers import engine_of, matplotlib, python, render, typst
from helm_structext.sandbox import Limits, pool

LOOK = """
import pkgutil, sys
print(*sorted(module.name for module in pkgutil.iter_modules() if not module.name.startswith('_')))
plt.plot([1])
"""


def png(color: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (300, 200), color).save(buffer, "PNG")
    return buffer.getvalue()


def test_jobs_know_nothing_of_each_other():
    before = render("matplotlib", "plt.plot([1, 2])").image.tobytes()
    code = "plt.rcParams['lines.linewidth'] = 9\nnp = __import__('numpy')\nnp.pi = 3\n"
    code += "open('note.txt', 'w').write('x')\nplt.show = None\nplt.plot([2, 1])"
    assert render("matplotlib", code).image.tobytes() != before
    assert render("matplotlib", "plt.plot([1, 2])").image.tobytes() == before
    code = "import numpy, os\nprint(numpy.pi, os.listdir())\nplt.plot([1])"
    assert render("matplotlib", code).log == "3.141592653589793 ['plot.py']\n"


def test_code_sees_the_libraries_and_nothing_else_of_ours():
    seen = set(render("matplotlib", LOOK).log.split())
    assert {"numpy", "pandas", "matplotlib", "PIL", "json", "sqlite3"} <= seen
    assert {"scipy", "seaborn", "networkx", "sklearn"} <= seen
    assert not seen & {"helm", "helm_structext", "torch", "typst", "pip", "yaml", "pytest"}


def test_no_more_is_read_of_a_job_than_it_may_tell():
    told = b'[["font", "", "Papyrus", ""]]'
    assert [one.package for one in python.read_missing(told)] == ["Papyrus"]
    assert python.read_missing(told.ljust(python.MAX_TOLD + 1)) == []
    with pytest.raises(RenderError, match=r"^syntax: line 1: ValueError: 啊啊啊") as caught:
        render("matplotlib", "raise ValueError('啊' * 5_000_000)")
    assert len(caught.value.message) < 2000
    for address in ("'http://' + 'x' * 5_000_000", "f'http://{number}.example'"):
        code = f"import pandas\nfor number in range(300):\n try: pandas.read_csv({address})\n except OSError: pass"
        rendered = render("matplotlib", code + "\nplt.plot([1])")
        assert 0 < len(rendered.missing) <= 100


def test_server_is_kept_while_jobs_are_clean():
    pids = [render("matplotlib", f"import os\nprint(os.getppid()){more}\nplt.plot([1])").log
            for more in ("", "", "\nopen('x', 'w')", "\nopen('../../x', 'w')", "")]  # fmt: skip
    assert pids[0] == pids[1] == pids[2] == pids[3] != ""
    code = "import os\nprint(os.path.exists('../../x'))\nplt.plot([1])"
    assert render("matplotlib", code).log == "False\n"


@pytest.mark.parametrize(
    "code",
    [
        "plt.figure(facecolor='red')",
        "plt.figure(facecolor='red')\nplt.savefig('a.png')\nplt.close()",
        "plt.figure(facecolor='blue')\nplt.show()\nplt.figure(facecolor='red')\nplt.show()",
        "f = plt.figure(facecolor='red')\nf.show()\nplt.close('all')",
        "from matplotlib.figure import Figure\nFigure(facecolor='red').savefig('/nowhere/a.png')",
        "plt.figure(facecolor='red')\nplt.plot([1])\nplt.savefig('a')\nplt.clf()",
        "plt.figure(facecolor='red').savefig('a')\nplt.clf()\nplt.gcf().set_facecolor('blue')",
        "a = plt.figure(facecolor='red')\nplt.figure(facecolor='blue')\nplt.figure(a.number)",
    ],
)
def test_picture_is_that_of_the_current_figure_or_else_of_the_last_saved_or_shown(code):
    image = render("matplotlib", code).image
    assert image.getpixel((0, 0)) == (255, 0, 0)


FILM = """
from matplotlib.animation import FuncAnimation, FFMpegWriter
figure, axes = plt.subplots(facecolor="white")
line, = axes.plot([], [], linewidth=900, color="white")
axes.set_xlim(0, 1)
def begin():
    line.set_data([], [])
    return [line]
def frame(number):
    line.set_data([0, 1], [0, 0])
    line.set_color(["red", "lime", "blue"][number])
    return [line]
"""
SAVE = "film.save('film.mp4', writer='ffmpeg', fps=2)"


@pytest.mark.parametrize("options", ["", ", init_func=begin", ", init_func=begin, blit=True"])
def test_animation_shows_its_first_frame_or_the_last_when_saved(options):
    film = f"{FILM}film = FuncAnimation(figure, frame, frames=3{options})\n"
    for end, color in [("plt.show()", (255, 0, 0)), ("", (255, 0, 0)), (SAVE, (0, 0, 255)),
                       (SAVE + "\nplt.close()", (0, 0, 255))]:  # fmt: skip
        image = render("matplotlib", film + end).image
        assert image.getpixel((image.width // 2, image.height // 2)) == color


def test_error_in_an_animation_is_one_of_the_code():
    code = FILM + "film = FuncAnimation(figure, lambda number: nope, frames=3)\nplt.show()"
    with pytest.raises(RenderError, match="line 12: NameError"):
        render("matplotlib", code.strip())


def test_transparent_figure_is_white():
    code = "plt.figure(facecolor='none')\nplt.axis('off')"
    assert render("matplotlib", code).image.getextrema() == ((255, 255),) * 3


def test_clock_stands_still():
    code = """
import datetime, time
import pandas as pd
from datetime import datetime as moment, date
print(moment.now(), moment.utcnow().year, date.today(), time.time(), pd.Timestamp.now())
print(isinstance(pd.Timestamp(0), moment), isinstance(date.today(), date), type(moment(2020, 1, 1)))
plt.plot([moment(2024, 1, 1), moment(2024, 2, 1)], [1, 2])
"""
    first, second = render("matplotlib", code), render("matplotlib", code)
    assert first.log.startswith("2024-01-01 00:00:00 2024 2024-01-01 1704067200.0 2024-01-01 00:00")
    assert "True True" in first.log
    assert first.log == second.log
    assert first.image.tobytes() == second.image.tobytes()


@pytest.mark.parametrize(
    ("format", "code"),
    [
        ("matplotlib", "plt.figimage(plt.imread('img/red.png'))"),
        ("typst", '#set page(width: 9cm, height: auto, margin: 0pt)\n#image("img/red.png")'),
    ],
)
def test_assets_lie_beside_the_code(format, code):
    image = render(format, code, assets={"img/red.png": png("red")}).image
    assert (255, 0, 0) in [color for _, color in image.getcolors(1000)]
    with pytest.raises(RenderError, match=r"red\.png|file not found"):
        render(format, code)


def test_first_page_counts_at_300_dpi():
    code = "#set page(width: 1in, height: 2in)\n#page(fill: red)[]\n#page(fill: blue)[]"
    image = render("typst", code).image
    assert image.size == (300, 600)
    assert image.getpixel((9, 9)) == (255, 65, 54)


def test_fonts_are_typst_s_own_and_ours():
    # 11 points of text are wider in the one than in the other.
    page = "#set page(width: auto, height: auto, margin: 0pt)\n"
    widths = {
        font: render("typst", f'{page}#text(font: "{font}")[Wide text]').image.width
        for font in ("Liberation Sans", "DejaVu Sans", "New Computer Modern", "No Such Font")
    }
    assert len(set(widths.values())) == 4


def test_fonts_of_typst_that_are_not_there_are_told():
    told = [
        render("typst", f'#set text(font: "{font}")\nA').missing
        for font in ("No Such Font", "DejaVu Sans")
    ]
    assert told == [(MissingResource("font", package="no such font"),), ()]


@pytest.mark.parametrize("engine", [matplotlib, typst])
def test_version_is_that_of_the_libraries(engine, monkeypatch):
    before = engine.ENGINE.version()
    newer = {name: type("D", (), {"version": "99.0"}) for name in engine.PACKAGES}
    monkeypatch.setattr(python, "distributions", lambda names: newer)
    libraries = typst.libraries if engine is typst else matplotlib.version
    libraries.cache_clear()
    assert "99.0" not in before
    assert engine.version() != before
    libraries.cache_clear()


def test_missing_package_is_the_machines_fault():
    with pytest.raises(SetupError, match="pip install no-such-package"):
        python.make("typst_job", ("no-such-package",), "", {}, "published", Limits())


def test_timeout_ends_the_server_and_the_next_job_gets_another():
    with pytest.raises(RenderError) as caught:
        render("matplotlib", "while True: pass", timeout=1)
    assert caught.value.kind == "timeout"
    assert render("matplotlib", "plt.plot([1])").image.width > 100


def test_both_formats_have_servers_of_their_own():
    for format in ("matplotlib", "typst"):
        render(format, {"matplotlib": "plt.plot([1])", "typst": "x"}[format])
    idle = [key for key, workers in pool.workers.idle.items() if workers]
    assert {"matplotlib_job", "typst_job"} <= {key[0] for key in idle}
    assert engine_of("typst").packages == {}


LIBRARIES = {
    "seaborn": "import seaborn as sns\nsns.histplot([1, 2, 2, 3], kde=True)",
    "networkx": "import networkx as nx\nnx.draw(nx.path_graph(4), with_labels=True)",
    "sklearn": "from sklearn.datasets import load_iris\nfrom sklearn.cluster import KMeans\n"
    "X = load_iris().data\nplt.scatter(X[:, 0], X[:, 1], c=KMeans(3).fit_predict(X))",
    "scipy": "from scipy.stats import norm\nplt.plot([0, 1, 2], norm.pdf([0, 1, 2]))",
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_usual_libraries_draw_the_same_each_time(name):
    first, second = (render("matplotlib", LIBRARIES[name], timeout=120) for _ in range(2))
    assert first.missing == ()
    assert len(first.image.getcolors(10**6)) > 3
    assert first.image.tobytes() == second.image.tobytes()


def test_usual_libraries_are_loaded_when_they_are_imported():
    code = "import sys\nprint(*sorted({'scipy', 'seaborn', 'networkx', 'sklearn'} & sys.modules.keys()))"
    assert render("matplotlib", code + "\nplt.plot([1])").log == "\n"


def lacks(code, protocol="published"):
    rendering = render("matplotlib", code, protocol=protocol)
    return [str(one) for one in rendering.missing], rendering.image


@pytest.mark.parametrize("text", ["中文標題", "日本語", "한국어", "中文 $x^2$", "$\\text{中文}$"])
def test_other_scripts_are_boxes_in_published_and_drawn_in_corrected(text):
    code = f"plt.figure(figsize=(3, 1))\nplt.axis('off')\nplt.text(0, 0, {text!r}, size=30)"
    told, boxes = lacks(code)
    assert all(one.startswith("font with ") for one in told)
    assert told
    nothing, drawn = lacks(code, "corrected")
    assert nothing == []
    assert drawn.tobytes() != boxes.tobytes()


def test_letters_of_the_first_font_stay_as_they_are_in_corrected():
    code = "plt.title('Title: $x^2$ −1 Größe')\nplt.plot([-1, 2])"
    assert lacks(code)[1].tobytes() == lacks(code, "corrected")[1].tobytes()


def test_usual_families_have_stand_ins_in_corrected():
    def of(family, protocol):
        return lacks(f"plt.title('Wide text', fontfamily={family!r})", protocol)

    for family, other in (("Arial", "Liberation Sans"), ("Times New Roman", "Liberation Serif")):
        told, image = of(family, "published")
        assert told == [f"font {family}"]
        assert image.tobytes() == of("DejaVu Sans", "published")[1].tobytes()
        nothing, image = of(family, "corrected")
        assert nothing == []
        assert image.tobytes() == of(other, "corrected")[1].tobytes()
    for protocol in ("published", "corrected"):
        assert of("Papyrus", protocol)[0] == ["font Papyrus"]


def test_fonts_that_a_style_names_are_told():
    code = "plt.rcParams['font.sans-serif'] = ['SimHei', 'Ubuntu']\nplt.title('x')"
    assert lacks(code)[0] == ["font SimHei, Ubuntu"]
    quiet = "import warnings\nwarnings.simplefilter('ignore')\nplt.title('\U0001f9ff क')"
    assert lacks(quiet)[0] == ["font with DEVANAGARI", "font with U+1F9FF"]


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("import seaborn\nseaborn.load_dataset('tips')", "data raw.githubusercontent.com "),
        ("import pandas\npandas.read_csv('https://data.example/a.csv')", "data data.example (https://data.example/a.csv)"),
        ("from urllib.request import Request, urlopen\nurlopen(Request('http://x.example/'))", "data x.example (http://x.example/)"),
        ("from sklearn.datasets import fetch_california_housing\nfetch_california_housing()", "data "),
        ("import cartopy.crs as ccrs", "package cartopy of pypi.org"),
        ("import mpl_toolkits.basemap", "package mpl_toolkits.basemap of pypi.org"),
        ("import pandas\nplt.plot([1])\npandas.DataFrame().to_excel('a.xlsx')", "package openpyxl"),
    ],
)  # fmt: skip
def test_what_a_script_asks_for_in_vain_is_told(code, missing):
    with pytest.raises(RenderError) as caught:
        render("matplotlib", code, timeout=120)
    assert caught.value.kind == "missing"
    assert str(caught.value.missing[0]).startswith(missing)


def test_what_a_script_lacked_before_is_not_the_reason_of_its_error():
    code = "import pandas\ntry:\n    pandas.read_csv('https://a.example/b.csv')\nexcept OSError:\n    nope"
    for wrong in (
        code,
        "import numpy.nothing",
        "plt.title('x', fontfamily='Papyrus')\nplt.draw()\nnope",
    ):
        with pytest.raises(RenderError) as caught:
            render("matplotlib", wrong)
        assert caught.value.kind == "syntax"


def test_script_that_goes_on_without_data_says_so():
    code = "import pandas\ntry:\n    pandas.read_csv('https://a.example/b.csv')\nexcept OSError:\n    plt.plot([1])"
    assert lacks(code)[0] == ["data a.example (https://a.example/b.csv)"]
    assert (
        lacks("import pandas\npandas.Series([1]).to_csv('a')\npandas.read_csv('a').plot()")[0] == []
    )


def test_what_a_script_says_itself_of_missing_things_is_read_with_care():
    code = "import json, os\ntry:\n    os.write(1, b'')\nfinally:\n    import python_server\n"
    code += "python_server.missing.extend([('font', '', 'x' * 10**5, ''), 3, ('evil', '', '', ''), ['font']])"
    told, _ = lacks(code + "\nplt.plot([1])")
    assert len(told) == 1
    assert len(told[0]) < 200


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("import matplotlib.cm\nmatplotlib.cm.get_cmap('jet')", r"matplotlib\.colormaps\[name\]"),
        ("plt.style.use('seaborn-whitegrid')", "seaborn-v0_8-whitegrid"),
        ("plt.style.use('seaborn')", "use 'seaborn-v0_8'"),
        ("plt.gcf().gca(projection='3d')", "add_subplot"),
        ("plt.hist([1], normed=True)", "density=True"),
        ("import pandas\npandas.DataFrame().append({})", "pandas.concat"),
        ("import numpy\nnumpy.trapz([1, 2])", "trapezoid"),
        ("from scipy.integrate import simps", "simpson"),
    ],
)
def test_what_took_the_place_of_an_old_name_is_said(code, advice):
    with pytest.raises(RenderError, match=advice):
        render("matplotlib", code, timeout=120)
