"""Models: what participants reason about."""

from understudy.models.linear_classifier import LinearClassifier

__all__ = ["LinearClassifier"]
