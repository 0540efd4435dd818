"""Threads: one thread solves small matrices fastest; several wait for each other, most of all on a busy machine."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
R = TypeVar("R")

_CONTROLLER = ThreadpoolController()


def one_thread(fit: Callable[P, R]) -> Callable[P, R]:
    """Decorate a fit so that its linear algebra runs in one thread."""
    wrapped: Callable[P, R] = _CONTROLLER.wrap(limits=1, user_api="blas")(fit)
    return wrapped
