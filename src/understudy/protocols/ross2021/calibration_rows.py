"""The results of a calibration, and the published values of people."""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Final, Literal, NamedTuple

import numpy as np

from understudy.actions.casts import DIALS
from understudy.conduct import Ledger, Script, Step, assign
from understudy.conduct.visits import visits_for
from understudy.participants.dial_page import QuickScene
from understudy.prepare import prepare
from understudy.registry import create
from understudy.roles import Interaction, Reaction, mind_of
from understudy.schema import Ability, Record, Ref, SessionStarted, Study, seed_from
from understudy.simulate.actor import draw_person_effect, impression_of, item_shift, scene_of

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


# The verdict of a calibration: which strategy is closest to people, and where each one differs.

WANTED = 0.15
"""The largest difference in any completion rate with which a strategy counts as close to people."""
EYE = "dial_features_matcher"
LIMITS = (
    "It turns one dial at a time and remembers nothing between questions; people can undo what one dial does with another, "
    "and learn a model while they use it. Both are missing."
)
MISSING = {"mnist": " It cannot read either: people see which digit is wanted, and can choose that category first."}
"""What else people can do with a data set and the features matcher cannot."""


def verdict(calibration: Calibration) -> list[str]:
    """Return the verdict in paragraphs."""
    sentences = [_ranking(calibration, data) for data in calibration.data]
    tests = [data for data in calibration.data if data != "sinelines"]
    sentences += [_features(calibration, data) for data in tests if EYE in calibration.strategies]
    sentences.append(
        f"Where each strategy is off, by more than {WANTED:g} of a completion rate or by more than people's own standard "
        "deviation of the error:"
    )
    sentences.append(
        "\n".join(
            _failures(calibration, strategy, data) for data in calibration.data for strategy in calibration.strategies
        )
    )
    sentences.append(
        "A strategy that fits completion rates need not work as people do: three rates are fitted with up to four "
        "parameters, so only the test, the errors and the order can count against it. None of these people is evidence."
    )
    return sentences


def _ranking(calibration: Calibration, data: str) -> str:
    ranked = sorted(calibration.strategies, key=lambda strategy: calibration.likeness(strategy, data).gap)
    gaps = ", ".join(f"`{strategy}` {calibration.likeness(strategy, data).gap:.2f}" for strategy in ranked)
    fitted = "fitted" if data == "sinelines" else "not fitted"
    return f"Mean distance from people's completion rates on {NAMES[data]} ({fitted}), nearest first: {gaps}."


def _features(calibration: Calibration, data: str) -> str:
    """Say how near the features matcher comes to people, and what is missing."""
    rows = [calibration.row(EYE, data, model) for model in MODELS_OF[data]]
    told = ", ".join(f"{row.model.upper()} {row.completion:.2f} (people {_people(row).completion:.2f})" for row in rows)
    off = [f"{row.model.upper()} by {_difference(row):+.2f}" for row in rows if _is_off(_difference(row))]
    if off:
        return (
            f"On {NAMES[data]}, the features matcher is not within {WANTED:g} of people with every model: {told}. "
            f"It misses {', '.join(off)}. {LIMITS}{MISSING.get(data, '')}"
        )
    farthest = max(rows, key=lambda row: abs(_difference(row)))
    rate = _people(farthest).completion
    low, high = farthest.completion_low - rate, farthest.completion_high - rate
    within = (
        f"On {NAMES[data]}, the features matcher is within {WANTED:g} of people with every model: {told}. The largest "
        f"difference is {_difference(farthest):+.2f} [{low:+.2f}, {high:+.2f}], with {farthest.model.upper()}."
    )
    if _is_off(low) or _is_off(high):
        within += f" That interval reaches beyond {WANTED:g}, so other seeds can miss it. {LIMITS}"
    return within


def _failures(calibration: Calibration, strategy: str, data: str) -> str:
    off = []
    for model in MODELS_OF[data]:
        row, people = calibration.row(strategy, data, model), PUBLISHED[data][model]
        if _is_off(_difference(row)):
            off.append(f"completion with {model.upper()} is {row.completion:.2f} and not {people.completion:.2f}")
        if abs(row.error_auc - people.error_auc) > people.error_auc_sd:
            off.append(f"error AUC with {model.upper()} is {row.error_auc:.0f} and not {people.error_auc:.0f}")
    return f"- `{strategy}` on {NAMES[data]}: {'; '.join(off) or 'nowhere'}."


def _people(row: SimulatedRow) -> PublishedScores:
    return PUBLISHED[row.data][row.model]


def _difference(row: SimulatedRow) -> float:
    return row.completion - _people(row).completion


def _is_off(difference: float) -> bool:
    # People's rates have two decimals, so a difference can be exactly the wanted one but for floating point.
    return round(abs(difference), 9) > WANTED


def share(held: Likeness) -> str:
    """Return the share of seeds in people's order, as text."""
    return f"{held.n_ordered} of {held.n_seeds}"


# Play the questions of one condition with dials, and score each simulated person with each model.
#
# Only pages with dials and the rating of difficulty are played, and nothing is logged: a calibration needs hundreds of
# sessions and none of their events. Targets, orders and item lists are those that a rehearsal draws.

DIALS_BLOCK, RATING_BLOCK = "solve_targets", "ease"
ABILITY: Ability = DIALS.ability


class PersonScore(NamedTuple):
    """One simulated person with one model."""

    model: str
    completion: float
    error_auc: float
    """Summed over the questions."""
    difficulty: float


class _Turn(NamedTuple):
    """One page that one person gets."""

    arrival: int
    step: Step


def one_cell(study: Study, condition: str, *, quota: int | None = None) -> Study:
    """Return the study with only one of its conditions, and the given quota."""
    cell = next(cell for cell in study.cells if cell.name == condition)
    return study.model_copy(update={"conditions": (cell.model_copy(update={"quota": quota}),)})


def cell_scores(study: Study, participant: Ref, *, n_people: int, seed: int) -> list[PersonScore]:
    """Play one condition with people of one kind, and return their scores by person and model.

    The random numbers of a page depend on seed, person and page alone (common random numbers): all kinds of people meet
    the same questions with the same luck, so that two of them differ by what they do.
    """
    script = _script(study.model_dump_json())
    mind = mind_of(create("participants", participant))
    played: dict[tuple[int, str], list[Reaction]] = defaultdict(list)
    for arrival, step in _turns(script, n_people):
        if step.position == 0 and step.visit.block.block_id == DIALS_BLOCK:
            mind = mind_of(create("participants", participant))
        trial = step.trial
        person = draw_person_effect(ABILITY, np.random.default_rng(seed_from(seed, "person", arrival)))
        shift = person.shift + item_shift(ABILITY, trial.stimulus_id, script.study.seed)
        rng = np.random.default_rng(seed_from(seed, "page", arrival, trial.trial_id))
        impression = impression_of(step, ABILITY, shift, {}, n_seen=0, rng=rng)
        scene = scene_of(trial, script.files)
        reaction = mind.respond(trial, impression, rng, None if scene is None else QuickScene(scene))
        if reaction is not None:
            played[arrival, step.visit.levels["model"]].append(reaction)
    return [_score(model, reactions) for (_, model), reactions in played.items()]


def _turns(script: Script, n_people: int) -> Iterator[_Turn]:
    """Yield the pages with dials and the ratings of each person, in the order in which they come."""
    ledger = Ledger(script.study)
    for arrival in range(n_people):
        assignment = assign(ledger, arrival)
        if assignment is None:
            return
        ledger.take(
            SessionStarted(
                session_id=f"synthetic-{arrival:06d}", seq=1, at_ms=0, study_name=script.study.name,
                study_digest=script.digest, participant_id=str(arrival), participant_kind="synthetic",
                assignment=assignment,
            )
        )  # fmt: skip
        for visit in visits_for(script.study.flow, assignment):
            if visit.block.block_id in (DIALS_BLOCK, RATING_BLOCK):
                for position, trial_id in enumerate(script.trial_ids(visit, assignment, {})):
                    yield _Turn(arrival, Step(0, script.trials[trial_id], visit, {}, (), position))


def _score(model: str, reactions: list[Reaction]) -> PersonScore:
    questions = [reaction for reaction in reactions if reaction.interactions]
    ratings = [
        float(str(reaction.response["difficulty"])) for reaction in reactions if "difficulty" in reaction.response
    ]
    return PersonScore(
        model,
        fmean(reaction.interactions[-1].payload["outcome"] == "solved" for reaction in questions),
        sum(error_auc(tuple(reaction.interactions)) for reaction in questions),
        fmean(ratings) if ratings else float("nan"),
    )


def error_auc(interactions: tuple[Interaction, ...]) -> float:
    """Return the error AUC of one question, as the measure of that name computes it from a log."""
    shown = [trace.payload for trace in interactions if "sq_err" in trace.payload]
    times_s = np.array([float(str(payload["t_ms"])) / 1000 for payload in shown])
    errors = np.array([float(str(payload["sq_err"])) for payload in shown])
    return float(errors[:-1] @ np.diff(times_s))


# Seven conditions share a seed; more than that fills the memory of workers, which are then replaced with a warning.
@lru_cache(maxsize=8)
def _script(study_json: str) -> Script:
    study = Study.model_validate_json(study_json)
    prepared = prepare(study, Path())
    return Script(study, prepared.materials, prepared.key, prepared.files)
