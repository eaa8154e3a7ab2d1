"""Run entries of plain benchmarks: a dataclass of arguments says all that is to be checked."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest

from helm_structext.errors import SetupError
from helm_structext.run_entries import RUN_ENTRIES, TEXT, RunEntry, plain_entry, zero_shot

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass(frozen=True)
class DatesArguments:
    source: str = "hub"
    style: Literal["all", "short", 7] = "all"
    limit: int = 50
    revision: str = "main"


@pytest.fixture
def dates() -> Iterator[RunEntry]:
    yield plain_entry("dates", DatesArguments, zero_shot("", 20, method=TEXT))
    del RUN_ENTRIES["dates"]


def test_the_name_says_all_arguments_and_the_run_has_them(dates):
    run = dates(limit=3, style="short")
    assert run.name == "dates:source=hub,style=short,limit=3"
    assert run.arguments == DatesArguments(style="short", limit=3)
    assert (run.benchmark, run.entry, run.groups) == ("dates", "dates", ["dates"])
    assert (run.adapter_spec.method, run.adapter_spec.max_tokens) == (TEXT, 20)
    assert dates(revision=COMMIT).name == f"dates:source=hub,revision={COMMIT},style=all,limit=50"


def test_a_folder_becomes_a_short_label(dates, tmp_path):
    run = dates(source=str(tmp_path))
    assert run.name.startswith(f"dates:source={tmp_path.name}-")
    assert run.arguments.source == str(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"style": "wide"}, "dates: style=wide is unknown; it is one of all, short, 7"),
        ({"limit": "many"}, "dates: limit=many is not of type int"),
        ({"limit": 2.5}, "dates: limit=2.5 is not of type int"),
        ({"stile": "all"}, "dates: stile= is unknown; did you mean style="),
        ({"source": 7}, "write the folder as ./7"),
        ({"source": "a,b"}, "has a comma"),
        ({"revision": 12}, "as a number"),
        ({"source": "sample", "revision": COMMIT}, "source=sample has no revisions"),
    ],
)
def test_what_can_t_be_is_said(dates, arguments, message):
    with pytest.raises(SetupError) as caught:
        dates(**arguments)
    assert message in str(caught.value)


def test_of_a_number_that_a_text_may_be_helm_makes_a_number(dates):
    assert dates(style=7).name == "dates:source=hub,style=7,limit=50"
