"""Arrays: types, borders, threads, and systems that have no solution."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

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


# Threads: one thread solves small matrices fastest; several wait for each other, most of all on a busy machine.

_CONTROLLER = ThreadpoolController()


def one_thread(fit: Callable[P, R]) -> Callable[P, R]:
    """Decorate a fit so that its linear algebra runs in one thread."""
    wrapped: Callable[P, R] = _CONTROLLER.wrap(limits=1, user_api="blas")(fit)
    return wrapped


# Arrays for kernels, and errors for unsuitable ones.

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def vector(values: npt.ArrayLike, name: str, *, least: int = 1) -> Floats:
    """Return `values` as a float vector; reject missing values, short vectors and other shapes.

    Examples
    --------
    >>> vector([1, 2], "x")
    array([1., 2.])
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; a flat vector is needed.")
    if array.size < least:
        raise ValueError(f"Too few values: {array.size}; at least {least} are needed.")
    missing = int(np.count_nonzero(~np.isfinite(array)))
    if missing:
        raise ValueError(f"{name} holds {missing} missing or infinite values; drop them first.")
    return array


def pairs(first: npt.ArrayLike, second: npt.ArrayLike, *, least: int = 2) -> tuple[Floats, Floats]:
    """Return two vectors of the same length, as pairs."""
    x, y = vector(first, "first", least=least), vector(second, "second", least=least)
    if x.size != y.size:
        raise ValueError(f"first holds {x.size} values and second {y.size}; pairs need equally many.")
    return x, y


def group_vectors(groups: Sequence[npt.ArrayLike], *, least: int = 2) -> list[Floats]:
    """Return two or more groups as vectors, each with at least `least` values."""
    if len(groups) < 2:
        raise ValueError(f"{len(groups)} group was given; at least 2 are needed.")
    return [vector(group, f"group {number}", least=least) for number, group in enumerate(groups, start=1)]


def matrix(values: npt.ArrayLike, name: str, *, least: tuple[int, int] = (1, 1)) -> Floats:
    """Return `values` as a float matrix without missing cells, with at least `least` rows and columns."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; a matrix of rows and columns is needed.")
    if array.shape[0] < least[0] or array.shape[1] < least[1]:
        raise ValueError(
            f"Too few values: a table of {array.shape[0]} by {array.shape[1]}; at least {least[0]} by {least[1]} are needed."
        )
    missing = int(np.count_nonzero(~np.isfinite(array)))
    if missing:
        raise ValueError(f"{name} holds {missing} missing or infinite cells; drop those rows first.")
    return array


def is_negligible(spread: float, scale: float) -> bool:
    """Return whether a spread is only rounding noise compared with the size of the numbers.

    The limit is that of R's `t.test`: ten machine epsilons of the largest value.
    """
    return spread <= 10 * float(np.finfo(np.float64).eps) * abs(scale)


# Arrays: the types of number arrays that data, nets and files share.

Singles: TypeAlias = npt.NDArray[np.float32]
Bytes: TypeAlias = npt.NDArray[np.uint8]
