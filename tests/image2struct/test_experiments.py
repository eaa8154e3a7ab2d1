"""Conditions of one suite against each other."""

import pytest

from helm_structext.image2struct.experiments import experiment_tables
from helm_structext.image2struct.results import result_sets
from support.image2struct_answers import result, rows, scored


def test_what_a_perturbation_and_a_wording_change():
    scan = {"perturbation": "scan", "severity": 4}
    results = [
        *scored(m=[0.8, 0.6, 0.9], other=[0.5]),
        *(result("m", str(i), v, arguments=scan) for i, v in enumerate([0.5, 0.5])),
        *(
            result("m", str(i), v, arguments={"wording": "cot"})
            for i, v in enumerate([0.9, 0.8, 0.7])
        ),
    ]
    changes, spread = experiment_tables(result_sets(results))
    found = {row[1]: row[2:] for row in changes.rows}
    assert found["perturbation=scan, severity=4"][:4] == [2, *map(pytest.approx, (0.7, 0.5, -0.2))]
    assert found["wording=cot"][0] == 3
    assert rows(spread)["m"]["cot"] == pytest.approx(0.8)
    assert rows(spread)["m"]["Spread"] == pytest.approx(0.8 - 2.3 / 3)
    assert rows(spread)["other"]["cot"] is rows(spread)["other"]["Spread"] is None
    assert list(experiment_tables(result_sets(scored(m=[0.5])))) == []
