"""The Image2Struct runs of a finished suite, read back: what models answered, and what it scored.

The paper's tables average over instances, as result sets do.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from helm_structext.baselines import BLANK
from helm_structext.errors import SetupError
from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.image2struct.floors import blank_floor, shuffled_floor
from helm_structext.image2struct.rows import SCENE
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS, format_domain
from helm_structext.pictures import PictureError
from helm_structext.results import runs
from helm_structext.results.comparisons import score_matrix
from helm_structext.results.result_sets import ResultSet, Selection, drop_repeated, group_values
from helm_structext.results.runs import RenderedResult, Run, rendering_of
from helm_structext.results.statistics import Floats, recency_weights
from helm_structext.results.tabular import list_some
from helm_structext.scoring.scorer import InstanceKey

EMS = "earth_mover_similarity"
RENDERED = "compilation_success"

LABELS = {
    "image2struct_latex": "LaTeX",
    "image2struct_webpage": "Web",
    "image2struct_music": "Music",
    **{format_domain(format): FORMATS[format].name for format in rendered_formats()},
    format_domain("latex"): "LaTeX excerpt",
    format_domain("latex_document"): "LaTeX document",
}
"""Domain to its name in tables; our own ones are never in one table with the paper's."""

POOLED = frozenset({"domain", "subset", "difficulty", "source", "revision", "format"})
"""Arguments that say which instances a run has; tables may pool over their values."""

PLAIN = ("protocol", "formats")
"""Conditions that every run has, or every one of our own domains: no experiment changes them."""

DEFAULTS = {"perturbation": "none", "wording": "default"}
"""Values of arguments that leave a run as it is without the argument."""


@dataclass(frozen=True, kw_only=True)
class Image2StructResult(RenderedResult):
    """What one model answered to one picture, and what came of it.

    Args:
        domain: a key of `DOMAINS`, such as ``image2struct_latex``.
        subset: the instance's own subset, also where the run's is ``all``.
        difficulty: the instance's own difficulty, or "".
        date: the instance's date in ISO format, or "".
        picture: path of the reference picture, which the model saw unless `seen` is another.
        reference_text: the structure reduced to its content, or "".
        text: the rendered structure reduced to its content, or "".
        seen: path of the picture that the model saw instead of the reference, made worse.
        round: the round of collecting that the instance is from, or "".
        scene: what a generated picture shows; pictures in several formats may show the same. Or "".
        scene_type: such as ``pie``, or "".
        scene_language: of the scene's texts, as BCP 47 says, or "".
    """

    domain: str
    subset: str
    difficulty: str
    date: str
    picture: Path
    reference_text: str
    text: str
    seen: Path | None = None
    round: str = ""
    scene: str = ""
    scene_type: str = ""
    scene_language: str = ""

    @property
    def part(self) -> str:
        """The instance's subset."""
        return self.subset


def conditions_of(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Returns the arguments of a run that change the numbers, the protocol first.

    An argument that is at its default is not among them. Our own domains are told from the paper's.

    >>> conditions_of({"subset": "all", "wording": "terse", "protocol": "published"})
    {'protocol': 'published', 'wording': 'terse'}
    >>> conditions_of({"protocol": "published", "perturbation": "none", "severity": 3})
    {'protocol': 'published'}
    >>> conditions_of({"protocol": "corrected", "domain": "image2struct_format_svg", "format": "svg"})
    {'protocol': 'corrected', 'formats': 'ours'}
    """
    every = runs.conditions_of(arguments, POOLED)
    found = {name: value for name, value in every.items() if value != DEFAULTS.get(name)}
    if "perturbation" not in found:
        found.pop("severity", None)
    if arguments.get("format"):
        found = {"protocol": found["protocol"], "formats": "ours", **found}
    return found


def read_run(run: Run) -> Iterator[Image2StructResult]:
    """Returns every answer in a finished run.

    Raises:
        SetupError: the run can't be read.
    """

    def read(state: Mapping[str, Any], common: dict[str, Any]) -> Image2StructResult:
        instance = state["instance"]
        output = instance["references"][0]["output"]
        extra = instance.get("extra_data", {})
        picture = output["multimedia_content"]["media_objects"][0]["location"]
        shown = instance["input"]["multimedia_content"]["media_objects"]
        (seen,) = (media["location"] for media in shown if "location" in media)
        return Image2StructResult(
            **common,
            **rendering_of(state, run.root),
            conditions=conditions_of(run.arguments),
            domain=run.arguments.get("domain", run.entry),
            subset=instance.get("sub_split", run.arguments["subset"]),
            difficulty=extra.get("difficulty", ""),
            date=extra.get("date", ""),
            picture=run.root / picture,
            reference_text=output["text"],
            text=state["annotations"]["rendering"][0].get("text", ""),
            seen=run.root / seen if seen != picture else None,
            round=extra.get("round", ""),
            origin=extra.get("origin", ""),
            **{name: extra.get(name, "") for name in SCENE},
        )

    return run.results(read)


@dataclass(frozen=True)
class Image2StructResultSet(ResultSet[Image2StructResult]):
    """Answers of some models to the pictures of a domain, or of one of its subsets.

    Args:
        conditions: what tables never mix, name and value, the protocol first.
        models: names, sorted.
        instances: those that at least one model has, subset by subset.
        answers: what each model answered; a model may lack instances.
        domain: a key of `DOMAINS`.
        wild: whether these are the pictures that were not made from code.
        subset: one of its subsets, or "" for all.
        half_life: in days, if recent instances count more.
        newest: the date from which ages count, with `half_life`.
    """

    domain: str
    wild: bool
    subset: str = ""
    half_life: float | None = None
    newest: date | None = None

    MEASURES: ClassVar = {"R": RENDERED, "EMS": EMS}
    BRIEF: ClassVar = {
        **{"PS": "pixel_similarity_published", "CIS": "fid_similarity"},
        **{"EMS": EMS, "Edit": "edit_similarity"},
    }

    @property
    def entry(self) -> str:
        """The domain."""
        return self.domain

    @property
    def in_paper(self) -> bool:
        """Whether the domain is one of the paper's."""
        return self.domain in PUBLISHED_DOMAINS

    @property
    def label(self) -> str:
        """A few letters for headers, such as ``LaTeX`` or ``LaTeX (wild)``."""
        label = LABELS[self.domain] + (" (wild)" if self.wild else "")
        return f"{label}: {self.subset}" if self.subset else label

    @property
    def name(self) -> str:
        """The beginning of files' names."""
        parts = [LABELS[self.domain].lower(), "wild" if self.wild else "", self.subset]
        return "-".join([self.stem, *filter(None, parts)])

    @property
    def stem(self) -> str:
        """The same for files that hold all domains: the values of the condition."""
        return "-".join(value for _, value in self.conditions)

    @property
    def subsets(self) -> dict[str, int]:
        """Subset to number of instances."""
        return {subset: len(instances) for subset, instances in self.by_part.items()}

    @property
    def remarks(self) -> list[str]:
        """Sentences on what makes the means special: who lacks instances, what these weigh."""
        remarks = super().remarks
        if self.weights is not None:
            worth = self.weights.sum() ** 2 / (self.weights**2).sum()
            remarks.append(
                f"Instances of {self.label} have a half-life of {self.half_life:g} "
                f"days, counted from {self.newest} (worth {worth:.1f} equal ones)."
            )
        elif self.half_life is not None:
            remarks.append(f"Instances of {self.label} have no dates and count the same.")
        return remarks

    def parts(self) -> list["Image2StructResultSet"]:
        """One set for each subset; none if there is only one."""
        if len(self.by_part) < 2:
            return []
        return [
            replace(self, subset=subset, instances=instances)
            for subset, instances in self.by_part.items()
        ]

    def content(self, answer: Image2StructResult) -> str:
        """The picture's name, which is the hash of its content."""
        return answer.picture.name

    @cached_property
    def dates(self) -> list[date | None]:
        """The date of each instance; None where it has none."""
        return [instance_date(result) for result in self.references.values()]

    @cached_property
    def rounds(self) -> list[str]:
        """The round of each instance; "" where it is from none."""
        return [result.round for result in self.references.values()]

    def weigh(self, instances: Sequence[InstanceKey]) -> Floats | None:
        """Returns the weight of each instance by its age, with a half-life.

        Without a date there is no age: where no instance has one, as in the wild subsets, all
        count the same.

        Raises:
            SetupError: some instances have a date and some have none.
        """
        if self.half_life is None or self.newest is None or not any(self.dates):
            return None
        dates = [instance_date(self.references[instance]) for instance in instances]
        dated = [day for day in dates if day is not None]
        if len(dated) < len(dates):
            missing = [key.id for key, day in zip(instances, dates, strict=True) if day is None]
            raise SetupError(
                f"--half-life needs dates, and {len(missing)} of {len(dates)} instances of "
                f"{self.label} have none: {list_some(missing)}"
            )
        return recency_weights(dated, self.newest, self.half_life)

    @cached_property
    def blank_floor(self) -> Floats | None:
        """The EMS of a blank page on each instance: that of `structext/blank`, where it ran.

        NaN where it did not and the picture is not there any more; None if that is so everywhere.
        """
        (row,) = score_matrix(self.answers, self.instances, [BLANK], EMS).T
        pictures = [self.references[instance].picture for instance in self.instances]
        missing = [i for i in np.flatnonzero(np.isnan(row)) if pictures[i].is_file()]
        if missing:
            domain = DOMAINS[self.domain]
            with _readable_pictures():
                row[missing] = blank_floor(
                    [pictures[i] for i in missing], domain.size_handling, domain.blank
                )
        return None if np.isnan(row).all() else row

    @cached_property
    def shuffled_floor(self) -> Floats | None:
        """The EMS of each reference from another one of its subset, drawn at random.

        None if a subset has a single instance, or a picture is not there any more.
        """
        handling = DOMAINS[self.domain].size_handling
        floor: list[float] = []
        for instances in self.by_part.values():
            pictures = [self.references[instance].picture for instance in instances]
            if len(pictures) < 2 or not all(picture.is_file() for picture in pictures):
                return None
            with _readable_pictures():
                floor += shuffled_floor(pictures, handling)
        return np.array(floor)


def result_sets(
    results: Iterable[Image2StructResult], selection: Selection | None = None
) -> list[Image2StructResultSet]:
    """Sorts answers: condition by condition, each domain's, then its wild pictures.

    Args:
        results: as from `read_run`.
        selection: the models to show, and a half-life that counts from the newest date among
            `results`. The floor of a blank page stays, also where that model is not shown.

    Raises:
        SetupError: a model answered an instance in two runs, differently, or a subset is unknown.
    """
    selection = selection or Selection()
    results = list(results)
    dates = [day for day in map(instance_date, results) if day] if selection.half_life else []
    groups = group_values(
        results,
        lambda r: (
            tuple(r.conditions.items()),
            r.subset in DOMAINS[r.domain].wild_subsets,
            r.domain,
        ),
    )
    order = list(DOMAINS)
    found = []
    for conditions, wild, domain in sorted(
        groups, key=lambda key: (len(key[0]), key[0], key[1], order.index(key[2]))
    ):
        answers = drop_repeated(
            groups[conditions, wild, domain], lambda r: (r.completion, r.picture.name)
        )
        whole = Image2StructResultSet.of_answers(
            conditions,
            answers,
            partial(_order_in, domain),
            domain=domain,
            wild=wild,
            half_life=selection.half_life,
            newest=max(dates, default=None),
        )
        shown = whole if selection.models is None else whole.of(selection.models)
        found += [shown] if shown.models else []
    return found


def instance_date(result: Image2StructResult) -> date | None:
    """Returns the date of a result's instance, or None if it has none.

    Raises:
        SetupError: what should be a date is not one.
    """
    if not result.date:
        return None
    try:
        return date.fromisoformat(result.date[:10])
    except ValueError as error:
        raise SetupError(
            f"instance {result.instance} of {result.domain} has the date '{result.date}', "
            "expected YYYY-MM-DD"
        ) from error


@contextmanager
def _readable_pictures() -> Iterator[None]:
    try:
        yield
    except (OSError, PictureError) as error:
        raise SetupError(f"a picture of the suite can't be read: {error}") from error


def _order_in(domain: str, instance: InstanceKey) -> tuple[int, str]:
    subsets = (*DOMAINS[domain].subsets, *DOMAINS[domain].wild_subsets)
    if instance.part not in subsets:
        raise SetupError(
            f"a run of {domain} has instances of {instance.part}, which is no subset of it"
        )
    return subsets.index(instance.part), instance.id
