"""The results of a calibration, and the published values of people."""

from typing import Final, Literal, NamedTuple

from understudy.schema import Record

MODELS: Final = ("gt", "vae", "ae")
"""From the easiest to the hardest for people."""

NAMES: Final = {"sinelines": "Sinelines", "dsprites": "dSprites"}
"""Display names of the data sets."""


class PublishedScores(NamedTuple):
    """People's mean and standard deviation with one model (15 people, 5 questions each)."""

    completion: float
    completion_sd: float
    error_auc: float
    """In thousands."""
    error_auc_sd: float


PUBLISHED: Final[dict[str, dict[str, PublishedScores]]] = {
    "sinelines": {
        "gt": PublishedScores(0.83, 0.19, 52.0, 48.9),
        "vae": PublishedScores(0.63, 0.28, 59.6, 47.8),
        "ae": PublishedScores(0.34, 0.26, 163.5, 90.0),
    },
    "dsprites": {
        "gt": PublishedScores(0.75, 0.26, 23.6, 5.9),
        "vae": PublishedScores(0.51, 0.33, 60.1, 26.6),
        "ae": PublishedScores(0.15, 0.19, 55.8, 25.6),
    },
}
"""Ross et al., CHI 2021, Table 2."""


class SimulatedRow(Record):
    """One strategy with one model: means over seeds of the means over people."""

    strategy: str
    data: str
    """sinelines or dsprites."""
    model: str
    completion: float
    completion_sd: float
    """Standard deviation over people, averaged over seeds."""
    completion_low: float
    completion_high: float
    """The least and the greatest mean of a seed."""
    error_auc: float
    """In thousands."""
    error_auc_sd: float


class TriedCandidate(Record):
    """A candidate of the fit, with its completion rates on the Sinelines."""

    strategy: str
    parameters: dict[str, float]
    completion: tuple[float, ...]
    """In the order of the models."""
    n_people: int
    loss: float
    """Sum over models of the squared difference from people's completion rates."""
    is_finalist: bool = False
    """Whether it was rehearsed again with more people."""


class OrderShare(Record):
    """In how many seeds completion was ordered GT > VAE > AE."""

    strategy: str
    data: str
    n_ordered: int
    n_seeds: int


class Calibration(Record):
    """All results on the calibration page."""

    is_synthetic: Literal[True] = True
    command: str
    rows: tuple[SimulatedRow, ...]
    fits: tuple[TriedCandidate, ...]
    """The chosen candidate of each strategy."""
    tried: tuple[TriedCandidate, ...]
    orders: tuple[OrderShare, ...]
    n_people: int
    """Of each strategy, for each seed."""
    fit_seeds: tuple[int, ...]
    final_seeds: tuple[int, ...]
    """The further seeds of the finalists."""
    seeds: dict[str, tuple[int, ...]]
    """The seeds of each data set."""

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies, in order."""
        return tuple(fit.strategy for fit in self.fits)

    def row(self, strategy: str, data: str, model: str) -> SimulatedRow:
        """Return the row of one strategy with one model."""
        return next(row for row in self.rows if (row.strategy, row.data, row.model) == (strategy, data, model))

    def order(self, strategy: str, data: str) -> OrderShare:
        """Return how often a strategy ordered the models of a data set as people did."""
        return next(order for order in self.orders if (order.strategy, order.data) == (strategy, data))

    def completion_gap(self, strategy: str, data: str) -> float:
        """Return the mean absolute difference from people's completion rates."""
        gaps = [abs(self.row(strategy, data, model).completion - PUBLISHED[data][model].completion) for model in MODELS]
        return sum(gaps) / len(gaps)

    def variants(self, fit: TriedCandidate, parameter: str) -> tuple[TriedCandidate, ...]:
        """Return the fit and the candidates that differ from it only in one parameter, ordered by that parameter."""
        others = _without(parameter, fit)
        same = [
            tried for tried in self.tried if tried.strategy == fit.strategy and _without(parameter, tried) == others
        ]
        return tuple(sorted(same, key=lambda tried: tried.parameters[parameter]))


def _without(parameter: str, tried: TriedCandidate) -> dict[str, float]:
    return {name: value for name, value in tried.parameters.items() if name != parameter}
