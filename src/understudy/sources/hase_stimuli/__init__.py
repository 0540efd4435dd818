"""Stimuli of Hase and Bansal (2020), read from their released sheets: items, recorded answers, explanations as data."""

from understudy.sources.hase_stimuli.explanations import explanation_from_texts
from understudy.sources.hase_stimuli.items import LABELS, Domain, Item, Part
from understudy.sources.hase_stimuli.sheets import Method, Stimuli, read_stimuli, stimuli_folder
from understudy.sources.hase_stimuli.validity import refuse_validity

__all__ = [
    "LABELS",
    "Domain",
    "Item",
    "Method",
    "Part",
    "Stimuli",
    "explanation_from_texts",
    "read_stimuli",
    "refuse_validity",
    "stimuli_folder",
]
