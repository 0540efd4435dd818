"""Creatures: species, pictures, masks, and parts that are removed or exchanged."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.shell import understudy
from understudy.datasets import Creatures
from understudy.errors import MaterialsError, MissingExtra
from understudy.worlds.creature_sets import (
    CreaturePool,
    CreatureSet,
    creature_at,
    draw_creatures,
    species_sheet,
    write_creatures,
)
from understudy.worlds.creatures import (
    EXCHANGEABLE,
    PART_IDS,
    PART_KINDS,
    SPECIES,
    Anatomy,
    Creature,
    creature_scene,
    species_names,
    with_part_of,
    without_part,
)
from understudy.worlds.families import scene_from_params
from understudy.worlds.renderer import render

SMALL = CreatureSet(n=12, edge=48)


def differences(first: Anatomy, second: Anatomy) -> list[str]:
    return [kind for kind in EXCHANGEABLE if getattr(first, kind) != getattr(second, kind)]


def test_species_are_all_different() -> None:
    assert len({str(anatomy) for anatomy in SPECIES}) == len(SPECIES) >= 12


@pytest.mark.parametrize("n_species", [12, len(SPECIES)])
@pytest.mark.parametrize("kind", EXCHANGEABLE)
def test_no_part_gives_a_species_away(kind: str, n_species: int) -> None:
    uses = Counter(getattr(anatomy, kind) for anatomy in SPECIES[:n_species])
    assert len(uses) >= 2
    assert min(uses.values()) >= 2


def test_the_two_species_of_a_pair_share_all_parts_but_one() -> None:
    assert [len(differences(*SPECIES[k : k + 2])) for k in range(0, len(SPECIES), 2)] == [1] * (len(SPECIES) // 2)


def test_each_exchangeable_part_decides_between_the_species_of_a_pair() -> None:
    assert {differences(*SPECIES[k : k + 2])[0] for k in range(0, len(SPECIES), 2)} == set(EXCHANGEABLE)


def test_names_of_species_say_nothing_about_them() -> None:
    assert species_names(3) == ("species 1", "species 2", "species 3")


def test_more_species_than_there_are_is_one_sentence() -> None:
    with pytest.raises(MaterialsError, match=r"99 species were asked for. There are 2 to 16\."):
        species_names(99)


def test_every_part_of_every_species_can_be_seen() -> None:
    for anatomy in SPECIES:
        mask = render(creature_scene(Creature(anatomy=anatomy)), edge=96).mask
        assert {*np.unique(mask)} == {0, *PART_IDS.values()}


@pytest.mark.parametrize("kind", PART_KINDS)
def test_a_removed_part_is_gone_and_the_rest_is_where_it_was(kind: str) -> None:
    creature = creature_at(SMALL, 2)
    before, after = (render(creature_scene(each), edge=48).mask for each in (creature, without_part(creature, kind)))  # type: ignore[arg-type]
    part = PART_IDS[kind]  # type: ignore[index]
    assert (before == part).any()
    assert (after != part).all()
    # What is in front of the part, or next to it, stays.
    assert (after[before != part] == before[before != part]).all()


def test_an_exchanged_part_has_the_form_of_the_other_species() -> None:
    first, second = (Creature(anatomy=SPECIES[k]) for k in (0, 1))
    exchanged = with_part_of(first, "ears", SPECIES[1])
    assert exchanged.anatomy == second.anatomy
    assert (render(creature_scene(exchanged), edge=48).picture == render(creature_scene(second), edge=48).picture).all()


def test_eyes_cannot_be_exchanged() -> None:
    with pytest.raises(MaterialsError, match="'eyes' is not a part to change"):
        with_part_of(Creature(), "eyes", SPECIES[1])


def test_a_set_has_pictures_masks_and_balanced_labels() -> None:
    drawn = draw_creatures(CreatureSet(n=8, n_species=4, edge=32))
    assert drawn.pictures.shape == (8, 32, 32, 3)
    assert drawn.masks.shape == (8, 32, 32)
    assert drawn.labels.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_the_same_seed_gives_the_same_creatures_and_each_part_others() -> None:
    assert creature_at(SMALL, 3) == creature_at(CreatureSet(n=500), 3)
    assert creature_at(SMALL, 3) != creature_at(CreatureSet(part="train"), 3)
    assert creature_at(SMALL, 3) != creature_at(CreatureSet(seed=1), 3)


def test_creatures_of_a_species_differ_in_pose_and_colour() -> None:
    first, second = creature_at(SMALL, 0), creature_at(SMALL, 12)
    assert first.anatomy == second.anatomy
    assert first.turn != second.turn
    assert first.background != second.background


def test_the_family_is_known_by_name() -> None:
    params = creature_at(SMALL, 1).model_dump()
    assert len(scene_from_params("creatures", params).parts) == len(creature_scene(creature_at(SMALL, 1)).parts)


def test_a_written_folder_has_the_same_pictures(tmp_path: Path) -> None:
    chosen = CreatureSet(n=4, edge=32)
    write_creatures(chosen, tmp_path)
    read = Creatures(n=4, folder=str(tmp_path)).whole()
    drawn = Creatures(n=4, edge=32).whole()
    assert read.attributes == drawn.attributes
    assert read.pictures is not None
    assert drawn.pictures is not None
    assert (read.pictures.read(range(4)) == drawn.pictures.read(range(4))).all()
    assert (np.load(tmp_path / "masks" / "pictures-00000.npy") == draw_creatures(chosen).masks).all()


def test_a_pool_draws_pictures_when_they_are_read() -> None:
    pool = CreaturePool((creature_at(SMALL, 0), creature_at(SMALL, 1)), 32)
    assert pool.shape == (2, 32, 32, 3)
    assert (pool.read([1, 0])[1] == pool.read([0])[0]).all()
    assert {*np.unique(pool.masks([1]))} <= {0, *PART_IDS.values()}


def test_a_drawn_creature_can_be_found_again_by_its_number() -> None:
    dataset = Creatures(n=30, edge=32, seed=4)
    sample = dataset.draw(2, np.random.default_rng(0))
    numbers = [int(number) for number in sample.attributes["number"]]
    assert sample.pictures is not None
    again = CreaturePool(tuple(creature_at(dataset.chosen, number) for number in numbers), 32)
    assert (sample.pictures.read([0, 1]) == again.read([0, 1])).all()
    assert [*sample.attributes["label"]] == [f"species {1 + number % 12}" for number in numbers]


def test_a_sheet_has_every_species_with_its_name() -> None:
    sheet = species_sheet(4, edge=32, n_columns=2)
    assert sheet.shape == (2 * (32 + 18 + 6) + 6, 2 * (32 + 6) + 6, 3)
    assert (sheet[6:38, 6:38] == render(creature_scene(Creature(anatomy=SPECIES[0])), edge=32).picture).all()
    assert (sheet[38:56] < 128).any()


def test_the_commands_draw_species_and_creatures(tmp_path: Path) -> None:
    shown = understudy("worlds", "species", "--n-species", 2, "--edge", 32, "--out", tmp_path / "species.png")
    assert shown.code == 0
    assert "Wrote 2 species" in shown.out
    shown = understudy("worlds", "creatures", tmp_path / "made", "--n", 3, "--edge", 32, "--n-species", 3)
    assert shown.code == 0
    assert Creatures(n=3, folder=str(tmp_path / "made")).whole().attributes["label"] == list(species_names(3))


def test_a_sheet_that_is_no_png_is_one_sentence(tmp_path: Path) -> None:
    shown = understudy("worlds", "species", "--out", tmp_path / "species.jpg")
    assert shown.code == 2
    assert "does not end in .png" in shown.err


def test_a_folder_with_fewer_creatures_than_wanted_is_one_sentence(tmp_path: Path) -> None:
    write_creatures(CreatureSet(n=2, edge=16), tmp_path)
    with pytest.raises(MaterialsError, match=r"has 2 creatures, not 5\. Lower `n`"):
        Creatures(n=5, folder=str(tmp_path)).whole()


def test_without_numba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "understudy.worlds.kernels.picture", None)
    sample = Creatures(n=2, edge=16).whole()
    assert sample.pictures is not None
    with pytest.raises(MissingExtra, match=r"pip install 'understudy\[scenes\]'"):
        sample.pictures.read([0])
