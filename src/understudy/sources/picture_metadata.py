"""Picture metadata: what cameras and programs write into a picture file besides the picture, taken out.

Captions and keywords can name the class of an item, and coordinates say where a photo was taken. Only the parts that a
picture is drawn from are copied, whatever the others are, so that pixels, colours and animations stay as they are
(decision 53).
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

from understudy.errors import MaterialsError

# Colour profiles (ICC) without their words: a camera's profile names the camera, its maker, a date and whatever else.

_HEADER_BYTES = 128
_SPACES = (b"RGB ", b"GRAY", b"CMYK")
_MEETING = (b"XYZ ", b"Lab ")
_CLASSES = (b"mntr", b"scnr", b"prtr", b"spac")
_COLOURS = frozenset(
    {b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC", b"kTRC", b"wtpt", b"chad", b"cicp"}
    | {way + number for way in (b"A2B", b"B2A") for number in (b"0", b"1", b"2")}
)
"""What colours are computed from."""
_TABLES = frozenset({b"mft1", b"mft2", b"mAB ", b"mBA "})
_N_NUMBERS = (1, 3, 4, 5, 7)
"""Of a parametric curve, by its form."""
_WORD = b"colours"
"""Stands for description and copyright, which a profile must have."""
_DATE = struct.pack(">6H", 2000, 1, 1, 0, 0, 0)
_D50 = bytes.fromhex("0000f6d6000100000000d32d")
"""The white of the space in which profiles meet."""


class _Tag(NamedTuple):
    name: bytes
    data: bytes


def plain_profile(profile: bytes) -> bytes | None:
    """Return a profile of the same colours that says nothing else; None for what is not a profile of colours."""
    try:
        return _rebuilt(profile)
    except (struct.error, IndexError):
        return None


def _rebuilt(profile: bytes) -> bytes | None:
    said = (
        profile[12:16] in _CLASSES,
        profile[16:20] in _SPACES,
        profile[20:24] in _MEETING,
        profile[36:40] == b"acsp",
    )
    if not all(said):
        return None
    tags = [_Tag(tag.name, data) for tag in _tags(profile) if (data := _plain(tag)) is not None]
    names = {tag.name for tag in tags}
    if not names & {b"rXYZ", b"kTRC", b"A2B0"}:
        return None
    is_old = profile[8] < 4
    tags += [
        _Tag(b"desc", _old_description() if is_old else _words()),
        _Tag(b"cprt", b"text" + bytes(4) + _WORD + b"\0" if is_old else _words()),
    ]
    directory, body, places = [struct.pack(">I", len(tags))], b"", dict[bytes, int]()
    start = _HEADER_BYTES + 4 + 12 * len(tags)
    for tag in tags:
        if tag.data not in places:
            places[tag.data] = start + len(body)
            body += tag.data + bytes(-len(tag.data) % 4)
        directory.append(tag.name + struct.pack(">II", places[tag.data], len(tag.data)))
    header = b"".join(
        [
            struct.pack(">I", start + len(body)),
            bytes(4),
            profile[8:10] + bytes(2),
            profile[12:24],
            _DATE,
            b"acsp",
            bytes(24),
            struct.pack(">I", profile[67]),
            _D50,
            bytes(48),
        ]
    )
    return header + b"".join(directory) + body


def _tags(profile: bytes) -> Iterator[_Tag]:
    (n,) = struct.unpack_from(">I", profile, _HEADER_BYTES)
    seen = set[bytes]()
    for place in range(_HEADER_BYTES + 4, _HEADER_BYTES + 4 + 12 * min(n, 100), 12):
        name, start, length = struct.unpack_from(">4sII", profile, place)
        if name in _COLOURS and name not in seen and start + length <= len(profile):
            seen.add(name)
            yield _Tag(name, profile[start : start + length])


def _plain(tag: _Tag) -> bytes | None:
    """Return the data of a tag in exactly the length of its form; None for a form that is not known."""
    kind, data = tag.data[:4], tag.data
    if kind in _TABLES:
        return kind + bytes(4) + data[8:]
    if kind == b"XYZ ":
        n = 20
    elif kind == b"curv":
        n = 12 + 2 * int(struct.unpack_from(">I", data, 8)[0])
    elif kind == b"para":
        (form,) = struct.unpack_from(">H", data, 8)
        return kind + bytes(4) + data[8:10] + bytes(2) + data[12 : 12 + 4 * _N_NUMBERS[form]]
    elif kind == b"sf32":
        n = 44
    elif kind == b"cicp":
        n = 12
    else:
        return None
    return kind + bytes(4) + data[8:n]


def _old_description() -> bytes:
    return b"desc" + bytes(4) + struct.pack(">I", len(_WORD) + 1) + _WORD + b"\0" + bytes(78)


def _words() -> bytes:
    text = _WORD.decode().encode("utf-16-be")
    return b"mluc" + bytes(4) + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(text), 28) + text


_DAMAGED = (
    "is damaged: its parts cannot be told apart, so that what it says besides its picture cannot be taken out. "
    "Save the picture again."
)
_ORIENTATION = 0x0112


class _Part(NamedTuple):
    """A segment or chunk of a file."""

    kind: bytes
    data: bytes
    scan: bytes = b""
    """The compressed data that follows a segment of a JPEG file."""


def without_metadata(content: bytes) -> bytes:
    """Return a JPEG, PNG, GIF or WebP file with nothing but its picture; a file of another format as it is.

    The orientation is kept, since browsers turn a photo by it. Of a file with several pictures, as phones write them
    (MPO), the first is kept. A file that cannot be cleaned without a change of its pixels is refused, with a sentence
    that continues after the name of the file.
    """
    rewrite = _rewriting(content)
    if rewrite is None:
        return content
    try:
        clean = rewrite(content)
        if clean == content or _show_the_same(content, clean):
            return clean
    except (struct.error, IndexError, ValueError, OSError, SyntaxError, EOFError, zlib.error):
        pass
    raise MaterialsError(_DAMAGED)


def _rewriting(content: bytes) -> Callable[[bytes], bytes] | None:
    if content.startswith(_JPEG):
        return _clean_jpeg
    if content.startswith(_PNG):
        return _clean_png
    if content[:4] == b"GIF8":
        return _clean_gif
    return _clean_webp if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None


def _show_the_same(before: bytes, after: bytes) -> bool:
    with Image.open(BytesIO(before)) as first, Image.open(BytesIO(after)) as second:
        if first.format == second.format and getattr(first, "n_frames", 1) != getattr(second, "n_frames", 1):
            return False
        turned, same = ImageOps.exif_transpose(first), ImageOps.exif_transpose(second)
        return turned.mode == same.mode and np.array_equal(np.asarray(turned), np.asarray(same))


def _orientation(content: bytes) -> bytes:
    """Return EXIF data that holds the orientation alone; none where the picture is upright."""
    with Image.open(BytesIO(content)) as picture:
        turned = picture.getexif().get(_ORIENTATION, 1)
    if turned not in range(2, 9):
        return b""
    entry = struct.pack(">HHIHH", _ORIENTATION, 3, 1, turned, 0)
    return b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)


# --- JPEG -------------------------------------------------------------------------------------------------------------

_JPEG = b"\xff\xd8"
_SCAN = 0xDA
_END_OF_JPEG = b"\xff\xd9"
_STUFFED = frozenset({0x00, *range(0xD0, 0xD8)})
"""What may follow 0xFF inside compressed data: nothing else does, so that anything else begins the next part."""
_ALONE = frozenset({0x00, 0x01, *range(0xD0, 0xD9)})
"""Markers without a length, which mean nothing between two parts."""
_DRAWN = frozenset({*range(0xC0, 0xD0), 0xDA, 0xDB, 0xDC, 0xDD}) - {0xC8}
"""Frames, tables and scans: what a decoder reads."""
_CODES, _STEPS = 0xC4, 0xDB
"""Tables of codes and of the steps of brightness."""
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JFIF, _EXIF, _ICC, _ADOBE = 0xE0, 0xE1, 0xE2, 0xEE
_ICC_HEAD = b"ICC_PROFILE\0"
_ICC_BYTES = 65_500
"""Of a profile, in one segment."""
_N_TRIED = 8
"""Bytes at the end of compressed data that cannot all be without effect."""
_OTHERS = (b"\x00", b"\x55", b"\xaa", b"\x7e", b"\x99")
"""Put in the place of bytes, they change the pixels, unless the bytes are not read."""
_N_UNREAD = 1
"""Bytes at the end of compressed data that may be without effect and yet its own, as in progressive files."""


def _clean_jpeg(content: bytes) -> bytes:
    parts = list(_with_used_tables(list(_segments(content))))
    pieces = sorted(part.data[len(_ICC_HEAD) :] for part in parts if _is(part, _ICC, _ICC_HEAD))
    profile = plain_profile(b"".join(piece[2:] for piece in pieces))
    kept: list[bytes] = []
    seen: set[int] = set()
    for part in parts:
        kind = part.kind[0]
        if kind in _DRAWN:
            kept.append(_segment(kind, part.data) + part.scan)
        elif kind in seen:
            continue
        elif _is(part, _JFIF, b"JFIF\0"):
            # Without the small picture that it may hold, which can be another one.
            kept.append(_segment(kind, part.data[:12] + bytes(2)))
            seen.add(kind)
        elif _is(part, _ADOBE, b"Adobe"):
            kept.append(_segment(kind, part.data[:12]))
            seen.add(kind)
        elif profile and _is(part, _ICC, _ICC_HEAD):
            kept.extend(_profile_segments(profile))
            seen.add(kind)
    exif = _orientation(content)
    # A JFIF header has to come first.
    first = 1 if kept and kept[0][1] == _JFIF else 0
    head = [_segment(_EXIF, b"Exif\0\0" + exif)] if exif else []
    body = b"".join([_JPEG, *kept[:first], *head, *kept[first:]])
    return _without_rest(body, len(parts[-1].scan)) + _END_OF_JPEG


def _segments(content: bytes) -> Iterator[_Part]:
    """Yield the parts of the first picture of a JPEG file; bytes between them are skipped, as decoders do."""
    place = len(_JPEG)
    while (place := content.find(b"\xff", place)) >= 0:
        while content[place : place + 1] == b"\xff":
            place += 1
        kind = content[place : place + 1]
        place += 1
        # Phones write a short video, or more pictures, after the end of a photo: they are left out.
        if not kind or kind == _END_OF_JPEG[1:]:
            return
        if kind[0] in _ALONE:
            continue
        (length,) = struct.unpack_from(">H", content, place)
        data, place = content[place + 2 : place + length], place + length
        end = _after_scan(content, place) if kind[0] == _SCAN else place
        yield _Part(kind, data, content[place:end])
        place = end


def _with_used_tables(parts: Sequence[_Part]) -> Iterator[_Part]:
    """Leave out tables that no scan uses: they may hold anything."""
    frames = [part.data for part in parts if part.kind[0] in _FRAMES]
    scans = [part.data for part in parts if part.kind[0] == _SCAN]
    used = {(_STEPS, frame[8 + 3 * place]) for frame in frames for place in range(frame[5])}
    for scan in scans:
        for place in range(scan[0]):
            first, later = divmod(scan[2 + 2 * place], 16)
            used |= {(_CODES, first), (_CODES, 16 + later)}
    known: set[tuple[int, int]] = set()
    kept: list[_Part] = []
    # From the end, since a table that is defined again before a scan is not used.
    for part in reversed(parts):
        kind = part.kind[0]
        if kind == _SCAN:
            known.clear()
        if kind not in (_STEPS, _CODES):
            kept.append(part)
            continue
        tables: list[bytes] = []
        for table in reversed(list(_tables(kind, part.data))):
            name = (kind, table[0] & 15 if kind == _STEPS else table[0])
            if name in used and name not in known:
                known.add(name)
                tables.insert(0, table)
        kept += [part._replace(data=b"".join(tables))] if tables else []
    return reversed(kept)


def _tables(kind: int, data: bytes) -> Iterator[bytes]:
    while data:
        n_bytes = 65 + 64 * (data[0] >> 4) if kind == _STEPS else 17 + sum(data[1:17])
        yield data[:n_bytes]
        data = data[n_bytes:]


def _after_scan(content: bytes, place: int) -> int:
    while (place := content.find(b"\xff", place)) >= 0:
        if place + 1 < len(content) and content[place + 1] not in _STUFFED:
            return place
        place += 2
    return len(content)


def _is(part: _Part, kind: int, start: bytes) -> bool:
    return part.kind[0] == kind and part.data.startswith(start)


def _segment(kind: int, data: bytes) -> bytes:
    return bytes([0xFF, kind]) + struct.pack(">H", len(data) + 2) + data


def _profile_segments(profile: bytes) -> Iterator[bytes]:
    pieces = [profile[start : start + _ICC_BYTES] for start in range(0, len(profile), _ICC_BYTES)]
    for number, piece in enumerate(pieces, start=1):
        yield _segment(_ICC, _ICC_HEAD + bytes([number, len(pieces)]) + piece)


def _without_rest(body: bytes, n_scan: int) -> bytes:
    """Leave out what follows the compressed data of the last scan: only its pixels tell where that ends."""
    whole = _jpeg_pixels(body)
    try:
        is_cut = n_scan > _N_TRIED and np.array_equal(_jpeg_pixels(body[:-_N_TRIED]), whole)
    except OSError:
        is_cut = False
    if not is_cut:
        return body
    n = _n_unread(body[len(body) - n_scan :], lambda data: _jpeg_pixels(body[: len(body) - n_scan] + data), _OTHERS)
    return body[: len(body) - max(n - _N_UNREAD, 0)].removesuffix(b"\xff")


def _n_unread(
    data: bytes, pixels_of: Callable[[bytes], npt.NDArray[np.uint8]], others: Sequence[bytes] = (b"",)
) -> int:
    """Return how many bytes at the end of compressed data change no pixel where others are in their place, or none."""
    whole = pixels_of(data)

    def is_rest(n: int) -> bool:
        try:
            return all(np.array_equal(pixels_of(data[: len(data) - n] + other * n), whole) for other in others)
        except OSError:
            return False

    rest, too_much = 0, len(data) + 1
    while too_much - rest > 1:
        # Few, mostly none: tried from the end in growing steps.
        n = min(2 * rest + 1, too_much - 1) if too_much > len(data) else (rest + too_much) // 2
        rest, too_much = (n, too_much) if is_rest(n) else (rest, n)
    return rest


def _jpeg_pixels(body: bytes) -> npt.NDArray[np.uint8]:
    return _pixels(body + _END_OF_JPEG)


def _pixels(content: bytes) -> npt.NDArray[np.uint8]:
    with Image.open(BytesIO(content)) as picture:
        return np.asarray(picture)


# --- PNG --------------------------------------------------------------------------------------------------------------

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_SIZES = {b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"cICP": 4, b"mDCV": 24, b"cLLI": 8, b"acTL": 8, b"fcTL": 26}
"""Chunks that say how colours are meant and how an animation goes, and the only length of each."""
_MOST = {
    b"gAMA": (">I", (10**7,)),
    b"cHRM": (">8I", (10**6,) * 8),
    b"sRGB": (">B", (3,)),
    b"cLLI": (">2I", (10**8,) * 2),
    b"mDCV": (">8H2I", (50_000,) * 8 + (10**8,) * 2),
}
"""The numbers that say how colours are meant, and the largest of each: text in their place is larger."""
_PNG_DRAWN = frozenset({b"IHDR", b"PLTE", b"IDAT", b"tRNS", b"fdAT"})
_PROFILE_NAME = b"ICC profile\0\0"


def _clean_png(content: bytes) -> bytes:
    parts = list(_png_chunks(content))
    kept, exif = [], _orientation(content)
    moves = any(part.kind == b"fdAT" for part in parts)
    for part, after in pairwise([*_without_rest_of_pixels(parts), _Part(b"IEND", b"")]):
        if part.kind in _PNG_DRAWN or (len(part.data) == _PNG_SIZES.get(part.kind) and _is_sane(part)):
            # What announces frames says nothing where none follows.
            if part.kind not in (b"acTL", b"fcTL") or (moves and (part.kind, after.kind) != (b"fcTL", b"IEND")):
                kept.append(_png_chunk(part.kind, part.data))
        elif part.kind == b"iCCP":
            profile = plain_profile(zlib.decompress(part.data[part.data.index(b"\0") + 2 :]))
            kept += [_png_chunk(b"iCCP", _PROFILE_NAME + zlib.compress(profile, 9))] if profile else []
    header, *others = kept
    return b"".join(
        [_PNG, header, _png_chunk(b"eXIf", exif) if exif else b"", *others, _png_chunk(b"IEND", b"")],
    )


def _is_sane(part: _Part) -> bool:
    form, most = _MOST.get(part.kind, (">", ()))
    return all(number <= limit for number, limit in zip(struct.unpack_from(form, part.data), most, strict=True))


def _png_chunks(content: bytes) -> Iterator[_Part]:
    place = len(_PNG)
    while place + 8 <= len(content):
        (length,) = struct.unpack_from(">I", content, place)
        kind, end = content[place + 4 : place + 8], place + 12 + length
        if kind == b"IEND" or end > len(content):
            return
        yield _Part(kind, content[place + 8 : end - 4])
        place = end


def _without_rest_of_pixels(parts: Sequence[_Part]) -> Iterator[_Part]:
    """Leave out what follows the compressed pixels."""
    unpacking = zlib.decompressobj()
    for part in parts:
        if part.kind != b"IDAT":
            yield part
        elif not unpacking.eof:
            unpacking.decompress(part.data)
            yield part._replace(data=part.data[: len(part.data) - len(unpacking.unused_data)])


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# --- GIF --------------------------------------------------------------------------------------------------------------

_IMAGE, _EXTENSION, _END_OF_GIF = 0x2C, 0x21, 0x3B
_TIMING, _PROGRAM = 0xF9, 0xFF
_MOST_CODES = 4096
_REPEATS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
"""The programs whose blocks say how often an animation is repeated."""


def _clean_gif(content: bytes) -> bytes:
    place = 13 + _palette_bytes(content[10])
    kept = [content[:place]]
    while place < len(content) and content[place] != _END_OF_GIF:
        start, kind = place, content[place]
        if kind == _IMAGE:
            # Position, size and palette, then the size of its first codes.
            place += 10 + _palette_bytes(content[place + 9]) + 1
            blocks = list(_sub_blocks(content, place))
            codes = b"".join(block[1:] for block in blocks)
            n_unread = len(codes) - _n_read(codes, content[place - 1])
            kept.append(content[start:place])
            place += sum(map(len, blocks))
            kept.extend(blocks if n_unread <= 0 else _in_sub_blocks(codes[: len(codes) - n_unread]))
        elif kind == _EXTENSION:
            label, place = content[place + 1], place + 2
            blocks = list(_sub_blocks(content, place))
            place += sum(map(len, blocks))
            if label == _TIMING and len(blocks[0]) == 5:
                kept.append(bytes([_EXTENSION, label]) + blocks[0] + b"\0")
            elif label == _PROGRAM and blocks[0][1:] in _REPEATS and blocks[1][:2] == b"\x03\x01":
                kept.append(bytes([_EXTENSION, label]) + blocks[0] + blocks[1] + b"\0")
        else:
            place += 1
    return b"".join([*kept, bytes([_END_OF_GIF])])


def _n_read(codes: bytes, first_bits: int) -> int:
    """Return how many bytes of compressed pixels are read until they say that they end."""
    clear, end = 1 << first_bits, (1 << first_bits) + 1
    n_bits, n_known, held, n_held, is_first = first_bits + 1, end + 1, 0, 0, True
    for place, byte in enumerate(codes, start=1):
        held |= byte << n_held
        n_held += 8
        while n_held >= n_bits:
            code, held, n_held = held & ((1 << n_bits) - 1), held >> n_bits, n_held - n_bits
            if code == end:
                return place
            if code == clear:
                n_bits, n_known, is_first = first_bits + 1, end + 1, True
            elif is_first:
                is_first = False
            elif n_known < _MOST_CODES:
                n_known += 1
                n_bits += n_known == 1 << n_bits and n_known < _MOST_CODES
    return len(codes)


def _in_sub_blocks(codes: bytes) -> Iterator[bytes]:
    for start in range(0, len(codes), 255):
        yield bytes([len(codes[start : start + 255])]) + codes[start : start + 255]
    yield b"\0"


def _palette_bytes(packed: int) -> int:
    return 3 * 2 ** ((packed & 7) + 1) if packed & 0x80 else 0


def _sub_blocks(content: bytes, place: int) -> Iterator[bytes]:
    """Yield blocks with their lengths in front, the last one empty."""
    length = 1
    while length:
        length = content[place]
        yield content[place : place + 1 + length]
        place += 1 + length


# --- WebP -------------------------------------------------------------------------------------------------------------

_PROFILE_FLAG, _ALPHA_FLAG, _EXIF_FLAG, _MOVES_FLAG = 0x20, 0x10, 0x08, 0x02
_N_OWN = {b"VP8L": 1, b"VP8 ": 3}
"""Bytes at the end of compressed pixels that may be without effect and yet their own."""
_WEBP_DRAWN = frozenset({b"VP8 ", b"VP8L", b"ALPH", b"ANIM"})
_FRAME_BYTES = 16
"""What a frame says about itself, before its own chunks."""


def _clean_webp(content: bytes) -> bytes:
    (length,) = struct.unpack_from("<I", content, 4)
    parts = list(_webp_chunks(content[12 : 8 + length]))
    exif = _orientation(content)
    profile = next((plain_profile(part.data) for part in parts if part.kind == b"ICCP"), None)
    kept = []
    for part in parts:
        if part.kind in _WEBP_DRAWN:
            n_own = _N_OWN.get(part.kind, len(part.data))
            n = _n_unread(part.data, partial(_webp_pixels, part.kind)) if n_own < len(part.data) else 0
            kept.append(_webp_chunk(part.kind, part.data[: len(part.data) - max(n - n_own, 0)]))
        elif part.kind == b"VP8X":
            flags = part.data[0] & (_ALPHA_FLAG | _MOVES_FLAG)
            flags |= (_PROFILE_FLAG if profile else 0) | (_EXIF_FLAG if exif else 0)
            kept.append(_webp_chunk(part.kind, bytes([flags, 0, 0, 0]) + part.data[4:10]))
        elif part.kind == b"ANMF":
            drawn = [
                _webp_chunk(*inner[:2]) for inner in _webp_chunks(part.data[_FRAME_BYTES:]) if inner.kind in _WEBP_DRAWN
            ]
            kept.append(_webp_chunk(part.kind, part.data[:_FRAME_BYTES] + b"".join(drawn)))
        elif part.kind == b"ICCP" and profile:
            kept.append(_webp_chunk(part.kind, profile))
    # Only the long form of the header announces more than pixels.
    has_header = parts[0].kind == b"VP8X"
    return _webp_file([*kept, _webp_chunk(b"EXIF", exif) if exif and has_header else b""])


def _webp_file(chunks: Sequence[bytes]) -> bytes:
    body = b"".join([b"WEBP", *chunks])
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _webp_pixels(kind: bytes, data: bytes) -> npt.NDArray[np.uint8]:
    return _pixels(_webp_file([_webp_chunk(kind, data)]))


def _webp_chunks(content: bytes) -> Iterator[_Part]:
    place = 0
    while place + 8 <= len(content):
        (size,) = struct.unpack_from("<I", content, place + 4)
        yield _Part(content[place : place + 4], content[place + 8 : place + 8 + size])
        place += 8 + size + size % 2


def _webp_chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)
