"""Timeline: a film is a row of shots, each with one caption and a drawing; the length follows from the words."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from films.canvas import Canvas

FRAMES_PER_S = 24
CHARACTERS_PER_S = 13.0
"""A calm reading speed; subtitles for adults use up to 17."""
LEAST_S, REST_S = 3.2, 1.0

Drawing = Callable[[Canvas, float], None]
"""Draws what a shot shows so many seconds after its start."""


@dataclass(frozen=True)
class Shot:
    """One caption and what is seen with it."""

    words: str
    draw: Drawing
    moves_s: float = 0.0
    """How long the picture moves; after that it rests."""
    opens_chapter: bool = False
    looks_s: float = 0.0
    """Time to look, on top of the time to read."""

    @property
    def n_frames(self) -> int:
        """How many frames the shot lasts: long enough to read and to see the movement."""
        reads_s = len(self.words) / CHARACTERS_PER_S + REST_S
        seconds = max(LEAST_S, reads_s, self.moves_s + REST_S) + self.looks_s
        return math.ceil(seconds * FRAMES_PER_S)


@dataclass(frozen=True)
class Film:
    """A film under its file name."""

    name: str
    title: str
    shots: tuple[Shot, ...]


@dataclass(frozen=True)
class Cue:
    """A caption with its times."""

    start_s: float
    end_s: float
    words: str
    opens_chapter: bool


def cues_of(film: Film) -> tuple[Cue, ...]:
    """Return the captions of a film, one after the other without a gap."""
    cues: list[Cue] = []
    frame = 0
    for shot in film.shots:
        start, frame = frame, frame + shot.n_frames
        cues.append(Cue(start / FRAMES_PER_S, frame / FRAMES_PER_S, shot.words, shot.opens_chapter))
    return tuple(cues)
