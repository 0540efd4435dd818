"""Colour profiles (ICC) without their words: a camera's profile names the camera, its maker, a date and whatever else."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

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
