"""The run entry of StructEval."""

from helm_structext.data import NEWEST
from helm_structext.errors import SetupError
from helm_structext.protocols import DEFAULT_PROTOCOL, PROTOCOLS, MissingRule, ProtocolName
from helm_structext.run_entries import (
    TEXT,
    RunDescription,
    check,
    missing_argument,
    run_entry,
    source_arguments,
    zero_shot,
)
from helm_structext.structeval.judge import DEFAULT_JUDGE, NO_JUDGE, NOT_COMPARABLE
from helm_structext.structeval.tasks import (
    MAX_TOKENS,
    PROMPT_SUFFIX,
    SUBSETS,
    TASKS,
    StructEvalArguments,
    tasks_of,
)


@run_entry("structeval")
def structeval(
    task: str = "all",
    subset: str = "all",
    source: str = "hub",
    protocol: ProtocolName = DEFAULT_PROTOCOL,
    judge: str = "default",
    revision: str = NEWEST,
    missing: MissingRule = "zero",
) -> RunDescription:
    """StructEval: structures in 18 formats, of text or to be rendered.

    Args:
        task: one of the 44 tasks, or ``all`` of them.
        subset: ``all``, or one of the four subsets.
        source: ``hub``, ``sample`` or a folder.
        protocol: ``published`` or ``corrected``.
        judge: who looks at pictures: ``default`` (the published judge), a model that HELM knows,
            or ``none``, which leaves the VQA score and the final score of pictures out. Text has
            no judge.
        revision: of the published data: a branch, a tag or a commit.
        missing: of the protocol ``corrected``: whether answers that can't be drawn for what is missing
            here score ``zero`` or are ``unscored``. Text needs nothing that could be missing.

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    check("structeval", "task", task, ("all", *TASKS))
    check("structeval", "subset", subset, ("all", *SUBSETS))
    check("structeval", "protocol", protocol, PROTOCOLS)
    data = source_arguments("structeval", source, revision)
    tasks = tasks_of(task, subset)
    if not tasks:
        raise SetupError(
            f"structeval: task={task} belongs to subset={TASKS[task].subset}, "
            f"not to subset={subset}; leave one of them out"
        )
    model = DEFAULT_JUDGE if judge == "default" else str(judge)
    rendered = any(TASKS[name].rendered for name in tasks)
    # A task alone says its subset.
    subset = "all" if task != "all" else subset
    run = f"structeval:task={task}" if subset == "all" else f"structeval:subset={subset}"
    run += f",{data},protocol={protocol}"
    rule = missing_argument("structeval", missing, protocol)
    if rendered:
        run += f",judge={model.replace('/', '_')}{rule}"
    return RunDescription(
        name=run,
        benchmark="structeval",
        arguments=StructEvalArguments(
            task,
            subset,
            source,
            protocol,
            revision,
            model if rendered and model != NO_JUDGE else None,
            missing if rendered and rule else None,
        ),
        adapter_spec=zero_shot("", MAX_TOKENS, method=TEXT, input_suffix=PROMPT_SUFFIX),
        groups=_groups(task, subset, protocol, model, rule)
        if rendered
        else _groups(task, subset, protocol, DEFAULT_JUDGE),
    )


def _groups(task: str, subset: str, protocol: str, judge: str, rule: str = "") -> list[str]:
    """Tables are made of groups, and never mix protocols, judges nor rules; text has the default ones."""
    group = "structeval" if protocol == "published" else f"structeval_{protocol}"
    if rule:
        group += "_unscored"
    if judge == NO_JUDGE:
        group += "_no_judge"
    elif judge in NOT_COMPARABLE:
        group += "_ocr_judge"
    elif judge != DEFAULT_JUDGE:
        group += "_other_judge"
    if rule:
        return [group]
    if task == "all":
        return [f"{group}_{subset}"]
    # helm-summarize averages a group's runs equally: so the paper averages a subset's tasks.
    whole = f"{group}_{TASKS[task].subset}"
    return [whole, f"structeval_{task}"] if group == "structeval" else [whole]
