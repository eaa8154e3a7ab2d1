"""The local packages: pages and components that use them, by the links that models write."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from support.package_pages import ANGULAR, MAP, PACKAGED, PAGES, REACT, THREE, VUE


@pytest.mark.parametrize(
    ("format", "page"),
    [
        pytest.param(format, page, id=f"{kind}: {name}")
        for format, kind, pages in PACKAGED
        for name, page in pages.items()
    ],
)
def test_page_has_what_its_packages_draw(format, page):
    rendered = render(format, page.code)
    assert "Error" not in rendered.log, rendered.log
    for words in page.words:
        assert words in rendered.text
    colors = rendered.image.getcolors(rendered.image.width * rendered.image.height)
    assert page.color in {color for count, color in colors if count > 50}


def pin_colors(format, code):
    """Colors that are on the page with Leaflet's picture of a pin and not on that without."""
    found = []
    for page in (code, code.replace("L.marker", "L.circleMarker")):
        image = render(format, page).image
        found.append({color for count, color in image.getcolors(image.width * image.height)})
    return found[0] - found[1]


@pytest.mark.parametrize(
    ("format", "pages"), [("html", PAGES), ("react", REACT), ("vue", VUE), ("angular", ANGULAR)]
)
def test_pictures_of_a_package_are_there(format, pages):
    code = next(page.code for name, page in pages.items() if "leaflet" in name and MAP in page.code)
    assert (46, 133, 203) in pin_colors(format, code)


def test_package_that_is_not_installed_is_named():
    for name in ("@mui/x-data-grid", "@mui/material/NoSuch", "react-icons/nosuch", "three/nosuch"):
        with pytest.raises(RenderError, match=f'cannot import "{name}"'):
            render("react", f"import X from '{name}'\nexport default () => <X />")


def test_page_without_webgl_says_so():
    """As three.js does where a browser has none."""
    page = THREE["script of cdnjs"].code
    without = "<script>HTMLCanvasElement.prototype.getContext = () => null</script>"
    with pytest.raises(RenderError, match="Error creating WebGL context"):
        render("html", without + page)
