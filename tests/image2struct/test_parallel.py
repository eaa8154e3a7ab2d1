"""Tables of one scene in several languages."""

import pytest

from helm_structext.image2struct.parallel import language_tables
from helm_structext.image2struct.results import result_sets
from helm_structext.image2struct.tasks import format_domain
from support.image2struct_answers import result


def answer(model, scene, format, ems):
    arguments = {"domain": format_domain(format), "format": format, "protocol": "corrected"}
    return result(model, f"{scene}-{format}", ems, arguments=arguments, subset="chart", scene=scene)


def test_formats_are_compared_on_the_scenes_that_they_share():
    answers = [
        answer("m", f"s{number}", format, ems)
        for number in range(8)
        for format, ems in (("svg", 0.9), ("vega", 0.7 - number / 100), ("tikz", None))
        if number or format != "tikz"
    ]
    answers.append(answer("m", "alone", "svg", 0.0))
    (table,) = language_tables(result_sets(answers))
    assert table.title == "One chart in several languages"
    rows = {row[1]: row for row in table.rows}
    assert list(rows) == ["SVG", "Vega", "TikZ"]
    assert [row[2] for row in table.rows] == [8, 8, 7]
    assert rows["SVG"][3] == pytest.approx(0.9)
    assert rows["TikZ"][3] == 0
    means = [(0.9 + 0.7 - n / 100) / (2 if n == 0 else 3) for n in range(8)]
    assert rows["SVG"][4] == pytest.approx(0.9 - sum(means) / 8)
    low, high = rows["TikZ"][5]
    assert low < rows["TikZ"][4] < high < 0


def test_scenes_in_one_format_have_no_table():
    assert list(language_tables(result_sets([answer("m", "s", "svg", 0.5)]))) == []
    assert list(language_tables(result_sets([result("m", "1", 0.5)]))) == []
