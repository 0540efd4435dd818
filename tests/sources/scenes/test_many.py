"""Many pictures: written as shards that picture arrays read, and resumed without drawing anything twice."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from understudy.errors import MaterialsError
from understudy.sources.picture_pools import ArrayPool, block_from_file
from understudy.worlds.pictures import ManyOptions, render_many
from understudy.worlds.renderer import render
from understudy.worlds.scene import Scene
from understudy.worlds.two4two import Two4Two, two4two_scene

SMALL = ManyOptions(edge=16, per_shard=4, n_workers=2)


def scene_of(drawn: list[int], number: int) -> Scene:
    drawn.append(number)
    return two4two_scene(Two4Two(legs=number / 10))


def pool_in(folder: Path) -> ArrayPool:
    return ArrayPool(tuple(block_from_file(path) for path in sorted(folder.glob("pictures-*.npy"))))


def test_shards_hold_the_pictures_in_order(tmp_path: Path) -> None:
    render_many(partial(scene_of, []), 10, tmp_path, options=SMALL)
    pool = pool_in(tmp_path)
    assert pool.shape == (10, 16, 16, 3)
    assert np.array_equal(pool.read([9])[0], render(two4two_scene(Two4Two(legs=0.9)), edge=16).picture)


def test_what_is_there_is_not_drawn_again(tmp_path: Path) -> None:
    render_many(partial(scene_of, []), 10, tmp_path, options=SMALL)
    (tmp_path / "pictures-00001.npy").unlink()
    drawn: list[int] = []
    render_many(partial(scene_of, drawn), 10, tmp_path, options=SMALL)
    assert sorted(drawn) == [4, 5, 6, 7]


def test_any_number_of_workers_writes_the_same_bytes(tmp_path: Path) -> None:
    for n_workers in (1, 3):
        options = ManyOptions(edge=16, per_shard=4, n_workers=n_workers)
        render_many(partial(scene_of, []), 10, tmp_path / str(n_workers), options=options)
    written = [[path.read_bytes() for path in sorted((tmp_path / name).iterdir())] for name in ("1", "3")]
    assert written[0] == written[1]


def test_progress_begins_with_what_is_there(tmp_path: Path) -> None:
    render_many(partial(scene_of, []), 10, tmp_path, options=SMALL)
    (tmp_path / "pictures-00002.npy").unlink()
    heard: list[tuple[int, int]] = []
    render_many(partial(scene_of, []), 10, tmp_path, options=SMALL, progress=lambda done, n: heard.append((done, n)))
    assert heard == [(8, 10), (10, 10)]


def test_a_shard_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    def breaks(number: int) -> Scene:
        if number == 6:
            raise KeyboardInterrupt
        return scene_of([], number)

    with pytest.raises(KeyboardInterrupt):
        render_many(breaks, 10, tmp_path, options=ManyOptions(edge=16, per_shard=4, n_workers=1))
    assert [path.name for path in tmp_path.glob("*.npy")] == ["pictures-00000.npy"]


def test_masks_are_kept_apart(tmp_path: Path) -> None:
    render_many(partial(scene_of, []), 4, tmp_path, options=ManyOptions(edge=16, per_shard=4, keeps_masks=True))
    masks = np.load(tmp_path / "masks" / "pictures-00000.npy")
    assert masks.shape == (4, 16, 16)
    assert masks.max() <= 8


def test_attributes_are_written_next_to_the_pictures(tmp_path: Path) -> None:
    table = pd.DataFrame({"legs": [0.0, 0.1]})
    render_many(partial(scene_of, []), 2, tmp_path, options=SMALL, attributes=table)
    assert pd.read_csv(tmp_path / "attributes.csv")["legs"].tolist() == [0.0, 0.1]


def test_a_folder_of_other_pictures_is_refused(tmp_path: Path) -> None:
    render_many(partial(scene_of, []), 2, tmp_path, options=SMALL)
    with pytest.raises(MaterialsError, match="holds other pictures"):
        render_many(partial(scene_of, []), 3, tmp_path, options=SMALL)


def test_no_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="at least 1"):
        render_many(partial(scene_of, []), 0, tmp_path, options=SMALL)
