"""The size of a calibration: which candidates are tried, with how many simulated people, and how long that takes."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

from understudy.schema import Ref

Grid: TypeAlias = Mapping[str, Mapping[str, tuple[float, ...]]]
"""Strategy -> parameter -> the values tried."""

_GIVE_UP, _PACE_S = (0.04, 0.08, 0.16), (1.5, 3.0)
_EYE = (0.05, 0.1, 0.2)
GRID: Final[Grid] = {
    "dial_random": {"give_up": _GIVE_UP},
    "dial_number_watcher": {"noise": (0.0, 0.03), "restarts": (0.0, 0.5), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_visual_matcher": {"noise": _EYE, "restarts": (0.0, 0.5, 1.0), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_learner": {"noise": _EYE, "memory_noise": (0.2, 0.5), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_features_matcher": {
        "noise": (0.5, 1.0, 2.0, 3.0), "restarts": (0.5, 1.0), "give_up": _GIVE_UP, "pace_s": _PACE_S, "hope": (0.3,),
    },
}  # fmt: skip
HABITS: Final = frozenset({"restarts", "give_up", "pace_s", "hope"})
FAR: Final = 1000
"""Offset of the seeds for fitting, so that no target is used for both fitting and testing."""
SESSION_S: Final[Mapping[str, Mapping[str, float]]] = {
    "sinelines": {"dial_random": 0.1, "dial_number_watcher": 0.3, "dial_visual_matcher": 0.2, "dial_learner": 0.25},
    "dsprites": {"dial_random": 0.5, "dial_number_watcher": 1.8, "dial_visual_matcher": 1.5, "dial_learner": 2.5},
    "mnist": {"dial_random": 3.5},
}
OTHERS_S: Final = {"sinelines": 0.15, "dsprites": 2.0, "mnist": 9.0}
"""Seconds that one simulated person takes on one core of a server of 2023, measured; with digits, with all seven models."""


class Round(NamedTuple):
    """One round of the fit: all candidates left play with so many more people, and the best go on."""

    n_people: int
    n_kept: int
    """Per strategy; the last round keeps the fit alone."""


class Candidate(NamedTuple):
    """A strategy with one choice of its parameters."""

    strategy: str
    parameters: tuple[tuple[str, float], ...]

    @property
    def person(self) -> Ref:
        """The simulated person, as in a cast file."""
        return person_from(self.strategy, dict(self.parameters))


class CalibrationPlan(NamedTuple):
    """The size of a calibration."""

    n_people: int = 6
    """Of each strategy, for each seed of the Sinelines."""
    n_test_people: int = 2
    """The same for dSprites and digits, which decode far more slowly."""
    n_seeds: int = 20
    rounds: tuple[Round, ...] = (Round(4, 10), Round(8, 5), Round(96, 1))
    """Bad candidates stop early; the best of many is partly lucky, so the last ones play with many people."""
    seed: int = 0
    data: tuple[str, ...] = ("sinelines", "dsprites")
    grid: Grid = GRID

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the tables, none of them used for fitting."""
        return tuple(self.seed + 1 + k for k in range(self.n_seeds))

    @property
    def fit_seeds(self) -> tuple[int, ...]:
        """One seed for each round of the fit, the same for every candidate."""
        return tuple(self.seed + FAR + k for k in range(len(self.rounds)))

    def n_people_on(self, data: str) -> int:
        """Return the number of people of each strategy for each seed."""
        return self.n_people if data == "sinelines" else self.n_test_people

    @property
    def n_sessions(self) -> int:
        """The number of simulated people, for a progress bar."""
        n_fit = sum(n for counts in self._fit_counts().values() for n in counts)
        return n_fit + len(self.grid) * self.n_seeds * sum(self.n_people_on(data) for data in self.data)

    @property
    def seconds(self) -> float:
        """How long one core takes."""
        fit = sum(session_s("sinelines", strategy) * sum(counts) for strategy, counts in self._fit_counts().items())
        return fit + sum(
            session_s(data, strategy) * self.n_seeds * self.n_people_on(data)
            for data in self.data
            for strategy in self.grid
        )

    def _fit_counts(self) -> dict[str, list[int]]:
        """Return for each strategy how many people play in each round of the fit."""
        counts: dict[str, list[int]] = {}
        for strategy in self.grid:
            n_left = len(list(candidates(self.grid, strategy)))
            counts[strategy] = []
            for number in self.rounds:
                counts[strategy].append(n_left * number.n_people)
                n_left = min(n_left, number.n_kept)
        return counts


def candidates(grid: Grid, strategy: str) -> Iterator[Candidate]:
    """Yield every candidate of a strategy."""
    for values in product(*grid[strategy].values()):
        yield Candidate(strategy, tuple(zip(grid[strategy], values, strict=True)))


def person_from(strategy: str, parameters: Mapping[str, float]) -> Ref:
    """Return the reference to a simulated person with fitted parameters, as in a cast file."""
    habits = {name: value for name, value in parameters.items() if name in HABITS}
    params: dict[str, Any] = {name: value for name, value in parameters.items() if name not in HABITS}
    return Ref(name=strategy, params={**params, "habits": habits})


def session_s(data: str, strategy: str) -> float:
    """Return about how long one person of a strategy takes."""
    return SESSION_S[data].get(strategy, OTHERS_S[data])
