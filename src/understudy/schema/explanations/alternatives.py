"""Alternatives: what speaks for each of several classes, one explanation a class, without saying which is which."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from understudy.schema.explanations.explanation import AnyExplanation, Explanation


class Alternatives(Explanation):
    """One explanation for each option, in the order of the options' numbers."""

    kind: Literal["alternatives"] = "alternatives"
    options: tuple[AnyExplanation, ...] = Field(min_length=2)


def explanation_of_options(explanations: Sequence[Explanation]) -> Explanation:
    """Return one explanation of all options: in the form that their kind has for that, or side by side."""
    first, *others = explanations
    return first.with_options(others) or Alternatives(options=tuple(explanations))
