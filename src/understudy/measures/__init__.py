"""Measures: named numbers from events."""

from understudy.measures.annotations import Annotated, AnnotatorLabel
from understudy.measures.answer import Answer, Chosen, Worded
from understudy.measures.beliefs import BeliefGap, Believed, RatingByBelief, Recognised, RowFact
from understudy.measures.confidence import Brier, Overconfidence, StatedConfidence
from understudy.measures.correct import Correct
from understudy.measures.dials.error_auc import ErrorAuc
from understudy.measures.dials.first_direction import FirstDirectionAccuracy
from understudy.measures.dials.labels import DialLabels, LabelCoverage
from understudy.measures.dials.moves import DialCoverage, DialSwitches, DirectionChanges, Passes, ScanOrder
from understudy.measures.dials.slide_distance import PathEfficiency, SlideDistance
from understudy.measures.dials.solved import Solved
from understudy.measures.dials.strategy import FirstVisitShare, HillClimbShare, StrategyIndex
from understudy.measures.dials.times import IdleShare, PostSolveLatency, TimeToFirstMove, TimeToSolve
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
    "SlideDistance",
    "Solved",
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
