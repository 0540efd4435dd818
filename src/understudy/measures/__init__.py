"""Measures: named numbers from events."""

from understudy.measures.annotations import Annotated, AnnotatorLabel
from understudy.measures.answer import Answer, Chosen, Worded
from understudy.measures.beliefs import BeliefGap, Believed, RatingByBelief, Recognised, RowFact
from understudy.measures.correct import Correct
from understudy.measures.dials.error_auc import ErrorAuc
from understudy.measures.dials.first_direction import FirstDirectionAccuracy
from understudy.measures.dials.labels import DialLabels, LabelCoverage
from understudy.measures.dials.moves import DialCoverage, DialSwitches, DirectionChanges, Passes, ScanOrder
from understudy.measures.dials.slide_distance import PathEfficiency, SlideDistance
from understudy.measures.dials.solved import Solved
from understudy.measures.dials.strategy import FirstVisitShare, HillClimbShare, StrategyIndex
from understudy.measures.dials.times import IdleShare, PostSolveLatency, TimeToFirstMove, TimeToSolve
from understudy.measures.learning import Learning
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
    "Chosen",
    "Correct",
    "DialCoverage",
    "DialLabels",
    "DialSwitches",
    "DirectionChanges",
    "ErrorAuc",
    "FirstDirectionAccuracy",
    "FirstVisitShare",
    "HillClimbShare",
    "IdleShare",
    "LabelCoverage",
    "Learning",
    "Passes",
    "PastedText",
    "PathEfficiency",
    "PostSolveLatency",
    "RatingByBelief",
    "RawTlx",
    "Recognised",
    "RepeatedText",
    "ResponseTime",
    "RowFact",
    "ScaleScore",
    "ScanOrder",
    "SessionTime",
    "SlideDistance",
    "Solved",
    "StraightLining",
    "StrategyIndex",
    "TextLength",
    "TimeToFirstMove",
    "TimeToSolve",
    "Tries",
    "Worded",
]
