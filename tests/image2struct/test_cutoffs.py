from datetime import date
from pathlib import Path

import helm.config
import pytest
import yaml

from helm_structext.errors import SetupError
from helm_structext.image2struct.cutoffs import KNOWN, known_cutoffs, read_cutoffs


def test_the_known_cutoffs_are_of_models_that_helm_knows():
    metadata = Path(helm.config.__path__[0], "model_metadata.yaml").read_text()
    known = {model["name"] for model in yaml.load(metadata, yaml.CSafeLoader)["models"]}
    assert {*known_cutoffs()} <= known


def test_each_known_cutoff_stands_below_the_address_that_says_it():
    _, *blocks = KNOWN.read_text().split("\n\n")
    listed = [line for block in blocks for line in block.splitlines() if not line.startswith("#")]
    assert len(listed) == len(known_cutoffs())
    for block in blocks:
        models = [line.partition(":")[0] for line in block.splitlines() if line[0] != "#"]
        providers = {model.partition("/")[0] for model in models}
        assert len(providers) == 1, block
        remark = block[: block.index(models[0])]
        assert remark.startswith("# ")
        assert "https://" in remark


def test_cutoffs_are_days_or_months(tmp_path):
    file = tmp_path / "cutoffs.yaml"
    file.write_text("a/b: 2023-10-01\nc/d: 2024-02\n")
    assert read_cutoffs(file) == {"a/b": date(2023, 10, 1), "c/d": date(2024, 2, 29)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n", "holds no mapping"),
        ("a: spring\n", "a: expected YYYY-MM-DD or YYYY-MM, got 'spring'"),
        ("a: 2024-13\n", "got '2024-13'"),
        ("a: 2024\n", "got 2024"),
        ("a: [1\n", "can't be read"),
        ("\xff", "can't be read"),
    ],
)
def test_bad_cutoffs_are_named(tmp_path, text, words):
    file = tmp_path / "cutoffs.yaml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SetupError, match=words):
        read_cutoffs(file)
