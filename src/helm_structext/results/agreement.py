"""How far raters agree, beyond what chance would give."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Returns Cohen's κ of two raters: (p - e) / (1 - e).

    p is the share of agreement, e the one that chance would give with each rater's share of true.
    1 is perfect agreement, 0 as good as chance; None without pairs, and where both raters say the
    same one thing of all.

    Source: Cohen, "A Coefficient of Agreement for Nominal Scales", 1960.

    >>> cohens_kappa([(True, True), (False, False), (True, False), (False, False)])
    0.5
    """
    if not pairs:
        return None
    observed = sum(one == other for one, other in pairs) / len(pairs)
    ours, theirs = (sum(verdicts) / len(pairs) for verdicts in zip(*pairs, strict=True))
    expected = ours * theirs + (1 - ours) * (1 - theirs)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorffs_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Returns Krippendorff's α of any number of raters for names: 1 - observed / expected disagreement.

    1 is perfect agreement, 0 as good as chance; None where no unit has two ratings, and where all
    ratings are the same.

    Args:
        units: the ratings of each unit; raters may have left some out. Those with one do not count.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section C.

    >>> krippendorffs_alpha([(True, True), (False, False), (True, False), (False, False)])
    0.5333333333333333
    """
    rated = [Counter(ratings) for ratings in units if len(ratings) > 1]
    totals = sum(rated, Counter[Hashable]())
    total = totals.total()
    expected = total * total - sum(count * count for count in totals.values())
    if not expected:
        return None
    observed = sum(
        (counts.total() ** 2 - sum(count * count for count in counts.values()))
        / (counts.total() - 1)
        for counts in rated
    )
    return 1 - (total - 1) * observed / expected
