"""Participants: simulated people for rehearsals, power analyses and tests; never evidence about real people."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.participants.cases import LabelGuesser, LimeReader, NearestNeighbour, PriorOnly, RuleFollower
    from understudy.participants.dial_learners import DialLearner, DialOracle
    from understudy.participants.dial_people import (
        DialFeaturesMatcher,
        DialNumberWatcher,
        DialRandom,
        DialVisualMatcher,
    )
    from understudy.participants.people import Careful, Dropout, Guesser, Learner, Noisy, StraightLiner
    from understudy.participants.predictions import Believer, MapSumReader, SimilarityJudge, TreeWalker
    from understudy.participants.relevance import (
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
        "cases": ("label_guesser", "lime_reader", "nearest_neighbour", "prior_only", "rule_follower"),
        "dial_people": ("dial_features_matcher", "dial_number_watcher", "dial_random", "dial_visual_matcher"),
        "dial_learners": ("dial_learner", "dial_oracle"),
        "people": ("guesser", "careful", "noisy", "learner", "straight_liner", "dropout"),
        "predictions": ("believer", "map_sum_reader", "similarity_judge", "tree_walker"),
        "relevance": ("column_looker", "deterministic_reasoner", "probabilistic_reasoner", "relevance_guesser"),
    }
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
