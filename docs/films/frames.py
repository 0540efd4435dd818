"""Frames: every frame of a film, with its caption and the line of chapters."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import accumulate

from PIL import Image

from films.canvas import Box, Canvas, Type
from films.easing import eased
from films.palette import ACCENT, CAPTION_SIZE, LINE, WIDTH, font
from films.timeline import FRAMES_PER_S, Cue, Film, cues_of

FADE_S = 0.45
CAPTION_WIDTH, CAPTION_TOP, LINE_HEIGHT = 1130, 576, 52
_AHEAD = 4
_STEP = FRAMES_PER_S // 2
"""The line of chapters grows twice a second, so that the frames between two steps are alike and cost nothing."""
_BONUS = {".": 400, "?": 400, ":": 300, ",": 150}
"""How many pixels a line may be longer so that it ends with a sentence or a clause."""


def frames_of(film: Film) -> Iterator[Image.Image]:
    """Yield the frames in order; they depend on the film alone, so several are drawn at once."""
    reel = _Reel(film)
    with ThreadPoolExecutor(max_workers=2) as pool:
        waiting = [pool.submit(reel.frame, number) for number in range(min(_AHEAD, reel.n_frames))]
        for number in range(reel.n_frames):
            if number + _AHEAD < reel.n_frames:
                waiting.append(pool.submit(reel.frame, number + _AHEAD))
            yield waiting.pop(0).result()


def frame_at(film: Film, at_s: float) -> Image.Image:
    """Return the frame at a time."""
    return _Reel(film).frame(round(at_s * FRAMES_PER_S))


@lru_cache(maxsize=64)
def caption_lines(words: str) -> tuple[str, ...]:
    """Break a caption into lines of about equal length; one line where it fits."""
    face = font(CAPTION_SIZE)
    if face.getlength(words) <= CAPTION_WIDTH:
        return (words,)
    parts = words.split(" ")
    breaks = [(" ".join(parts[:at]), " ".join(parts[at:])) for at in range(1, len(parts))]
    fitting = [pair for pair in breaks if max(face.getlength(line) for line in pair) <= CAPTION_WIDTH]
    if not fitting:
        raise ValueError(f"The caption {words!r} needs more than two lines. Shorten it or split it into two shots.")
    return min(fitting, key=lambda pair: max(face.getlength(line) for line in pair) - _BONUS.get(pair[0][-1], 0))


class _Reel:
    """A film as numbered frames."""

    def __init__(self, film: Film) -> None:
        self.film = film
        self.cues = cues_of(film)
        self.starts = [0, *accumulate(shot.n_frames for shot in film.shots)]
        self.n_frames = self.starts[-1]
        self._rested = lru_cache(maxsize=8)(self._drawn)

    def frame(self, number: int) -> Image.Image:
        """Draw a frame: the shot over the end of the one before, the caption, the chapters."""
        shot = max(position for position, start in enumerate(self.starts[:-1]) if start <= number)
        at_s = (number - self.starts[shot]) / FRAMES_PER_S
        faded_in = eased(at_s, 0.0, FADE_S)
        shown = self._rested(shot, min(at_s, self.film.shots[shot].moves_s))
        if shot > 0 and faded_in < 1:
            before = self._rested(shot - 1, self.film.shots[shot - 1].moves_s)
            shown = Image.blend(before, shown, faded_in)
        canvas = Canvas(shown.copy())
        if shot > 0 and faded_in < 0.5:
            _caption(canvas, self.cues[shot - 1].words, 1 - 2 * faded_in)
        if faded_in >= 0.5 or shot == 0:
            _caption(canvas, self.cues[shot].words, 2 * faded_in - 1 if shot > 0 else 1.0)
        # The last frame differs from the one before, or the encoder would drop it and end the film early.
        is_last = number == self.n_frames - 1
        _chapters(canvas, self.cues, 1.0 if is_last else number // _STEP * _STEP / self.n_frames)
        return canvas.image

    def _drawn(self, shot: int, at_s: float) -> Image.Image:
        canvas = Canvas()
        self.film.shots[shot].draw(canvas, at_s)
        return canvas.image


def _caption(canvas: Canvas, words: str, alpha: float) -> None:
    lines = caption_lines(words)
    top = CAPTION_TOP + (2 - len(lines)) * LINE_HEIGHT / 2 + LINE_HEIGHT / 2
    for number, line in enumerate(lines):
        canvas.text(line, (WIDTH / 2, top + number * LINE_HEIGHT), Type(CAPTION_SIZE), alpha=alpha)


def _chapters(canvas: Canvas, cues: tuple[Cue, ...], share: float) -> None:
    """Draw one stroke for each chapter, as long as it lasts, filled as far as the film has come."""
    length_s = cues[-1].end_s
    starts = [cue.start_s / length_s for cue in cues if cue.opens_chapter]
    left, width, gap = 40, WIDTH - 80, 10
    for start, end in zip(starts, [*starts[1:], 1.0], strict=True):
        box = Box(left + width * start, 700, width * (end - start) - (gap if end < 1 else 0), 8)
        canvas.block(box, LINE, radius=4)
        done = min(max((share - start) / (end - start), 0.0), 1.0)
        if done * box.width >= 8:
            canvas.block(Box(box.left, box.top, box.width * done, box.height), ACCENT, radius=4)
