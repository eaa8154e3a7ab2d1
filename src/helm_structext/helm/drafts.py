"""Asks a model for drafts of StructEval's questions (`helm_structext.structeval.drafts`), through HELM's clients."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from helm.common.request import Request

from helm_structext.errors import SetupError
from helm_structext.helm.judge import deployment_of, helms_client
from helm_structext.processes import map_in_threads
from helm_structext.progress import progress
from helm_structext.structeval.drafts import Ask, make_drafts, write_drafts

if TYPE_CHECKING:
    from helm.clients.auto_client import AutoClient

MAX_TOKENS = 8000
"""Of a reply: a long input with its paths."""


@dataclass(frozen=True)
class DraftingReport:
    """What came of a set of drafts: how many of each task can be used, and how many were rejected in all."""

    used: Counter[str]
    rejected: int


def generate_structeval(
    model: str, tasks: Collection[str], count: int, seed: int, folder: Path, local_path: Path
) -> DraftingReport:
    """Writes a set of new questions, as a model drafts them; what HELM's cache has is not asked again.

    Args:
        model: one that HELM knows, such as by `helm-structext add-model`.
        tasks: keys of `helm_structext.structeval.tasks.TASKS`.
        count: how many questions of each.
        seed: another one gives other questions.
        folder: see `helm_structext.structeval.drafts.write_drafts`.
        local_path: where HELM finds credentials and keeps answers.

    Raises:
        SetupError: `count` is less than 1, the model is unknown or can't be asked, the machine can't
            render, or no draft can be used.
    """
    if count < 1:
        raise SetupError(f"count={count}: expected a whole number from 1 on")
    ask = _asker(model, seed, helms_client(local_path))
    of_tasks = map_in_threads(lambda task: list(make_drafts(task, count, ask)), tasks)
    drafts = [*chain.from_iterable(progress(of_tasks, "drafting questions", len(tasks)))]
    write_drafts(drafts, folder)
    used = Counter(draft.task for draft in drafts if not draft.reason)
    if not used:
        raise SetupError(
            f"no draft of {model} can be used: {folder / 'review.csv'} says why of each; try another "
            "model, or another --seed"
        )
    return DraftingReport(used, len(drafts) - used.total())


def _asker(model: str, seed: int, client: "AutoClient") -> Ask:
    deployment, name = deployment_of(model, "to draft questions")

    def ask(prompt: str, number: int) -> str:
        request = Request(
            model=name,
            model_deployment=deployment,
            prompt=prompt,
            temperature=1.0,
            max_tokens=MAX_TOKENS,
            random=f"{seed}-{number}",  # part of HELM's key of the reply
        )
        try:
            result = client.make_request(request)
        except Exception as error:  # whatever a provider's client raises
            raise _explain_silence(model, str(error)) from error
        if result.success:
            return result.completions[0].text or ""
        flags = result.error_flags
        if flags and flags.is_fatal is False and flags.is_retriable is False:
            return ""  # a filter withheld it
        raise _explain_silence(model, result.error)

    return ask


def _explain_silence(model: str, reason: str | None) -> SetupError:
    return SetupError(
        f"{model} can't be asked ({reason}); run the same command again when it can (its key belongs in "
        "credentials.conf of HELM's local path): what it wrote so far is kept"
    )
