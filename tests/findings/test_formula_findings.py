"""What symbols of a formula tell is told by them alone."""

from helm_structext.findings import compare_layouts
from helm_structext.layouts import RULE, ElementBox, PictureLayout, SymbolBox, TextBox


def fraction(*, barred):
    """Returns a over b, with or without its line."""
    letters = [
        SymbolBox(letter, (4.0, top, 10.0, top + 8), "CMMI10", 12.0)
        for letter, top in (("a", 2.0), ("b", 16.0))
    ]
    line = (2.0, 12.5, 12.0, 13.5)
    return PictureLayout(
        (14, 26),
        tuple(TextBox(one.text, one.box, "#000000", 12.0) for one in letters),
        (ElementBox("rule", line, "#000000"),) if barred else (),
        symbols=(*letters, *([SymbolBox(RULE, line)] if barred else [])),
    )


def test_a_lost_line_of_a_fraction_is_no_lost_element_too():
    found = compare_layouts(fraction(barred=False), fraction(barred=True)).findings
    assert found
    assert {one.kind.partition(" ")[0] for one in found} == {"symbol"}
