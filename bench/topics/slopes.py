"""Mixed models with random slopes, linear, logistic and ordinal, next to R's lme4 and ordinal; and pingouin's ANOVA."""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from glmer import Engine, fit_by_glmer, has_glmer
from measured import Bench, Peer, Row, timed
from peer_folder import NoPeer
from pingouin_peer import PEER, PINGOUIN
from understudy.statistics.mixed_categories import fit_category_mixed
from understudy.statistics.mixed_linear import fit_linear_mixed
from understudy.statistics.mixed_terms import random_term
from understudy.statistics.repeated_anova import repeated_measures_anova

SEED, N_PEOPLE, N_ITEMS = 0, 60, 20
SLOPES = "y ~ x + (1 + x | person) + (1 + x | item)"
Kind = Literal["linear", "logistic", "ordinal"]
_CUTS = (-1.5, -0.5, 0.5, 1.5)


class Engines(NamedTuple):
    """How R fits a kind of model."""

    engine: Engine
    package: str


ENGINES: dict[Kind, Engines] = {
    "linear": Engines("lmer", "lme4"),
    "logistic": Engines("glmer", "lme4"),
    "ordinal": Engines("clmm", "ordinal"),
}


def answers(kind: Kind, number: int) -> pd.DataFrame:
    """Draw answers of 60 people to 20 items, with slopes of both."""
    rng = np.random.default_rng([SEED, number])
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(N_PEOPLE), np.arange(N_ITEMS), indexing="ij"))
    x = np.where((person + item) % 2 == 0, 0.5, -0.5)
    people = rng.multivariate_normal([0, 0], [[1.0, 0.21], [0.21, 0.49]], N_PEOPLE)
    items = rng.multivariate_normal([0, 0], [[0.49, 0.07], [0.07, 0.25]], N_ITEMS)
    value = 0.6 * x + people[person, 0] + items[item, 0] + x * (people[person, 1] + items[item, 1])
    if kind == "linear":
        y = value + rng.normal(0, 1.5, value.size)
    else:
        latent = value + rng.logistic(0, 1, value.size)
        y = np.digitize(latent, _CUTS if kind == "ordinal" else (0.0,)).astype(np.float64)
    return pd.DataFrame({"dataset": number, "person": person, "item": item, "x": x, "y": y})


def _fit(kind: Kind, data: pd.DataFrame) -> float:
    """Return the coefficient, by maximum likelihood where R has nothing else."""
    x = data["x"].to_numpy()
    design = np.column_stack([np.ones_like(x), x])
    terms = [random_term(data[name].to_numpy(), design) for name in ("person", "item")]
    y = data["y"].to_numpy()
    if kind == "linear":
        return float(fit_linear_mixed(y, design, terms).coefficients[1])
    return float(fit_category_mixed(y, design, terms, method="ML").coefficients[1])


def _slopes(kind: Kind, n_fits: int, n_peer: int) -> Row:
    data = [answers(kind, number) for number in range(n_fits)]
    ours = timed(
        lambda: [_fit(kind, part) for part in data],
        n_repeats=1 if n_fits > 1 else 3,
        n_warm=0 if n_fits > 1 else 1,
    )
    engine, package = ENGINES[kind]
    peer, agreement = Peer(f"R {package} {engine}", "", None, "peer not installed"), ""
    if has_glmer(package):
        theirs = fit_by_glmer(pd.concat(data[:n_peer]), SLOPES, engine)
        told = f"extrapolated from {n_peer} fits" if n_peer < n_fits else ""
        peer = Peer(f"R {package} {engine}", theirs.version, theirs.seconds * n_fits / n_peer, told)
        gaps = [abs(_fit(kind, part) - found) for part, found in zip(data, theirs.coefficients, strict=False)]
        agreement = f" Coefficients differ by at most {max(gaps):.0e}."
    many = f", {n_fits} fits" if n_fits > 1 else ", one fit"
    method = (
        "60 people x 20 items as single answers, a factor within both, correlated random intercepts and slopes of "
        f"people and of items; {'restricted' if kind == 'linear' else 'maximum'} likelihood.{agreement}"
    )
    return Row(f"{kind.capitalize()} mixed model with slopes{many}", n_fits, SEED, ours, peer, method)


def _one(kind: Kind, _is_quick: bool) -> Row:
    return _slopes(kind, 1, 1)


def _many(kind: Kind, is_quick: bool) -> Row:
    return _slopes(kind, 10 if is_quick else 100, 1 if kind == "ordinal" else 3)


def _people(n: int) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(SEED)
    return rng.normal(0, 1, (n, 30, 1)) + rng.normal(0, 1, (n, 30, 4))


def _anova(n_fits: int) -> Row:
    data = _people(n_fits)
    ours = timed(lambda: [repeated_measures_anova(values) for values in data], n_repeats=1 if n_fits > 1 else 7)
    peer, agreement = _pingouin(data)
    many = f"{n_fits:,} fits" if n_fits > 1 else "one fit"
    method = f"30 people x 4 levels, with sphericity corrections.{agreement}"
    return Row(f"Repeated-measures ANOVA, {many}", n_fits, SEED, ours, peer, method)


def _pingouin(data: npt.NDArray[np.float64]) -> tuple[Peer, str]:
    """Return what pingouin takes for as many fits, and how far its F is from ours."""
    try:
        pingouin = PEER.module("pingouin")
    except NoPeer as error:
        return Peer("pingouin rm_anova", PINGOUIN, None, f"peer not available: {error}"), ""
    n_fits, n_peer = len(data), min(len(data), 20)
    frames = [pd.DataFrame(values) for values in data[:n_peer]]
    pingouin.rm_anova(frames[0])
    found: list[float] = []

    def theirs() -> None:
        found.extend(float(pingouin.rm_anova(frame)["F"].iloc[0]) for frame in frames)

    spent = timed(theirs, n_repeats=1, n_warm=0)
    note = f"extrapolated from {n_peer} fits" if n_peer < n_fits else ""
    gaps = [abs(repeated_measures_anova(values).within.statistic - f) for values, f in zip(data, found, strict=False)]
    peer = Peer("pingouin rm_anova", PINGOUIN, spent.best_s * n_fits / n_peer, note)
    return peer, f" F differs by at most {max(gaps):.0e}."


def one_anova(_is_quick: bool) -> Row:
    """Measure one analysis of variance."""
    return _anova(1)


def many_anovas(is_quick: bool) -> Row:
    """Measure 10,000 analyses of variance."""
    return _anova(500 if is_quick else 10_000)


ROWS = (
    *(Bench(f"{kind} slopes", partial(_one, kind)) for kind in ENGINES),
    *(Bench(f"{kind} slopes, many fits", partial(_many, kind)) for kind in ENGINES),
    Bench("repeated-measures ANOVA", one_anova),
    Bench("repeated-measures ANOVA, many fits", many_anovas),
)
