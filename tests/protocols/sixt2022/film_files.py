"""The tutorial films as files: how long they are, and what their captions and transcripts say."""

import re
import struct
from pathlib import Path
from typing import NamedTuple

import understudy

FOLDER = Path(understudy.__file__).parent / "protocols" / "sixt2022" / "material" / "films"
ABOUT_ANIMALS = "peeky-and-stretchy"
EXPLAINING = ("explanation-baseline", "explanation-counterfactuals", "explanation-concepts")
NAMES = (ABOUT_ANIMALS, "machine-learning", *EXPLAINING)
_CUE = re.compile(r"(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d\.\d{3})\n((?:.+\n?)+)")


class Caption(NamedTuple):
    """A caption of a film."""

    start_s: float
    end_s: float
    lines: tuple[str, ...]

    @property
    def words(self) -> str:
        """The caption without its line breaks."""
        return " ".join(self.lines)


def film_bytes(name: str) -> bytes:
    """Return a film."""
    return (FOLDER / f"{name}.webm").read_bytes()


def length_s(name: str) -> float:
    """Read the length of a film from its header: the element 0x4489, in units of 0x2AD7B1 nanoseconds."""
    header = film_bytes(name)[:4096]
    scale = re.search(rb"\x2a\xd7\xb1\x83(...)", header, re.DOTALL)
    length = re.search(rb"\x44\x89\x88(.{8})", header, re.DOTALL)
    assert scale is not None
    assert length is not None
    (units,) = struct.unpack(">d", length.group(1))
    return float(units) * int.from_bytes(scale.group(1), "big") / 1e9


def captions(name: str) -> list[Caption]:
    """Read the captions of a film."""
    text = (FOLDER / f"{name}.vtt").read_text(encoding="utf-8")
    assert text.startswith("WEBVTT\n\n")
    return [
        Caption(int(m1) * 60 + float(s1), int(m2) * 60 + float(s2), tuple(words.strip().split("\n")))
        for m1, s1, m2, s2, words in _CUE.findall(text)
    ]


def transcript(name: str) -> str:
    """Read the transcript of a film."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
