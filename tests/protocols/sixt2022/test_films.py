"""The tutorial films can be watched, read and understood, and give nothing away about the study."""

import importlib
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.protocols.sixt2022.film_files import (
    ABOUT_ANIMALS,
    EXPLAINING,
    FOLDER,
    NAMES,
    captions,
    film_bytes,
    length_s,
    transcript,
)

DOCS = Path(__file__).parents[3] / "docs"
ASKED = re.compile(r"\b(legs?|colou?rs?|blocks?|shapes?|round|square|rotat\w+|blue|red)\b", re.IGNORECASE)
"""What the study asks about, except for background and bending, which the made-up example is about."""
JUDGING = re.compile(r"\b(relevant|irrelevant|rel(?:y|ies)|bias\w*|systems?)\b", re.IGNORECASE)
NOT_USED = re.compile(
    r"\b(whoever|mend\w*|stands?|beside|shall|is no|of (?:its|one's) own|subjects?|users?)\b", re.IGNORECASE
)
every_film = pytest.mark.parametrize("name", NAMES)


@every_film
def test_a_film_lasts_one_to_three_minutes(name: str) -> None:
    assert 60 <= length_s(name) <= 180


@every_film
def test_a_film_is_vp9_at_720p_without_sound(name: str) -> None:
    header = film_bytes(name)[:4096]
    assert b"V_VP9" in header
    assert b"A_" not in header
    assert b"\xb0\x82\x05\x00\xba\x82\x02\xd0" in header  # PixelWidth 1280, PixelHeight 720


def test_films_are_small_enough_for_a_wheel_and_a_slow_line() -> None:
    sizes = [len(film_bytes(name)) for name in NAMES]
    assert max(sizes) <= 3_500_000
    assert sum(sizes) <= 10_000_000


@every_film
def test_captions_follow_each_other_and_cover_the_film(name: str) -> None:
    found = captions(name)
    assert found[0].start_s == 0
    assert all(before.end_s == after.start_s and before.start_s < before.end_s for before, after in pairwise(found))
    assert found[-1].end_s == pytest.approx(length_s(name), abs=0.1)


@every_film
def test_captions_can_be_read_at_a_calm_pace(name: str) -> None:
    too_fast = [
        caption.words
        for caption in captions(name)
        if len(caption.words) / (caption.end_s - caption.start_s) > 15 or caption.end_s - caption.start_s < 3
    ]
    assert too_fast == []


@every_film
def test_a_caption_has_one_or_two_short_lines(name: str) -> None:
    assert [line for caption in captions(name) for line in caption.lines if len(line) > 70] == []
    assert max(len(caption.lines) for caption in captions(name)) <= 2


@every_film
def test_the_transcript_has_the_words_of_the_captions(name: str) -> None:
    assert transcript(name).split() == " ".join(caption.words for caption in captions(name)).split()


@every_film
def test_captions_and_transcripts_are_what_the_script_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    cues = importlib.import_module("films.timeline").cues_of(importlib.import_module("tutorial_films").FILMS[name])
    words = importlib.import_module("films.captions")
    advice = "stale: run docs/tutorial_films.py"
    assert (FOLDER / f"{name}.vtt").read_text(encoding="utf-8") == words.vtt_from_cues(cues), advice
    assert transcript(name) == words.transcript_from_cues(cues), advice


@every_film
def test_films_speak_plain_english(name: str) -> None:
    assert NOT_USED.findall(transcript(name)) == []
    assert reading_grade(transcript(name)) <= 8


def test_the_film_about_the_animals_says_nothing_about_systems() -> None:
    assert JUDGING.findall(transcript(ABOUT_ANIMALS)) == []


@pytest.mark.parametrize("name", ["machine-learning", *EXPLAINING])
def test_films_about_systems_never_name_what_matters_in_the_study(name: str) -> None:
    assert ASKED.findall(transcript(name)) == []


@pytest.mark.parametrize("name", EXPLAINING)
def test_the_example_is_said_to_be_made_up(name: str) -> None:
    assert "made-up system" in transcript(name)
    assert "tells you nothing about the system that you will see" in transcript(name)


def test_the_example_varies_nothing_that_matters_in_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    example = importlib.import_module("films.example_system").Example
    assert set(example.__dataclass_fields__) == {"lightness", "bend", "size", "region"}


def test_no_picture_of_a_film_comes_from_the_sampler_of_the_study() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted((DOCS / "films").glob("*.py"))]
    assert len(sources) > 10
    names = ("worlds.sampling", "worlds.sixt2022", "worlds.audit", "protocols")
    assert not any(name in source for source in sources for name in names)


def test_the_same_words_and_drawings_give_the_same_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="the renderer needs the extra scenes")
    monkeypatch.syspath_prepend(str(DOCS))
    film = importlib.import_module("films.machine_learning").FILM
    frames, objects = importlib.import_module("films.frames"), importlib.import_module("films.objects")
    first = frames.frame_at(film, 5.0).tobytes()
    objects.tree.cache_clear()
    objects.house.cache_clear()
    assert frames.frame_at(film, 5.0).tobytes() == first


def test_the_three_explanations_are_shown_for_about_the_same_time() -> None:
    lengths = [length_s(name) for name in EXPLAINING]
    assert max(lengths) - min(lengths) <= 15


def reading_grade(text: str) -> float:
    """Return the Flesch-Kincaid grade, with groups of vowels for syllables (Kincaid et al., 1975)."""
    n_sentences = len(re.findall(r"[.?!](?:\s|$)", text))
    words = re.findall(r"[A-Za-z'-]+", text)
    n_syllables = sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", word.lower())))) for word in words)
    return 0.39 * len(words) / n_sentences + 11.8 * n_syllables / len(words) - 15.59


def test_the_reading_grade_tells_easy_from_hard() -> None:
    assert reading_grade("The cat sat on the mat. It was fat.") < 1
    assert reading_grade("Counterfactual interpolations operationalise representational directionality.") > 20
