import pytest
from huggingface_hub import constants

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.card import card_of
from helm_structext.image2struct.collect.dataset import FILE, write_dataset
from helm_structext.image2struct.collect.publish import push_to_hub
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.sets import generate_set
from helm_structext.scenes.settings import choose_settings
from support.drafts import draft, made_round
from support.hub_server import hub_server
from support.rounds import report
from support.scenes import PATCHES, paint


@pytest.fixture(name="hub")
def running_hub(monkeypatch):
    """A Hub to which someone is logged in."""
    with hub_server() as running:
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        # The storage of large files that any Hub has.
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", running.token)
        yield running


def write(folder, subsets=("equation", "table"), domain="latex"):
    """A round of two instances a subset, and the journal beside it."""
    drafts = {
        subset: [draft(10 * place + number, subset=subset) for number in range(2)]
        for place, subset in enumerate(subsets)
    }
    made = made_round(domain)
    write_dataset(folder, made, drafts, card_of(made, report()))
    (folder / "journal.sqlite").write_bytes(b"private")
    return folder


def newest(hub, name):
    repository = hub.repositories[name]
    return repository.files[repository.branches["main"]]


def test_a_round_is_pushed_into_a_private_repository(hub, tmp_path):
    folder = write(tmp_path / "round")
    address = push_to_hub(folder, "team/fresh")
    repository = hub.repositories["team/fresh"]
    assert address == f"{hub.url}/datasets/team/fresh/commit/{repository.branches['main']}"
    assert repository.private
    files = newest(hub, "team/fresh")
    names = ["README.md", f"equation/{FILE}", f"table/{FILE}"]
    assert {*files} == {".gitattributes", *names}
    assert all(files[name] == (folder / name).read_bytes() for name in names)
    assert repository.messages == ["Image2Struct, LaTeX, round of 2026-10-01..2026-10-31"]


def test_a_name_alone_is_in_ones_own_namespace(hub, tmp_path):
    push_to_hub(write(tmp_path / "round"), "fresh", private=False)
    assert not hub.repositories["me/fresh"].private


def test_what_is_there_is_not_pushed_again(hub, tmp_path):
    folder = write(tmp_path / "round")
    addresses = {push_to_hub(folder, "team/fresh") for _ in range(2)}
    assert len(addresses) == 1
    assert len(hub.repositories["team/fresh"].messages) == 1
    assert sum(line.startswith("PUT") for line in hub.asked) == 2


def test_what_was_taken_out_leaves_the_repository(hub, tmp_path):
    folder = write(tmp_path / "round")
    push_to_hub(folder, "team/fresh")
    write(folder, ["equation"])
    push_to_hub(folder, "team/fresh")
    assert {*newest(hub, "team/fresh")} == {".gitattributes", "README.md", f"equation/{FILE}"}


def test_a_generated_set_is_pushed_with_all_of_its_files(hub, tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "patch", PATCHES)
    folder = tmp_path / "set"
    generate_set(choose_settings(kinds=["patch"], count=5, seed=1), folder, paint)
    push_to_hub(folder, "team/scenes")
    files = newest(hub, "team/scenes")
    names = [f"{format}/patch/validation-00000.parquet" for format in ("svg", "typst")]
    assert {*files} == {".gitattributes", "README.md", *names}
    assert all(files[name] == (folder / name).read_bytes() for name in names)


def test_another_dataset_is_left_alone(hub, tmp_path):
    push_to_hub(write(tmp_path / "round"), "team/fresh")
    before = newest(hub, "team/fresh")
    with pytest.raises(SetupError, match="holds another dataset"):
        push_to_hub(write(tmp_path / "pages", ["css"], "webpage"), "team/fresh")
    assert newest(hub, "team/fresh") == before
    hub.repository("team/strange").commit({"notes.txt": b"mine"})
    hub.repository("team/strange").private = True
    with pytest.raises(SetupError, match=r"holds another dataset \(None\)"):
        push_to_hub(tmp_path / "round", "team/strange")


def test_what_should_be_private_goes_into_no_public_repository(hub, tmp_path):
    folder = write(tmp_path / "round")
    push_to_hub(folder, "team/open", private=False)
    with pytest.raises(SetupError, match=r"public already; .* --public"):
        push_to_hub(folder, "team/open")


def test_what_should_be_public_is_not_left_in_a_private_repository(hub, tmp_path):
    folder = write(tmp_path / "round")
    push_to_hub(folder, "team/fresh")
    with pytest.raises(SetupError, match="team/fresh is private; make it public in its settings"):
        push_to_hub(folder, "team/fresh", private=False)
    hub.repositories["team/fresh"].private = False
    push_to_hub(folder, "team/fresh", private=False)


@pytest.mark.parametrize("token", ["", "hf_reader"])
def test_without_a_token_that_may_write_nothing_is_pushed(hub, tmp_path, monkeypatch, token):
    monkeypatch.setenv("HF_TOKEN", token)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(SetupError, match="hf auth login") as caught:
        push_to_hub(write(tmp_path / "round"), "team/fresh")
    assert "hf_reader" not in str(caught.value)
    assert hub.repositories == {}
    assert bool(hub.asked) == bool(token)


@pytest.mark.parametrize(
    ("repository", "words"), [("a/b/c", "expected OWNER/NAME"), ("../x", "expected OWNER/NAME")]
)
def test_a_name_that_is_none_is_the_users_mistake(hub, tmp_path, repository, words):
    with pytest.raises(SetupError, match=words):
        push_to_hub(write(tmp_path / "round"), repository)


def test_a_folder_without_a_finished_dataset_is_not_pushed(hub, tmp_path):
    folder = write(tmp_path / "round")
    (folder / "README.md").unlink()
    with pytest.raises(SetupError, match="no finished dataset"):
        push_to_hub(folder, "team/fresh")
    (folder / "README.md").write_text("---\nlicense: mit\n---\n")
    with pytest.raises(SetupError, match="not the card of a dataset"):
        push_to_hub(folder, "team/fresh")
    assert hub.asked == []


@pytest.mark.parametrize("requests", range(5))
def test_a_hub_that_fails_on_the_way_changes_nothing(hub, tmp_path, requests):
    """At any of its requests, of which the commit is the last."""
    folder = write(tmp_path / "round")
    push_to_hub(folder, "team/fresh")
    before = newest(hub, "team/fresh")
    write(folder, ["equation"])
    hub.statuses += [0] * requests + [400]
    with pytest.raises(SetupError, match="push it again later"):
        push_to_hub(folder, "team/fresh")
    assert newest(hub, "team/fresh") == before
    push_to_hub(folder, "team/fresh")
    assert newest(hub, "team/fresh") != before


def test_offline_nothing_is_pushed(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SetupError, match="HF_HUB_OFFLINE"):
        push_to_hub(write(tmp_path / "round"), "team/fresh")
