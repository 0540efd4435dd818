"""Faults: what goes wrong on the way to a platform, redrawn for each request."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

Fault: TypeAlias = Literal[
    "none", "too_many", "lost_before", "lost_after", "failed_before", "failed_after", "page_before"
]
"""lost: no answer; failed: status 500; page: a web page of somebody in between, such as a firewall; before or after: whether
the platform acted first."""


def _none(_method: str, _path: str) -> Fault:
    return "none"


@dataclass
class Faults:
    """Chooses the fault of each request."""

    choose: Callable[[str, str], Fault] = _none
    met: list[Fault] = field(default_factory=list)

    def next(self, method: str, path: str) -> Fault:
        """Return what happens to the next request."""
        fault = self.choose(method, path)
        self.met.append(fault)
        return fault

    @classmethod
    def random(cls, seed: int, share: float) -> "Faults":
        """Let a share of all requests go wrong, each in one of the ways."""
        rng = np.random.default_rng(seed)
        kinds: tuple[Fault, ...] = ("too_many", "lost_before", "lost_after", "failed_before", "failed_after")

        def choose(_method: str, _path: str) -> Fault:
            return kinds[rng.integers(len(kinds))] if rng.random() < share else "none"

        return cls(choose)

    @classmethod
    def once(cls, fault: Fault, path_part: str) -> "Faults":
        """Let the first request to a path go wrong."""
        left = [fault]

        def choose(_method: str, path: str) -> Fault:
            return left.pop() if left and path_part in path else "none"

        return cls(choose)
