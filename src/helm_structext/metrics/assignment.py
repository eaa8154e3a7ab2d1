"""Two groups matched one to one, so that all pairs together cost least."""

import numpy as np
import numpy.typing as npt


def assign_pairs(costs: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Returns the pairs of rows and columns that cost least together; of the longer side, some stay alone.

    Args:
        costs: of each row with each column; shape (n, m). To find what is most alike, pass likenesses negated.

    >>> assign_pairs(np.array([[0.1, 0.2, 0.9], [0.1, 0.8, 0.9]]))
    [(0, 1), (1, 0)]
    """
    from scipy.optimize import linear_sum_assignment  # takes longest of all that commands import

    rows, columns = linear_sum_assignment(costs)
    return [*zip(rows.tolist(), columns.tolist(), strict=True)]
