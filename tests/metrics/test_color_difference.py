"""CIEDE2000 against the pairs that its implementation notes give."""

import numpy as np
import pytest

from helm_structext.metrics.color_difference import ciede2000, lab_of

# Sharma, Wu and Dalal, 2005, Table 1: two colors and their difference.
PAIRS = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
    ((50, 2.8361, -74.0200), (50, 0, -82.7485), 3.4412),
    ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0),
    ((50, -1.1848, -84.8006), (50, 0, -82.7485), 1.0),
    ((50, 0, 0), (50, -1, 2), 2.3669),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((50, 2.5, 0), (61, -5, 29), 22.8977),
    ((50, 2.5, 0), (56, -27, -3), 31.9030),
    ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("first", "second", "difference"), PAIRS)
def test_published_pairs(first, second, difference):
    found = ciede2000(np.array([first], float), np.array([second], float))
    back = ciede2000(np.array([second], float), np.array([first], float))
    assert found[0] == pytest.approx(difference, abs=5e-5)
    assert back[0] == pytest.approx(difference, abs=5e-5)


def test_equal_colors_do_not_differ():
    colors = lab_of(["#123456", "#ffffff", "#808080"])
    assert ciede2000(colors, colors).tolist() == [0, 0, 0]
