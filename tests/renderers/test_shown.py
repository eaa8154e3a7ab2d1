"""What a notebook, or a log, shows of a rendering."""

from pathlib import Path

from PIL import Image

from helm_structext.renderers import MAX_SHOWN, Rendering


def test_it_is_one_short_line_whatever_the_engine_said():
    image = Image.new("RGB", (640, 480))
    log = "This is pdfTeX\n" * 10_000
    shown = repr(Rendering(image, "$x$\n" * 1000, "x", log, 0.456, Path("/cache/a.png")))
    assert len(shown.splitlines()) == 1
    assert shown.startswith("Rendering(640x480, source='$x$\\n$x$")
    assert shown.endswith("seconds=0.46, path='/cache/a.png')")
    assert len(shown) < 5 * MAX_SHOWN
    assert repr(Rendering(image, "$x$", "", "", 1.0, None)) == (
        "Rendering(640x480, source='$x$', seconds=1.00, path=None)"
    )
