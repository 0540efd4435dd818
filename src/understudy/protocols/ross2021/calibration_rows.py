"""The results of a calibration, and the published values of people."""

from typing import Final, Literal, NamedTuple

from understudy.schema import Record

MODELS_OF: Final = {
    "sinelines": ("gt", "vae", "ae"),
    "dsprites": ("gt", "vae", "ae"),
    "mnist": ("ss5", "ss10", "tc5", "ig5", "vae5", "ae5", "ae10"),
}
"""The models of each data set, from the easiest to the hardest for people."""

NAMES: Final = {"sinelines": "Sinelines", "dsprites": "dSprites", "mnist": "MNIST"}
"""Display names of the data sets."""


class Interval(NamedTuple):
    """A mean or another statistic with its 95 % interval."""

    estimate: float
    low: float
    high: float


class PublishedScores(NamedTuple):
    """People's mean and standard deviation with one model (15 people; 5 questions each, 7 with digits)."""

    completion: float
    completion_sd: float
    error_auc: float
    """In thousands."""
    error_auc_sd: float
    difficulty: float
    """From 1, very easy, to 7."""
    difficulty_sd: float


PUBLISHED: Final[dict[str, dict[str, PublishedScores]]] = {
    "sinelines": {
        "gt": PublishedScores(0.83, 0.19, 52.0, 48.9, 4.00, 1.71),
        "vae": PublishedScores(0.63, 0.28, 59.6, 47.8, 4.07, 1.84),
        "ae": PublishedScores(0.34, 0.26, 163.5, 90.0, 5.87, 1.67),
    },
    "dsprites": {
        "gt": PublishedScores(0.75, 0.26, 23.6, 5.9, 4.20, 1.60),
        "vae": PublishedScores(0.51, 0.33, 60.1, 26.6, 6.20, 0.91),
        "ae": PublishedScores(0.15, 0.19, 55.8, 25.6, 6.93, 0.25),
    },
    "mnist": {
        "ss5": PublishedScores(0.73, 0.24, 6.3, 4.7, 3.40, 1.54),
        "ss10": PublishedScores(0.71, 0.29, 7.6, 3.3, 4.40, 1.40),
        "tc5": PublishedScores(0.62, 0.26, 16.0, 13.1, 5.00, 1.41),
        "ig5": PublishedScores(0.51, 0.31, 21.3, 8.6, 5.67, 1.30),
        "vae5": PublishedScores(0.40, 0.31, 18.6, 13.7, 5.87, 1.15),
        "ae5": PublishedScores(0.38, 0.23, 15.7, 4.3, 5.60, 1.62),
        "ae10": PublishedScores(0.35, 0.29, 47.8, 34.0, 5.27, 1.73),
    },
}
"""Ross et al., CHI 2021, Table 2."""


class SimulatedRow(Record):
    """One strategy with one model: means over seeds and people."""

    strategy: str
    data: str
    """sinelines, dsprites or mnist."""
    model: str
    completion: float
    completion_sd: float
    """Standard deviation over people."""
    completion_low: float
    completion_high: float
    """The 95 % interval of the mean over seeds."""
    error_auc: float
    """In thousands."""
    error_auc_sd: float
    difficulty: float
    difficulty_sd: float


class TriedCandidate(Record):
    """A candidate of the fit, with its completion rates on the Sinelines."""

    strategy: str
    parameters: dict[str, float]
    completion: tuple[float, ...]
    """In the order of the models."""
    n_people: int
    loss: float
    """Sum over models of the squared difference from people's completion rates."""
    n_rounds: int = 1
    """How many rounds of the fit it reached."""


class Likeness(Record):
    """How like people a strategy is on one data set; intervals are 95 % over seeds."""

    strategy: str
    data: str
    gap: float
    """Mean absolute difference from people's completion rates."""
    gap_low: float
    gap_high: float
    rank: float
    """Kendall's tau-b of the models' completion rates over all seeds and people's."""
    rank_low: float
    rank_high: float
    seed_rank: float
    """The mean of the same within each seed."""
    n_ordered: int
    """Seeds in which completion was strictly in people's order."""
    n_seeds: int
    difficulty_rank: Interval | None = None
    """Kendall's tau-b of the models' rated difficulty over all seeds and people's; None in older files."""


class PlayedDecoder(Record):
    """A decoder that does not come with understudy, as its card describes it."""

    model: str
    n_epochs: int | None = None
    error: float | None = None
    """Held-out squared error; of drawn codes where the model is variational, as published."""


class Calibration(Record):
    """All results on the calibration page."""

    is_synthetic: Literal[True] = True
    command: str
    rows: tuple[SimulatedRow, ...]
    fits: tuple[TriedCandidate, ...]
    """The chosen candidate of each strategy."""
    tried: tuple[TriedCandidate, ...]
    likenesses: tuple[Likeness, ...]
    n_people: dict[str, int]
    """Data set -> people of each strategy, for each seed."""
    rounds: tuple[int, ...]
    """Further people in each round of the fit."""
    fit_seeds: tuple[int, ...]
    """The seed of each round."""
    seeds: tuple[int, ...]
    decoders: tuple[PlayedDecoder, ...] = ()
    """Those of the digits, where they were played."""

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets, in order."""
        return tuple(self.n_people)

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies, in order."""
        return tuple(fit.strategy for fit in self.fits)

    def row(self, strategy: str, data: str, model: str) -> SimulatedRow:
        """Return the row of one strategy with one model."""
        return next(row for row in self.rows if (row.strategy, row.data, row.model) == (strategy, data, model))

    def likeness(self, strategy: str, data: str) -> Likeness:
        """Return how like people a strategy is on a data set."""
        return next(held for held in self.likenesses if (held.strategy, held.data) == (strategy, data))

    def worst_gap(self, strategy: str, data: str) -> float:
        """Return the largest absolute difference from people's completion rates."""
        return max(
            abs(self.row(strategy, data, model).completion - PUBLISHED[data][model].completion)
            for model in MODELS_OF[data]
        )

    def variants(self, fit: TriedCandidate, parameter: str) -> tuple[TriedCandidate, ...]:
        """Return the fit and the candidates that differ from it only in one parameter, ordered by that parameter."""
        others = _without(parameter, fit)
        same = [
            tried for tried in self.tried if tried.strategy == fit.strategy and _without(parameter, tried) == others
        ]
        return tuple(sorted(same, key=lambda tried: tried.parameters[parameter]))


def _without(parameter: str, tried: TriedCandidate) -> dict[str, float]:
    return {name: value for name, value in tried.parameters.items() if name != parameter}
