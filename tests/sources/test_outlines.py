"""Outlines enclose exactly the pixels that are high, whatever their form."""

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageDraw

from understudy.roles import Floats
from understudy.sources.heat_maps import outlines_of, scaled

EDGE = 64


def filled(values: Floats, scale: int = 8) -> Floats:
    """Draw the outlines, each cutting a hole into those around it, and return what they cover in each pixel's middle."""
    size = len(values) * scale
    drawn = Image.new("1", (size, size))
    for points in outlines_of(values):
        ring = Image.new("1", (size, size))
        ImageDraw.Draw(ring).polygon([(x * size, y * size) for x, y in points], fill=1)
        drawn = ImageChops.logical_xor(drawn, ring)
    return np.asarray(drawn, dtype=np.float64)[scale // 2 :: scale, scale // 2 :: scale]


def test_a_smooth_region_is_enclosed() -> None:
    y, x = np.mgrid[:EDGE, :EDGE]
    values = np.exp(-((x - 20) ** 2 + (y - 40) ** 2) / 200)
    assert float((filled(values) == (values >= 0.5)).mean()) > 0.995


def test_a_ring_keeps_its_hole() -> None:
    y, x = np.mgrid[:EDGE, :EDGE]
    away = np.hypot(x - 32, y - 32)
    values = np.clip(1 - np.abs(away - 18) / 12, 0, 1)
    assert len(outlines_of(values)) == 2
    assert filled(values)[32, 32] == 0
    assert float((filled(values) == (values >= 0.5)).mean()) > 0.99


def test_a_region_at_the_edge_of_the_picture_is_closed_there() -> None:
    values = np.zeros((16, 16))
    values[:4] = 1
    (points,) = outlines_of(values)
    assert min(y for _, y in points) < 0.03
    assert (filled(values)[:4] == 1).all()


@pytest.mark.parametrize("seed", range(5))
def test_any_map_is_enclosed(seed: int) -> None:
    values = scaled(np.random.default_rng(seed).normal(size=(8, 8)), EDGE)
    is_clear = np.abs(values - 0.5) > 0.05
    assert float((filled(values) == (values >= 0.5))[is_clear].mean()) > 0.99


def test_a_single_pixel_has_an_outline() -> None:
    values = np.zeros((8, 8))
    values[3, 5] = 1
    (points,) = outlines_of(values)
    assert len(points) >= 3


def test_a_map_without_differences_highlights_nothing() -> None:
    assert outlines_of(scaled(np.full((8, 8), 3.0), EDGE)) == []


def test_a_map_is_brought_between_0_and_1_before_it_is_enlarged() -> None:
    small = np.array([[-2.0, 6.0], [2.0, 4.0]])
    assert scaled(small, 2) == pytest.approx(np.array([[0, 1], [0.5, 0.75]]))
