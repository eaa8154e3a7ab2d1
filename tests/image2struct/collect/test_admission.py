from datetime import date

import pytest

from helm_structext.image2struct.collect.admission import Admission
from helm_structext.image2struct.collect.blocklist import BlockList, read_block_list
from helm_structext.image2struct.collect.fingerprints import fingerprints, identifier
from support.drafts import candidate, draft, picture


def admission(subsets=("equation", "table"), **changes):
    return Admission("latex", subsets, **{"count": 10, "most": 3, **changes})


def admit(of, *drafts):
    """What becomes of drafts, one after the other: the names of filters, or None."""
    found = []
    for one in drafts:
        refusal = of.enter(one.candidate) or of.admit(one, fingerprints(one.image, one.structure))
        found.append(refusal and refusal.filter)
    return found


def test_a_draft_is_admitted_and_counted():
    of = admission()
    assert admit(of, draft(0), draft(1), draft(2, subset="table")) == [None, None, None]
    assert of.counts == {"equation": 2, "table": 1}


@pytest.mark.parametrize(
    ("changes", "by"),
    [
        ({"structure": draft(0).structure}, "structure"),
        ({"image": draft(0).image}, "8x8"),
        # Twice the size: the file differs, and what one sees is the same.
        ({"image": picture(0, size=128)}, "8x8"),
    ],
)
def test_the_same_picture_or_structure_is_a_duplicate(changes, by):
    of = admission()
    assert admit(of, draft(0)) == [None]
    second = draft(1, **changes)
    assert of.enter(second.candidate) is None
    refusal = of.admit(second, fingerprints(second.image, second.structure))
    assert (refusal.filter, refusal.reason) == (
        "duplicate",
        f"{by} as in {draft(0).candidate.name}",
    )


def test_dark_pictures_are_compared_in_5x5():
    dark = [one for one in fingerprints(picture(0, white=False), None) if one.startswith("5x5:")]
    assert len(dark) == 1
    assert not [one for one in fingerprints(picture(0), None) if one.startswith("5x5:")]
    of = admission(known={dark[0]: "the other"})
    assert admit(of, draft(0, image=picture(0, white=False)), draft(1)) == ["duplicate", None]


def test_what_earlier_rounds_took_is_repeated_or_a_duplicate():
    known = dict.fromkeys(fingerprints(draft(1).image, draft(1).structure), "2409.00001")
    of = admission(taken=[candidate(0).name], known=known)
    assert admit(of, draft(0), draft(1), draft(2)) == ["repeated", "duplicate", None]


def test_no_candidate_enters_twice():
    of = admission()
    assert of.enter(candidate(0)) is None
    assert of.enter(candidate(0)).filter == "repeated"


def test_one_candidate_of_each_owner_gives_instances():
    of = admission(("css", "html"))
    own = [
        draft(number, candidate(number, owner="ann", group="css"), subset="css")
        for number in range(3)
    ]
    first, second, third = own
    # The first one's drafts are refused: the owner is still free.
    assert of.enter(first.candidate) is None
    assert admit(of, second) == [None]
    assert of.check(third.candidate).filter == "one_per_owner"
    assert of.check(candidate(4, owner="bob")) is None
    assert of.check(candidate(5, owner="")) is None


def test_a_day_has_a_limit_in_each_subset():
    day = date(2026, 10, 3)
    of = admission(per_day=2)
    drafts = [draft(number, candidate(number, day=day)) for number in range(3)]
    assert admit(of, *drafts) == [None, None, "limit_a_day"]
    # The day may still give tables.
    assert of.check(candidate(9, day=day)) is None
    tables = [draft(number, candidate(number, day=day), subset="table") for number in (3, 4)]
    assert admit(of, *tables) == [None, None]
    assert of.check(candidate(9, day=day)).filter == "limit_a_day"
    assert of.check(candidate(9, day=date(2026, 10, 4))) is None


def test_a_candidate_gives_few_of_a_subset():
    of = admission(most=2)
    paper = candidate(0)
    assert of.enter(paper) is None
    of_one = [draft(number, paper) for number in range(3)]
    refusals = [of.admit(one, fingerprints(one.image, one.structure)) for one in of_one]
    assert [refusal and refusal.filter for refusal in refusals] == [None, None, "limit_a_candidate"]
    other = draft(3, paper, subset="table")
    assert of.admit(other, fingerprints(other.image, other.structure)) is None


def test_a_full_subset_takes_no_more():
    of = admission(("css", "html"), count=1)
    page = draft(0, candidate(0, group="css"), subset="css")
    assert (admit(of, page), of.full) == ([None], False)
    # A group that is a subset's name gives to no other.
    assert of.check(candidate(1, group="css")).filter == "subset_full"
    assert of.check(candidate(1, group="html")) is None
    assert of.check(candidate(1, group="")) is None
    assert admit(of, draft(2, subset="css")) == ["subset_full"]
    assert (admit(of, draft(3, subset="html")), of.full) == ([None], True)


@pytest.mark.parametrize(
    "entry",
    [
        "2410.00003",
        "Ann",
        "https://arxiv.org/e-print/2410.00003",
        "https://ARXIV.org/e-print/",
        "https://arxiv.org/abs/2410.00003",
        identifier("latex", draft(3)),
        fingerprints(draft(3).image, draft(3).structure)[0],
        fingerprints(draft(3).image, draft(3).structure)[-1].partition(":")[2].upper(),
        f"2410.00003  # asked for on 2026-11-20, {date(2026, 11, 21)}",
    ],
)
def test_the_block_list_names_what_is_blocked(entry, tmp_path):
    file = tmp_path / "blocked.txt"
    file.write_text(f"# takedowns\n\n  {entry}\n")
    of = admission(blocked=read_block_list(file))
    blocked = draft(3, candidate(3, owner="ann"))
    assert admit(of, blocked) == ["blocked"]
    assert admit(of, draft(4, candidate(4, url="https://example.org/4"))) == [None]


def test_an_empty_block_list_blocks_nothing(tmp_path):
    file = tmp_path / "blocked.txt"
    file.write_text("# nothing yet\n\n#\n")
    assert read_block_list(file) == BlockList()
    assert admit(admission(blocked=read_block_list(file)), draft(0)) == [None]


def test_looking_ahead_changes_nothing():
    """Whoever asks about candidates early gets the same instances, for the same reasons."""
    paper = candidate(3)
    drafts = [draft(0), draft(1, candidate(0)), draft(2), draft(3, paper), draft(4, paper)]
    plain, looked = admission(per_day=1), admission(per_day=1)
    for one in drafts:
        looked.check(one.candidate)
    assert admit(plain, *drafts) == admit(looked, *drafts)
    assert plain.counts == looked.counts
