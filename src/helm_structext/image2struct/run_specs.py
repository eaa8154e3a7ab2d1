"""Run entries: what a line of a conf file means.

Every value arrives as text, except that HELM turns what looks like a number into one.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.adapter_spec import (
    ADAPT_GENERATION,
    ADAPT_GENERATION_MULTIMODAL,
    AdapterSpec,
)
from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.common_metric_specs import get_basic_metric_specs
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_structext.cache import content_key
from helm_structext.data import source_label
from helm_structext.errors import SetupError
from helm_structext.image2struct.perturbations import PERTURBATIONS, SEVERITIES
from helm_structext.image2struct.scenario import (
    CHAIN_OF_THOUGHT,
    DIFFICULTIES,
    DOMAINS,
    INSTRUCTIONS,
    MAX_TOKENS,
)
from helm_structext.mmr import scenario as mmr_scenario
from helm_structext.mmr.replies import SCALES
from helm_structext.mmr.tasks import TASKS
from helm_structext.structeval import scenario as structeval_scenario
from helm_structext.structeval.judge import DEFAULT_JUDGE, NO_JUDGE, NOT_COMPARABLE
from helm_structext.structeval.tasks import SUBSETS
from helm_structext.structeval.tasks import TASKS as STRUCTEVAL_TASKS

PROTOCOLS = ("published", "corrected")


@run_spec_function("image2struct_latex")
def image2struct_latex(**arguments: Any) -> RunSpec:
    """Image2Struct, LaTeX: equations, tables, plots and algorithms from papers."""
    return _image2struct("image2struct_latex", **arguments)


@run_spec_function("image2struct_webpage")
def image2struct_webpage(**arguments: Any) -> RunSpec:
    """Image2Struct, webpages: pages of GitHub repositories in HTML, CSS and JavaScript."""
    return _image2struct("image2struct_webpage", **arguments)


@run_spec_function("image2struct_music")
def image2struct_music(**arguments: Any) -> RunSpec:
    """Image2Struct, music: excerpts of sheet music, to be written in LilyPond."""
    return _image2struct("image2struct_music", **arguments)


def _image2struct(
    name: str,
    subset: str = "all",
    difficulty: str = "all",
    source: str = "hub",
    protocol: str = "published",
    perturbation: str = "none",
    severity: int = 3,
    wording: str = "default",
) -> RunSpec:
    """Makes the run spec of one Image2Struct entry.

    Args:
        name: the run entry's name, a key of `DOMAINS`.
        subset: one of the domain's subsets, or ``all`` of those with published tables.
        difficulty: ``all``, ``easy``, ``medium`` or ``hard``.
        source: ``hub``, ``sample`` or a folder.
        protocol: ``published`` or ``corrected``.
        perturbation: ``none``, or how the input picture is made worse.
        severity: of the perturbation, 1 to 5.
        wording: of the instructions: ``default`` (as published), ``cot`` (chain of thought), or
            a text file that holds others. (HELM keeps the names `instructions` and `prompt` for
            itself.)

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    domain = DOMAINS[name]
    _check(name, "subset", subset, ("all", *domain.subsets, *domain.wild_subsets))
    _check(name, "difficulty", difficulty, DIFFICULTIES)
    _check(name, "protocol", protocol, PROTOCOLS)
    _check(name, "perturbation", perturbation, ("none", *PERTURBATIONS))
    _check(name, "severity", severity, SEVERITIES)
    _check_source(name, source)
    instructions, wording_label = _wording(name, wording)

    run = f"{name}:subset={subset},difficulty={difficulty},source={source_label(source)}"
    run += f",protocol={protocol}"
    # Tables are made of groups, and never mix protocols, nor plain runs with experiments.
    group = name if protocol == "published" else f"{name}_{protocol}"
    if perturbation != "none":
        run += f",perturbation={perturbation},severity={severity}"
        group += "_perturbed"
    if wording != "default":
        run += f",wording={wording_label}"
        group += "_reworded"
    if perturbation != "none" or wording != "default":
        groups = [group]
    elif subset in domain.wild_subsets:
        groups = [f"{group}_wild"]
    else:
        # A domain's only subset is the domain.
        whole = ("all", *domain.subsets) if len(domain.subsets) == 1 else ("all",)
        groups = [group, *(f"{group}_{part}" for part in (subset, difficulty) if part not in whole)]
    return RunSpec(
        name=run,
        scenario_spec=ScenarioSpec(
            class_name="helm_structext.image2struct.scenario.Image2StructScenario",
            args={
                "domain": name,
                "subset": subset,
                "difficulty": difficulty,
                "source": source,
                "protocol": protocol,
                "perturbation": perturbation,
                "severity": severity,
                "wording": wording_label,
            },
        ),
        adapter_spec=_zero_shot(instructions, MAX_TOKENS),
        annotators=[
            AnnotatorSpec(
                class_name="helm_structext.helm_adapters.RenderAnnotator",
                args={"format": domain.format, "protocol": protocol},
            )
        ],
        metric_specs=[
            MetricSpec(
                class_name="helm_structext.image2struct.adapters.Image2StructMetric",
                args={
                    "size_handling": domain.size_handling,
                    "has_structure": domain.has_structure(subset),
                },
            ),
            *get_basic_metric_specs([]),
        ],
        groups=groups,
    )


@run_spec_function("mmr")
def mmr(
    task: str = "all",
    source: str = "hub",
    limit: int = mmr_scenario.DEFAULT_LIMIT,
    system: str = "published",
    lenient: str = "none",
) -> RunSpec:
    """MMR: questions about pictures with much text in them.

    Args:
        task: one of the eleven tasks, or ``all`` of them.
        source: ``hub``, ``sample`` or a folder.
        limit: how many of each task's rows to take; the published tables take the first 50.
        system: ``published`` (one sentence says in which scale a box is asked for) or ``none``.
        lenient: ``none``, or the scale in which boxes are read out of fences and prose for a
            second set of scores: ``fraction``, ``thousand`` or ``pixel``.

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    _check("mmr", "task", task, ("all", *TASKS))
    _check("mmr", "system", system, tuple(mmr_scenario.SYSTEMS))
    _check("mmr", "lenient", lenient, ("none", *SCALES))
    _check_source("mmr", source)
    if not isinstance(limit, int) or limit < 1:
        raise SetupError(f"mmr: limit={limit} is not a whole number from 1")

    run = f"mmr:task={task},source={source_label(source)},limit={limit},system={system}"
    if lenient != "none":
        run += f",lenient={lenient}"
    # Tables are made of groups, and never mix prompts.
    group = f"mmr_{task}" if system == "published" else "mmr_system_none"
    return RunSpec(
        name=run,
        scenario_spec=ScenarioSpec(
            class_name="helm_structext.mmr.scenario.MMRScenario",
            args={
                "task": task,
                "source": source,
                "limit": limit,
                "system": system,
                "lenient": lenient,
            },
        ),
        adapter_spec=_zero_shot("", mmr_scenario.MAX_TOKENS),
        annotators=[AnnotatorSpec(class_name="helm_structext.mmr.adapters.MMRAnnotator")],
        metric_specs=[
            MetricSpec(
                class_name="helm_structext.mmr.adapters.MMRMetric", args={"lenient": lenient}
            ),
            *get_basic_metric_specs([]),
        ],
        groups=[group],
    )


@run_spec_function("structeval")
def structeval(
    task: str = "all",
    subset: str = "all",
    source: str = "hub",
    protocol: str = "published",
    judge: str = "default",
) -> RunSpec:
    """StructEval: structures in 18 formats, of text or to be rendered.

    Args:
        task: one of the 44 tasks, or ``all`` of them.
        subset: ``all``, or one of the four subsets.
        source: ``hub``, ``sample`` or a folder.
        protocol: ``published`` or ``corrected``.
        judge: who looks at pictures: ``default`` (the published judge), a model that HELM knows,
            or ``none``, which leaves the VQA score and the final score of pictures out. Text has
            no judge.

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    _check("structeval", "task", task, ("all", *STRUCTEVAL_TASKS))
    _check("structeval", "subset", subset, ("all", *SUBSETS))
    _check("structeval", "protocol", protocol, PROTOCOLS)
    _check_source("structeval", source)
    tasks = structeval_scenario.tasks_of(task, subset)
    if not tasks:
        raise SetupError(
            f"structeval: task={task} belongs to subset={STRUCTEVAL_TASKS[task].subset}, "
            f"not to subset={subset}; leave one of them out"
        )
    model = DEFAULT_JUDGE if judge == "default" else str(judge)
    rendered = any(STRUCTEVAL_TASKS[name].rendered for name in tasks)
    annotators = [
        AnnotatorSpec(
            class_name="helm_structext.helm_adapters.RenderAnnotator",
            args={"format": None, "protocol": protocol},
        )
    ]
    if rendered and model != NO_JUDGE:
        annotators.append(
            AnnotatorSpec(
                class_name="helm_structext.structeval.judge.JudgeAnnotator",
                args={"judge": model, "protocol": protocol},
            )
        )

    # A task alone says its subset.
    subset = "all" if task != "all" else subset
    run = f"structeval:task={task}" if subset == "all" else f"structeval:subset={subset}"
    run += f",source={source_label(source)},protocol={protocol}"
    if rendered:
        run += f",judge={model.replace('/', '_')}"
    return RunSpec(
        name=run,
        scenario_spec=ScenarioSpec(
            class_name="helm_structext.structeval.scenario.StructEvalScenario",
            args={"task": task, "subset": subset, "source": source, "protocol": protocol},
        ),
        adapter_spec=_zero_shot(
            "",
            structeval_scenario.MAX_TOKENS,
            method=ADAPT_GENERATION,
            input_suffix=structeval_scenario.PROMPT_SUFFIX,
        ),
        annotators=annotators,
        metric_specs=[
            MetricSpec(
                class_name="helm_structext.structeval.adapters.StructEvalMetric",
                args={"protocol": protocol},
            ),
            *get_basic_metric_specs([]),
        ],
        groups=_structeval_groups(task, subset, protocol, model if rendered else DEFAULT_JUDGE),
    )


def _structeval_groups(task: str, subset: str, protocol: str, judge: str) -> list[str]:
    """Tables are made of groups, and never mix protocols, nor judges; text has the default one."""
    group = "structeval" if protocol == "published" else f"structeval_{protocol}"
    if judge == NO_JUDGE:
        group += "_no_judge"
    elif judge in NOT_COMPARABLE:
        group += "_ocr_judge"
    elif judge != DEFAULT_JUDGE:
        group += "_other_judge"
    if task == "all":
        return [f"{group}_{subset}"]
    # helm-summarize averages a group's runs equally: so the paper averages a subset's tasks.
    whole = f"{group}_{STRUCTEVAL_TASKS[task].subset}"
    return [whole, f"structeval_{task}"] if group == "structeval" else [whole]


def _zero_shot(
    instructions: str,
    max_tokens: int,
    *,
    method: str = ADAPT_GENERATION_MULTIMODAL,
    input_suffix: str = "",
) -> AdapterSpec:
    return AdapterSpec(
        method=method,
        instructions=instructions,
        input_prefix="",
        input_suffix=input_suffix,
        output_prefix="",
        output_suffix="",
        instance_prefix="\n",
        max_train_instances=0,
        num_outputs=1,
        max_tokens=max_tokens,
        temperature=0.0,
        stop_sequences=[],
    )


WORDINGS = {"default": INSTRUCTIONS, "cot": CHAIN_OF_THOUGHT}


def _wording(name: str, wording: str) -> tuple[str, str]:
    """Returns the instructions and the label that stands for them in the run's name."""
    if wording in WORDINGS:
        return WORDINGS[wording], wording
    path = Path(str(wording)).expanduser()
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"{name}: wording={wording} is neither {' nor '.join(WORDINGS)}, "
            f"nor a text file that can be read: {error}"
        ) from error
    return text, f"{path.stem}-{content_key(text)[:6]}"


def _check(name: str, argument: str, value: Any, allowed: Collection[Any]) -> None:
    if value not in allowed:
        raise SetupError(
            f"{name}: {argument}={value} is unknown; it is one of {', '.join(map(str, allowed))}"
        )


def _check_source(name: str, source: str) -> None:
    if not isinstance(source, str):
        raise SetupError(
            f"{name}: HELM reads source={source} as a number; write the folder as ./{source}"
        )
    if "," in source:
        raise SetupError(
            f"{name}: source={source} has a comma, at which HELM splits run entries; "
            f"rename the folder or make a link to it"
        )
