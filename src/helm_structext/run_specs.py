"""Run entries: what a line of a conf file means.

Every value arrives as text, except that HELM turns what looks like a number into one.
"""

from collections.abc import Iterable

from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION_MULTIMODAL, AdapterSpec
from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.common_metric_specs import get_basic_metric_specs
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_structext.data import source_label
from helm_structext.errors import SetupError
from helm_structext.scenarios.image2struct import DIFFICULTIES, DOMAINS, INSTRUCTIONS, MAX_TOKENS

PROTOCOLS = ("published", "corrected")


@run_spec_function("image2struct_latex")
def image2struct_latex(
    subset: str = "all",
    difficulty: str = "all",
    source: str = "hub",
    protocol: str = "published",
) -> RunSpec:
    """Image2Struct, LaTeX: equations, tables, plots and algorithms from papers."""
    return _image2struct("image2struct_latex", subset, difficulty, source, protocol)


@run_spec_function("image2struct_webpage")
def image2struct_webpage(
    subset: str = "all",
    difficulty: str = "all",
    source: str = "hub",
    protocol: str = "published",
) -> RunSpec:
    """Image2Struct, webpages: pages of GitHub repositories in HTML, CSS and JavaScript."""
    return _image2struct("image2struct_webpage", subset, difficulty, source, protocol)


@run_spec_function("image2struct_music")
def image2struct_music(
    subset: str = "music",
    difficulty: str = "all",
    source: str = "hub",
    protocol: str = "published",
) -> RunSpec:
    """Image2Struct, music: excerpts of sheet music, to be written in LilyPond."""
    return _image2struct("image2struct_music", subset, difficulty, source, protocol)


def _image2struct(name: str, subset: str, difficulty: str, source: str, protocol: str) -> RunSpec:
    domain = DOMAINS[name]
    _check(name, "subset", subset, ("all", *domain.subsets, *domain.wild_subsets))
    _check(name, "difficulty", difficulty, DIFFICULTIES)
    _check(name, "protocol", protocol, PROTOCOLS)
    _check_source(name, source)

    # Tables are made of groups, and never mix protocols.
    group = name if protocol == "published" else f"{name}_{protocol}"
    if subset in domain.wild_subsets:
        groups = [f"{group}_wild"]
    else:
        # A domain's only subset is the domain.
        whole = ("all", *domain.subsets) if len(domain.subsets) == 1 else ("all",)
        groups = [group, *(f"{group}_{part}" for part in (subset, difficulty) if part not in whole)]
    return RunSpec(
        name=f"{name}:subset={subset},difficulty={difficulty},"
        f"source={source_label(source)},protocol={protocol}",
        scenario_spec=ScenarioSpec(
            class_name="helm_structext.scenarios.image2struct.Image2StructScenario",
            args={
                "domain": name,
                "subset": subset,
                "difficulty": difficulty,
                "source": source,
                "protocol": protocol,
            },
        ),
        adapter_spec=AdapterSpec(
            method=ADAPT_GENERATION_MULTIMODAL,
            instructions=INSTRUCTIONS,
            input_prefix="",
            input_suffix="",
            output_prefix="",
            output_suffix="",
            instance_prefix="\n",
            max_train_instances=0,
            num_outputs=1,
            max_tokens=MAX_TOKENS,
            temperature=0.0,
            stop_sequences=[],
        ),
        annotators=[
            AnnotatorSpec(
                class_name="helm_structext.annotators.RenderAnnotator",
                args={"format": domain.format, "protocol": protocol},
            )
        ],
        metric_specs=[
            MetricSpec(
                class_name="helm_structext.helm_metrics.Image2StructMetric",
                args={
                    "size_handling": domain.size_handling,
                    "has_structure": domain.has_structure(subset),
                },
            ),
            *get_basic_metric_specs([]),
        ],
        groups=groups,
    )


def _check(name: str, argument: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise SetupError(
            f"{name}: {argument}={value} is unknown; it is one of {', '.join(allowed)}"
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
