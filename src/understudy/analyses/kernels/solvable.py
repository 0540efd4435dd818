"""Models whose equations have no solution with the data at hand, told in a sentence."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

UNSOLVABLE = (
    "The model has no solution with these data: people, items or levels explain the answers entirely, or the answers are "
    "too few for its random effects. Choose a simpler analysis."
)


def dependent_effects(n_effects: int, rank: int) -> str:
    """Say that some effects of a model follow from others."""
    return (
        f"The model has {n_effects} effects, but the data tell only {rank} apart: some combination of levels was met by nobody. "
        "Leave a factor or covariate out."
    )


def solvable(fit: Callable[P, R]) -> Callable[P, R]:
    """Decorate a fit so that a system of equations without a solution is refused in a sentence."""

    @wraps(fit)
    def fitted(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return fit(*args, **kwargs)
        except np.linalg.LinAlgError:
            # A LinAlgError is a ValueError whose text is that of the library.
            raise ValueError(UNSOLVABLE) from None

    return fitted
