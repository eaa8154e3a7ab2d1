"""What users say of their cluster."""

import pytest

from helm_structext.errors import SetupError
from helm_structext.slurm.options import NUMBERS, PREFIX, RESOURCES, SBATCH, read_options
from support.documents import ROOT


def test_resources_are_options_of_sbatch_and_numbers_ours():
    options = read_options(
        {
            f"{PREFIX}ACCOUNT": "lab",
            f"{PREFIX}MEMORY": "16G",
            f"{PREFIX}SBATCH": "--qos=low --comment='a b'",
            f"{PREFIX}INSTANCES": "500",
            "SBATCH_PARTITION": "read by sbatch itself",
        }
    )
    assert options.sbatch == ("--account=lab", "--mem=16G", "--qos=low", "--comment=a b")
    assert (options.attempts, options.instances) == (3, 500)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ATTEMPTS", "0"),
        ("JOBS", "many"),
        ("INSTANCES", "-1"),
        ("SECONDS", "1.5"),
        ("JOBS", "²"),
        ("JOBS", "9" * 5000),
        ("SBATCH", "--comment='a"),
    ],
)
def test_a_value_that_makes_no_sense_is_named(name, value):
    with pytest.raises(SetupError, match=f"{PREFIX}{name} is ") as error:
        read_options({PREFIX + name: value})
    assert len(str(error.value)) < 300


def test_the_documents_list_them_all():
    text = (ROOT / "docs" / "slurm.md").read_text(encoding="utf-8")
    for name in (*RESOURCES, *NUMBERS, SBATCH):
        assert f"| `{PREFIX}{name}` |" in text
    for name, (default, _) in NUMBERS.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{PREFIX}{name}`")]
        assert row.rstrip(" |").endswith(f"| {default}")
