"""What a calibration found, and the published values of people it is set against."""

from typing import Final, NamedTuple

MODELS: Final = ("gt", "vae", "ae")
"""From the easiest to the hardest for people."""

NAMES: Final = {"sinelines": "Sinelines", "dsprites": "dSprites"}
"""How the data sets are written."""


class PublishedRow(NamedTuple):
    """People's mean and standard deviation with one model (15 people, 5 questions each)."""

    completion: float
    completion_sd: float
    error_auc: float
    """In thousands."""
    error_auc_sd: float


PUBLISHED: Final[dict[str, dict[str, PublishedRow]]] = {
    "sinelines": {
        "gt": PublishedRow(0.83, 0.19, 52.0, 48.9),
        "vae": PublishedRow(0.63, 0.28, 59.6, 47.8),
        "ae": PublishedRow(0.34, 0.26, 163.5, 90.0),
    },
    "dsprites": {
        "gt": PublishedRow(0.75, 0.26, 23.6, 5.9),
        "vae": PublishedRow(0.51, 0.33, 60.1, 26.6),
        "ae": PublishedRow(0.15, 0.19, 55.8, 25.6),
    },
}
"""Ross et al., CHI 2021, Table 2."""


class SimulatedRow(NamedTuple):
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


class StrategyFit(NamedTuple):
    """The parameters that came nearest to people on the Sinelines."""

    strategy: str
    parameters: dict[str, float]
    loss: float
    """Sum over models of the squared difference of completion rates."""
    n_tried: int


class NoiseRow(NamedTuple):
    """Completion rates at one noise, everything else as fitted."""

    strategy: str
    noise: float
    completion: tuple[float, ...]
    """In the order of the models."""


class OrderShare(NamedTuple):
    """In how many seeds a strategy solved most questions with GT, then VAE, then AE."""

    strategy: str
    data: str
    n_ordered: int
    n_seeds: int


class Calibration(NamedTuple):
    """Everything the page tells."""

    rows: tuple[SimulatedRow, ...]
    fits: tuple[StrategyFit, ...]
    orders: tuple[OrderShare, ...]
    n_people: int
    n_fit_people: int
    fit_seed: int
    noise_rows: tuple[NoiseRow, ...]
    """From the people of the fit."""
    seeds: dict[str, tuple[int, ...]]
    """The seeds of each data set."""

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies, in order."""
        return tuple(fit.strategy for fit in self.fits)

    def row(self, strategy: str, data: str, model: str) -> SimulatedRow:
        """Return the row of one strategy with one model."""
        return next(one for one in self.rows if (one.strategy, one.data, one.model) == (strategy, data, model))

    def completion_gap(self, strategy: str, data: str) -> float:
        """Return the mean absolute difference from people's completion rates."""
        gaps = [abs(self.row(strategy, data, model).completion - PUBLISHED[data][model].completion) for model in MODELS]
        return sum(gaps) / len(gaps)
