"""Measures: named numbers from events."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.measures.annotations import Annotated, AnnotatorLabel
    from understudy.measures.answer import Answer, Chosen, Worded
    from understudy.measures.beliefs import BeliefGap, Believed, RatingByBelief, Recognised, RowFact
    from understudy.measures.codes import Coded, NumberCoded, SettledCode
    from understudy.measures.confidence import Brier, Overconfidence, StatedConfidence
    from understudy.measures.correct import Correct
    from understudy.measures.dials.error_auc import ErrorAuc
    from understudy.measures.dials.first_direction import FirstDirectionAccuracy
    from understudy.measures.dials.labels import DialLabels, LabelCoverage
    from understudy.measures.dials.moves import DialCoverage, DialSwitches, DirectionChanges, Passes, ScanOrder
    from understudy.measures.dials.slide_distance import PathEfficiency, SlideDistance
    from understudy.measures.dials.solved import Solved
    from understudy.measures.dials.strategy import FirstVisitShare, HillClimbShare, StrategyIndex
    from understudy.measures.dials.times import (
        IdleShare,
        PostSolveLatency,
        SolvedResponseTime,
        TimeToFirstMove,
        TimeToSolve,
    )
    from understudy.measures.item_facts import ItemIs
    from understudy.measures.learning import Learning
    from understudy.measures.reliance import (
        FollowedAdvice,
        OverReliance,
        RelativeAiReliance,
        RelativeSelfReliance,
        Switched,
        UnderReliance,
    )
    from understudy.measures.scale_score import RawTlx, ScaleScore
    from understudy.measures.session_time import SessionTime
    from understudy.measures.times import ResponseTime
    from understudy.measures.traces import Actions, StraightLining, Tries
    from understudy.measures.written_text import PastedText, RepeatedText, TextLength

__all__ = [
    "Actions",
    "Annotated",
    "AnnotatorLabel",
    "Answer",
    "BeliefGap",
    "Believed",
    "Brier",
    "Chosen",
    "Coded",
    "Correct",
    "DialCoverage",
    "DialLabels",
    "DialSwitches",
    "DirectionChanges",
    "ErrorAuc",
    "FirstDirectionAccuracy",
    "FirstVisitShare",
    "FollowedAdvice",
    "HillClimbShare",
    "IdleShare",
    "ItemIs",
    "LabelCoverage",
    "Learning",
    "NumberCoded",
    "OverReliance",
    "Overconfidence",
    "Passes",
    "PastedText",
    "PathEfficiency",
    "PostSolveLatency",
    "RatingByBelief",
    "RawTlx",
    "Recognised",
    "RelativeAiReliance",
    "RelativeSelfReliance",
    "RepeatedText",
    "ResponseTime",
    "RowFact",
    "ScaleScore",
    "ScanOrder",
    "SessionTime",
    "SettledCode",
    "SlideDistance",
    "Solved",
    "SolvedResponseTime",
    "StatedConfidence",
    "StraightLining",
    "StrategyIndex",
    "Switched",
    "TextLength",
    "TimeToFirstMove",
    "TimeToSolve",
    "Tries",
    "UnderReliance",
    "Worded",
]

ENTRIES = {
    "measures": {
        "annotations": ("annotator_label", "annotated"),
        "answer": ("answer", "chosen", "worded"),
        "beliefs": ("believed", "recognised", "row_fact", "rating_by_belief", "belief_gap"),
        "codes": ("coded", "n_coded", "settled_code"),
        "correct": ("correct",),
        "confidence": ("stated_confidence", "brier", "overconfidence"),
        "dials.error_auc": ("error_auc",),
        "dials.first_direction": ("first_direction_accuracy",),
        "dials.labels": ("dial_labels", "label_coverage"),
        "dials.moves": ("direction_changes", "dial_switches", "passes", "dial_coverage", "scan_order"),
        "dials.slide_distance": ("slide_distance", "path_efficiency"),
        "dials.solved": ("solved",),
        "dials.strategy": ("first_visit_share", "hill_climb_share", "strategy_index"),
        "dials.times": (
            "time_to_first_move",
            "time_to_solve",
            "solved_response_time",
            "post_solve_latency",
            "idle_share",
        ),
        "item_facts": ("item_is",),
        "learning": ("learning",),
        "reliance": (
            "followed_advice",
            "over_reliance",
            "under_reliance",
            "switched",
            "relative_ai_reliance",
            "relative_self_reliance",
        ),
        "scale_score": ("scale_score", "raw_tlx"),
        "session_time": ("session_minutes",),
        "times": ("response_time",),
        "traces": ("actions", "tries", "straight_lining"),
        "written_text": ("text_length", "pasted_text", "repeated_text"),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
