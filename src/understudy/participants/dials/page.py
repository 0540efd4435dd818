"""The page with dials, as a simulated person sees it: the target's picture, the start, and how near a match is."""

import math
from typing import NamedTuple, Self

import numpy as np
from pydantic import JsonValue

from understudy.inference import floats_from_text
from understudy.registry import create
from understudy.roles import Distance, Floats, Scene
from understudy.schema import Dial, Dials, Json, Ref, Trial

SLACK = 0.001
"""A match counts this much below the threshold, as on the page."""
STEPS = 500
"""A slider has this many steps."""
FAINTEST = 0.05
"""The least contrast a picture is credited with, as a share of the range it is drawn in."""


class Seen(NamedTuple):
    """What the screen shows at successive settings, with the agreement it prints."""

    codes: Floats
    outputs: Floats
    agreements: Floats
    errors: Floats
    """Sums of squared differences from the target."""


class DialPage:
    """One question with dials. Knows what the page shows and nothing else; the target's code is not on it."""

    def __init__(self, trial: Trial, question: Dials, scene: Scene) -> None:
        shown = trial.params
        self.question_id = question.question_id
        self.dials: tuple[Dial, ...] = question.dials
        self.start = np.asarray(shown["start"], dtype=np.float64)
        self.target = floats_from_text(str(shown["target"]))
        self.threshold = float(str(shown["threshold"]))
        skip_after_s = shown.get("skip_after_s", 30.0)
        # A study that never offers the skip says so with null.
        self.skip_after_ms = math.inf if skip_after_s is None else 1000 * float(str(skip_after_s))
        self.has_labels = shown.get("labels") is True
        """Whether dials have fields for names."""
        self.shape = _shape(shown)
        self.is_legacy_clock = shown.get("clock") == "legacy"
        ref = Ref.model_validate(shown["distance"])
        self.distance_name = ref.name
        self.contrast = max(float(self.target.std()), FAINTEST * _drawn_range(shown))
        """The spread of the target's values, at least a little of what can be drawn."""
        self.places = _places(self.dials)
        """Where the numbers of each dial begin in a code."""
        self._scene = scene
        self._distance: Distance = create("distances", ref)

    @classmethod
    def of(cls, trial: Trial, scene: Scene | None) -> Self | None:
        """Return the page of a trial, or None where there is nothing to reconstruct."""
        asked = next((one for one in trial.asks if isinstance(one, Dials)), None)
        if scene is None or asked is None or not {"start", "target", "distance", "threshold"} <= trial.params.keys():
            return None
        return cls(trial, asked, scene)

    def look(self, codes: Floats) -> Seen:
        """Return what the screen shows at these settings."""
        outputs = self._scene.look(codes)
        return Seen(
            codes,
            outputs,
            self._distance.agreement(outputs, self.target),
            np.square(outputs - self.target).sum(axis=-1),
        )

    def differences(self, outputs: Floats) -> Floats:
        """Return how unlike the target pictures look: root mean square difference over the target's contrast."""
        result: Floats = np.sqrt(np.square(outputs - self.target).mean(axis=-1)) / self.contrast
        return result

    def value(self, code: Floats, dial: int) -> float:
        """Return where a dial stands: its number, or the place of the chosen option."""
        part = code[self.places[dial] : self.places[dial] + self.dials[dial].n_inputs]
        return float(part.argmax()) if self.dials[dial].kind == "discrete" else float(part[0])

    def codes_along(self, code: Floats, dial: int, values: Floats) -> Floats:
        """Return the code with one dial put to each of some values, on steps that the slider has."""
        rows = np.repeat(code[None], len(values), axis=0)
        place, one = self.places[dial], self.dials[dial]
        if one.kind == "discrete":
            rows[:, place : place + one.n_inputs] = np.eye(one.n_inputs)[values.astype(int)]
        else:
            step = one.width / STEPS
            rows[:, place] = np.clip(one.low + np.round((values - one.low) / step) * step, one.low, one.high)
        return rows


def _places(dials: tuple[Dial, ...]) -> tuple[int, ...]:
    return tuple(np.cumsum([0, *(dial.n_inputs for dial in dials)]).tolist()[:-1])


def _shape(shown: Json) -> tuple[int, ...]:
    said = _card(shown).get("shape")
    return tuple(int(str(one)) for one in said) if isinstance(said, list) else ()


def _card(shown: Json) -> dict[str, JsonValue]:
    live = shown.get("decoder")
    card = live.get("card") if isinstance(live, dict) else None
    return card if isinstance(card, dict) else {}


def _drawn_range(shown: Json) -> float:
    limits = _card(shown).get("limits")
    low, high = limits if isinstance(limits, list) and len(limits) == 2 else (0.0, 1.0)
    return float(str(high)) - float(str(low))
