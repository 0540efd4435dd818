"""Pictures: read from files with Pillow, and written as PNG files that are served under the digest of their content."""

import hashlib
import struct
import warnings
import zlib
from io import SEEK_END, BytesIO
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps
from PIL.PngImagePlugin import putchunk

from understudy.errors import MaterialsError
from understudy.roles import Floats

Pixels: TypeAlias = npt.NDArray[np.uint8]

FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".webp": "WEBP"}
"""Endings of pictures that every browser shows, and the format that each promises."""
_FIRST_OF_SEVERAL = {"MPO": "JPEG"}
"""Pillow's name for a JPEG file with further pictures behind its end, as phones write it; browsers show the first."""
MAX_PIXELS = 50_000_000
"""Larger pictures are refused before they are unpacked: a small file can hold a picture that fills all memory."""


class Picture(NamedTuple):
    """A PNG file, and the content address under which it is served."""

    address: str
    content: bytes


class _Packed:
    """Files by the digest and the shape of their pixels, as many as there is room for: those used longest ago go first.

    A photo is written as an item, then again for each class that it is explained for, and packing is most of that work.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._files: dict[tuple[str, tuple[int, ...]], bytes] = {}
        self._lock = Lock()

    def get(self, key: tuple[str, tuple[int, ...]]) -> bytes | None:
        """Return a file, and remember that it was used last."""
        with self._lock:
            content = self._files.pop(key, None)
            if content is not None:
                self._files[key] = content
            return content

    def keep(self, key: tuple[str, tuple[int, ...]], content: bytes) -> bytes:
        """Keep a file and return it."""
        with self._lock:
            self._files[key] = content
            while len(self._files) > 1 and sum(map(len, self._files.values())) > self._max_bytes:
                del self._files[next(iter(self._files))]
        return content


_packed = _Packed(32 * 2**20)


def picture_from_values(values: Floats) -> Picture:
    """Write rows and columns of values between 0 and 1 as a grey PNG."""
    return picture_from_pixels(pixels_from_values(values))


def pixels_from_values(values: Floats) -> Pixels:
    """Return values between 0 and 1 as bytes."""
    return np.round(np.clip(values, 0, 1) * 255).astype(np.uint8)


def picture_from_pixels(pixels: Pixels) -> Picture:
    """Write one picture, (height, width) or (height, width, channels), as a PNG without any metadata."""
    is_grey = pixels.ndim == 2 or pixels.shape[2] == 1
    content = _grey_png(pixels.reshape(pixels.shape[:2])) if is_grey else _png(pixels)
    return Picture(f"{hashlib.sha256(content).hexdigest()}.png", content)


def _png(pixels: Pixels) -> bytes:
    key = (hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest(), pixels.shape)
    return _packed.get(key) or _packed.keep(key, _packed_png(pixels))


def _packed_png(pixels: Pixels) -> bytes:
    stream = BytesIO()
    # All options are fixed, so that one version of Pillow always writes the same bytes.
    Image.fromarray(pixels).save(stream, format="PNG", optimize=False, compress_level=9)
    return stream.getvalue()


def _grey_png(pixels: Pixels) -> bytes:
    """Write grey pixels unfiltered, and packed by Python.

    Trial ids of studies with grey pictures follow from these bytes, which Pillow would pack differently: a study that is
    prepared again after its first session would no longer fit its sessions.
    """
    height, width = pixels.shape
    stream = BytesIO(b"\x89PNG\r\n\x1a\n")
    stream.seek(0, SEEK_END)
    putchunk(stream, b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    putchunk(stream, b"IDAT", zlib.compress(np.column_stack([np.zeros(height, dtype=np.uint8), pixels]).tobytes(), 9))
    putchunk(stream, b"IEND")
    return stream.getvalue()


def pixels_from_file(path: Path, *, edge: int | None = None, crops: bool = True) -> Pixels:
    """Read a PNG, JPEG, WebP or first GIF frame as (height, width) where it is grey, else (height, width, 3).

    The picture is rotated as its camera recorded. Transparent parts become white. With an edge, it is made a square of
    that size, from its middle or, if it is not cropped, stretched.
    """
    opened = _opened(path)
    if edge is not None:
        size = (edge, edge)
        fit = Image.Resampling.LANCZOS
        opened = ImageOps.fit(opened, size, method=fit) if crops else opened.resize(size, fit)
    return np.asarray(opened, dtype=np.uint8)


def picture_fault(path: Path) -> str | None:
    """Say why a file cannot be shown as a picture, as the end of a sentence and what to do; None if it can."""
    promised = FORMATS.get(path.suffix.lower())
    if promised is None:
        return f"is not a kind of picture that a study can show. Convert it to one of: {', '.join(FORMATS)}."
    try:
        with _header(path) as header:
            actual = _FIRST_OF_SEVERAL.get(str(header.format), header.format)
            header.load()
    except MaterialsError as error:
        return str(error).removeprefix(f"{str(path)!r} ")
    except _UNREADABLE:
        return _broken
    if actual != promised:
        return f"is a {actual} picture under the name of a {promised}. Rename it, or convert it."
    return None


_UNREADABLE = (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError)
"""What Pillow raises for files that are cut off, damaged, or not pictures."""
_broken = "cannot be read as a picture: it is cut off, damaged or of another kind. Replace the file."


def _header(path: Path) -> Image.Image:
    """Open a file without decoding it, and refuse one that would be too large."""
    try:
        with warnings.catch_warnings():
            # Our own limit follows, with a sentence in place of a warning.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            header = Image.open(path, formats=sorted(set(FORMATS.values())))
    except Image.DecompressionBombError:
        raise MaterialsError(f"{str(path)!r} {_too_large}") from None
    except FileNotFoundError:
        raise MaterialsError(f"{str(path)!r} is not a file. Put it there, or correct the path.") from None
    except _UNREADABLE:
        raise MaterialsError(f"{str(path)!r} {_broken}") from None
    if header.width * header.height > MAX_PIXELS:
        header.close()
        raise MaterialsError(f"{str(path)!r} {_too_large}")
    return header


_too_large = f"has more than {MAX_PIXELS // 1_000_000} million pixels. Make the picture smaller."


def _opened(path: Path) -> Image.Image:
    with _header(path) as header:
        try:
            turned = ImageOps.exif_transpose(header)
        except _UNREADABLE:
            raise MaterialsError(f"{str(path)!r} {_broken}") from None
    return _plain(turned)


def _plain(picture: Image.Image) -> Image.Image:
    """Return a picture as 8-bit grey or RGB, on white where it is transparent."""
    if picture.mode in ("L", "RGB") and "transparency" not in picture.info:
        return picture
    if picture.mode.startswith("I"):
        # Pillow clips 16-bit grey to 255, so the range is brought down first.
        return Image.fromarray((np.asarray(picture, dtype=np.int64).clip(0, 65535) // 257).astype(np.uint8))
    if picture.mode in ("1", "F"):
        return picture.convert("L")
    if picture.mode in ("LA", "PA", "RGBA", "La", "RGBa") or "transparency" in picture.info:
        layered = picture.convert("RGBA")
        ground = Image.new("RGBA", layered.size, (255, 255, 255, 255))
        return Image.alpha_composite(ground, layered).convert("L" if picture.mode in ("L", "LA", "La") else "RGB")
    return picture.convert("RGB")
