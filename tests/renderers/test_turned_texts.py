"""Engines tell which texts are read up or down, which the box of a short one does not say."""

import pytest

from helm_structext.findings import compare
from helm_structext.renderers import render


def svg(*words):
    texts = (
        f'<text transform="translate({40 + 20 * n},100) rotate(-90)">{word}</text>'
        for n, word in enumerate(words)
    )
    inside = "".join(texts) + '<g transform="rotate(90)"><text x="5" y="-5">ab</text></g>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="120">{inside}<text y="20" x="150">cd</text></svg>'


def matplotlib(*words):
    return (
        f"import matplotlib.pyplot as plt\nplt.bar({list(words)}, [1, 1, 1])\nplt.xticks(rotation=90)\n"
        "plt.yticks([])\nplt.ylabel('ab')\nplt.title('cd')"
    )


def tikz(*words):
    nodes = "".join(
        rf"\node[rotate=90] at ({n / 2},0) {{{word}}};" for n, word in enumerate((*words, "ab"))
    )
    return rf"\begin{{tikzpicture}}{nodes}\node at (4,0) {{cd}};\end{{tikzpicture}}"


WRITERS = {"svg": svg, "matplotlib": matplotlib, "tikz": tikz}


@pytest.mark.parametrize("format", WRITERS)
def test_turned_texts_are_told(format):
    code = WRITERS[format]("Q1", "Q2", "Q3")
    layout = render(format, code, protocol="corrected", layout=True).layout
    turned = {one.text for one in layout.texts if one.turned}
    assert turned == {"Q1", "Q2", "Q3", "ab"}
    assert "cd" in {one.text for one in layout.texts}


def test_turned_names_that_are_exchanged_are_not_misspelt():
    found = compare("svg", svg("Oats", "Corn", "Rice"), svg("Oats", "Rice", "Corn"))
    assert [one.kind for one in found.findings] == ["text moved"]
