"""Tasks: one kind of page each."""

from understudy.tasks.consent import Consent
from understudy.tasks.debrief import Debrief
from understudy.tasks.device_check import DeviceCheck
from understudy.tasks.feedback import Feedback
from understudy.tasks.instructions import Instructions
from understudy.tasks.judge import Judge
from understudy.tasks.questionnaire import Questionnaire
from understudy.tasks.reconstruct import Reconstruct
from understudy.tasks.video import Video

__all__ = [
    "Consent",
    "Debrief",
    "DeviceCheck",
    "Feedback",
    "Instructions",
    "Judge",
    "Questionnaire",
    "Reconstruct",
    "Video",
]
