"""Film time: how long the films of a study run, so that nobody claims to have watched one faster than it plays."""

import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from understudy.schema import ResponseGiven, Trial
from understudy.schema.events import TOLERANCE_MS

_HEAD_BYTES = 64 * 1024
_FASTEST = 2.0
"""The highest speed that players offer, where the study lets people choose one."""


class Film(NamedTuple):
    """A film on a page."""

    seconds: float
    is_at_own_speed: bool
    """Whether the page plays it at its own speed only."""


def films_of(trials: Mapping[str, Trial], assets: Path) -> dict[str, Film]:
    """Return the films whose length their files tell, by trial."""
    films: dict[str, Film] = {}
    for trial_id, trial in trials.items():
        asset = trial.params.get("asset")
        if trial.task == "video" and isinstance(asset, str):
            seconds = film_seconds(assets / asset)
            if seconds is not None:
                films[trial_id] = Film(seconds, bool(trial.params.get("must_end", True)))
    return films


def film_fault(film: Film, event: ResponseGiven, *, sent_ms: int) -> str | None:
    """Say that a film cannot have played that far since its page was sent; None if it can."""
    share = event.response.get("watched_share")
    if event.received_ms is None or not isinstance(share, int | float):
        return None
    speed = 1.0 if film.is_at_own_speed else _FASTEST
    played_s = (event.received_ms - sent_ms + TOLERANCE_MS) / 1000 * speed
    if share * film.seconds <= played_s:
        return None
    return f"The film runs for {film.seconds:.0f} seconds and cannot have played so far yet; watch it to the end."


def film_seconds(path: Path) -> float | None:
    """Return the length that an MP4 or WebM file states; None if it states none."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
            return _of_webm(head) if head.startswith(b"\x1a\x45\xdf\xa3") else _of_mp4(stream)
    except (OSError, struct.error):
        return None


def _of_webm(head: bytes) -> float | None:
    # EBML: the element Duration (44 89) is a float in units of TimestampScale (2A D7 B1) nanoseconds.
    at = head.find(b"\x44\x89")
    size = head[at + 2] & 0x7F if 0 <= at < len(head) - 10 else 0
    if size not in (4, 8):
        return None
    units = struct.unpack_from(">f" if size == 4 else ">d", head, at + 3)[0]
    scale_at = head.find(b"\x2a\xd7\xb1")
    n_bytes = head[scale_at + 3] & 0x7F if scale_at >= 0 else 0
    scale_ns = int.from_bytes(head[scale_at + 4 : scale_at + 4 + n_bytes], "big") if n_bytes else 1_000_000
    return float(units) * scale_ns / 1e9


def _of_mp4(stream: BinaryIO) -> float | None:
    # The box moov may follow hundreds of megabytes of film, so boxes are skipped by their sizes.
    stream.seek(0)
    while len(header := stream.read(8)) == 8:
        size, kind = struct.unpack(">I4s", header)
        skipped = 8
        if size == 1:
            size, skipped = struct.unpack(">Q", stream.read(8))[0], 16
        if kind == b"moov":
            return _of_moov(stream.read(min(size or _HEAD_BYTES, _HEAD_BYTES)))
        if size < skipped:
            return None
        stream.seek(size - skipped, os.SEEK_CUR)
    return None


def _of_moov(moov: bytes) -> float | None:
    at = moov.find(b"mvhd")
    if at < 0:
        return None
    is_long = moov[at + 4] == 1
    units, length = struct.unpack_from(">IQ" if is_long else ">II", moov, at + (24 if is_long else 16))
    return length / units if units else None
