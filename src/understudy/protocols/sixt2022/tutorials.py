"""Tutorials as blocks: a film to its end, its summary, and a test with a second try."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from understudy.protocols.pages import screen
from understudy.protocols.sixt2022.plans import PayTable
from understudy.schema import Choice, Gate, Json, Screen, Stop, json_from_record
from understudy.sources.files import located

# The lessons of the three tutorials, in our own words: what the films say once more in writing, and what is checked.
#
# No lesson names anything that the system of the study may rely on as if it did: examples come from the made-up systems of
# the films.

Condition: TypeAlias = Literal["baseline", "counterfactuals", "concepts"]


class Statement(NamedTuple):
    """A statement that is true or false."""

    statement_id: str
    text: str
    is_true: bool


class Lesson(NamedTuple):
    """A film, its summary and the statements of the test."""

    film: str
    """The name of the film's files, without their ending."""
    summary: str
    statements: tuple[Statement, ...]


ANIMALS = Lesson(
    "peeky-and-stretchy",
    "**What the video said about the two animals**\n\n"
    "- There are two animals: Peeky and Stretchy. Each one is made of eight blocks.\n"
    "- Four blocks in a row are the spine. The other four blocks are two pairs of legs.\n"
    "- One pair of legs is fixed. The other pair can slide along the spine.\n"
    "- In a **Peeky**, the sliding pair is further in. The end of the spine peeks out between the legs.\n"
    "- In a **Stretchy**, the sliding pair is further out. The legs stretch past the end of the spine.\n"
    "- If the sliding pair is about half way, it is hard to tell which animal you see.\n"
    "- Everything else can vary: colour, background, blocks, and how the animal is turned and bent.",
    (
        Statement("blocks", "Each animal is made of eight blocks.", True),
        Statement("both_slide", "Both pairs of legs can slide along the spine.", False),
        Statement("peeks", "In a Peeky, the end of the spine peeks out between the legs.", True),
        Statement("stretchy_in", "In a Stretchy, the sliding legs are further in than in a Peeky.", False),
    ),
)
SYSTEMS = Lesson(
    "machine-learning",
    "**What the video said about systems that learn**\n\n"
    "- Some computer systems learn from examples. Nobody gives them rules.\n"
    "- Such a system works out by itself what to look at. It also tells us how certain it is.\n"
    "- It can learn to rely on something that it should not use. This is called a **bias**.\n"
    "- In the video, a system learned that a date in the corner of a photo means “house”. This is a bias.\n"
    "- A system with a bias can still be right most of the time.\n"
    "- If the answer depends on a thing, that thing is **relevant** for the system.\n"
    "- If the answer does not depend on a thing, that thing is **irrelevant** for the system.",
    (
        Statement("rules", "People give the system fixed rules for each picture.", False),
        Statement("bias", "A system can learn to rely on something that it should not use.", True),
        Statement("always_wrong", "A system with a bias is wrong about every picture.", False),
        Statement("relevant", "A thing is relevant for the system if the answer depends on it.", True),
    ),
)
_COLUMNS = (
    "- Each column stands for an answer. On the far left, the system is very certain that it sees a Peeky. On the far "
    "right, it is very certain that it sees a Stretchy. In the middle, it is unsure.\n"
)
_BASELINE = Lesson(
    "explanation-baseline",
    "**How to read the pictures**\n\n"
    "- You will see fifty pictures in ten rows and five columns. The system gave an answer to each of them.\n"
    f"{_COLUMNS}"
    "- Each column has one fifth of all answers, from one end to the other. The pictures in a column were picked at "
    "random. So the pictures in one row have nothing to do with each other.\n"
    "- Compare the columns. If something is different on the left and on the right, it may be relevant.\n"
    "- If something looks equally mixed in all columns, it may be irrelevant.\n"
    "- Single pictures may not fit. Look at many of them before you decide.",
    (
        Statement("middle", "In the middle column, the system is unsure.", True),
        Statement("same_animal", "All pictures in one row show the same animal, changed step by step.", False),
        Statement("columns", "To find out what is relevant, it helps to compare the columns.", True),
        Statement("one_picture", "One picture is always enough to decide what is relevant.", False),
    ),
)
_COUNTERFACTUALS = Lesson(
    "explanation-counterfactuals",
    "**How to read the pictures**\n\n"
    "- You will see fifty pictures in ten rows and five columns.\n"
    "- Each row shows one picture that was changed step by step, so that the answer of the system changes.\n"
    f"{_COLUMNS}"
    "- Look along a row. If something changes from left to right, it may be relevant.\n"
    "- If something stays the same along a row, the system did not need it to change its answer. It may be irrelevant.\n"
    "- Compare several rows. A change can be small, or be there in some rows only.",
    (
        Statement("middle", "In the middle column, the system is unsure.", True),
        Statement("same_animal", "The pictures in one row are one picture, changed step by step.", True),
        Statement("stays", "If something stays the same along all rows, it must be relevant.", False),
        Statement("one_picture", "One picture is always enough to decide what is relevant.", False),
    ),
)
_CONCEPTS = Lesson(
    "explanation-concepts",
    "**How to read the pictures**\n\n"
    "- You will see fifty pictures in ten rows and five columns.\n"
    "- The system looks for certain patterns in a picture. We call them **concepts**. The rows show five of them.\n"
    "- Two rows belong to each concept. In the upper row (“high”), the system finds the concept strongly. In the lower row "
    "(“low”), it hardly finds it.\n"
    "- A line marks the part of the picture that fits the concept best. The rest is dimmed.\n"
    "- Compare the two rows of a concept. What is marked, and how do the rows differ? That may be relevant.\n"
    "- Something that no concept has to do with may be irrelevant.\n"
    "- A concept can make either answer more likely. The rows do not say which.",
    (
        Statement("two_rows", "Two rows belong to each concept.", True),
        Statement("marked", "The marked part of a picture is the part that fits the concept best.", True),
        Statement("same_animal", "All pictures in one row show the same animal, changed step by step.", False),
        Statement("one_picture", "One picture is always enough to decide what is relevant.", False),
    ),
)
EXPLANATIONS: Mapping[Condition, Lesson] = MappingProxyType(
    {"baseline": _BASELINE, "counterfactuals": _COUNTERFACTUALS, "concepts": _CONCEPTS}
)
"""Condition -> the lesson on its explanation."""


TRUE, FALSE = "True", "False"
WATCHED = 0.95
"""The share of a film that has to run; a browser may miss a moment at either end."""
FILM_S = 125.0
"""How long a video takes, with the time to start it."""


class Tutorials:
    """Builds the blocks of tutorials from a folder of films and a pay table."""

    def __init__(self, films: str, pay: PayTable) -> None:
        self._films = films
        self._pay = pay

    def blocks(self, number: int, lesson: Lesson, *, condition: str | None = None) -> tuple[Screen, ...]:
        """Return the blocks of tutorial `number`, from 1; for one condition only if it is named.

        A person who fails the test watches and reads again and has a second try; after that the session ends, with
        the pay of this tutorial.
        """
        suffix = f"_{condition}" if condition else ""
        film_id, summary_id, test_id = (f"{kind}_{number}{suffix}" for kind in ("film", "summary", "test"))
        when: dict[str, str | tuple[str, ...]] = {"explanation": condition} if condition else {}
        film = screen(film_id, "video", "video", self._film(lesson.film), when)
        unwatched = Stop(
            rule=f"watched_share < {WATCHED:g}",
            reason="The video was not watched to its end.",
            pay_amount=self._pay.film_left[number - 1],
        )
        test = screen(test_id, "comprehension", "questionnaire", _test(lesson), when)
        gate = Gate(
            at_least=1,
            tries=2,
            restudy=(film_id, summary_id),
            reason="The check questions were not answered correctly, even at the second try.",
            pay_amount=self._pay.test_failed[number - 1],
        )
        return (
            film.model_copy(update={"stops": (unwatched,), "seconds": FILM_S}),
            screen(summary_id, "instructions", "instructions", {"pages": [lesson.summary]}, when),
            test.model_copy(update={"gate": gate}),
        )

    def _film(self, name: str) -> Json:
        return {
            "asset": f"{self._films}/{name}.webm",
            "captions": f"{self._films}/{name}.vtt",
            "transcript": self._transcript(name),
        }

    def _transcript(self, name: str) -> str:
        """Return the words of a shipped film; a study in a folder of its own has its transcript in its file."""
        path = located(Path(), f"{self._films}/{name}.txt").path
        return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def _test(lesson: Lesson) -> Json:
    questions = [
        Choice(question_id=statement.statement_id, prompt=statement.text, options=(TRUE, FALSE))
        for statement in lesson.statements
    ]
    return {
        "text": "Are these statements true or false?",
        "questions": [json_from_record(question) for question in questions],
        "answers": {statement.statement_id: TRUE if statement.is_true else FALSE for statement in lesson.statements},
    }
