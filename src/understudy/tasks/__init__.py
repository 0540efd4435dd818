"""Tasks: one kind of page each."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.tasks.consent import Consent, Debrief, DeviceCheck, Microphone
    from understudy.tasks.dials import Reconstruct, SingleDialTask
    from understudy.tasks.instructions import Instructions, TreeWarmUp, Video
    from understudy.tasks.judge import Judge, Relevance
    from understudy.tasks.questionnaire import Demographics, NasaTlx, Questionnaire, Seq
    from understudy.tasks.results import Disclosure, Feedback, TradeOff
    from understudy.tasks.rows import CheckSteps, DecideSteps, RateMatches

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
        "rows": ("check_steps", "decide_steps", "rate_matches"),
        "consent": ("consent", "debrief", "device_check", "microphone"),
        "questionnaire": ("demographics", "nasa_tlx", "questionnaire", "seq"),
        "results": ("disclosure", "feedback", "trade_off"),
        "instructions": ("instructions", "tree_warm_up", "video"),
        "judge": ("judge", "relevance"),
        "dials": ("reconstruct", "single_dial"),
    }
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
