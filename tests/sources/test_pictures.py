"""Pictures: read as they are meant to be seen, written the same way every time, refused in one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from understudy.errors import MaterialsError
from understudy.sources import pictures
from understudy.sources.pictures import picture_fault, picture_from_pixels, pixels_from_file

RGB = np.random.default_rng(1).integers(256, size=(6, 9, 3), dtype=np.uint8)


def saved(path: Path, picture: Image.Image, **options: Any) -> Path:
    picture.save(path, **options)
    return path


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(picture_from_pixels(RGB).content)
    assert (pixels_from_file(tmp_path / "a.png") == RGB).all()


def test_a_grey_picture_stays_grey(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(picture_from_pixels(RGB[..., :1]).content)
    assert (pixels_from_file(tmp_path / "a.png") == RGB[..., 0]).all()


def test_the_same_pixels_make_the_same_bytes_without_metadata(tmp_path: Path) -> None:
    noted = Image.open(saved(tmp_path / "a.png", Image.fromarray(RGB), dpi=(300, 300)))
    noted.load()
    assert picture_from_pixels(np.asarray(noted)) == picture_from_pixels(RGB)
    assert b"pHYs" not in picture_from_pixels(RGB).content


def test_equal_bytes_of_another_shape_are_another_picture() -> None:
    assert picture_from_pixels(RGB) != picture_from_pixels(RGB.reshape(9, 6, 3))


def test_the_files_used_longest_ago_are_packed_again_and_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = (np.full((4, 4, 3), value, dtype=np.uint8) for value in range(4))
    before, n_bytes = picture_from_pixels(first), max(len(picture_from_pixels(pixels).content) for pixels in others)
    packed: list[int] = []
    monkeypatch.setattr(pictures, "_packed", pictures._Packed(3 * n_bytes))
    pack = pictures._packed_png

    def told(pixels: pictures.Pixels) -> bytes:
        packed.append(int(pixels.max()))
        return pack(pixels)

    monkeypatch.setattr(pictures, "_packed_png", told)
    for pixels in (first, *others[:2], first, others[2], first, others[0]):
        picture_from_pixels(pixels)
    assert packed == [0, 1, 2, 3, 1]
    assert picture_from_pixels(first) == before


def test_the_orientation_of_the_camera_is_applied(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn clockwise
    path = saved(tmp_path / "a.png", Image.fromarray(RGB), exif=exif)
    assert (pixels_from_file(path) == np.rot90(RGB, -1)).all()


@pytest.mark.parametrize("mode", ["P", "RGBA", "CMYK"])
def test_other_modes_become_rgb(mode: str, tmp_path: Path) -> None:
    path = saved(tmp_path / ("a.jpg" if mode == "CMYK" else "a.png"), Image.fromarray(RGB).convert(mode))
    assert pixels_from_file(path).shape == (6, 9, 3)


def test_transparent_parts_become_white(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.png", Image.new("RGBA", (4, 4), (10, 20, 30, 0)))
    assert (pixels_from_file(path) == 255).all()


def test_sixteen_bits_of_grey_become_eight(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.png", Image.fromarray(np.array([[0, 65535, 32896]], dtype=np.uint16)))
    assert pixels_from_file(path).tolist() == [[0, 255, 128]]


def test_the_first_frame_of_a_gif_is_read(tmp_path: Path) -> None:
    frames = [Image.new("L", (5, 5), value) for value in (200, 10)]
    path = saved(tmp_path / "a.gif", frames[0], save_all=True, append_images=frames[1:])
    assert np.unique(pixels_from_file(path)).tolist() == [200]


@pytest.mark.parametrize("crops", [True, False])
def test_an_edge_makes_a_square(crops: bool, tmp_path: Path) -> None:
    path = saved(tmp_path / "a.webp", Image.fromarray(RGB))
    assert pixels_from_file(path, edge=4, crops=crops).shape == (4, 4, 3)


@pytest.mark.parametrize("content", [b"", b"not a picture", picture_from_pixels(RGB).content[:70]])
def test_a_picture_that_cannot_be_read_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(content)
    assert str(picture_fault(tmp_path / "a.png")).startswith("cannot be read as a picture")
    with pytest.raises(MaterialsError, match=r"a\.png' cannot be read as a picture.*Replace the file\.$"):
        pixels_from_file(tmp_path / "a.png")


def test_a_picture_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_PIXELS", 53)
    path = saved(tmp_path / "a.png", Image.fromarray(RGB))
    with pytest.raises(MaterialsError, match=r"million pixels\. Make the picture smaller"):
        pixels_from_file(path)


def test_a_bomb_is_refused_by_its_header_alone(tmp_path: Path) -> None:
    bomb = bytearray(picture_from_pixels(RGB[..., :1]).content)
    bomb[16:24] = (60_000).to_bytes(4, "big") * 2
    bomb[29:33] = __import__("zlib").crc32(bytes(bomb[12:29])).to_bytes(4, "big")
    (tmp_path / "a.png").write_bytes(bomb)
    assert "million pixels" in str(picture_fault(tmp_path / "a.png"))


def test_a_picture_under_a_wrong_ending_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.png", Image.fromarray(RGB), format="JPEG")
    assert picture_fault(path) == "is a JPEG picture under the name of a PNG. Rename it, or convert it."
