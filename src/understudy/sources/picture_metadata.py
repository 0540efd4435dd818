"""Picture metadata: what cameras and programs write into a picture file besides the picture, taken out.

Captions and keywords can name the class of an item, and coordinates say where a photo was taken. Only the parts of a file
are copied, so that pixels, colour profiles and animations stay as they are (decision 53).
"""

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

from PIL import Image

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_METADATA = frozenset({b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"})
_JPEG = b"\xff\xd8"
_SCAN, _JPEG_END = 0xDA, 0xD9
_STUFFED = frozenset({0x00, *range(0xD0, 0xD8)})
"""What may follow 0xFF inside compressed data: nothing else does, so that anything else begins the next part."""
_ORIENTATION = 0x0112
_WEBP_FLAGS = {b"EXIF": 0x08, b"XMP ": 0x04}
"""Chunks of metadata, and the bit by which the header of a WebP file announces each."""
_WEBP_METADATA = frozenset(_WEBP_FLAGS)


class _Part(NamedTuple):
    """A segment or chunk of a file, with its frame."""

    kind: bytes
    data: bytes
    """What the part holds."""
    written: bytes
    """The part as it is in the file."""


def without_metadata(content: bytes) -> bytes:
    """Return a JPEG, PNG or WebP file without metadata; a file that has none, or of another format, as it is.

    The orientation is kept, since browsers turn a photo by it.
    """
    try:
        if content.startswith(_JPEG):
            return _clean_jpeg(content)
        if content.startswith(_PNG):
            return _clean_png(content)
        if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            return _clean_webp(content)
    except (struct.error, IndexError):
        # Browsers draw as much of a broken file as they can; there is nothing to find in it by its structure.
        return content
    return content


def _clean_jpeg(content: bytes) -> bytes:
    parts = list(_segments(content))
    kept = [part.written for part in parts if not _is_jpeg_metadata(part)]
    exif = _orientation(content) if len(kept) < len(parts) else b""
    segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + b"Exif\0\0" + exif if exif else b""
    # A JFIF header has to come first.
    first = 1 if parts[0].kind == b"\xe0" else 0
    return b"".join([_JPEG, *kept[:first], segment, *kept[first:]])


def _is_jpeg_metadata(part: _Part) -> bool:
    """Applications' own parts and comments, except what a decoder needs: JFIF, colour profiles and Adobe's colours."""
    kind = part.kind[0]
    if kind == 0xE2:
        return not part.data.startswith(b"ICC_PROFILE\0")
    return kind == 0xFE or (0xE1 <= kind <= 0xEF and kind != 0xEE)


def _segments(content: bytes) -> Iterator[_Part]:
    """Yield the parts of a JPEG file after its start; compressed data belongs to the part before it."""
    place = 2
    while True:
        start = place
        if content[place] != 0xFF:
            raise struct.error("not a marker")
        while content[place] == 0xFF:
            place += 1
        kind = content[place]
        if kind == _JPEG_END:
            # Phones write a short video after the end of a photo: it is left out.
            yield _Part(bytes([kind]), b"", content[start : place + 1])
            return
        (length,) = struct.unpack_from(">H", content, place + 1)
        end = place + 1 + length
        data = content[place + 3 : end]
        place = _after_scan(content, end) if kind == _SCAN else end
        yield _Part(bytes([kind]), data, content[start:place])


def _after_scan(content: bytes, place: int) -> int:
    while (place := content.find(b"\xff", place)) >= 0:
        if content[place + 1] not in _STUFFED:
            return place
        place += 2
    raise struct.error("cut off")


def _clean_png(content: bytes) -> bytes:
    parts = list(_png_chunks(content))
    kept = [part.written for part in parts if part.kind not in _PNG_METADATA]
    exif = _orientation(content) if len(kept) < len(parts) else b""
    header, *others = kept
    return b"".join([_PNG, header, _png_chunk(b"eXIf", exif) if exif else b"", *others])


def _png_chunks(content: bytes) -> Iterator[_Part]:
    place, kind = len(_PNG), b""
    while kind != b"IEND":
        (length,) = struct.unpack_from(">I", content, place)
        kind, end = content[place + 4 : place + 8], place + 12 + length
        if end > len(content):
            raise struct.error("cut off")
        yield _Part(kind, content[place + 8 : end - 4], content[place:end])
        place = end


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _clean_webp(content: bytes) -> bytes:
    parts = list(_webp_chunks(content))
    if not {part.kind for part in parts} & _WEBP_METADATA:
        return content
    exif = _orientation(content)
    flags = _WEBP_FLAGS[b"EXIF"] if exif else 0
    kept = [
        _webp_chunk(part.kind, bytes([part.data[0] & ~sum(_WEBP_FLAGS.values()) | flags]) + part.data[1:])
        if part.kind == b"VP8X"
        else part.written
        for part in parts
        if part.kind not in _WEBP_METADATA
    ]
    body = b"".join([b"WEBP", *kept, _webp_chunk(b"EXIF", exif) if exif else b""])
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _webp_chunks(content: bytes) -> Iterator[_Part]:
    (length,) = struct.unpack_from("<I", content, 4)
    place, end_of_file = 12, 8 + length
    while place < end_of_file:
        (size,) = struct.unpack_from("<I", content, place + 4)
        end = place + 8 + size + size % 2
        yield _Part(content[place : place + 4], content[place + 8 : place + 8 + size], content[place:end])
        place = end


def _webp_chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def _orientation(content: bytes) -> bytes:
    """Return EXIF data that holds the orientation alone; none where the picture is upright."""
    with Image.open(BytesIO(content)) as picture:
        turned = picture.getexif().get(_ORIENTATION, 1)
    if turned not in range(2, 9):
        return b""
    entry = struct.pack(">HHIHH", _ORIENTATION, 3, 1, turned, 0)
    return b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)
