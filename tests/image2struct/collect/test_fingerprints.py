import imagehash
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import fingerprints as module
from helm_structext.image2struct.collect.fingerprints import (
    fingerprints,
    identifier,
    published_fingerprints,
)
from helm_structext.image2struct.collect.records import CandidateRefused
from helm_structext.pictures import decode
from support.drafts import candidate, draft, picture
from support.rows import IMAGE2STRUCT_SCHEMA, latex_row


def test_hashes_are_those_of_imagehash():
    found = fingerprints(picture(3, white=False), "x")
    image = decode(picture(3, white=False))
    assert found[:2] == (
        f"8x8:{imagehash.average_hash(image)}",
        f"5x5:{imagehash.average_hash(image, 5)}",
    )


@pytest.mark.parametrize(
    ("image", "structure", "by"),
    [(b"no picture", "x", "broken_picture"), (picture(), "\ud800", "not_unicode")],
)
def test_what_has_no_fingerprints_is_refused(image, structure, by):
    with pytest.raises(CandidateRefused) as caught:
        fingerprints(image, structure)
    assert caught.value.filter == by


def test_an_id_depends_on_what_an_instance_is():
    others = [
        draft(1),
        draft(0, subset="table"),
        draft(0, candidate(1)),
    ]
    ids = {identifier("latex", one) for one in (draft(0), *others)} | {
        identifier("music", draft(0))
    }
    assert len(ids) == 5
    assert identifier("latex", draft(0, length=99)) == identifier("latex", draft(0))


def published(folder, number):
    """A published dataset: two equations and a wild picture, which has no structure."""
    for config, rows in {
        "equation": [
            latex_row(i, image={"bytes": picture(number + i), "path": None}) for i in (0, 1)
        ],
        "wild": [latex_row(2, image={"bytes": picture(number + 2), "path": None}, structure=None)],
    }.items():
        (folder / config).mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist(rows, IMAGE2STRUCT_SCHEMA)
        pq.write_table(table, folder / config / "validation-00000-of-00001.parquet")
    return folder


def test_published_instances_are_known_by_their_fingerprints(tmp_path):
    found = published_fingerprints(published(tmp_path, 0))
    for number, structure in ((0, "$x^0$"), (1, "$x^1$"), (2, None)):
        for one in fingerprints(picture(number), structure):
            assert found[one] == f"instance {number}"


def test_published_fingerprints_are_computed_once_for_a_content(tmp_path, monkeypatch):
    first = published_fingerprints(published(tmp_path, 10))

    def unexpected(*_):
        raise AssertionError("computed again")

    with monkeypatch.context() as patch:
        patch.setattr(module, "fingerprints", unexpected)
        assert published_fingerprints(published(tmp_path, 10)) == first
    assert (
        published_fingerprints(published(tmp_path, 20))
        .keys()
        .isdisjoint(one for one in first if not one.startswith("structure:"))
    )


def test_a_folder_without_instances_is_the_users_mistake(tmp_path):
    with pytest.raises(SetupError, match="validation"):
        published_fingerprints(tmp_path)
