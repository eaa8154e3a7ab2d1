"""What perturbed pictures and other wordings change, within one suite."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from helm_structext.image2struct.results import EMS, PLAIN, Image2StructResultSet
from helm_structext.results.answers import add_unscored, unscored_note
from helm_structext.results.comparisons import score_matrix
from helm_structext.results.result_sets import Conditions
from helm_structext.results.statistics import INTERVALS, Floats, paired_comparisons, weighted_means
from helm_structext.results.tabular import P_VALUE, Cell, Column, Table

SIGNED = "+.3f"
_Key = tuple[Conditions, str, bool]


def experiment_tables(ours: Sequence[Image2StructResultSet]) -> Iterator[Table]:
    """What perturbed pictures and other wordings change, on the same instances of one suite.

    Args:
        ours: all result sets of a suite; those that differ from another one in more than its protocol
            are compared with it.

    Source: the limits that Image2Struct names in sections 6 and 6.1.
    """
    plain = {_key(result_set): result_set for result_set in ours if not _find_changes(result_set)}
    others: dict[_Key, list[Image2StructResultSet]] = defaultdict(list)
    for result_set in ours:
        unchanged = tuple(pair for pair in result_set.conditions if pair[0] in PLAIN)
        usual = (unchanged, *_key(result_set)[1:])
        if (
            _find_changes(result_set)
            and usual in plain
            and set(result_set.models) & set(plain[usual].models)
        ):
            others[usual].append(result_set)
    for key, experiments in others.items():
        yield _changes(plain[key], experiments)
        wordings = {
            changed["wording"]: result_set
            for result_set in experiments
            if (changed := _find_changes(result_set)).keys() == {"wording"}
        }
        if wordings:
            yield _spread({"default": plain[key], **wordings})


def _changes(usual: Image2StructResultSet, experiments: Sequence[Image2StructResultSet]) -> Table:
    columns = {
        (
            model,
            ", ".join(f"{name}={value}" for name, value in _find_changes(result_set).items()),
        ): np.stack([_ems(usual, model, usual), _ems(result_set, model, usual)], axis=1)
        for model in usual.ranking
        for result_set in experiments
        if model in result_set.models
    }
    changes = [column[:, 1] - column[:, 0] for column in columns.values()]
    rows: list[list[Cell]] = [
        [
            *name,
            result.number,
            *weighted_means(column[np.isfinite(change)], _weights(usual, change)).tolist(),
            *(result.difference, result.interval, result.adjusted),
        ]
        for (name, column), change, result in zip(
            columns.items(),
            changes,
            paired_comparisons(np.array(changes).T, usual.weights, usual.clusters),
            strict=True,
        )
    ]
    return Table(
        f"{usual.name}-experiments",
        f"{usual.label}, with other pictures or another wording",
        f"{usual.condition}; EMS on the same instances, as usual and under the condition."
        f"{_note_unscored(usual, *experiments)} {INTERVALS} "
        "p: paired permutation test, on both sides, adjusted by Holm for the rows of the table.",
        [
            *(Column("Model"), Column("Condition"), Column("n"), Column("usual"), Column("EMS")),
            *(Column("Change", SIGNED), Column("95%", SIGNED), Column("p (Holm)", P_VALUE)),
        ],
        rows,
    )


def _spread(wordings: Mapping[str, Image2StructResultSet]) -> Table:
    usual = wordings["default"]
    rows: list[list[Cell]] = []
    for model in usual.ranking:
        columns = [
            _ems(result_set, model, usual)
            for result_set in wordings.values()
            if model in result_set.models
        ]
        scores = np.stack(columns, axis=1)
        common = np.isfinite(scores).all(axis=1)
        values = weighted_means(scores[common], _weights(usual, scores.sum(axis=1)))
        means = dict(
            zip((name for name, p in wordings.items() if model in p.models), values, strict=True)
        )
        spread = float(np.ptp(values)) if len(values) > 1 else None
        rows.append([model, int(common.sum()), *map(means.get, wordings), spread])
    return Table(
        f"{usual.name}-wordings",
        f"{usual.label}, spread over wordings",
        f"{usual.condition}; EMS on the instances that a model has in all its wordings; spread: "
        f"the highest minus the lowest.{_note_unscored(*wordings.values())}",
        [Column("Model"), Column("n"), *map(Column, wordings), Column("Spread")],
        rows,
    )


def _ems(result_set: Image2StructResultSet, model: str, usual: Image2StructResultSet) -> Floats:
    """A model's EMS on the instances of `usual`."""
    return score_matrix(result_set.answers, usual.instances, [model], EMS)[:, 0]


def _note_unscored(*ours: Image2StructResultSet) -> str:
    return unscored_note(add_unscored(one.unscored for one in ours))


def _weights(result_set: Image2StructResultSet, values: Floats) -> Floats | None:
    """The weights of the instances that have a value."""
    return None if result_set.weights is None else result_set.weights[np.isfinite(values)]


def _find_changes(result_set: Image2StructResultSet) -> dict[str, str]:
    """The conditions that make it an experiment."""
    return {name: value for name, value in result_set.conditions if name not in PLAIN}


def _key(result_set: Image2StructResultSet) -> _Key:
    return result_set.conditions, result_set.domain, result_set.wild
