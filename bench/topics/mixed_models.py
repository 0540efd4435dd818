"""Logistic mixed models, ten thousand at once and one crossed, beside R's glmer."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from glmer import fit_by_glmer, has_glmer
from measured import Bench, Peer, Row, timed
from understudy.statistics.change import fit_glmm_batch
from understudy.statistics.crossed_logistic import fit_glmm

SEED, N_FITS, N_PEOPLE, N_ITEMS = 0, 10_000, 60, 12
_ABSENT = Peer("R lme4 glmer", "", None, "peer not installed")


def counts(n_fits: int) -> npt.NDArray[np.int64]:
    """Draw right answers of 60 people, 12 items each, half of them helped by 0.5 log-odds."""
    rng = np.random.default_rng(SEED)
    ability = 0.7 + 0.5 * _helped() + rng.normal(0, 0.8, (n_fits, N_PEOPLE))
    return rng.binomial(N_ITEMS, 1 / (1 + np.exp(-ability)))


def _helped() -> npt.NDArray[np.float64]:
    return (np.arange(N_PEOPLE) % 2).astype(np.float64)


def many_fits(is_quick: bool) -> Row:
    """Measure 10,000 fits with random intercepts of people."""
    n_fits, n_peer = (1000, 5) if is_quick else (N_FITS, 20)
    drawn = counts(n_fits)
    design = np.column_stack([np.ones(N_PEOPLE), _helped()])
    ours = timed(lambda: fit_glmm_batch(drawn, N_ITEMS, design), n_repeats=3)
    peer, agreement = _ABSENT, ""
    if has_glmer():
        frame = pd.DataFrame(
            {
                "dataset": np.repeat(np.arange(n_peer), N_PEOPLE),
                "person": np.tile(np.arange(N_PEOPLE), n_peer),
                "x": np.tile(_helped(), n_peer),
                "right": drawn[:n_peer].ravel(),
            }
        ).assign(wrong=lambda rows: N_ITEMS - rows["right"])
        theirs = fit_by_glmer(frame, "cbind(right, wrong) ~ x + (1 | person)")
        peer = Peer(
            "R lme4 glmer", theirs.version, theirs.seconds * n_fits / n_peer, f"extrapolated from {n_peer} fits"
        )
        slopes = fit_glmm_batch(drawn[:n_peer], N_ITEMS, design).coefficients[:, 1]
        agreement = f" Slopes differ by at most {np.abs(slopes - theirs.coefficients).max():.0e}."
    return Row(
        what="Logistic mixed model, many fits for power",
        n=n_fits,
        seed=SEED,
        ours=ours,
        peer=peer,
        method="60 people x 12 items as counts, one predictor, random intercepts of people, Laplace, standard errors "
        "included. People with equal counts are computed once."
        f"{agreement}",
        target=">= 500x",
    )


def few_groups(is_quick: bool) -> Row:
    """Measure 10,000 fits of an intercept over five groups, with single answers for glmer."""
    n_fits, n_peer, n_groups, n_answers = 1000 if is_quick else N_FITS, 5 if is_quick else 20, 5, 192
    drawn = np.random.default_rng(SEED).binomial(n_answers, (0.55, 0.6, 0.65, 0.7, 0.75), (n_fits, n_groups))
    ours = timed(lambda: fit_glmm_batch(drawn, n_answers), n_repeats=3)
    peer, agreement = _ABSENT, ""
    if has_glmer():
        cells = pd.DataFrame(
            {
                "dataset": np.repeat(np.arange(n_peer), n_groups),
                "group": np.tile(np.arange(n_groups), n_peer),
                "n_right": drawn[:n_peer].ravel(),
            }
        )
        single = cells.loc[cells.index.repeat(n_answers)]
        single = single.assign(right=(np.tile(np.arange(n_answers), len(cells)) < single["n_right"]).astype(int))
        theirs = fit_by_glmer(single, "right ~ 1 + (1 | group)")
        peer = Peer(
            "R lme4 glmer", theirs.version, theirs.seconds * n_fits / n_peer, f"extrapolated from {n_peer} fits"
        )
        found = fit_glmm_batch(drawn[:n_peer], n_answers).coefficients[:, 0]
        agreement = f" Intercepts differ by at most {np.abs(found - theirs.coefficients).max():.0e}."
    return Row(
        what="Logistic mixed model, many fits of five groups",
        n=n_fits,
        seed=SEED,
        ours=ours,
        peer=peer,
        method=f"5 groups of 192 answers, intercept only; glmer takes single answers, ours counts.{agreement}",
        target=">= 500x",
    )


class Crossed(NamedTuple):
    """Single answers of 100 people to the same 12 items."""

    right: npt.NDArray[np.float64]
    x: npt.NDArray[np.float64]
    people: npt.NDArray[np.int64]
    items: npt.NDArray[np.int64]


def crossed_answers() -> Crossed:
    """Draw answers that depend on person, item and help."""
    rng, n_people = np.random.default_rng(SEED), 100
    people, items = np.repeat(np.arange(n_people), N_ITEMS), np.tile(np.arange(N_ITEMS), n_people)
    x = (people % 2).astype(np.float64)
    ability = 0.7 + 0.5 * x + rng.normal(0, 0.8, n_people)[people] + rng.normal(0, 0.5, N_ITEMS)[items]
    return Crossed((rng.random(people.size) < 1 / (1 + np.exp(-ability))).astype(np.float64), x, people, items)


def _crossed_fit(what: str, *, n_repeats: int) -> Row:
    data = crossed_answers()
    design = np.column_stack([np.ones_like(data.x), data.x])

    def fit() -> float:
        return float(fit_glmm(data.right, design, [data.people, data.items]).coefficients[1])

    ours = timed(fit, n_repeats=n_repeats)
    peer, agreement = _ABSENT, ""
    if has_glmer():
        one = pd.DataFrame({"x": data.x, "person": data.people, "item": data.items, "right": data.right})
        n_peer = 5
        frame = pd.concat([one.assign(dataset=k) for k in range(n_peer)])
        theirs = fit_by_glmer(frame, "right ~ x + (1 | person) + (1 | item)")
        peer = Peer("R lme4 glmer", theirs.version, theirs.seconds / n_peer, f"mean of {n_peer} fits")
        agreement = f" Slopes differ by {abs(fit() - theirs.coefficients[0]):.0e}."
    return Row(
        what=what,
        n=1,
        seed=SEED,
        ours=ours,
        peer=peer,
        method=f"100 people x 12 items as single answers, random intercepts of both.{agreement}",
    )


def crossed_one_thread(is_quick: bool) -> Row:
    """Measure one crossed fit with one BLAS thread."""
    return _crossed_fit("Logistic mixed model, one crossed fit", n_repeats=2 if is_quick else 7)


def crossed_default_threads(is_quick: bool) -> Row:
    """Measure one crossed fit with as many BLAS threads as the machine gives unasked."""
    return _crossed_fit(
        "Logistic mixed model, one crossed fit, BLAS threads left at their default", n_repeats=2 if is_quick else 7
    )


ROWS = (
    Bench("many fits", many_fits),
    Bench("many fits of five groups", few_groups),
    Bench("crossed", crossed_one_thread),
    Bench("crossed, default threads", crossed_default_threads, has_one_blas_thread=False),
)
