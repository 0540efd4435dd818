"""Several: the explanations of more than one method, side by side."""

from typing import Literal

from pydantic import Field

from understudy.schema.explanations.explanation import AnyExplanation, Explanation


class Several(Explanation):
    """Explanations of one prediction in the order in which they are shown."""

    kind: Literal["several"] = "several"
    parts: tuple[AnyExplanation, ...] = Field(min_length=1)
