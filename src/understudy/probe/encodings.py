"""Encodings: where a model input holds the extra information, or noise in its place."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Objects, Rng, Shown

Encoding: TypeAlias = Literal["quadrants", "side_channel"]
Noise: TypeAlias = Literal["uniform", "normal", "shuffled", "empty"]
"""What lies where there is no information: even noise, bell-shaped noise, the information with its numbers in random order
over all objects, or zeros."""


class Inputs(NamedTuple):
    """The same objects twice, identical except where the extra information is."""

    with_noise: Objects
    with_extra: Objects


def encoded(shown: Shown, encoding: Encoding, *, corner: str, rng: Rng, noise: Noise = "uniform") -> Inputs:
    """Return objects and extra information in the layout that models see."""
    if encoding == "quadrants":
        return _quadrants(shown, corner, noise, rng)
    return _side_channel(shown, noise, rng)


def _drawn(noise: Noise, shape: tuple[int, ...], extra: Objects, rng: Rng) -> Objects:
    """Return noise of a shape."""
    if noise == "uniform":
        return rng.random(shape, dtype=np.float32)
    if noise == "normal":
        # Mean and spread of even noise, so that only the form differs.
        return rng.normal(0.5, 12**-0.5, size=shape).astype(np.float32)
    if noise == "empty":
        return np.zeros(shape, dtype=np.float32)
    return rng.choice(extra.ravel(), size=shape).astype(np.float32)


def _quadrants(shown: Shown, corner: str, noise: Noise, rng: Rng) -> Inputs:
    if shown.objects.ndim != 3 or shown.extra.shape != shown.objects.shape:
        raise MaterialsError(
            f"Quadrants hold pictures of one size, but objects are {shown.objects.shape[1:]} and the extra information "
            f"{shown.extra.shape[1:]}. Use the side_channel encoding."
        )
    n, height, width = shown.objects.shape
    with_noise = _drawn(noise, (n, 2 * height, 2 * width), shown.extra, rng)
    with_noise[:, :height, :width] = shown.objects
    # The unused corners hold the same noise in both versions.
    with_extra = with_noise.copy()
    rows = slice(0, height) if corner == "upper right" else slice(height, None)
    with_extra[:, rows, width:] = shown.extra
    return Inputs(with_noise, with_extra)


def _side_channel(shown: Shown, noise: Noise, rng: Rng) -> Inputs:
    """Stack pictures of equal size as two channels, and concatenate anything else into rows."""
    drawn = _drawn(noise, shown.extra.shape, shown.extra, rng)
    if shown.objects.ndim == 3 and shown.extra.shape == shown.objects.shape:
        return Inputs(*(np.stack([shown.objects, extra], axis=1) for extra in (drawn, shown.extra)))
    n = len(shown.objects)
    objects = shown.objects.reshape(n, -1)
    return Inputs(*(np.concatenate([objects, extra.reshape(n, -1)], axis=1) for extra in (drawn, shown.extra)))
