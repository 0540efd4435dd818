"""Toy rows and a hypothesis that fit whatever an analysis declares it takes."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from understudy.analyses.results import SHARES, YES_NO
from understudy.roles import Fit, Rng
from understudy.schema import Hypothesis, Ref, Scale

N_PEOPLE = 24
N_ITEMS = 6
SCALES: tuple[Scale, ...] = ("continuous", "ordinal", "binary", "nominal", "count", "time")


@dataclass(frozen=True)
class Toy:
    """A table, the hypothesis it is for, and how many people it holds."""

    table: pd.DataFrame
    hypothesis: Hypothesis
    n_people: int = N_PEOPLE


def fitting(fit: Fit, rng: Rng, *, effect: float = 1.0, direction: str | None = None) -> Toy:
    """Draw rows in which the first level lies `effect` above the others, and what is related rises together."""
    levels = _levels(fit)
    rows = _rows(fit, levels)
    is_first = (rows["help"] == levels[0]).to_numpy() if levels else np.ones(len(rows))
    person = pd.factorize(rows["participant"])[0]
    latent = rng.normal(0, 0.5, N_PEOPLE)[person] + effect * is_first + rng.normal(0, 1, len(rows))
    rows = rows.assign(value=_on_scale(latent, fit))
    if "other" in fit.needs and fit.other_scales == YES_NO:
        # The second outcome is the truth about the item: what rises is how often the answer agrees with it.
        truth = (pd.factorize(rows["item"])[0] % 2).astype(float)
        rows = rows.assign(other=truth, value=np.where(rows["value"] == 1, truth, 1 - truth))
    elif "other" in fit.needs and fit.other_scales == SHARES:
        rows = rows.assign(other=np.round(1 / (1 + np.exp(-rng.normal(0.5, 1, len(rows)))), 2))
    elif "other" in fit.needs and fit.factor == "between":
        # A covariate knows nothing of the groups.
        rows = rows.assign(other=latent - effect * is_first + rng.normal(0, 1.2, len(rows)))
    elif "other" in fit.needs:
        rows = rows.assign(other=_on_scale(latent + rng.normal(0, 1.2, len(rows)), fit))
    return Toy(rows, hypothesis_for(fit, levels, direction))


def constant(fit: Fit) -> Toy:
    """Return rows that all say the same."""
    levels = _levels(fit)
    rows = _rows(fit, levels)
    same: Any = "red" if _scale(fit) == "nominal" else 1.0
    rows = rows.assign(value=same, **({"other": same} if "other" in fit.needs else {}))
    if fit.other_scales == YES_NO:
        rows["other"] = (pd.factorize(rows["item"])[0] % 2).astype(float)
    return Toy(rows, hypothesis_for(fit, levels, None))


def hypothesis_for(fit: Fit, levels: tuple[str, ...], direction: str | None) -> Hypothesis:
    """Write the claim these rows are for."""
    preferred = next(word for word in ("greater", "different", "equivalent") if word in fit.directions)
    return Hypothesis.model_validate(
        {
            "hypothesis_id": "h",
            "claim": "The first is greater.",
            "outcome": "score",
            "factor": "help" if levels else None,
            "contrast": levels if len(levels) == 2 else None,
            "crossed_with": "phase" if fit.crossed_with != "none" else None,
            "other": "rating" if "other" in fit.needs else None,
            "against": _null(fit) if "against" in fit.needs else None,
            "direction": direction or preferred,
            "analysis": Ref(name="under_test"),
        }
    )


def _null(fit: Fit) -> float:
    return 0.5 if _scale(fit) == "binary" else 0.0


def _levels(fit: Fit) -> tuple[str, ...]:
    if fit.factor == "none":
        return ()
    return ("shown", "hidden", "mixed") if fit.n_levels == "many" else ("shown", "hidden")


def _rows(fit: Fit, levels: tuple[str, ...]) -> pd.DataFrame:
    people = [f"p{number:02d}" for number in range(N_PEOPLE)]
    axes: dict[str, list[str]] = {"participant": people}
    if levels and fit.factor != "between":
        axes["help"] = list(levels)
    if fit.crossed_with != "none":
        axes["phase"] = ["one", "two", "three"]
    if fit.unit == "trial":
        axes["item"] = [f"i{number}" for number in range(N_ITEMS)]
    rows = pd.DataFrame(list(product(*axes.values())), columns=list(axes))
    if levels and fit.factor == "between":
        rows["help"] = [levels[int(person[1:]) % len(levels)] for person in rows["participant"]]
    if fit.unit == "trial" and "item" in fit.needs and fit.factor == "any":
        # Pairs of items: each level was answered once about every item.
        rows = rows.drop_duplicates([name for name in ("help", "phase", "item") if name in rows])
        rows = pd.concat([rows.assign(item=rows["item"] + f"-{k}", participant=people[k]) for k in range(N_PEOPLE)])
    return rows.reset_index(drop=True)


def _scale(fit: Fit) -> Scale:
    return next(scale for scale in SCALES if scale in fit.scales)


def _on_scale(latent: Any, fit: Fit) -> Any:
    match _scale(fit):
        case "continuous":
            return latent
        case "ordinal":
            return np.clip(np.round(latent) + 3, 1, 5)
        case "time":
            return np.exp(latent)
        case "count":
            return np.round(np.exp(latent / 2 + 1))
        case "binary":
            return (latent > 0.5).astype(float)
        case _:
            return np.where(latent > 0.5, "red", "blue")
