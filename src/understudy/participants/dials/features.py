"""What people see of a picture: where it is, how large, which way it points, how elongated, and which shape.

Differences are counted in just noticeable steps, so that one noise serves pictures and lines alike. The steps are round
numbers of the size that experiments on vernier acuity, Weber fractions of length and discrimination of aspect ratio
give for short looks; they are assumptions, and are not fitted.
"""

from typing import ClassVar, Final, Protocol

import numpy as np

from understudy.roles import Floats

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
