"""Which language a model draws best in: its answers to one scene that was asked for in several formats."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from helm_structext.image2struct.results import EMS, LABELS, Image2StructResultSet
from helm_structext.image2struct.tasks import SCENES
from helm_structext.results.answers import add_unscored, unscored_note
from helm_structext.results.result_sets import group_by_condition
from helm_structext.results.statistics import INTERVALS, Floats, paired_comparisons
from helm_structext.results.tabular import P_VALUE, Cell, Column, Table

SIGNED = "+.3f"
Scenes = defaultdict[str, dict[str, float]]
"""Scene → domain → what a model scored."""


def language_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """What each format costs or gains, on scenes that were asked for in several: one table for each kind.

    Args:
        ours: all result sets of a suite.
    """
    for group in group_by_condition(ours):
        kinds: defaultdict[str, defaultdict[str, Scenes]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(dict))
        )
        for one in group:
            for model in one.models:
                for answer in one.of_model(model):
                    if answer.scene and (score := answer.scores.get(EMS)) is not None:
                        kinds[answer.subset][model][answer.scene][one.domain] = score
        for kind in filter(kinds.__contains__, SCENES):
            models = kinds[kind]
            rows = [row for model in sorted(models) for row in _rows(model, models[model])]
            if rows:
                yield Table(
                    f"{group[0].stem}-{kind}-languages",
                    f"One {kind} in several languages",
                    f"{group[0].condition}; EMS on the scenes that a model was asked for in more than one "
                    "format; what did not render counts as 0. Difference: from the mean over the formats of "
                    f"the same scene.{unscored_note(add_unscored(one.unscored for one in group))} "
                    f"{INTERVALS} p: paired permutation test, on both sides, adjusted by Holm for the "
                    "formats of a model.",
                    [
                        *map(Column, ("Model", "Format", "Scenes", "EMS")),
                        *(Column("Difference", SIGNED), Column("95%", SIGNED)),
                        Column("p (Holm)", P_VALUE),
                    ],
                    rows,
                )


def _rows(model: str, scenes: Mapping[str, Mapping[str, float]]) -> Iterator[list[Cell]]:
    """Yields a row for each format of a model's scenes (scene → domain → score), the best one first."""
    shared = [scores for scores in scenes.values() if len(scores) > 1]
    domains = [domain for domain in LABELS if any(domain in scores for scores in shared)]
    if not shared:
        return
    scores: Floats = np.array([[one.get(domain, np.nan) for domain in domains] for one in shared])
    differences = scores - np.nanmean(scores, axis=1, keepdims=True)
    means = np.nanmean(scores, axis=0).tolist()
    found = zip(domains, means, paired_comparisons(differences), strict=True)
    for domain, mean, result in sorted(found, key=lambda one: -one[2].difference):
        yield [
            *(model, LABELS[domain], result.number, mean),
            *(result.difference, result.interval, result.adjusted),
        ]
