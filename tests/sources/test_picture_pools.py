"""Picture pools: the pictures that are asked for, in their order, from files of any number."""

from pathlib import Path

import numpy as np
import pytest

from understudy.datasets import PictureArray, PictureFolder
from understudy.errors import MaterialsError
from understudy.roles import Pixels, Sample
from understudy.sources.picture_pools import ArrayPool, MemoryPool, PoolPart, block_from_file, model_inputs
from understudy.sources.pictures import picture_from_pixels

PICTURES: Pixels = np.random.default_rng(3).integers(256, size=(12, 4, 5, 3), dtype=np.uint8)
ASKED = [7, 0, 11, 7, 3]


def drawn(dataset: PictureArray | PictureFolder, n: int = 12) -> Sample:
    return dataset.draw(n, np.random.default_rng(1))


def photos_in(folder: Path, pictures: Pixels = PICTURES) -> Path:
    for k, pixels in enumerate(pictures):
        (folder / ("cat", "dog")[k % 2]).mkdir(parents=True, exist_ok=True)
        (folder / ("cat", "dog")[k % 2] / f"{k:02}.png").write_bytes(picture_from_pixels(pixels).content)
    return folder


@pytest.mark.parametrize("pictures", [PICTURES, PICTURES[..., 0]], ids=["rgb", "grey"])
def test_one_file_is_read_picture_by_picture(pictures: Pixels, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", pictures)
    pool = ArrayPool((block_from_file(tmp_path / "a.npy"),))
    assert (pool.read(ASKED) == pictures.reshape(12, 4, 5, -1)[ASKED]).all()


def test_shards_are_one_pool(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", PICTURES[:5])
    np.savez(tmp_path / "b.npz", pictures=PICTURES[5:], labels=np.arange(7))
    pool = ArrayPool(tuple(block_from_file(path) for path in sorted(tmp_path.iterdir())))
    assert pool.shape == PICTURES.shape
    assert (pool.read(ASKED) == PICTURES[ASKED]).all()


def test_the_whole_of_a_folder_and_of_an_array_come_in_their_order(tmp_path: Path) -> None:
    np.savez(tmp_path / "all.npz", pictures=PICTURES, labels=np.arange(12))
    array = PictureArray(path=str(tmp_path / "all.npz")).whole()
    folder = PictureFolder(folder=str(photos_in(tmp_path / "photos"))).whole()
    assert array.pictures is not None
    assert folder.pictures is not None
    assert (array.pictures.read(range(12)) == PICTURES).all()
    assert array.attributes["label"] == [*range(12)]
    assert (folder.pictures.read(range(12)) == PICTURES[[*range(0, 12, 2), *range(1, 12, 2)]]).all()
    assert folder.attributes["label"] == ["cat"] * 6 + ["dog"] * 6


def test_a_part_of_a_pool_has_its_own_numbers() -> None:
    assert (PoolPart(MemoryPool(PICTURES), [9, 4, 2]).read([2, 0]) == PICTURES[[2, 9]]).all()


def test_models_get_numbers_from_0_to_1_with_channels_first() -> None:
    given = model_inputs(PICTURES)
    assert given.shape == (12, 3, 4, 5)
    assert given[1, 2, 3, 4] == PICTURES[1, 3, 4, 2] / 255


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (PICTURES / 255, "holds float64"),
        (np.asfortranarray(PICTURES), "columns first"),
        (PICTURES[..., :2], "must be uint8 in the order"),
    ],
)
def test_other_arrays_are_refused(array: Pixels, said: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(MaterialsError, match=said):
        drawn(PictureArray(path=str(tmp_path / "a.npy")))


def test_a_compressed_archive_is_refused_with_what_to_do(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", pictures=PICTURES)
    with pytest.raises(MaterialsError, match=r"is compressed.*numpy\.savez in place of"):
        drawn(PictureArray(path=str(tmp_path / "a.npz")))


def test_a_file_that_ends_too_early_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", PICTURES)
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-10])
    with pytest.raises(MaterialsError, match="claims 12x4x5x3 of uint8, and has 710 bytes for them"):
        list(drawn(PictureArray(path=str(tmp_path / "a.npy"))).contents)


def test_labels_of_shards_stay_with_their_pictures(tmp_path: Path) -> None:
    for k, name in enumerate("ab"):
        part = slice(6 * k, 6 * k + 6)
        np.savez(
            tmp_path / f"{name}.npz", pictures=PICTURES[part], labels=np.arange(12)[part] % 2, tilt=np.arange(12)[part]
        )
    sample = drawn(PictureArray(path=str(tmp_path), label_names=("cat", "dog")))
    assert sample.pictures is not None
    assert (sample.pictures.read(range(12)) == PICTURES[np.array(sample.attributes["tilt"])]).all()
    assert list(sample.attributes["label"]) == [("cat", "dog")[int(k) % 2] for k in sample.attributes["tilt"]]


def test_labels_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", pictures=PICTURES, labels=np.arange(11))
    with pytest.raises(MaterialsError, match="has 12 pictures, but 'label' has the shape"):
        drawn(PictureArray(path=str(tmp_path / "a.npz")))


def test_a_folder_for_each_class_gives_the_labels(tmp_path: Path) -> None:
    sample = drawn(PictureFolder(folder=str(photos_in(tmp_path))))
    assert sample.pictures is not None
    assert sample.pictures.shape == PICTURES.shape
    known = {picture_from_pixels(pixels).address: ("cat", "dog")[k % 2] for k, pixels in enumerate(PICTURES)}
    assert [known[str(content["image"])] for content in sample.contents] == list(sample.attributes["label"])


def test_a_table_says_what_is_true_of_each_photo(tmp_path: Path) -> None:
    photos_in(tmp_path / "photos")
    (tmp_path / "photos.csv").write_text("path,label,weather\ncat/00.png,cat,rain\ndog/01.png,dog,sun\n")
    sample = drawn(PictureFolder(folder=str(tmp_path / "photos"), table=str(tmp_path / "photos.csv"), edge=3))
    assert sample.pictures is not None
    assert sample.pictures.shape == (2, 3, 3, 3)
    assert sorted(zip(*sample.attributes.values(), strict=True)) == [("cat", "rain"), ("dog", "sun")]


def test_every_row_of_the_table_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    photos_in(tmp_path / "photos")
    (tmp_path / "photos.csv").write_text("path\n/etc/a.png\n../a.png\nnone.png\n")
    with pytest.raises(MaterialsError) as found:
        drawn(PictureFolder(folder=str(tmp_path / "photos"), table=str(tmp_path / "photos.csv")))
    assert [line.split("' ")[-1].split(".")[0] for line in str(found.value).splitlines()] == [
        "is an absolute path", "leads out of its folder by '", "is not a file there",
    ]  # fmt: skip


def test_a_photo_behind_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    photos_in(tmp_path / "photos")
    (tmp_path / "secret.png").write_bytes(picture_from_pixels(PICTURES[0]).content)
    (tmp_path / "photos" / "cat" / "99.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(MaterialsError, match="symbolic link that leads out"):
        drawn(PictureFolder(folder=str(tmp_path / "photos")))


def test_a_class_behind_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    photos_in(tmp_path / "photos")
    (tmp_path / "photos" / "cat").rename(tmp_path / "moved")
    (tmp_path / "photos" / "cat").symlink_to(tmp_path / "moved")
    with pytest.raises(MaterialsError, match="'cat' is reached by a symbolic link that leads out"):
        drawn(PictureFolder(folder=str(tmp_path / "photos")))


def test_photos_of_several_sizes_need_an_edge(tmp_path: Path) -> None:
    folder = photos_in(tmp_path)
    (folder / "dog" / "99.png").write_bytes(picture_from_pixels(PICTURES[0, :3]).content)
    with pytest.raises(MaterialsError, match=r"has 5 x 3 pixels, but the first picture has 5 x 4\. Set `edge`"):
        list(drawn(PictureFolder(folder=str(folder)), 13).contents)


def test_photos_without_colours_can_be_refused(tmp_path: Path) -> None:
    folder = photos_in(tmp_path, PICTURES[..., :1])
    assert drawn(PictureFolder(folder=str(folder))).contents[0]
    with pytest.raises(MaterialsError, match="has no colours"):
        list(drawn(PictureFolder(folder=str(folder), allows_monochrome=False)).contents)
