"""The data that generative models learn from."""

import gzip
import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.sources import sinelines, sprites
from understudy.sources.small_pictures import array_from_idx, digits_from_folder, tenth_held_out

DATA = Path(os.environ.get("UNDERSTUDY_DATA", ""), "interactive-reconstruction")
with_data = pytest.mark.skipif(
    not os.environ.get("UNDERSTUDY_DATA") or not DATA.is_dir(),
    reason="needs UNDERSTUDY_DATA with the stored references",
)


def test_a_tenth_is_held_out_and_nothing_is_lost() -> None:
    split = tenth_held_out(1000)
    assert len(split.held_out) == 100
    assert sorted([*split.train, *split.held_out]) == list(range(1000))


@with_data
def test_the_first_held_out_sprites_are_those_of_the_paper() -> None:
    stored = json.loads((DATA / "dsprites" / "gt" / "config.json").read_text())["z"]
    held_out = tenth_held_out(sprites.N_INSTANCES).held_out[: len(stored)]
    np.testing.assert_allclose(sprites.factors_from_places(held_out), stored, atol=1e-12)


def test_a_sineline_is_a_straight_line_with_a_wave() -> None:
    line = sinelines.lines_from_factors(np.array([[0.5, 1.0, 2.0, 3.0, 0.25]]))[0]
    t = -3.2
    assert line[0] == pytest.approx(0.5 * t + 1.0 + 2.0 * np.sin(3.0 * t + 0.25))
    assert len(line) == 64


def test_the_sinelines_are_spread_as_stated() -> None:
    factors = sinelines.all_factors()
    assert factors.shape == (50_000, 5)
    np.testing.assert_allclose(factors.mean(axis=0), [0, 0, 1, 1, np.pi], atol=0.03)
    np.testing.assert_allclose(factors.std(axis=0), [3**-0.5, 1, 1, 1, np.pi / 3**0.5], atol=0.03)


def test_factors_follow_the_official_order() -> None:
    first, second, last = sprites.factors_from_places(np.array([0, 1, sprites.N_INSTANCES - 1]))
    assert first.tolist() == [1, 0.5, 0, 0, 0]
    assert second.tolist() == pytest.approx([1, 0.5, 0, 0, 1 / 31])
    assert last.tolist() == pytest.approx([3, 1, 2 * np.pi, 1, 1])


def test_sprites_have_the_official_share_of_white() -> None:
    areas = sprites.padded_outlines().sum(axis=(1, 2))
    assert areas.mean() / sprites.EDGE**2 == pytest.approx(0.0425, abs=0.0003)


def test_random_pairs_of_sprites_agree_as_little_as_the_official_ones() -> None:
    rng = np.random.default_rng(1)
    one, other = (
        sprites.pictures_from_places(rng.integers(sprites.N_INSTANCES, size=1500)).astype(float) for _ in range(2)
    )
    agreement = 1 - np.abs(one - other).sum(1) / (0.01 + one.sum(1) + other.sum(1))
    assert 0.10 < agreement.mean() < 0.125
    assert 295 < ((one - other) ** 2).sum(1).mean() < 315


def test_a_sprite_moves_with_its_position_and_keeps_its_shape() -> None:
    corner, moved = sprites.pictures_from_places(np.array([0, 2 * 32 + 3])).reshape(2, 64, 64)
    np.testing.assert_array_equal(np.roll(corner, (3, 2), axis=(0, 1)), moved)


def test_the_first_and_the_last_orientation_look_the_same() -> None:
    heart = 2 * 6 * 40 * 32 * 32
    first, last = sprites.pictures_from_places(np.array([heart, heart + 39 * 32 * 32]))
    np.testing.assert_array_equal(first, last)


def test_no_sprite_is_cut_off() -> None:
    _, rows, columns = np.nonzero(sprites.padded_outlines())
    reach = np.abs(np.concatenate([rows, columns]) - sprites.LAST_PLACE).max()
    assert reach < min(sprites.FIRST_PLACE, sprites.EDGE - sprites.LAST_PLACE)


def test_the_official_file_is_refused_when_it_is_another(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", imgs=np.zeros((3, 64, 64), dtype=np.uint8))
    with pytest.raises(MaterialsError, match=r"shape \(3, 64, 64\)"):
        sprites.rows_from_npz(tmp_path / "other.npz")


def test_an_idx_file_is_read_compressed_or_not(tmp_path: Path) -> None:
    content = b"\x00\x00\x08\x02" + struct.pack(">II", 2, 3) + bytes(range(6))
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(content))
    assert array_from_idx(tmp_path / "plain").tolist() == array_from_idx(tmp_path / "packed.gz").tolist()
    assert array_from_idx(tmp_path / "plain").tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no", "not an IDX file"),
        (b"\x00\x00\x08\x01" + struct.pack(">I", 9) + b"abc", "holds 3 bytes, but its header promises 9"),
    ],
)
def test_a_damaged_idx_file_is_named(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(MaterialsError, match=words):
        array_from_idx(tmp_path / "file")


def test_a_folder_without_the_files_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="understudy data get mnist"):
        digits_from_folder(tmp_path / "mnist")
