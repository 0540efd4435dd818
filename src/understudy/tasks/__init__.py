"""Tasks: one kind of page each."""

from understudy.tasks.check_steps import CheckSteps
from understudy.tasks.consent import Consent
from understudy.tasks.debrief import Debrief
from understudy.tasks.decide_steps import DecideSteps
from understudy.tasks.demographics import Demographics
from understudy.tasks.device_check import DeviceCheck
from understudy.tasks.disclosure import Disclosure
from understudy.tasks.feedback import Feedback
from understudy.tasks.instructions import Instructions
from understudy.tasks.judge import Judge
from understudy.tasks.microphone import Microphone
from understudy.tasks.nasa_tlx import NasaTlx
from understudy.tasks.questionnaire import Questionnaire
from understudy.tasks.rate_matches import RateMatches
from understudy.tasks.reconstruct import Reconstruct
from understudy.tasks.relevance import Relevance
from understudy.tasks.seq import Seq
from understudy.tasks.single_dial import SingleDialTask
from understudy.tasks.trade_off import TradeOff
from understudy.tasks.tree_warm_up import TreeWarmUp
from understudy.tasks.video import Video

__all__ = [
    "CheckSteps",
    "Consent",
    "Debrief",
    "DecideSteps",
    "Demographics",
    "DeviceCheck",
    "Disclosure",
    "Feedback",
    "Instructions",
    "Judge",
    "Microphone",
    "NasaTlx",
    "Questionnaire",
    "RateMatches",
    "Reconstruct",
    "Relevance",
    "Seq",
    "SingleDialTask",
    "TradeOff",
    "TreeWarmUp",
    "Video",
]
