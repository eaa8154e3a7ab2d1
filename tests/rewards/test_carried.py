"""A picture that an answer carries is noticed in whatever coat, and drawings are not taken for one."""

import base64
import io
import json
from random import Random

import pytest
from PIL import Image, ImageDraw

from helm_structext.layouts import (
    CarriedPicture,
    ElementBox,
    PictureLayout,
    layout_record,
    read_layout,
)
from helm_structext.renderers import render
from helm_structext.rewards import Reference, Reward
from helm_structext.rewards.carried import find_embedded
from helm_structext.rewards.guards import OF_COMPLETIONS
from helm_structext.scenes.kinds import KINDS

WIDTH, HEIGHT = 60, 40


def _picture():
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    for number in range(6):
        color = (30 * number, 99, 200 - 20 * number)
        draw.rectangle((9 * number, 6 * number, 9 * number + 7, 38), fill=color)
    return picture


def _pieces(text, joint=" + "):
    return joint.join(f'"{text[start : start + 7]}"' for start in range(0, len(text), 7))


PICTURE = _picture()
FILE = io.BytesIO()
PICTURE.quantize(8).save(FILE, "PNG")
LETTERS = base64.b64encode(FILE.getvalue()).decode()
PIXELS = [PICTURE.getpixel((x, y)) for y in range(HEIGHT) for x in range(WIDTH)]
VALUES = json.dumps([value for pixel in PIXELS for value in pixel])
CANVAS = '<canvas id="c" width="600" height="400"></canvas><script>const x = c.getContext("2d");'
COLOR = "`rgb(${p[3 * i]}, ${p[3 * i + 1]}, ${p[3 * i + 2]})`"
PUT = f"""{CANVAS} const p = {VALUES}, d = x.createImageData({WIDTH}, {HEIGHT})
for (let i = 0; i < {WIDTH * HEIGHT}; i++) d.data.set([p[3 * i], p[3 * i + 1], p[3 * i + 2], 255], 4 * i)
x.putImageData(d, 0, 0); x.drawImage(c, 0, 0, 60, 40, 0, 0, 600, 400)</script>"""
TEX = r"\documentclass{article}\begin{document}x\vspace{5cm}%s\end{document}"
FRAUDS = {
    "css of the styles": (
        "html",
        f"<style>div {{ width: 600px; height: 400px; background: url(\\64 ata:image/png;base64,{LETTERS}) }}</style><div></div>",
    ),
    "a mask": (
        "html",
        f"<div id=a style='width: 60px; height: 40px; background: navy'></div><script>a.style.maskImage = 'url(' + 'da' + "
        f"'ta:' + 'image/png;base' + '64,' + {_pieces(LETTERS)} + ')'</script>",
    ),
    "base64 in pieces": (
        "html",
        f"<img id=a width=800><script>a.src = 'da' + 'ta:image/png;ba' + 'se64,' + {_pieces(LETTERS)}</script>",
    ),
    "a picture in SVG": (
        "svg",
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40"><image width="60" height="40" href="data:image/png;base64,{LETTERS}"/></svg>',
    ),
    "decoded on a canvas": (
        "canvas",
        f"{CANVAS} const t = window['at' + 'ob']({_pieces(LETTERS)});"
        "createImageBitmap(new Blob([new Uint8Array([...t].map(it => it.charCodeAt(0)))]))"
        ".then(it => x.drawImage(it, 0, 0, 600, 400))</script>",
    ),
    "pixels of a canvas": ("canvas", PUT),
    "dots of a canvas": (
        "canvas",
        f"{CANVAS} const p = {VALUES}; for (let i = 0; i < {WIDTH * HEIGHT}; i++) "
        f"{{ x.fillStyle = {COLOR}; x.fillRect(4 * (i % 60), 4 * Math.floor(i / 60), 4, 4) }}</script>",
    ),
    "a mosaic": (
        "svg",
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="300" height="200">'
        + "".join(
            f'<path fill="#{r:02x}{g:02x}{b:02x}" d="M{i % WIDTH} {i // WIDTH}h1v1h-1z"/>'
            for i, (r, g, b) in enumerate(PIXELS)
        )
        + "</svg>",
    ),
    "an array": (
        "matplotlib",
        f"import matplotlib.pyplot as plt\nimport numpy as np\n"
        f"plt.imshow(np.array({VALUES}, dtype=np.uint8).reshape({HEIGHT}, {WIDTH}, 3))",
    ),
    "bytes of a file": (
        "matplotlib",
        f"import base64, io\nimport matplotlib.pyplot as plt\ndecode = getattr(base64, 'b64' + 'decode')\n"
        f"plt.imshow(plt.imread(io.BytesIO(decode({_pieces(LETTERS * 4)}))))",
    ),
    "bytes in Typst": (
        "typst",
        f"#image(bytes(({', '.join(f'{byte} + 0' for byte in FILE.getvalue())})), width: 80%)",
    ),
    "a literal of PDF": (
        "latex_document",
        TEX
        % (
            rf"\pdfliteral{{q 300 0 0 200 0 0 cm BI /W {WIDTH} /H {HEIGHT} /CS /RGB /BPC 8 /F /AHx ID "
            + "".join("{:02x} {:02x} {:02x} ".format(*pixel) for pixel in PIXELS)
            + "> EI Q}"
        ),
    ),
}


@pytest.mark.parametrize("name", FRAUDS)
def test_a_picture_in_any_coat_is_noticed_on_the_rendering(name):
    format, code = FRAUDS[name]
    layout = render(format, code, protocol="corrected", layout=True).layout
    assert layout
    assert "carries itself" in (find_embedded(layout, format, code) or "")


def test_the_reward_notices_what_letters_don_t_show():
    format, code = FRAUDS["base64 in pieces"]
    reference = Reference(PICTURE.resize((1280, 720)))
    assert OF_COMPLETIONS["embedded"](code) is None
    result = Reward(format)(code, reference)
    assert (result.score, result.error_kind) == (0.0, "embedded")
    assert Reward(format, guards=["blank"])(code, reference).score > 0


def test_files_that_the_reference_gives_may_be_shown():
    code = '<img src="a.png" width="600"><canvas id="c" width="600" height="400"></canvas><script>onload = () => c.getContext("2d").drawImage(document.images[0], 0, 0)</script>'
    assets = {"a.png": FILE.getvalue()}
    layout = render("html", code, assets=assets, protocol="corrected", layout=True).layout
    assert layout.carried == ()
    reward = Reward("typst")
    page = Reference(code='#image("a.png", width: 80%)', assets=assets)
    assert reward(page.code, page).error_kind is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_scene_is_no_picture_that_its_code_carries(kind):
    rng = Random(f"carried {kind}")
    scene = KINDS[kind].draw(rng, "hard", "en")
    formats = sorted(KINDS[kind].formats_of(scene))
    for format in rng.sample(formats, min(2, len(formats))):
        code = KINDS[kind].writers[format](scene, rng)
        layout = render(format, code, protocol="corrected", layout=True).layout
        assert layout
        assert find_embedded(layout, format, code) is None
        assert OF_COMPLETIONS["embedded"](code) is None


def test_icons_and_what_is_painted_by_a_rule_are_spared():
    def page(*carried):
        whole = ElementBox("shape", (0, 0, 1000, 600), "#ffffff")
        return PictureLayout((1000, 600), (), (whole,), carried=carried)

    icon = CarriedPicture("written", (10, 10, 58, 58), 48 * 48)
    assert find_embedded(page(*[icon] * 10), "html", "") is None
    assert "6%" in find_embedded(page(*[icon] * 15), "html", "")
    gradient = CarriedPicture("painted", (0, 0, 500, 500), 250_000)
    assert find_embedded(page(gradient), "canvas", "for (x = 0; x < 500; x++)") is None
    assert find_embedded(page(gradient), "canvas", "12, 34, " * 600)


def test_what_a_browser_tells_of_carried_pictures_is_read_without_trust():
    picture = CarriedPicture("painted", (0.0, 1.0, 2.0, 3.0), 4.0)
    layout = PictureLayout((9, 9), (), carried=(picture,))
    record = layout_record(layout)
    assert read_layout(json.loads(json.dumps(record))) == layout
    for wrong in (
        [["other", [0, 0, 1, 1], 1]],
        [["written", [0, 0], 1]],
        [[1]],
        7,
        [["written", [0] * 4, "x"]],
    ):
        with pytest.raises(ValueError, match="not a layout"):
            read_layout({**record, "carried": wrong})
    nowhere = read_layout({**record, "carried": [["written", [0, 0, 1e9, 1], 1]]})
    assert nowhere.carried == ()
