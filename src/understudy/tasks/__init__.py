"""Tasks: one kind of page each."""

from understudy.tasks.consent import Consent
from understudy.tasks.debrief import Debrief
from understudy.tasks.demographics import Demographics
from understudy.tasks.device_check import DeviceCheck
from understudy.tasks.feedback import Feedback
from understudy.tasks.instructions import Instructions
from understudy.tasks.judge import Judge
from understudy.tasks.microphone import Microphone
from understudy.tasks.nasa_tlx import NasaTlx
from understudy.tasks.questionnaire import Questionnaire
from understudy.tasks.reconstruct import Reconstruct
from understudy.tasks.relevance import Relevance
from understudy.tasks.seq import Seq
from understudy.tasks.single_dial import SingleDialTask
from understudy.tasks.video import Video

__all__ = [
    "Consent",
    "Debrief",
    "Demographics",
    "DeviceCheck",
    "Feedback",
    "Instructions",
    "Judge",
    "Microphone",
    "NasaTlx",
    "Questionnaire",
    "Reconstruct",
    "Relevance",
    "Seq",
    "SingleDialTask",
    "Video",
]
