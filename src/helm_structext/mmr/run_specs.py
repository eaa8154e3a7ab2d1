"""The run entry of MMR."""

from helm_structext.data import NEWEST
from helm_structext.errors import SetupError
from helm_structext.mmr.replies import SCALES
from helm_structext.mmr.tasks import (
    DEFAULT_LIMIT,
    DEFAULT_SYSTEM,
    MAX_TOKENS,
    RENAMED_SYSTEMS,
    SYSTEMS,
    TASKS,
    MMRArguments,
)
from helm_structext.run_entries import (
    RunDescription,
    check,
    run_entry,
    source_arguments,
    zero_shot,
)


@run_entry("mmr")
def mmr(
    task: str = "all",
    source: str = "hub",
    limit: int = DEFAULT_LIMIT,
    system: str = DEFAULT_SYSTEM,
    lenient: str = "none",
    revision: str = NEWEST,
) -> RunDescription:
    """MMR: questions about pictures with much text in them.

    Args:
        task: one of the eleven tasks, or ``all`` of them.
        source: ``hub``, ``sample`` or a folder.
        limit: how many of each task's rows to take; the published tables take the first 50.
        system: ``scale`` (a sentence of ours says in which scale a box is asked for) or ``none``.
        lenient: ``none``, or the scale in which boxes are read out of fences and prose for a
            second set of scores: ``fraction``, ``thousand`` or ``pixel``.
        revision: of the published data: a branch, a tag or a commit.

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    check("mmr", "task", task, ("all", *TASKS))
    system = RENAMED_SYSTEMS.get(system, system)
    check("mmr", "system", system, tuple(SYSTEMS))
    check("mmr", "lenient", lenient, ("none", *SCALES))
    if not isinstance(limit, int) or limit < 1:
        raise SetupError(f"mmr: limit={limit} is not a whole number from 1")

    data = source_arguments("mmr", source, revision)
    run = f"mmr:task={task},{data},limit={limit},system={system}"
    if lenient != "none":
        run += f",lenient={lenient}"
    # Tables are made of groups, and never mix prompts.
    group = f"mmr_{task}" if system == DEFAULT_SYSTEM else "mmr_system_none"
    return RunDescription(
        name=run,
        benchmark="mmr",
        arguments=MMRArguments(task, source, limit, system, lenient, revision),
        adapter_spec=zero_shot("", MAX_TOKENS),
        groups=[group],
    )
