"""Jit: how every kernel is compiled."""

from typing import Any

from understudy.extras import optional

_numba = optional("numba", extra="scenes")

kernel: Any = _numba.njit(error_model="numpy", fastmath=True, nogil=True)
"""Compiles a function that others call; only entry points are cached, with all that they call inside them."""
