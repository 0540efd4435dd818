"""Alternatives: what speaks for each of several classes, one explanation a class, without saying which is which."""

from typing import Literal

from pydantic import Field

from understudy.schema.explanations.explanation import AnyExplanation, Explanation


class Alternatives(Explanation):
    """One explanation for each option, in the order of the options' numbers."""

    kind: Literal["alternatives"] = "alternatives"
    options: tuple[AnyExplanation, ...] = Field(min_length=2)
