"""Named worlds as training needs them: attributes as declared, clones that differ in one, pictures row by row."""

import numpy as np
import pytest

pytest.importorskip("understudy.worlds", reason="needs worlds and their renderer")
pytest.importorskip("numba", reason="needs the extra scenes")

from understudy.training.picture_data import NamedWorld, sixt2022_code


def test_rows_have_a_class_that_legs_decide() -> None:
    attributes, classes = sixt2022_code.draw(400, np.random.default_rng(1), is_biased=True)
    legs = attributes[:, sixt2022_code.attribute_names.index("legs")]
    assert legs[classes == 1].min() >= 0.48
    assert legs[classes == 0].max() <= 0.52
    assert 0.4 < classes.mean() < 0.6


def test_without_biases_colour_says_nothing_about_the_class() -> None:
    hue = sixt2022_code.attribute_names.index("hue")
    apart = []
    for is_biased in (True, False):
        attributes, classes = sixt2022_code.draw(4000, np.random.default_rng(1), is_biased=is_biased)
        apart.append(attributes[classes == 1, hue].mean() - attributes[classes == 0, hue].mean())
    assert apart[0] > 0.15
    assert abs(apart[1]) < 0.05


def test_a_clone_differs_in_one_attribute() -> None:
    attributes, _ = sixt2022_code.draw(50, np.random.default_rng(1), is_biased=True)
    clones = sixt2022_code.redraw(attributes, "background", np.random.default_rng(2))
    is_changed = (clones != attributes).any(0)
    assert [name for name, changed in zip(sixt2022_code.attribute_names, is_changed, strict=True) if changed] == [
        "background"
    ]


def test_pictures_come_in_the_order_of_their_rows() -> None:
    world = NamedWorld("sixt2022")
    attributes, _ = world.draw(4, np.random.default_rng(1), is_biased=True)
    pictures = world.pictures(attributes, 16)
    assert pictures.shape == (4, 16, 16, 3)
    assert np.array_equal(world.pictures(attributes[2:3], 16)[0], pictures[2])
