"""Measures: named numbers from events."""

from understudy.measures.answer import Answer, Chosen, Worded
from understudy.measures.correct import Correct
from understudy.measures.session_time import SessionTime
from understudy.measures.times import ResponseTime
from understudy.measures.traces import Actions, StraightLining, Tries

__all__ = [
    "Actions",
    "Answer",
    "Chosen",
    "Correct",
    "ResponseTime",
    "SessionTime",
    "StraightLining",
    "Tries",
    "Worded",
]
