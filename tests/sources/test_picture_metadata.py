"""Metadata of pictures: gone from published files, with pixels, colours and orientation as they were."""

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps
from PIL.PngImagePlugin import PngInfo

from understudy.errors import MaterialsError
from understudy.prepare.assets import shipped_contents
from understudy.roles import Sample
from understudy.sources.picture_metadata import plain_profile, without_metadata
from understudy.sources.pictures import picture_fault, pixels_from_file

SECRET = b"a malignant one, 52.5200 N"
PICTURE = Image.fromarray(np.random.default_rng(5).integers(0, 255, (24, 36, 3), dtype=np.uint8))
PLAIN = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def telling_profile() -> bytes:
    """Return a profile whose description and reserved bytes say something."""
    profile = bytearray(PLAIN)
    (n,) = struct.unpack_from(">I", PLAIN, 128)
    for tag in range(n):
        name, start, length = struct.unpack_from(">4sII", PLAIN, 132 + 12 * tag)
        if name in (b"desc", b"cprt"):
            profile[start + 28 : start + length] = (SECRET * 9)[: length - 28]
    profile[100 : 100 + len(SECRET)] = SECRET
    return bytes(profile)


PROFILE = telling_profile()


def saved(kind: str, *, turned: int = 1, **options: Any) -> bytes:
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    exif[0x0112] = turned
    stream = BytesIO()
    PICTURE.save(stream, kind, **{"exif": exif, "icc_profile": PROFILE} | options)
    return stream.getvalue()


def text_of_png() -> PngInfo:
    text = PngInfo()
    text.add_text("Comment", SECRET)
    text.add_itxt("Title", SECRET, zip=True)
    return text


JPEG, PNG = saved("JPEG", comment=SECRET, turned=6), saved("PNG", pnginfo=text_of_png())
WEBP, GIF = saved("WEBP", xmp=SECRET, lossless=True), saved("GIF", comment=SECRET)
PROGRESSIVE = saved("JPEG", progressive=True)
MORE = [PICTURE.rotate(180)]
MOVING = saved("PNG", save_all=True, append_images=MORE, pnginfo=text_of_png())


def segment(kind: int, data: bytes) -> bytes:
    return bytes([0xFF, kind]) + struct.pack(">H", len(data) + 2) + data


def in_jpeg(written: bytes, content: bytes = JPEG) -> bytes:
    """Put bytes behind the first segment."""
    (length,) = struct.unpack_from(">H", content, 4)
    return content[: 4 + length] + written + content[4 + length :]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def in_png(written: bytes) -> bytes:
    return PNG[:33] + written + PNG[33:]


def with_long_pixels() -> bytes:
    start = PNG.index(b"IDAT") - 4
    (length,) = struct.unpack_from(">I", PNG, start)
    end = start + 12 + length
    return PNG[:start] + chunk(b"IDAT", PNG[start + 8 : end - 4] + SECRET) + PNG[end:]


def in_webp(content: bytes) -> bytes:
    body = content[8:] + b"note" + struct.pack("<I", len(SECRET)) + SECRET + bytes(len(SECRET) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def long_webp(content: bytes, n_own: int) -> bytes:
    """Write behind the pixels; as many bytes as may be the pixels' own stay, and say nothing."""
    pixels = content[20 : 20 + struct.unpack_from("<I", content, 16)[0]] + bytes(n_own) + SECRET
    body = content[8:16] + struct.pack("<I", len(pixels)) + pixels + bytes(len(pixels) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def in_gif(label: bytes) -> bytes:
    return GIF[:-1] + b"\x21" + label + bytes([len(SECRET)]) + SECRET + b"\0;"


FILES = {
    "jpeg": JPEG,
    "progressive jpeg": saved("JPEG", progressive=True, turned=5),
    "stray byte": in_jpeg(b"\0"),
    "stray text": in_jpeg(SECRET),
    "stray text after a stuffed byte": in_jpeg(b"\xff\0" + SECRET),
    "stray text before the scan": JPEG.replace(b"\xff\xda", SECRET + b"\xff\xda", 1),
    "stray text after the scan": JPEG[:-2] + SECRET + JPEG[-2:],
    "stray letters after a progressive scan": PROGRESSIVE[:-2] + SECRET + PROGRESSIVE[-2:],
    "comment after the scan": JPEG[:-2] + segment(0xFE, SECRET) + JPEG[-2:],
    "jpeg with a video": JPEG + b"ftypmp42" + SECRET,
    "second JFIF header": in_jpeg(segment(0xE0, b"JFXX\0\x10" + SECRET)),
    "small picture in the header": JPEG[:2] + segment(0xE0, JPEG[6:18] + b"\3\3" + SECRET + b"!") + JPEG[20:],
    "long colour mark": in_jpeg(segment(0xEE, b"Adobe\0d\0\0\0\0\1" + SECRET)),
    "table that no scan uses": in_jpeg(segment(0xDB, b"\x03" + (SECRET * 3)[:64])),
    "table that is defined again": in_jpeg(segment(0xDB, b"\0" + (SECRET * 3)[:64])),
    "part of a program": in_jpeg(segment(0xEB, SECRET)),
    "photo of a phone": saved("MPO", save_all=True, append_images=MORE, turned=8),
    "png": PNG,
    "turned png": saved("PNG", turned=3),
    "private chunk": in_png(chunk(b"prVt", SECRET)),
    "name of a profile": in_png(chunk(b"iCCP", SECRET + b"\0\0" + zlib.compress(PROFILE))),
    "long chunk": in_png(chunk(b"gAMA", b"\0\0\xb1\x8f" + SECRET)),
    "long pixels": with_long_pixels(),
    "text behind the end": PNG + SECRET,
    "text in the place of colours": in_png(chunk(b"cHRM", (SECRET * 2)[:32]) + chunk(b"gAMA", SECRET[:4])),
    "text in the place of brightness": in_png(chunk(b"mDCV", (SECRET * 2)[:24]) + chunk(b"cLLI", SECRET[:8])),
    "frame that does not follow": MOVING[:-12] + chunk(b"fcTL", SECRET[:4] + SECRET[:22]) + MOVING[-12:],
    "moving png": MOVING,
    "webp": WEBP,
    "turned webp": saved("WEBP", turned=8, lossless=True),
    "unknown chunk": in_webp(WEBP),
    "unknown chunk behind pixels": in_webp(saved("WEBP", exif=b"", icc_profile=b"")),
    "long pixels of webp": long_webp(saved("WEBP", lossless=True, exif=b"", icc_profile=b""), n_own=1),
    "long lossy pixels of webp": long_webp(saved("WEBP", exif=b"", icc_profile=b""), n_own=3),
    "moving webp": in_webp(saved("WEBP", save_all=True, append_images=MORE)),
    "gif": GIF,
    "long pixels of gif": GIF[:-2] + bytes([len(SECRET)]) + SECRET + GIF[-2:],
    "block of a program": in_gif(b"\xff\x0bXMP DataXMP"),
    "block of text": in_gif(b"\x01\x0c" + bytes(12)),
    "moving gif": saved("GIF", save_all=True, append_images=MORE, loop=0, duration=80, comment=SECRET),
}


def texts_in(content: bytes) -> Iterator[bytes]:
    yield content
    with Image.open(BytesIO(content)) as picture:
        yield picture.info.get("icc_profile", b"")


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_says_is_gone_and_what_it_shows_stays(name: str) -> None:
    clean = without_metadata(FILES[name])
    before, after = (Image.open(BytesIO(content)) for content in (FILES[name], clean))
    pieces = [SECRET[start : start + 3] for start in range(len(SECRET) - 2)]
    assert not any(piece in text for piece in pieces for text in texts_in(clean))
    assert np.asarray(ImageOps.exif_transpose(before)).tolist() == np.asarray(ImageOps.exif_transpose(after)).tolist()
    assert before.getexif().get(0x112, 1) == after.getexif().get(0x112, 1)
    n_frames = 1 if before.format == "MPO" else getattr(before, "n_frames", 1)
    assert getattr(after, "n_frames", 1) == n_frames
    for frame in range(n_frames):
        before.seek(frame)
        after.seek(frame)
        assert np.array_equal(np.asarray(before), np.asarray(after))


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_metadata_stays_as_it_is(name: str) -> None:
    clean = without_metadata(FILES[name])
    assert without_metadata(clean) == clean


@pytest.mark.parametrize("name", ["jpeg", "png", "webp", "gif"])
def test_a_file_that_cannot_be_taken_apart_is_refused(name: str) -> None:
    for n in (13, 60, len(FILES[name]) // 2):
        with pytest.raises(MaterialsError, match=r"^is damaged: .* Save the picture again\.$"):
            without_metadata(FILES[name][:n])


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_profile_keeps_its_colours_and_loses_its_words(kind: str) -> None:
    """Also one with a table of colours, and one in several segments."""
    plain = plain_profile(PROFILE)
    assert plain is not None
    assert plain_profile(plain) == plain
    seen = [
        np.asarray(
            ImageCms.profileToProfile(PICTURE, ImageCms.ImageCmsProfile(BytesIO(profile)), LAB, outputMode="LAB")
        )
        for profile in (PLAIN, PROFILE, plain)
    ]
    assert [np.array_equal(seen[0], other) for other in seen[1:]] == [True, True]
    with Image.open(BytesIO(without_metadata(saved(kind)))) as picture:
        assert picture.info["icc_profile"] == plain
    with Image.open(BytesIO(without_metadata(saved(kind, icc_profile=SECRET * 20)))) as picture:
        assert "icc_profile" not in picture.info


LAB = ImageCms.createProfile("LAB")


def test_jpeg_files_of_any_content_keep_their_last_bytes() -> None:
    """Where compressed data ends is known by its pixels alone, and plain areas change little."""
    rng = np.random.default_rng(3)
    kept = []
    for tone in (0, 128, 255, None):
        for edge in (8, 33, 64):
            pixels = rng.integers(0, 256, (edge, edge, 3)) if tone is None else np.full((edge, edge, 3), tone)
            stream = BytesIO()
            Image.fromarray(pixels.astype(np.uint8)).save(stream, "JPEG")
            kept.append(without_metadata(stream.getvalue()) == stream.getvalue())
    assert all(kept)


def test_a_photo_of_a_phone_is_taken_and_published_as_its_first_picture(tmp_path: Path) -> None:
    path = tmp_path / "mole.jpg"
    path.write_bytes(FILES["photo of a phone"])
    assert picture_fault(path) is None
    first = pixels_from_file(path)
    sample = Sample(contents=({"photo": "mole.jpg"},), attributes={}, file_fields=("photo",))
    [content] = shipped_contents(sample, [0], tmp_path).files.values()
    assert isinstance(content, bytes)
    path.write_bytes(content)
    with Image.open(path) as published:
        assert (published.format, published.getexif()[0x112]) == ("JPEG", 8)
    assert np.array_equal(pixels_from_file(path), first)


def test_items_are_published_without_the_metadata_of_their_pictures(tmp_path: Path) -> None:
    (tmp_path / "mole.jpg").write_bytes(FILES["jpeg"])
    sample = Sample(contents=({"photo": "mole.jpg"},), attributes={}, file_fields=("photo",))
    [(address, content)] = shipped_contents(sample, [0], tmp_path).files.items()
    assert isinstance(content, bytes)
    assert (SECRET in content, address.endswith(".jpg")) == (False, True)
