"""Concepts: what models meet, and what they are told besides."""

import numpy as np
import pytest
from scipy import ndimage

from understudy import registry
from understudy.datasets import DrawnShapes
from understudy.errors import MaterialsError, UnknownName
from understudy.probe.concepts import (
    AverageIntensity,
    ConceptFrom,
    IntensityNormalization,
    LabelHint,
    Rotation,
    Scaling,
    warped,
)
from understudy.roles import Concept, Ints, Objects
from understudy.schema import Ref

every = pytest.mark.parametrize("name", registry.names("concepts"))


def figures(n: int = 40) -> tuple[Objects, Ints]:
    sample = DrawnShapes().draw(n, np.random.default_rng(3))
    assert sample.inputs is not None
    names = DrawnShapes.labels
    labels = np.array([names.index(str(one)) for one in sample.attributes["label"]], dtype=np.int64)
    return sample.inputs.reshape(-1, 16, 16).astype(np.float32), labels


def concept(name: str) -> Concept:
    made: Concept = registry.create("concepts", Ref(name=name))
    return made


@every
def test_each_object_keeps_its_shape_and_gets_finite_extra_information(name: str) -> None:
    objects, labels = figures()
    shown = concept(name).show(objects, labels, np.random.default_rng(1))
    assert shown.objects.shape == objects.shape == shown.extra.shape
    assert np.isfinite(shown.objects).all()
    assert np.isfinite(shown.extra).all()


@every
def test_the_same_randomness_shows_the_same(name: str) -> None:
    objects, labels = figures()
    one, other = (concept(name).show(objects, labels, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(one.extra, other.extra)
    np.testing.assert_array_equal(one.objects, other.objects)


@every
def test_objects_given_are_not_changed(name: str) -> None:
    objects, labels = figures()
    before = objects.copy()
    concept(name).show(objects, labels, np.random.default_rng(1))
    np.testing.assert_array_equal(objects, before)


def test_turning_by_a_quarter_moves_every_pixel_as_numpy_does() -> None:
    objects, _ = figures(6)
    turned = warped(objects, degrees=np.full(6, 90.0), scales=np.ones(6))
    np.testing.assert_allclose(turned, np.rot90(objects, k=-1, axes=(1, 2)), atol=1e-5)


def test_turning_by_any_angle_agrees_with_an_independent_resampling() -> None:
    objects, _ = figures(5)
    turned = warped(objects, degrees=np.full(5, 37.0), scales=np.ones(5))
    expected = np.stack([ndimage.rotate(one, -37.0, reshape=False, order=1, mode="grid-constant") for one in objects])
    np.testing.assert_allclose(turned, expected, atol=1e-5)


def test_halving_an_object_quarters_its_area() -> None:
    full = np.zeros((1, 32, 32), dtype=np.float32)
    full[:, 4:28, 4:28] = 1
    half = warped(full, degrees=np.zeros(1), scales=np.full(1, 0.5))
    assert half.sum() == pytest.approx(full.sum() / 4, rel=0.05)


def test_rotation_tells_the_upright_object() -> None:
    objects, labels = figures()
    shown = Rotation().show(objects, labels, np.random.default_rng(1))
    np.testing.assert_array_equal(shown.extra, objects)
    assert not np.allclose(shown.objects, objects, atol=0.1)


def test_average_intensity_tells_the_mean_everywhere() -> None:
    objects, labels = figures()
    extra = AverageIntensity().show(objects, labels, np.random.default_rng(1)).extra
    np.testing.assert_allclose(extra[:, 0, 0], objects.mean(axis=(1, 2)), rtol=1e-6)
    assert np.ptp(extra, axis=(1, 2)).max() == 0


def test_a_changed_intensity_is_a_multiple_of_the_original() -> None:
    objects, labels = figures()
    shown = IntensityNormalization(weakest=0.2).show(objects, labels, np.random.default_rng(1))
    factors = shown.objects.sum(axis=(1, 2)) / objects.sum(axis=(1, 2))
    assert factors.min() >= 0.2
    assert factors.max() <= 1
    np.testing.assert_allclose(shown.objects, factors[:, None, None] * shown.extra, atol=1e-5)


def test_hints_differ_by_label_alone_at_one_size() -> None:
    objects = np.zeros((20, 16, 16), dtype=np.float32)
    labels = np.arange(20) % 10
    drawn = LabelHint().show(objects, labels, np.random.default_rng(1)).extra
    assert len({one.tobytes() for one in drawn}) == 20
    assert (drawn.sum(axis=(1, 2)) > 0).all()


def test_wrong_labels_are_never_right() -> None:
    objects = np.zeros((300, 4), dtype=np.float32)
    labels = np.arange(300) % 3
    told = concept("wrong_label").show(objects, labels, np.random.default_rng(1)).extra.argmax(axis=1)
    assert not (told == labels).any()
    assert set(told.tolist()) == {0, 1, 2}


def test_a_wrong_label_of_a_row_has_one_mark_for_each_class_even_if_none_says_the_last() -> None:
    objects, labels = np.zeros((2, 4), dtype=np.float32), np.array([5, 0])
    shown = [concept("wrong_label").show(objects, labels, np.random.default_rng(seed)).extra for seed in range(20)]
    assert {one.shape for one in shown} == {(2, 6)}


def test_sizes_are_those_of_the_class() -> None:
    objects = np.zeros((2, 16, 16), dtype=np.float32)
    objects[:, 2:14, 2:14] = 1
    small = Scaling(sizes=((0.5, 0.5), (1.0, 1.0))).show(objects, np.array([0, 1]), np.random.default_rng(1)).extra
    assert small[0].sum() == pytest.approx(objects[0].sum() / 4, rel=0.1)
    np.testing.assert_allclose(small[1], objects[1], atol=1e-5)


def test_more_classes_than_sizes_are_refused() -> None:
    objects, labels = figures()
    with pytest.raises(MaterialsError, match=r"Sizes are stated for 1 classes, but the objects have 10"):
        Scaling(sizes=((0.5, 1.0),)).show(objects, labels, np.random.default_rng(1))


def test_rows_of_numbers_cannot_be_turned() -> None:
    with pytest.raises(MaterialsError, match="Only pictures can be turned"):
        Rotation().show(np.zeros((3, 5), dtype=np.float32), np.arange(3), np.random.default_rng(1))


def test_an_impossible_size_is_refused() -> None:
    with pytest.raises(UnknownName, match="smallest and a largest share between 0 and 1"):
        registry.create("concepts", Ref(name="scaling", params={"sizes": [[0.8, 0.2]]}))


def test_a_function_of_one_object_is_a_concept() -> None:
    objects, labels = figures(3)
    shown = ConceptFrom(lambda one: one.mean(axis=0)).show(objects, labels, np.random.default_rng(1))
    np.testing.assert_allclose(shown.extra, objects.mean(axis=1), rtol=1e-6)


def test_a_function_that_gives_no_numbers_is_refused() -> None:
    objects, labels = figures(3)
    with pytest.raises(MaterialsError, match="not finite"):
        ConceptFrom(lambda one: one * np.nan).show(objects, labels, np.random.default_rng(1))
