"""What perturbed pictures and other wordings change, within one suite."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from helm_structext.image2struct.result_sets import EMS, Conditions, Pool
from helm_structext.results.comparisons import P_VALUE, score_matrix
from helm_structext.results.statistics import INTERVALS, Floats, paired_comparisons, weighted_means
from helm_structext.results.tabular import Cell, Column, Table

SIGNED = "+.3f"
_Key = tuple[Conditions, str, bool]


def experiment_tables(ours: Sequence[Pool]) -> Iterator[Table]:
    """What perturbed pictures and other wordings change, on the same instances of one suite.

    Args:
        ours: all pools of a suite; those that differ from another one in more than its protocol
            are compared with it.

    Source: the limits that Image2Struct names in sections 6 and 6.1.
    """
    plain = {_key(pool): pool for pool in ours if len(pool.conditions) == 1}
    others: dict[_Key, list[Pool]] = defaultdict(list)
    for pool in ours:
        usual = (pool.conditions[:1], *_key(pool)[1:])
        if (
            len(pool.conditions) > 1
            and usual in plain
            and set(pool.models) & set(plain[usual].models)
        ):
            others[usual].append(pool)
    for key, experiments in others.items():
        yield _changes(plain[key], experiments)
        wordings = {
            pool.conditions[1][1]: pool for pool in experiments if _names(pool) == ["wording"]
        }
        if wordings:
            yield _spread({"default": plain[key], **wordings})


def _changes(usual: Pool, experiments: Sequence[Pool]) -> Table:
    columns = {
        (model, ", ".join(f"{name}={value}" for name, value in pool.conditions[1:])): np.stack(
            [_ems(usual, model, usual), _ems(pool, model, usual)], axis=1
        )
        for model in usual.ranking
        for pool in experiments
        if model in pool.models
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
            paired_comparisons(np.array(changes).T, usual.weights),
            strict=True,
        )
    ]
    return Table(
        f"{usual.name}-experiments",
        f"{usual.label}, with other pictures or another wording",
        f"{usual.condition}; EMS on the same instances, as usual and under the condition. {INTERVALS} "
        "p: paired permutation test, on both sides, adjusted by Holm for the rows of the table.",
        [
            *(Column("Model"), Column("Condition"), Column("n"), Column("usual"), Column("EMS")),
            *(Column("Change", SIGNED), Column("95%", SIGNED), Column("p (Holm)", P_VALUE)),
        ],
        rows,
    )


def _spread(wordings: Mapping[str, Pool]) -> Table:
    usual = wordings["default"]
    rows: list[list[Cell]] = []
    for model in usual.ranking:
        columns = [_ems(pool, model, usual) for pool in wordings.values() if model in pool.models]
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
        "the highest minus the lowest.",
        [Column("Model"), Column("n"), *map(Column, wordings), Column("Spread")],
        rows,
    )


def _ems(pool: Pool, model: str, usual: Pool) -> Floats:
    """A model's EMS on the instances of `usual`."""
    (scores,) = score_matrix(pool.answers, usual.instances, [model], EMS).T
    return scores


def _weights(pool: Pool, values: Floats) -> Floats | None:
    """The weights of the instances that have a value."""
    return None if pool.weights is None else pool.weights[np.isfinite(values)]


def _names(pool: Pool) -> list[str]:
    return [name for name, _ in pool.conditions[1:]]


def _key(pool: Pool) -> _Key:
    return pool.conditions, pool.domain, pool.wild
