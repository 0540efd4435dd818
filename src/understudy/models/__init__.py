"""Models: what participants reason about."""

from understudy.models.imported_answers import ImportedAnswers
from understudy.models.linear_classifier import LinearClassifier
from understudy.models.own_decoders import export_decoder

__all__ = ["ImportedAnswers", "LinearClassifier", "export_decoder"]
