"""Participants: simulated people, for rehearsal, power and tests; never evidence about people."""

from understudy.participants.dial_learner import DialLearner
from understudy.participants.dial_number_watcher import DialNumberWatcher
from understudy.participants.dial_random import DialRandom
from understudy.participants.dial_visual_matcher import DialVisualMatcher
from understudy.participants.people import Careful, Dropout, Guesser, Learner, Noisy, StraightLiner

__all__ = [
    "Careful",
    "DialLearner",
    "DialNumberWatcher",
    "DialRandom",
    "DialVisualMatcher",
    "Dropout",
    "Guesser",
    "Learner",
    "Noisy",
    "StraightLiner",
]
