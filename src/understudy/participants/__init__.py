"""Participants: simulated people, for rehearsal, power and tests; never evidence about people."""

from understudy.participants.dial_learner import DialLearner
from understudy.participants.dial_number_watcher import DialNumberWatcher
from understudy.participants.dial_random import DialRandom
from understudy.participants.dial_visual_matcher import DialVisualMatcher
from understudy.participants.label_guesser import LabelGuesser
from understudy.participants.lime_reader import LimeReader
from understudy.participants.nearest_neighbour import NearestNeighbour
from understudy.participants.people import Careful, Dropout, Guesser, Learner, Noisy, StraightLiner
from understudy.participants.prior_only import PriorOnly
from understudy.participants.rule_follower import RuleFollower

__all__ = [
    "Careful",
    "DialLearner",
    "DialNumberWatcher",
    "DialRandom",
    "DialVisualMatcher",
    "Dropout",
    "Guesser",
    "LabelGuesser",
    "Learner",
    "LimeReader",
    "NearestNeighbour",
    "Noisy",
    "PriorOnly",
    "RuleFollower",
    "StraightLiner",
]
