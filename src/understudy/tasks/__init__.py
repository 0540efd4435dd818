"""Tasks: one kind of page each."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
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

ENTRIES = {
    "tasks": {
        "check_steps": ("check_steps",),
        "consent": ("consent",),
        "debrief": ("debrief",),
        "decide_steps": ("decide_steps",),
        "demographics": ("demographics",),
        "device_check": ("device_check",),
        "disclosure": ("disclosure",),
        "feedback": ("feedback",),
        "instructions": ("instructions",),
        "judge": ("judge",),
        "microphone": ("microphone",),
        "nasa_tlx": ("nasa_tlx",),
        "questionnaire": ("questionnaire",),
        "rate_matches": ("rate_matches",),
        "reconstruct": ("reconstruct",),
        "relevance": ("relevance",),
        "seq": ("seq",),
        "single_dial": ("single_dial",),
        "trade_off": ("trade_off",),
        "tree_warm_up": ("tree_warm_up",),
        "video": ("video",),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
