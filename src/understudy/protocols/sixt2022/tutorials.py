"""A tutorial as blocks: a film to its end, its summary, and a test with a second try."""

from pathlib import Path

from understudy.protocols.pages import screen
from understudy.protocols.sixt2022.lessons import Lesson
from understudy.protocols.sixt2022.pay_tables import PayTable
from understudy.schema import Choice, Gate, Json, Screen, Stop, json_from_record
from understudy.sources.shipped_material import located

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
