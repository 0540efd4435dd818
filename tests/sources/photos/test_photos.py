"""Photos with annotations: boxes, masks, points, splits, and data as others publish them."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.photo_files import BREEDS, write_pets
from understudy.datasets import OxfordPets, PictureFolder
from understudy.errors import MaterialsError
from understudy.roles import Sample
from understudy.sources.cases import stratified_split
from understudy.sources.photos import (
    check_classes,
    tables_from_cub,
    tables_from_imagenet,
    write_tables,
)


def write_photo(path: Path, size: tuple[int, int] = (20, 10), *, mode: str = "RGB") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size).save(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two photos of 20 x 10 pixels; the thing is in columns 8 to 12 and rows 2 to 6."""
    for name in ("a/1.png", "b/2.png"):
        write_photo(tmp_path / "photos" / name)
    mask = np.zeros((10, 20), dtype=np.uint8)
    mask[2:6, 8:12] = 1
    for name in ("a/1.png", "b/2.png"):
        (tmp_path / "masks" / name).parent.mkdir(parents=True)
        Image.fromarray(mask).save(tmp_path / "masks" / name)
    (tmp_path / "boxes.csv").write_text("path,left,top,right,bottom\na/1.png,8,2,12,6\nb/2.png,8,2,12,6\n")
    (tmp_path / "points.csv").write_text("path,part,x,y\na/1.png,beak,10,5\n")
    return tmp_path


def photos(folder: Path, **params: object) -> PictureFolder:
    return PictureFolder.model_validate({"folder": str(folder / "photos"), **params})


@pytest.mark.parametrize("edge", [None, 10])
def test_boxes_and_masks_give_the_same_regions(folder: Path, edge: int | None) -> None:
    by_box, by_mask = (
        photos(folder, boxes=str(folder / "boxes.csv"), edge=edge),
        photos(folder, masks=str(folder / "masks"), edge=edge),
    )
    first, second = (each.regions(each.whole()) for each in (by_box, by_mask))
    assert first.shape == ((2, 10, 20) if edge is None else (2, 10, 10))
    assert (first == second).all()
    assert first.sum(axis=(1, 2)).tolist() == [16, 16]


def test_a_cropped_photo_moves_its_box_with_it(folder: Path) -> None:
    dataset = photos(folder, boxes=str(folder / "boxes.csv"), edge=20)
    rows, columns = np.nonzero(dataset.regions(dataset.whole())[0])
    # The middle 10 x 10 pixels are shown twice as large.
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == (6, 13, 4, 11)


def test_a_stretched_photo_stretches_its_points(folder: Path) -> None:
    dataset = photos(folder, points=str(folder / "points.csv"), edge=10, fit="stretch")
    assert dataset.part_points(dataset.whole()) == [(("beak", 5, 5),), ()]


@pytest.mark.parametrize(("table", "row"), [("boxes", "wren.png,8,2,12,6"), ("points", "wren.png,eye,8,2")])
def test_a_row_that_names_no_photo_of_the_folder_is_one_sentence(folder: Path, table: str, row: str) -> None:
    columns = {"boxes": "left,top,right,bottom", "points": "part,x,y"}[table]
    (folder / f"{table}.csv").write_text(f"path,{columns}\n{row}\n")
    with pytest.raises(
        MaterialsError, match=rf"'{table}.csv' names 'wren.png', but there are no such photos .* such as"
    ):
        photos(folder, **{table: str(folder / f"{table}.csv")}).whole()


def test_several_boxes_are_joined(folder: Path) -> None:
    (folder / "boxes.csv").write_text(
        "path,left,top,right,bottom\na/1.png,0,0,2,2\na/1.png,18,8,20,10\nb/2.png,0,0,1,1\n"
    )
    dataset = photos(folder, boxes=str(folder / "boxes.csv"))
    assert dataset.regions(dataset.whole()).sum(axis=(1, 2)).tolist() == [8, 1]


def test_photos_without_annotations_have_no_further_attribute(folder: Path) -> None:
    assert [*photos(folder).whole().attributes] == ["label"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("a/1.png,8,2,25,6", r"'a/1.png' has 20 x 10 pixels, but a box at 8, 2, 25, 6"),
        ("a/1.png,12,2,8,6", r"but a box at 12, 2, 8, 6"),
        ("a/1.png,8,2,wide,6", r"Row 2 of 'boxes.csv' needs numbers"),
        ("b/2.png,8,2,12,6", r"'a/1.png' has no box"),
    ],
)
def test_a_bad_box_is_one_sentence(folder: Path, row: str, sentence: str) -> None:
    (folder / "boxes.csv").write_text(f"path,left,top,right,bottom\n{row}\n")
    dataset = photos(folder, boxes=str(folder / "boxes.csv"))
    with pytest.raises(MaterialsError, match=sentence):
        dataset.regions(dataset.whole())


@pytest.mark.parametrize("box", ["8,2,25,6", "12,2,8,6", "-9,2,12,6", "300,300,400,400"])
def test_a_box_outside_its_photo_is_found_before_anybody_takes_part(folder: Path, box: str) -> None:
    (folder / "boxes.csv").write_text(f"path,left,top,right,bottom\na/1.png,{box}\n")
    with pytest.raises(MaterialsError, match="Give boxes inside the photo"):
        photos(folder, boxes=str(folder / "boxes.csv")).whole()


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"^There is no folder '.*nowhere/photos'"):
        photos(tmp_path / "nowhere").whole()


def test_a_missing_mask_is_one_sentence(folder: Path) -> None:
    (folder / "masks" / "b" / "2.png").unlink()
    dataset = photos(folder, masks=str(folder / "masks"))
    with pytest.raises(MaterialsError, match=r"There is no mask .*2\.png"):
        dataset.regions(dataset.whole())


def test_a_mask_of_another_size_is_one_sentence(folder: Path) -> None:
    write_photo(folder / "masks" / "a" / "1.png", (5, 5), mode="L")
    dataset = photos(folder, masks=str(folder / "masks"))
    with pytest.raises(MaterialsError, match="has 5 x 5 pixels, its photo 20 x 10"):
        dataset.regions(dataset.whole())


def test_a_grey_photo_is_one_sentence_where_colour_is_required(folder: Path) -> None:
    write_photo(folder / "photos" / "a" / "1.png", mode="L")
    sample = photos(folder, allows_monochrome=False).whole()
    assert sample.pictures is not None
    with pytest.raises(MaterialsError, match="has no colours"):
        sample.pictures.read([0])


def test_folders_without_annotations_have_no_regions(folder: Path) -> None:
    with pytest.raises(MaterialsError, match="no boxes and no masks"):
        photos(folder).regions(photos(folder).whole())


def test_fewer_classes_than_answers_are_one_sentence() -> None:
    check_classes(["a", "b", "c", "d"])
    with pytest.raises(MaterialsError, match=r"The photos have 3 classes \(a, b, c\)\. At least 4"):
        check_classes(["a", "b", "c", "a"])


def test_a_split_holds_out_the_same_share_of_every_class() -> None:
    labels = ["a"] * 40 + ["b"] * 20
    split = stratified_split(labels, test_share=0.25, seed=3)
    assert sum(k < 40 for k in split.held_out) == 10
    assert sum(k >= 40 for k in split.held_out) == 5
    assert sorted([*split.train, *split.held_out]) == list(range(60))


def test_a_split_follows_from_its_seed() -> None:
    labels = ["a"] * 40
    first, again, other = (stratified_split(labels, test_share=0.5, seed=seed) for seed in (1, 1, 2))
    assert (first.held_out == again.held_out).all()
    assert (first.held_out != other.held_out).any()


def test_a_class_of_one_photo_cannot_be_split() -> None:
    with pytest.raises(MaterialsError, match="The class 'b' has one photo"):
        stratified_split(["a", "a", "b"], test_share=0.5, seed=0)


def write_cub(root: Path) -> Path:
    write_photo(root / "images" / "001.Albatross" / "x.jpg")
    write_photo(root / "images" / "002.Gull" / "y.jpg")
    lines = {
        "images.txt": "1 001.Albatross/x.jpg\n2 002.Gull/y.jpg\n",
        "classes.txt": "1 001.Albatross\n2 002.Gull\n",
        "image_class_labels.txt": "1 1\n2 2\n",
        "train_test_split.txt": "1 1\n2 0\n",
        "bounding_boxes.txt": "1 2.0 1.0 10.0 5.0\n2 0.0 0.0 20.0 10.0\n",
        "parts/parts.txt": "1 back\n2 left eye\n",
        "parts/part_locs.txt": "1 1 4.0 3.0 1\n1 2 0.0 0.0 0\n2 2 7.0 8.0 1\n",
    }
    (root / "parts").mkdir()
    for name, text in lines.items():
        (root / name).write_text(text)
    return root


def test_cub_is_read_as_tables_that_a_picture_folder_takes(tmp_path: Path) -> None:
    tables = tables_from_cub(write_cub(tmp_path / "CUB_200_2011"))
    out = write_tables(tables, tmp_path / "tables")
    dataset = PictureFolder(
        folder=str(tables.folder),
        table=str(out / "photos.csv"),
        boxes=str(out / "boxes.csv"),
        points=str(out / "points.csv"),
    )
    sample = dataset.whole()
    assert sample.attributes["label"] == ["001.Albatross", "002.Gull"]
    assert sample.attributes["part"] == ["train", "test"]
    assert dataset.regions(sample).sum(axis=(1, 2)).tolist() == [50, 200]
    assert dataset.part_points(sample) == [(("back", 4, 3),), (("left eye", 7, 8),)]


def test_an_incomplete_cub_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"has no images\.txt\. Name the folder CUB_200_2011"):
        tables_from_cub(tmp_path)


def test_imagenet_photos_in_one_folder_are_labelled_by_the_solution(tmp_path: Path) -> None:
    write_photo(tmp_path / "val" / "v1.JPEG")
    (tmp_path / "LOC_val_solution.csv").write_text("ImageId,PredictionString\nv1,n01 1 2 10 8 n01 0 0 3 3 \n")
    tables = tables_from_imagenet(tmp_path / "val", tmp_path / "LOC_val_solution.csv")
    assert tables.photos.to_numpy().tolist() == [["v1.JPEG", "n01"]]
    assert tables.boxes.to_numpy().tolist() == [["v1.JPEG", 1, 2, 10, 8], ["v1.JPEG", 0, 0, 3, 3]]


def test_imagenet_boxes_are_read_from_voc_files(tmp_path: Path) -> None:
    write_photo(tmp_path / "val" / "n02" / "v2.JPEG")
    box = "<object><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>7</ymax></bndbox></object>"
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "v2.xml").write_text(f"<annotation>{box}</annotation>")
    tables = tables_from_imagenet(tmp_path / "val", tmp_path / "xml")
    assert tables.photos.to_numpy().tolist() == [["n02/v2.JPEG", "n02"]]
    assert tables.boxes.to_numpy().tolist() == [["n02/v2.JPEG", 1, 2, 9, 7]]


@pytest.mark.parametrize("text", ["<annotation><bndbox>", "<a><bndbox><xmin>x</xmin></bndbox></a>"])
def test_a_damaged_voc_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    write_photo(tmp_path / "val" / "n02" / "v2.JPEG")
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "v2.xml").write_text(text)
    with pytest.raises(MaterialsError, match="is not an annotation in the form of VOC"):
        tables_from_imagenet(tmp_path / "val", tmp_path / "xml")


def test_imagenet_photos_without_a_class_are_one_sentence(tmp_path: Path) -> None:
    write_photo(tmp_path / "v3.JPEG")
    with pytest.raises(MaterialsError, match=r"'v3\.JPEG' is in no class"):
        tables_from_imagenet(tmp_path)


def labels(sample: Sample) -> list[str]:
    return [str(label) for label in sample.attributes["label"]]


def test_pets_are_split_by_breed_and_drawn(tmp_path: Path) -> None:
    folder = str(write_pets(tmp_path / "pets"))
    train, test = (OxfordPets(folder=folder, part=part).whole() for part in ("train", "test"))
    assert len(labels(train)) == 12
    assert sorted(labels(test)) == sorted(BREEDS)
    assert not {*train.attributes["number"]} & {*test.attributes["number"]}
    assert {*test.attributes["kind"]} == {"cat", "dog"}


def test_pets_have_photos_and_regions_of_any_size(tmp_path: Path) -> None:
    dataset = OxfordPets(folder=str(write_pets(tmp_path / "pets")), edge=32)
    sample = dataset.draw(3, np.random.default_rng(0))
    assert sample.pictures is not None
    assert sample.pictures.read([0, 1, 2]).shape == (3, 32, 32, 3)
    assert dataset.regions(sample).sum(axis=(1, 2)).tolist() == [512] * 3
    assert dataset.regions(sample, of="head").sum(axis=(1, 2)).tolist() == [256] * 3


def test_absent_pets_name_the_command_that_fetches_them(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="understudy data get oxford-pets"):
        OxfordPets(folder=str(tmp_path)).whole()


def test_a_photo_that_is_missing_from_the_archive_is_one_sentence(tmp_path: Path) -> None:
    folder = write_pets(tmp_path / "pets")
    with zipfile.ZipFile(folder / "images.zip", "w"):
        pass
    sample = OxfordPets(folder=str(folder)).whole()
    assert sample.pictures is not None
    with pytest.raises(MaterialsError, match=r"images\.zip' has no .*\.jpg"):
        sample.pictures.read([0])
