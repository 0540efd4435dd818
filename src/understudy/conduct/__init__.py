"""Conduct: materials and the events so far decide the next trial; shared by serving and simulating."""

from understudy.conduct.assigning import assign
from understudy.conduct.headcount import LEFT, STOPS, Headcount, Stop, headcount, stop_of
from understudy.conduct.itinerary import BlockVisit, visits_for
from understudy.conduct.ledger import Ledger
from understudy.conduct.measuring import Measuring, Score, StepEvents
from understudy.conduct.prefixes import prefix_balanced
from understudy.conduct.resume import Resumed, resume
from understudy.conduct.script import Script
from understudy.conduct.session import Ended, Session, Step

__all__ = [
    "LEFT",
    "STOPS",
    "BlockVisit",
    "Ended",
    "Headcount",
    "Ledger",
    "Measuring",
    "Resumed",
    "Score",
    "Script",
    "Session",
    "Step",
    "StepEvents",
    "Stop",
    "assign",
    "headcount",
    "prefix_balanced",
    "resume",
    "stop_of",
    "visits_for",
]
