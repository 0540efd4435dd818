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

    @property
    def named_classes(self) -> tuple[str, ...]:
        """Both labels of two: what speaks against the one speaks for the other."""
        return tuple(label for label in (self.toward, self.against) if label is not None)
