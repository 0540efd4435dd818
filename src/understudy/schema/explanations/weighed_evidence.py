"""Weighed evidence: the sum behind signed weights, and the labels that they speak for and against."""

from understudy.schema.record import Record


class WeighedEvidence(Record):
    """What explanations with a weight for each part of a case say about all weights together."""

    baseline: float | None = None
    """The evidence without any of the weighed parts."""
    total: float | None = None
    even: float | None = None
    """The total at which the model is undecided between two labels, such as 0.5 for probabilities."""
    toward: str | None = None
    """The label that positive weights support."""
    against: str | None = None
    """The label that negative weights support, if there are only two."""
