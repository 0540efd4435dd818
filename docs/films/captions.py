"""Captions: the words of a film as WebVTT and as a transcript."""

from films.frames import caption_lines
from films.timeline import Cue


def vtt_from_cues(cues: tuple[Cue, ...]) -> str:
    """Write captions as WebVTT, broken into the lines of the film."""
    blocks = [
        f"{_clock(cue.start_s)} --> {_clock(cue.end_s)}\n" + "\n".join(caption_lines(cue.words)) + "\n" for cue in cues
    ]
    return "\n".join(["WEBVTT\n", *blocks])


def transcript_from_cues(cues: tuple[Cue, ...]) -> str:
    """Write the same words as running text, one paragraph for each chapter."""
    paragraphs: list[list[str]] = []
    for cue in cues:
        if cue.opens_chapter:
            paragraphs.append([])
        paragraphs[-1].append(cue.words)
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs) + "\n"


def _clock(at_s: float) -> str:
    total_ms = round(at_s * 1000)
    minutes, rest_ms = divmod(total_ms, 60_000)
    return f"{minutes:02d}:{rest_ms // 1000:02d}.{rest_ms % 1000:03d}"
