"""Metadata of pictures: gone from published files, with pixels, colours and orientation as they were."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo

from understudy.prepare.item_files import shipped_contents
from understudy.roles import Sample
from understudy.sources.picture_metadata import without_metadata

SECRET = "a malignant one, 52.5200 N"
PICTURE = Image.fromarray(np.random.default_rng(5).integers(0, 255, (24, 36, 3), dtype=np.uint8))
PROFILE = b"profile of a camera" * 20


def saved(kind: str, *, turned: int = 1, **options: Any) -> bytes:
    exif = Image.Exif()
    exif[0x010E] = SECRET
    exif[0x0112] = turned
    stream = BytesIO()
    PICTURE.save(stream, kind, exif=exif, icc_profile=PROFILE, **options)
    return stream.getvalue()


def text_of_png() -> PngInfo:
    text = PngInfo()
    text.add_text("Comment", SECRET)
    text.add_itxt("Title", SECRET, zip=True)
    return text


FILES = {
    "jpeg": saved("JPEG", comment=SECRET.encode()),
    "progressive": saved("JPEG", progressive=True, turned=6),
    "with a video": saved("JPEG") + b"ftypmp42" + SECRET.encode(),
    "png": saved("PNG", pnginfo=text_of_png()),
    "turned png": saved("PNG", turned=3),
    "webp": saved("WEBP", xmp=SECRET.encode(), lossless=True),
    "turned webp": saved("WEBP", turned=8, lossless=True),
}


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_says_is_gone_and_what_it_shows_stays(name: str) -> None:
    clean = without_metadata(FILES[name])
    before, after = (Image.open(BytesIO(content)) for content in (FILES[name], clean))
    assert SECRET.encode() not in clean
    assert before.info["icc_profile"] == after.info["icc_profile"]
    assert np.asarray(ImageOps.exif_transpose(before)).tolist() == np.asarray(ImageOps.exif_transpose(after)).tolist()


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_metadata_stays_as_it_is(name: str) -> None:
    clean = without_metadata(FILES[name])
    assert without_metadata(clean) == clean


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_passed_on(name: str) -> None:
    for n in (3, 30, len(FILES[name]) // 2):
        assert without_metadata(FILES[name][:n]) == FILES[name][:n]


def test_items_are_published_without_the_metadata_of_their_pictures(tmp_path: Path) -> None:
    (tmp_path / "mole.jpg").write_bytes(FILES["jpeg"])
    sample = Sample(contents=({"photo": "mole.jpg"},), attributes={}, file_fields=("photo",))
    [(address, content)] = shipped_contents(sample, [0], tmp_path).files.items()
    assert isinstance(content, bytes)
    assert (SECRET.encode() in content, address.endswith(".jpg")) == (False, True)
