"""Worlds are records with known causes; what is wrong with one is said in a sentence."""

from pathlib import Path

import numpy as np
import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.roles import Floats, Rng
from understudy.worlds.families import checked, world_from_toml, world_named
from understudy.worlds.laws import (
    Beta,
    Between,
    ByRange,
    Choice,
    Computed,
    Constant,
    Given,
    Law,
    Line,
    Mixture,
    PerClass,
    Piece,
    Share,
    TruncatedNormal,
    Uniform,
)
from understudy.worlds.sampling import sample
from understudy.worlds.sixt2022 import AS_IN_CODE, sixt2022
from understudy.worlds.world import Attribute, World, toml_from_world


def world_of(*attributes: Attribute, prior: tuple[float, ...] = ()) -> World:
    return World(name="mine", classes=("a", "b"), prior=prior, attributes=attributes)


def attribute(name: str, law: Law, low: float = 0, high: float = 1) -> Attribute:
    return Attribute(name=name, low=low, high=high, law=law)


def line(parent: str) -> Line:
    return Line(parent=parent, intercept=0, slope=1, low=0, high=1)


UNIT = Uniform(low=0, high=1)


@pytest.mark.parametrize(
    ("law", "mean"),
    [
        (Constant(value=0.3), 0.3),
        (Uniform(low=0.2, high=0.6), 0.4),
        (TruncatedNormal(mean=0.5, sd=0.2, low=0.1, high=0.9), 0.5),
        (Beta(a=2, b=6), 0.25),
        (Beta(a=1, b=1, low=0.5, high=1), 0.75),
        (Choice(values=(0, 1), weights=(1, 3)), 0.75),
        (PerClass(classes={"a": Constant(value=0), "b": Constant(value=1)}), 0.5),
        (Mixture(shares=(Share(weight=3, law=Constant(value=0)), Share(weight=1, law=Constant(value=1)))), 0.25),
    ],
)
def test_every_law_has_the_mean_that_it_should(law: Law, mean: float) -> None:
    values = sample(world_of(attribute("x", law)), 20_000, 1)["x"]
    assert values.mean() == pytest.approx(mean, abs=4 * 0.5 / np.sqrt(20_000))
    assert law.limits[0] <= values.min() <= values.max() <= law.limits[1]


def test_a_law_may_follow_another_attribute() -> None:
    pieces = (Piece(below=0.5, law=Constant(value=0)), Piece(law=Between(low=line("x"), high=1)))
    world = world_of(attribute("y", ByRange(parent="x", pieces=pieces)), attribute("x", UNIT))
    table = sample(world, 1000, 1)
    assert (table["y"][table["x"] < 0.5] == 0).all()
    assert (table["y"] >= table["x"])[table["x"] >= 0.5].all()


@pytest.mark.parametrize(
    "law", [UNIT, Beta(a=2, b=3, low=0.1, high=0.8), TruncatedNormal(mean=0.2, sd=0.3, low=0, high=1)]
)
def test_densities_add_up_to_one(law: Law) -> None:
    places = (np.arange(4000) + 0.5) / 4000
    rows = Given(("a",), np.zeros(4000, dtype=np.int64), {})
    assert law.density(places, rows).mean() == pytest.approx(1, abs=1e-3)


def test_the_class_prior_is_kept() -> None:
    table = sample(world_of(attribute("x", UNIT), prior=(1, 3)), 20_000, 1)
    assert (table["class"] == "b").mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.1875 / 20_000))


def test_label_noise_changes_labels_and_never_classes() -> None:
    world = world_of(attribute("x", PerClass(classes={"a": Constant(value=0), "b": Constant(value=1)})))
    table = sample(world.model_copy(update={"label_noise": 0.2}), 20_000, 1)
    assert ((table["class"] == "b") == (table["x"] == 1)).all()
    assert (table["label"] != table["class"]).mean() == pytest.approx(0.2, abs=4 * np.sqrt(0.16 / 20_000))


def test_the_same_seed_gives_the_same_table() -> None:
    assert sample(sixt2022(), 50, 1).equals(sample(sixt2022(), 50, 1))
    assert not sample(sixt2022(), 50, 1).equals(sample(sixt2022(), 50, 2))


@pytest.mark.parametrize("world", [sixt2022(), sixt2022(AS_IN_CODE)])
def test_a_world_survives_a_toml_file(world: World, tmp_path: Path) -> None:
    path = tmp_path / "world.toml"
    path.write_text(toml_from_world(world), encoding="utf-8")
    assert world_from_toml(path) == world


def test_a_world_is_written_in_a_page_of_toml(tmp_path: Path) -> None:
    path = tmp_path / "world.toml"
    path.write_text(
        """
        name = "mine"
        classes = ["round", "square"]
        [[attributes]]
        name = "shape"
        low = 0
        high = 1
        [attributes.law]
        kind = "per_class"
        classes.round = {kind = "uniform", low = 0.6, high = 1}
        classes.square = {kind = "uniform", low = 0, high = 0.4}
        """,
        encoding="utf-8",
    )
    table = sample(world_from_toml(path), 100, 1)
    assert ((table["shape"] > 0.5) == (table["class"] == "round")).all()


def doubled(given: Given, _rng: Rng) -> Floats:
    return np.minimum(2 * given.columns["x"], 1)


def test_a_law_of_your_own_is_a_function() -> None:
    law = Computed(function=doubled, parents=("x",), low=0, high=1)
    table = sample(world_of(attribute("y", law), attribute("x", UNIT)), 20, 1)
    assert np.allclose(table["y"], np.minimum(2 * table["x"], 1))


def test_a_function_cannot_be_written_to_a_file() -> None:
    law = Computed(function=doubled, parents=("x",), low=0, high=1)
    with pytest.raises(MaterialsError, match="which only Python can hold"):
        toml_from_world(world_of(attribute("y", law), attribute("x", UNIT)))


def test_a_function_that_leaves_its_bounds_is_named() -> None:
    law = Computed(function=lambda given, _rng: np.full(given.n, 7.0), low=0, high=1)
    with pytest.raises(MaterialsError, match="outside 0 to 1"):
        sample(world_of(attribute("y", law)), 5, 1)


BY_X, BY_Y = Between(low=0, high=line("x")), Between(low=0, high=line("y"))


@pytest.mark.parametrize(
    ("world", "sentence"),
    [
        (
            world_of(attribute("x", Uniform(low=0, high=2))),
            "'x' is drawn from 0 to 2, outside its bounds 0 to 1. Change its law or its bounds.",
        ),
        (
            world_of(attribute("x", BY_Y), attribute("y", BY_X)),
            "Causes go in a circle: x depends on y depends on x. Take one of these dependencies out.",
        ),
        (
            world_of(attribute("x", BY_Y), attribute("z", UNIT)),
            "'x' depends on 'y', which is not an attribute. Choose from: class, z.",
        ),
        (
            world_of(attribute("x", UNIT), prior=(1, 0)),
            "The class 'b' never occurs: its prior is not above 0. Raise it, or leave the class out.",
        ),
        (
            world_of(attribute("x", PerClass(classes={"a": UNIT}))),
            "'x' has laws for the classes a, but the classes are a, b. Give one law for each.",
        ),
        (world_of(attribute("label", UNIT)), "'label' is kept for the table itself. Rename the attribute."),
        (world_of(attribute("x", UNIT), attribute("x", UNIT)), "There are two attributes 'x'. Rename one."),
    ],
)
def test_a_faulty_world_is_refused_with_one_sentence(world: World, sentence: str) -> None:
    with pytest.raises(MaterialsError) as caught:
        checked(world)
    assert str(caught.value) == sentence


def test_several_faults_are_told_at_once() -> None:
    world = world_of(attribute("x", Uniform(low=0, high=2)), attribute("label", UNIT), prior=(1, 0))
    with pytest.raises(MaterialsError) as caught:
        checked(world)
    assert len(str(caught.value).splitlines()) == 3


def test_bounds_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.toml"
    text = toml_from_world(world_of(attribute("x", Uniform(low=0.25, high=0.75))))
    path.write_text(text.replace("0.75", "0.1"), encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"`low` is 0.25 and `high` is 0.1"):
        world_from_toml(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="cannot be read"):
        world_from_toml(tmp_path / "none.toml")


def test_a_world_without_a_name_is_unknown() -> None:
    with pytest.raises(UnknownName, match="Choose from: sixt2022, sixt2022-code"):
        world_named("nowhere")
