"""Correctness of a label given the truth: equality, or a function of the error."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.errors import UnderstudyError

Values: TypeAlias = npt.NDArray[Any]
"""True values or labels, as numbers or text."""
Correctness: TypeAlias = Callable[[Values, Values], npt.NDArray[Any]]
"""Function from true values and labels to a number between 0 and 1, or a boolean, for each object."""


def equal(truth: Values, label: Values) -> npt.NDArray[Any]:
    """Score 1 where label and truth are the same, 0 elsewhere."""
    return np.asarray(truth == label, dtype=np.bool_)


def within(tolerance: float) -> Correctness:
    """Score 1 where a number is off by no more than the tolerance, 0 elsewhere."""
    _check(tolerance, "tolerance", at_least_zero=True)
    return lambda truth, label: np.asarray(_error(truth, label) <= tolerance, dtype=np.bool_)


def linear(scale: float) -> Correctness:
    """Score 1 for an exact number, falling in a straight line to 0 where it is off by the scale or more."""
    _check(scale, "scale")
    return lambda truth, label: np.maximum(0.0, 1.0 - _error(truth, label) / scale)


def exponential(scale: float) -> Correctness:
    """Score exp(-error / scale): 1 for an exact number, 0.37 where it is off by the scale."""
    _check(scale, "scale")
    return lambda truth, label: np.exp(-_error(truth, label) / scale)


DECLARED: dict[str, Callable[[float], Correctness]] = {"within": within, "linear": linear, "exponential": exponential}
"""Functions of an error that can be chosen on the command line, such as within:0.5."""


def correctness_from_text(text: str) -> Correctness:
    """Read `equal`, `within:0.5`, `linear:2` or `exponential:1`."""
    name, _, number = text.partition(":")
    if text == "equal":
        return equal
    try:
        return DECLARED[name](float(number))
    except (KeyError, ValueError):
        allowed = ", ".join(["equal", *(f"{name}:NUMBER" for name in DECLARED)])
        raise UnderstudyError(f"Correctness is {text!r}; it can be {allowed}.") from None


def _error(truth: Values, label: Values) -> npt.NDArray[np.float64]:
    if truth.dtype.kind not in "fiub" or label.dtype.kind not in "fiub":
        raise UnderstudyError("Truth and label are not all numbers, so there is no error to score; use equality.")
    return np.abs(np.asarray(truth, dtype=np.float64) - np.asarray(label, dtype=np.float64))


def _check(value: float, name: str, *, at_least_zero: bool = False) -> None:
    if not (np.isfinite(value) and (value > 0 or (at_least_zero and value == 0))):
        raise UnderstudyError(f"The {name} is {value}; it must be {'0 or more' if at_least_zero else 'more than 0'}.")
