"""One score of each person (and level) from single trials, and the t test that compares or tests the scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from understudy.analyses.results import notes_of
from understudy.analyses.rows import compared_levels, factor_of, n_participants, rows_of_levels, text, varies_within
from understudy.analyses.t_tests import OneSampleT, PairedT, WelchT
from understudy.deferred.pandas import pd
from understudy.roles import Rng, Table
from understudy.schema import Estimate, Hypothesis

Score = Callable[[Table], float | None]


class Scored(NamedTuple):
    """How trials of one person become a score, and what the score is called."""

    name: str
    score: Score
    lacking: str
    """What people without a score lack, such as 'a trial with and one without a signal'."""
    null: float = 0.0


def scored_estimate(table: Table, hypothesis: Hypothesis, scored: Scored, rng: Rng, *, level: float) -> Estimate:
    """Compare the scores of two levels, within people or between them, or test their mean against a value."""
    if hypothesis.factor is None:
        return _of_one_sample(table, hypothesis, scored, rng, level=level)
    factor = factor_of(hypothesis)
    rows = rows_of_levels(table, factor, compared_levels(table, hypothesis))
    scores = _scores(rows, scored, [factor])
    test = PairedT(confidence=level) if varies_within(rows, factor) else WelchT(confidence=level)
    estimate = test.estimate(scores, hypothesis, rng)
    name = estimate.effect_name.replace("mean difference", f"difference of mean {scored.name}")
    return _counted(estimate, rows, scores, scored).model_copy(update={"effect_name": name})


def _of_one_sample(table: Table, hypothesis: Hypothesis, scored: Scored, rng: Rng, *, level: float) -> Estimate:
    against = scored.null if hypothesis.against is None else hypothesis.against
    scores = _scores(table, scored, [])
    test = OneSampleT(confidence=level)
    estimate = test.estimate(scores, hypothesis.model_copy(update={"against": against}), rng)
    name = f"mean {scored.name} (against {against:g})"
    return _counted(estimate, table, scores, scored).model_copy(update={"effect_name": name})


def _scores(rows: Table, scored: Scored, by: list[str]) -> Table:
    keys = [text(rows, name) for name in ("participant", *by)]
    found = [(*key, scored.score(part)) for key, part in rows.groupby(keys, sort=True)]
    scores = pd.DataFrame(found, columns=["participant", *by, "value"]).dropna()
    if not len(scores):
        raise ValueError(f"Nobody has {scored.lacking}, which {scored.name} needs.")
    return scores.astype({"value": float})


def _counted(estimate: Estimate, rows: Table, scores: Table, scored: Scored) -> Estimate:
    """Count the trials behind the scores, and say who has none."""
    used = rows[text(rows, "participant").isin(set(scores["participant"]))]
    n_people = n_participants(rows)
    n_left = n_people - n_participants(scores)
    left = f"Left out: {n_left} of {n_people} participants without {scored.lacking}." if n_left else ""
    return estimate.model_copy(update={"n_rows": len(used), "notes": notes_of(left, estimate.notes)})
