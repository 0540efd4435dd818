"""Plain words: what the HIVE studies expect, as people who took part can read it."""

from typing import Final

PLAIN_WORDS: Final = {
    "right_believed": "People believe more than half of the correct predictions.",
    "wrong_recognised": "People notice fewer than half of the wrong predictions.",
    "overall": "People can tell correct predictions from wrong ones better than by guessing.",
    "distinction_right": "When the model is right, people find the correct answer more often than by guessing.",
    "distinction_wrong": "When the model is wrong, people still find the correct answer more often than by guessing.",
    "output_right": "When the model is right, people find out what it predicts more often than by guessing.",
    "output_wrong": "When the model is wrong, people find out what it predicts more often than by guessing.",
    "decisions_right": "People make the same two decisions as the model more often than by guessing.",
    "belief_follows_truth": "People believe correct predictions more often than wrong ones.",
    "right_easier": "People choose better when the model is right than when it is wrong.",
    "prototypes_over_map": "People notice wrong predictions better with prototypes than with a map.",
    "similarity_agrees": "People and the model agree on which regions of photos look similar.",
    "understanding_drops": "After they see their results, people say that they understand the model less well.",
    "risk_raises_demands": "People want a more accurate model when its mistakes would be more serious.",
}
ONE_MAP: Final = {
    "right_believed": "With one map, people believe more than half of the correct predictions.",
    "wrong_recognised": "With one map, people notice fewer than half of the wrong predictions.",
}
"""In the small study, where one group sees one map."""
