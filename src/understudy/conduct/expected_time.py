"""Expected time: how long a page takes, from its words, its questions and what has to be looked at."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from understudy.schema import Question, Trial

_PAGE_S = 2.0
"""To find your bearings and press Continue."""
_WORDS_PER_S = 4.0
"""240 words in a minute, about what adults read of plain text (Brysbaert, 2019)."""
_PICTURE_S = 2.0
_LONGEST_WORD = 40
"""What is longer is data, such as a picture written as text."""
_PICTURE_ENDS = (".png", ".jpg", ".jpeg", ".webp", ".svg")
_ASKED_S = {
    "choice": 3.0,
    "dials": 5.0,
    "matrix": 3.0,
    "multiple_choice": 6.0,
    "number": 5.0,
    "ranking": 12.0,
    "rating": 3.0,
    "slider": 4.0,
    "text": 20.0,
}
"""Kind of question -> what an answer takes, without reading; of a matrix, each row, and of dials, each dial."""
_OPTIONAL_SHARE = 0.4
"""Most people leave most optional questions empty."""


def expected_s(trial: Trial) -> float:
    """Return how many seconds a page is expected to take, when the study does not say."""
    shown = [trial.params, *(question.model_dump() for question in trial.asks)]
    if trial.explanation is not None:
        shown.append(trial.explanation.model_dump())
    texts = list(_texts(shown))
    n_words = sum(len([word for word in text.split() if len(word) <= _LONGEST_WORD]) for text in texts)
    n_pictures = sum(text.endswith(_PICTURE_ENDS) for text in texts)
    return _PAGE_S + n_words / _WORDS_PER_S + _PICTURE_S * n_pictures + sum(map(_asked_s, trial.asks))


def _asked_s(question: Question) -> float:
    n_parts = len(getattr(question, "rows", None) or getattr(question, "dials", None) or ("",))
    seconds = n_parts * _ASKED_S.get(question.kind, 3.0)
    return seconds if question.is_required else _OPTIONAL_SHARE * seconds


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        yield from _texts(value.model_dump())
    elif isinstance(value, dict):
        yield from _each(value.values())
    elif isinstance(value, list | tuple):
        yield from _each(value)


def _each(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from _texts(value)
