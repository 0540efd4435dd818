"""Makes the tutorial films of the Two4Two studies: `python docs/tutorial_films.py [NAME ...] [--stills FOLDER]`.

Writes NAME.webm, NAME.vtt (captions) and NAME.txt (transcript) into the material of the protocol. Needs the extra
`scenes` and ffmpeg; all five films take about ten minutes on two cores. `--words` writes captions and transcripts
alone. `--stills` writes one picture for each shot into a folder instead, to look at a film before it is encoded.
The same words and drawings give the same frames.
"""

import argparse
import sys
from pathlib import Path

from films import (
    explanation_baseline,
    explanation_concepts,
    explanation_counterfactuals,
    machine_learning,
    peeky_and_stretchy,
)
from films.captions import transcript_from_cues, vtt_from_cues
from films.encoding import write_webm
from films.frames import frame_at, frames_of
from films.timeline import Film, cues_of
from understudy.errors import exit_status

OUT = Path(__file__).parents[1] / "src" / "understudy" / "protocols" / "sixt2022" / "material" / "films"
FILMS: dict[str, Film] = {
    film.name: film
    for film in (
        peeky_and_stretchy.FILM,
        machine_learning.FILM,
        explanation_baseline.FILM,
        explanation_counterfactuals.FILM,
        explanation_concepts.FILM,
    )
}


def write_film(film: Film, folder: Path, *, words_only: bool = False) -> None:
    """Write a film with its captions and its transcript."""
    cues = cues_of(film)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{film.name}.vtt").write_text(vtt_from_cues(cues), encoding="utf-8")
    (folder / f"{film.name}.txt").write_text(transcript_from_cues(cues), encoding="utf-8")
    if not words_only:
        write_webm(frames_of(film), folder / f"{film.name}.webm")
    sys.stdout.write(f"{film.name}: {cues[-1].end_s:.1f} s, {len(cues)} captions\n")


def write_stills(film: Film, folder: Path) -> None:
    """Write the end of each shot as a picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, cue in enumerate(cues_of(film), start=1):
        frame_at(film, cue.end_s - 0.1).save(folder / f"{film.name}-{number:02d}.png")


def main() -> int:
    """Make the films that were named, or all; a fault is one sentence."""
    parser = argparse.ArgumentParser(description="Make the tutorial films of the Two4Two studies.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(FILMS)}; without names, all")
    parser.add_argument("--words", action="store_true", help="write captions and transcripts alone")
    parser.add_argument("--stills", type=Path, metavar="FOLDER", help="write a picture of each shot instead")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(FILMS))
    if unknown:
        parser.error(f"{', '.join(unknown)} is not a film. Choose from: {', '.join(FILMS)}.")

    def write() -> None:
        for name in asked.names or FILMS:
            if asked.stills is not None:
                write_stills(FILMS[name], asked.stills)
            else:
                write_film(FILMS[name], OUT, words_only=asked.words)

    return exit_status(write)


if __name__ == "__main__":
    raise SystemExit(main())
