"""Cronbach's alpha: how far the items of a scale measure one thing."""

from understudy.analyses.kernels.vectors import Floats


def cronbach_alpha(points: Floats) -> float | None:
    """Return alpha from a table with one row for each person and one column for each item.

    Parameters
    ----------
    points
        Points with all items in the same direction.

    Returns
    -------
    float or None
        k / (k - 1) * (1 - sum of the items' variances / variance of the sums), after Cronbach (1951); None with fewer
        than two items or people, or when nobody differs.

    Examples
    --------
    >>> import numpy as np
    >>> round(cronbach_alpha(np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 3.0], [4.0, 5.0]])), 3)
    0.96
    """
    n_people, n_items = points.shape
    if n_people < 2 or n_items < 2:
        return None
    total = float(points.sum(axis=1).var(ddof=1))
    if total == 0:
        return None
    return float(n_items / (n_items - 1) * (1 - points.var(axis=0, ddof=1).sum() / total))
