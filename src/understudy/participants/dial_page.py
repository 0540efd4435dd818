"""The page with dials, as a simulated person sees it: the target's picture, the start, and the agreement."""

import math
from typing import ClassVar, Final, NamedTuple, Protocol, Self

import numpy as np
from pydantic import JsonValue

from understudy.inference import floats_from_text
from understudy.registry import create
from understudy.roles import Distance, Floats, Ints, Scene
from understudy.schema import Dial, Dials, Json, Ref, Trial

SLACK = 0.001
"""A match counts this much below the threshold, as on the page."""
STEPS = 500
"""The number of steps of a slider."""
FAR, NEAR = 0.3, 0.1
"""How far below the threshold the agreement must be for a quick look to leave frames out: all between two looks beyond the
first distance, all but the middle one beyond the second."""
N_AHEAD, N_AHEAD_QUICK = 10, 40
"""How many frames of a movement are decoded at once; most movements end long before the dial does. Where decoding costs
next to nothing and no log is kept, more at once take less time."""
FAINTEST = 0.05
"""The lowest contrast assumed for a picture, as a share of its value range."""


class Frames(NamedTuple):
    """The screen at successive settings, with the agreement it shows."""

    codes: Floats
    outputs: Floats
    agreements: Floats
    errors: Floats
    """Sums of squared differences from the target."""


class QuickScene(NamedTuple):
    """A live page on which frames that are far from a match may be left out."""

    scene: Scene

    def look(self, codes: Floats) -> Floats:
        """Return what the screen shows, one row for each row of dial settings."""
        return self.scene.look(codes)


class DialPage:
    """One question with dials, limited to what the page shows; the target's code is not on it."""

    def __init__(self, trial: Trial, question: Dials, scene: Scene, *, is_quick: bool = False) -> None:
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
        """Whether dials have name fields."""
        self.shape = _shape(shown)
        self.is_legacy_clock = shown.get("clock") == "legacy"
        ref = Ref.model_validate(shown["distance"])
        self.distance_name = ref.name
        self.drawn_range = _drawn_range(shown)
        """From the lowest value that a picture can show to the highest."""
        self.contrast = max(float(self.target.std()), FAINTEST * self.drawn_range)
        """The spread of the target's values, but at least a small share of the value range."""
        self.offsets = _offsets(self.dials)
        """The index in a code where the numbers of each dial begin."""
        self.is_quick, self._is_picture = is_quick, len(self.shape) == 2
        self._scene = scene
        self._distance: Distance = create("distances", ref)

    @classmethod
    def of(cls, trial: Trial, scene: Scene | None) -> Self | None:
        """Return the page of a trial, or None if there is nothing to reconstruct."""
        asked = next((question for question in trial.asks if isinstance(question, Dials)), None)
        if scene is None or asked is None or not {"start", "target", "distance", "threshold"} <= trial.params.keys():
            return None
        return cls(trial, asked, scene, is_quick=isinstance(scene, QuickScene))

    def look(self, codes: Floats) -> Frames:
        """Return the screen at these settings."""
        outputs = self._scene.look(codes)
        return Frames(
            codes,
            outputs,
            self._distance.agreement(outputs, self.target),
            np.square(outputs - self.target).sum(axis=-1),
        )

    @property
    def n_ahead(self) -> int:
        """How many frames of a movement to decode at once."""
        return N_AHEAD_QUICK if self.is_quick and not self._is_picture else N_AHEAD

    def look_along(self, codes: Floats, now: Frames, *, every: int) -> Frames:
        """Return the screen along a movement; a quick page decodes only some frames of pictures while a match is far away.

        Frames between two that are far from a match are blended from these two. A page is quick only in a
        calibration, which needs results and keeps no log. Lines are decoded faster than they are blended.
        """
        if not (self.is_quick and self._is_picture) or len(codes) <= 2:
            return self.look(codes)
        at = np.append(np.arange(every - 1, len(codes) - 1, every), len(codes) - 1)
        places, known = np.append(-1, at), _joined(now, self.look(codes[at]))
        middles = [(start + end) // 2 for start, end in self._near(places, known, FAR) if end - start > 2]
        if middles:
            places, known = _inserted(places, known, np.array(middles), self.look(codes[middles]))
        rest = [k for start, end in self._near(places, known, NEAR) for k in range(start + 1, end)]
        if rest:
            places, known = _inserted(places, known, np.array(rest), self.look(codes[rest]))
        return _blended(known, places, codes)

    def _near(self, places: Ints, known: Frames, distance: float) -> list[tuple[int, int]]:
        """Return the ends of the stretches between known frames where the agreement comes near the threshold."""
        is_near = np.maximum(known.agreements[:-1], known.agreements[1:]) >= self.threshold - distance
        return list(zip(places[:-1][is_near].tolist(), places[1:][is_near].tolist(), strict=True))

    def differences(self, outputs: Floats) -> Floats:
        """Return how different pictures look from the target: root mean square difference over the target's contrast."""
        result: Floats = np.sqrt(np.square(outputs - self.target).mean(axis=-1)) / self.contrast
        return result

    def value(self, code: Floats, dial: int) -> float:
        """Return the position of a dial: its number, or the index of the chosen option."""
        part = code[self.offsets[dial] : self.offsets[dial] + self.dials[dial].n_inputs]
        return float(part.argmax()) if self.dials[dial].kind == "discrete" else float(part[0])

    def codes_along(self, code: Floats, dial: int, values: Floats) -> Floats:
        """Return the code with one dial set to each value in turn, rounded to the steps of the slider."""
        rows = np.repeat(code[None], len(values), axis=0)
        offset, spec = self.offsets[dial], self.dials[dial]
        if spec.kind == "discrete":
            rows[:, offset : offset + spec.n_inputs] = np.eye(spec.n_inputs)[values.astype(int)]
        else:
            step = spec.width / STEPS
            rows[:, offset] = np.clip(spec.low + np.round((values - spec.low) / step) * step, spec.low, spec.high)
        return rows


def _joined(first: Frames, rest: Frames) -> Frames:
    return Frames(*(np.concatenate(parts) for parts in zip(first, rest, strict=True)))


def _inserted(places: Ints, known: Frames, new_places: Ints, new: Frames) -> tuple[Ints, Frames]:
    """Return known frames with further ones, in their order."""
    joined = np.concatenate([places, new_places])
    order = np.argsort(joined)
    return joined[order], Frames(*(part[order] for part in _joined(known, new)))


def _blended(known: Frames, places: Ints, codes: Floats) -> Frames:
    """Return frames at all codes, interpolated between the known ones; the first known frame comes before them."""
    if len(places) == len(codes) + 1:
        return Frames(codes, known.outputs[1:], known.agreements[1:], known.errors[1:])
    wanted = np.arange(len(codes))
    after = np.searchsorted(places, wanted)
    share = (wanted - places[after - 1]) / (places[after] - places[after - 1])
    outputs, agreements, errors = (
        (1 - weight) * part[after - 1] + weight * part[after]
        for part, weight in ((known.outputs, share[:, None]), (known.agreements, share), (known.errors, share))
    )
    return Frames(codes, outputs, agreements, errors)


def _offsets(dials: tuple[Dial, ...]) -> tuple[int, ...]:
    return tuple(np.cumsum([0, *(dial.n_inputs for dial in dials)]).tolist()[:-1])


def _shape(shown: Json) -> tuple[int, ...]:
    shape = _card(shown).get("shape")
    return tuple(int(str(size)) for size in shape) if isinstance(shape, list) else ()


def _card(shown: Json) -> dict[str, JsonValue]:
    live = shown.get("decoder")
    card = live.get("card") if isinstance(live, dict) else None
    return card if isinstance(card, dict) else {}


def _drawn_range(shown: Json) -> float:
    limits = _card(shown).get("limits")
    low, high = limits if isinstance(limits, list) and len(limits) == 2 else (0.0, 1.0)
    return float(str(high)) - float(str(low))


# What people see of a picture: where it is, how large, which way it points, how elongated, and which shape.
#
# Differences are counted in just noticeable steps, so that one noise serves pictures and lines alike. The steps are round
# numbers of the size that experiments on vernier acuity, Weber fractions of length and discrimination of aspect ratio
# give for short looks; they are assumptions, and are not fitted.

PLACE_STEP: Final = 0.02
"""A just noticeable shift, as a share of the picture's edge."""
SIZE_STEP: Final = 0.05
"""A just noticeable change of a length, as a share of it (Weber's law)."""
FORM_STEP: Final = 0.05
"""A just noticeable change of a form, on scales that go from 0 (round, even) to about 1."""
DETAIL_STEP: Final = 0.1
"""A just noticeable difference of two pictures laid over each other, in units of the target's contrast."""
N_WAVES: Final = 8
"""The waves of a line that are told apart: from half a wave to four waves over its length."""
_FAINT: Final = 1e-6
"""Keeps an empty picture from dividing by zero."""


class Eye(Protocol):
    """Reads the features of pictures of one kind, in just noticeable steps."""

    groups: ClassVar[tuple[int, ...]]
    """Where each group of features begins; within a group, differences count together."""

    def features(self, outputs: Floats) -> Floats:
        """Return one row of features for each picture."""


def steps_apart(eye: Eye, outputs: Floats, target: Floats) -> Floats:
    """Return how far pictures seem from a target's row of features: the sum over the groups of features.

    People judge features that they can attend to separately by adding up the differences (the city-block metric of
    separable dimensions: Attneave 1950, Shepard 1964). With a Euclidean sum, a large difference in one feature would
    hide what a dial does to another.
    """
    squares = np.square(eye.features(outputs) - target)
    result: Floats = np.sqrt(np.add.reduceat(squares, eye.groups, axis=1)).sum(axis=1)
    return result


class ObjectEye:
    """Sees the bright object of a grey picture by its moments up to the fourth order."""

    groups: ClassVar[tuple[int, ...]] = (0, 1, 2, 4, 6)
    """Left or right, up or down, size, elongation with its direction, shape with its direction."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        down, right = (np.linspace(-0.5, 0.5, n) for n in shape)
        z = np.tile(right, len(down)) + 1j * np.repeat(down, len(right))
        powers = (np.ones_like(z), z, z**2, z**3, z**4, z * z.conj(), z**2 * z.conj())
        self._basis = np.concatenate(
            [part for power in powers for part in (power.real[:, None], power.imag[:, None])], 1
        )

    def features(self, outputs: Floats) -> Floats:
        """Return one row of features for each picture."""
        sums = np.clip(outputs, 0, None) @ self._basis
        ink = sums[:, 0] + _FAINT
        centre, z2, z3, z4, zz, z2z = ((sums[:, k] + 1j * sums[:, k + 1]) / ink for k in range(2, 14, 2))
        conj = centre.conj()
        # Moments about the centre: of z^2, z^2 conj(z), z^3 and z^4, which turn with the object 2, 1, 3 and 4 times.
        spread = np.sqrt(np.maximum((zz - centre * conj).real, 0) + _FAINT)
        long = (z2 - centre**2) / spread**2
        skew = (z2z - conj * z2 - 2 * centre * zz + 2 * centre**2 * conj) / spread**3
        three = (z3 - 3 * centre * z2 + 2 * centre**3) / spread**3
        four = (z4 - 4 * centre * z3 + 6 * centre**2 * z2 - 3 * centre**4) / spread**4
        place = np.stack([centre.real, centre.imag], axis=1) / PLACE_STEP
        # Two readings of size: the amount of ink, and how far it reaches.
        size = np.stack([np.log(ink) / 2, np.log(spread)], axis=1) / SIZE_STEP / np.sqrt(2)
        shape = np.stack([skew, three, four], axis=1) / np.sqrt(3)
        form = np.concatenate([long.real[:, None], long.imag[:, None], shape.real, shape.imag], axis=1) / FORM_STEP
        result: Floats = np.concatenate([place, size, form], axis=1)
        return result


class LineEye:
    """Sees a line by its height, its tilt, the size of its waves, and where they rise and fall."""

    groups: ClassVar[tuple[int, ...]] = (0, 1, 2, 3)
    """Height, tilt, size of the waves, and their pattern."""

    def __init__(self, n: int, drawn_range: float) -> None:
        self._along = np.linspace(-0.5, 0.5, n)
        self._range = drawn_range
        angles = np.pi * np.outer(np.arange(n) / n, np.arange(1, N_WAVES + 1))
        self._waves = 2 * np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / n / np.sqrt(N_WAVES)

    def features(self, outputs: Floats) -> Floats:
        """Return one row of features for each line."""
        drawn = outputs / self._range
        height = drawn.mean(axis=1)
        tilt = drawn @ self._along / (self._along @ self._along)
        rest = drawn - height[:, None] - tilt[:, None] * self._along
        # Waves below one step of place look flat.
        wave = np.sqrt(np.square(rest).mean(axis=1)) + PLACE_STEP
        pattern = rest @ self._waves / wave[:, None] / FORM_STEP
        whole = np.stack([height / PLACE_STEP, tilt / PLACE_STEP, np.log(wave) / SIZE_STEP], axis=1)
        result: Floats = np.concatenate([whole, pattern], axis=1)
        return result
