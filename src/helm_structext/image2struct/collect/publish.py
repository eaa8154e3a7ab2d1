"""A finished dataset, collected or generated, to the Hugging Face Hub, by its own client."""

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from helm_structext.data.schemas import SPLIT
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.dataset import CARD
from helm_structext.texts import describe_error, quote_value

if TYPE_CHECKING:
    from huggingface_hub.hf_api import DatasetInfo

FILES = f"{SPLIT}-*.parquet"

_LOG_IN = "log in with `hf auth login`, or set HF_TOKEN to a token that may write there"


def push_to_hub(folder: Path, repository: str, *, private: bool = True) -> str:
    """Puts a dataset into a repository of the Hub, which is made if there is none.

    One commit holds the card and the files of the dataset, and nothing else of the folder. A
    repository that holds another dataset is left alone; one that holds an earlier state of this one
    gets the new one, without what was taken out. (Its history still has it: the Hub's
    `super_squash_history` ends that.)

    Args:
        folder: of the dataset.
        repository: ``OWNER/NAME``, or a name in the user's own namespace.
        private: whether only the owner is to see it; a repository that is there and otherwise is
            refused.

    Returns:
        The address of the commit.

    Raises:
        SetupError: the folder holds no finished dataset, nobody is logged in, the repository is not
            fit, or the Hub can't be reached or refuses; with what to do.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, constants

    title = _title(folder)
    check_access(repository)
    api = HfApi(constants.ENDPOINT)
    new = [CARD, *sorted(str(file.relative_to(folder)) for file in folder.rglob(FILES))]
    try:
        # The name with its owner.
        name = api.create_repo(
            repository, repo_type="dataset", private=private, exist_ok=True
        ).repo_id
        info = api.dataset_info(name)
        _check_fit(info, title, private)
        there = [file.rfilename for file in info.siblings or ()]
        commit = api.create_commit(
            name,
            [
                *(CommitOperationAdd(path, folder / path) for path in new),
                *(CommitOperationDelete(path) for path in _gone(there, new)),
            ],
            commit_message=title,
            repo_type="dataset",
        )
    except SetupError:
        raise
    except Exception as error:  # of the network, the Hub or what stands in its place
        raise SetupError(_advice(error, repository)) from error
    return str(commit.commit_url)


def _title(folder: Path) -> str:
    """The name of a dataset, by its card."""
    from huggingface_hub import metadata_load

    try:
        metadata = metadata_load(folder / CARD)
    except Exception as error:  # of the disk, the text or its YAML
        raise SetupError(
            f"{folder} holds no finished dataset ({describe_error(error)}); the command that makes it "
            f"writes it in the end"
        ) from error
    match metadata:
        case {"pretty_name": str(title)}:
            return title
    raise SetupError(f"{folder / CARD} is not the card of a dataset: it has no pretty_name")


def check_access(repository: str) -> None:
    """Looks for what pushing needs on this machine, before a dataset is made for it.

    Raises:
        SetupError: nobody is logged in, or the Hub is not to be asked.
    """
    from huggingface_hub import constants, get_token

    if constants.HF_HUB_OFFLINE:
        raise SetupError("HF_HUB_OFFLINE=1 is set; unset it to push to the Hub")
    if not get_token():
        raise SetupError(
            f"nobody is logged in who could push to {quote_value(repository)}: {_LOG_IN}"
        )


def _check_fit(info: "DatasetInfo", title: str, private: bool) -> None:
    """Refuses to show what should be private, or to hide what should not, and to overwrite another's."""
    if private and not info.private:
        raise SetupError(
            f"{info.id} is public already; name another repository, or push it with --public"
        )
    if info.private and not private:
        raise SetupError(
            f"{info.id} is private; make it public in its settings on the Hub, and push it with "
            f"--public from then on"
        )
    files = {file.rfilename for file in info.siblings or ()} - {".gitattributes"}
    card: Any = info.card_data
    found = card.to_dict().get("pretty_name") if card else None
    if files and found != title:
        raise SetupError(
            f"{info.id} holds another dataset ({quote_value(found)}); name another repository for "
            f"{quote_value(title)}"
        )


def _gone(there: list[str], new: list[str]) -> list[str]:
    """Files of subsets that have no instances any more."""
    return [path for path in there if PurePosixPath(path).match(FILES) and path not in new]


def _advice(error: Exception, repository: str) -> str:
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    if isinstance(error, HFValidationError):
        return f"{quote_value(repository)} is no name of a repository: expected OWNER/NAME"
    status = error.response.status_code if isinstance(error, HfHubHTTPError) else None
    if status in (401, 403):
        return f"the Hub lets nobody write to {quote_value(repository)} with this token: {_LOG_IN}"
    reason = (
        describe_error(error) if status is None else f"it answers {status}: {describe_error(error)}"
    )
    return (
        f"the dataset was not pushed to {quote_value(repository)} ({reason}). Nothing there has "
        f"changed; push it again later"
    )
