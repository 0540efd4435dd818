"""Participants: simulated people for rehearsals, power analyses and tests; never evidence about real people."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.participants.cases.label_guesser import LabelGuesser
    from understudy.participants.cases.lime_reader import LimeReader
    from understudy.participants.cases.nearest_neighbour import NearestNeighbour
    from understudy.participants.cases.prior_only import PriorOnly
    from understudy.participants.cases.rule_follower import RuleFollower
    from understudy.participants.dials.features_matcher import DialFeaturesMatcher
    from understudy.participants.dials.learner import DialLearner
    from understudy.participants.dials.number_watcher import DialNumberWatcher
    from understudy.participants.dials.oracle import DialOracle
    from understudy.participants.dials.random_turns import DialRandom
    from understudy.participants.dials.visual_matcher import DialVisualMatcher
    from understudy.participants.people import Careful, Dropout, Guesser, Learner, Noisy, StraightLiner
    from understudy.participants.predictions.viewers import Believer, MapSumReader, SimilarityJudge, TreeWalker
    from understudy.participants.relevance.judges import (
        ColumnLooker,
        DeterministicReasoner,
        ProbabilisticReasoner,
        RelevanceGuesser,
    )

__all__ = [
    "Believer",
    "Careful",
    "ColumnLooker",
    "DeterministicReasoner",
    "DialFeaturesMatcher",
    "DialLearner",
    "DialNumberWatcher",
    "DialOracle",
    "DialRandom",
    "DialVisualMatcher",
    "Dropout",
    "Guesser",
    "LabelGuesser",
    "Learner",
    "LimeReader",
    "MapSumReader",
    "NearestNeighbour",
    "Noisy",
    "PriorOnly",
    "ProbabilisticReasoner",
    "RelevanceGuesser",
    "RuleFollower",
    "SimilarityJudge",
    "StraightLiner",
    "TreeWalker",
]

ENTRIES = {
    "participants": {
        "cases.label_guesser": ("label_guesser",),
        "cases.lime_reader": ("lime_reader",),
        "cases.nearest_neighbour": ("nearest_neighbour",),
        "cases.prior_only": ("prior_only",),
        "cases.rule_follower": ("rule_follower",),
        "dials.features_matcher": ("dial_features_matcher",),
        "dials.learner": ("dial_learner",),
        "dials.number_watcher": ("dial_number_watcher",),
        "dials.oracle": ("dial_oracle",),
        "dials.random_turns": ("dial_random",),
        "dials.visual_matcher": ("dial_visual_matcher",),
        "people": ("guesser", "careful", "noisy", "learner", "straight_liner", "dropout"),
        "predictions.viewers": ("believer", "map_sum_reader", "similarity_judge", "tree_walker"),
        "relevance.judges": ("column_looker", "deterministic_reasoner", "probabilistic_reasoner", "relevance_guesser"),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
