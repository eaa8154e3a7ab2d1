"""Arguments of a wrong type: a TypeError that names the argument, whatever the function does first."""

import pytest
from PIL import Image

from helm_structext import metrics
from helm_structext.extraction import extract
from helm_structext.renderers import Rendering, render, render_completion

PAGE = Image.new("RGB", (8, 8))

CALLS = {
    "source": lambda wrong: render("typst", wrong),
    "completion": lambda wrong: render_completion("json", wrong),
    "completion ": lambda wrong: extract(wrong, "json"),
    "timeout": lambda wrong: render("typst", "a", timeout=wrong or "a"),
    "cache": lambda wrong: render("typst", "a", cache=wrong or 0),
    "assets": lambda wrong: render("typst", "a", assets=wrong or [1]),
    r"assets\['a.png'\]": lambda wrong: render("typst", "a", assets={"a.png": wrong or 0}),
    "a name of assets": lambda wrong: render("typst", "a", assets={wrong: b""}),
    "text": lambda wrong: metrics.parse_structure(wrong, "json"),
    "path": lambda wrong: metrics.path_exists({}, wrong),
    "reference": lambda wrong: metrics.path_score("{}", wrong, "json"),
    "reference ": lambda wrong: metrics.keyword_score("a", wrong),
    "prediction": lambda wrong: metrics.keyword_score(wrong, ["a"]),
    "text ": lambda wrong: metrics.syntax_score(wrong, "json"),
    "syntax": lambda wrong: metrics.structeval_score(wrong, 1),
    "vqa": lambda wrong: metrics.structeval_score(1, 1, wrong or "a"),
    "prediction ": lambda wrong: metrics.iou(wrong, (0, 0, 1, 1)),
    "prediction  ": lambda wrong: metrics.iou((wrong,) * 4, (0, 0, 1, 1)),
}


@pytest.mark.parametrize("wrong", [None, 3.5, object()], ids=["none", "number", "object"])
@pytest.mark.parametrize(("name", "call"), CALLS.items())
def test_a_wrong_type_is_named(name, call, wrong):
    if wrong == 3.5 and name in ("timeout", "syntax", "vqa", "prediction  "):
        wrong = "3.5"  # where a number is right
    with pytest.raises(TypeError, match=f"{name.strip()}: expected a "):
        call(wrong)


def test_one_string_is_no_list_of_keywords():
    for call in (
        lambda: metrics.keyword_score("abc", "abc"),
        lambda: metrics.path_score("{}", "abc", "json"),
    ):
        with pytest.raises(TypeError, match="reference: expected a list of strings, got 'abc'"):
            call()


def test_a_notebook_shows_the_picture():
    rendering = Rendering(PAGE, "", "", "", 0.0, None)
    assert rendering._repr_png_().startswith(b"\x89PNG")
