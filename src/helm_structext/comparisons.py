"""Two suites with the same instances, and conditions within one suite, against each other."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from helm_structext.errors import SetupError
from helm_structext.pools import EMS, RENDERED, Conditions, Pool, some
from helm_structext.statistics import Floats, paired_comparisons, weighted_means
from helm_structext.tabular import Cell, Column, Table, counted

SIGNED, P_VALUE = "+.3f", ".4f"
_Key = tuple[Conditions, str, bool]
HOW = (
    "95%: percentile bootstrap over instances. p: paired permutation test on EMS, on both sides, "
    "adjusted by Holm for the rows of the table."
)


def comparison_tables(old: Sequence[Pool], new: Sequence[Pool]) -> Iterator[Table]:
    """What changed between two suites for the models that both have.

    Args:
        old: all pools of the one suite.
        new: all pools of the other.

    Raises:
        SetupError: they have no model in common, or one of those that they have in common did
            not get the same instances with the same pictures under the same conditions in both.
    """
    models = sorted(
        {model for pool in old for model in pool.models}
        & {model for pool in new for model in pool.models}
    )
    if not models:
        raise SetupError("the two suites have no model in common")
    _require_same_instances(old, new, models)
    before = {_key(pool): pool for pool in old}
    for after in new:
        common = [model for model in after.ranking if model in models]
        if common:
            yield _comparison(before[_key(after)], after, common)


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


def _comparison(before: Pool, after: Pool, models: Sequence[str]) -> Table:
    before, after = before.of(models), after.of(models)
    compared = dict(
        zip(
            after.models,
            paired_comparisons(after.scores(EMS) - before.scores(EMS), after.weights),
            strict=True,
        )
    )
    old, new = ({m: pool.by_model(m) for m in (RENDERED, EMS)} for pool in (before, after))
    rows: list[list[Cell]] = [
        [
            model,
            compared[model].number,
            *(means[metric].get(model) for metric in (RENDERED, EMS) for means in (old, new)),
            *(compared[model].difference, compared[model].interval, compared[model].adjusted),
            f"{before.ranking.index(model) + 1} → {after.ranking.index(model) + 1}",
        ]
        for model in models
    ]
    return Table(
        f"{after.name}-against",
        f"{after.label}, old against new",
        f"{after.condition}; {counted(len(after.instances), 'instance')}, the same in both suites. "
        f"R: share that rendered. {HOW}",
        [
            *(Column("Model"), Column("n"), Column("R old"), Column("R new")),
            *(Column("EMS old"), Column("EMS new"), Column("Change", SIGNED)),
            *(Column("95%", SIGNED), Column("p (Holm)", P_VALUE), Column("Rank")),
        ],
        rows,
    )


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
        f"{usual.condition}; EMS on the same instances, as usual and under the condition. {HOW}",
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
        rows.append([model, int(common.sum()), *map(means.get, wordings), float(np.ptp(values))])
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
    answers = (pool.answers.get((model, instance)) for instance in usual.instances)
    return np.array([a.scores.get(EMS, np.nan) if a else np.nan for a in answers])


def _weights(pool: Pool, values: Floats) -> Floats | None:
    """The weights of the instances that have a value."""
    return None if pool.weights is None else pool.weights[np.isfinite(values)]


def _names(pool: Pool) -> list[str]:
    return [name for name, _ in pool.conditions[1:]]


def _require_same_instances(
    old: Sequence[Pool], new: Sequence[Pool], models: Sequence[str]
) -> None:
    ours, theirs = _contents(old, models), _contents(new, models)
    differences = [
        f"{where}: {len(keys)} {what} ({some(sorted({name for _, name in keys}))})"
        for where in sorted({*ours, *theirs})
        for what, keys in (
            ("only in the old suite", ours.get(where, {}).keys() - theirs.get(where, {}).keys()),
            ("only in the new suite", theirs.get(where, {}).keys() - ours.get(where, {}).keys()),
            (
                "with another picture",
                {
                    key
                    for key in ours.get(where, {}).keys() & theirs.get(where, {}).keys()
                    if ours[where][key] != theirs[where][key]
                },
            ),
        )
        if keys
    ]
    if differences:
        raise SetupError(
            "the two suites can't be compared, because a model that both have has not the same "
            f"instances in them. {'; '.join(differences)}"
        )


def _contents(ours: Sequence[Pool], models: Sequence[str]) -> dict[str, dict[tuple[str, str], str]]:
    """Where → (model, instance) → the picture's name, which is the hash of its content."""
    contents: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for pool in ours:
        for (model, (subset, instance)), answer in pool.answers.items():
            if model in models:
                where = f"{pool.condition}, {pool.domain}, {subset}"
                contents[where][model, instance] = answer.picture.name
    return contents


def _key(pool: Pool) -> _Key:
    return pool.conditions, pool.domain, pool.wild
