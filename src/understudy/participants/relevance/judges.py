"""Four people who judge attributes: by column means, by rows that all or mostly agree, and by chance.

The deterministic and the probabilistic reasoner are the two kinds that Sixt, Schuessler et al. (2022) describe in the justifications
of their participants: those who expect a relevant attribute to show in every picture, and those who count how often it
does.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.participants.relevance.mind import ATTENTIVE, RelevanceHabits, judged_page, other_page
from understudy.registry import register
from understudy.roles import Floats, Reaction, Rng, Scene
from understudy.schema import Ability, Impression, Record, Trial


class AttributeJudge(Record, ABC):
    """Judges which attributes seem relevant, and answers other pages attentively."""

    ability: ClassVar[Ability] = ATTENTIVE
    looks: ClassVar[bool] = True
    habits: RelevanceHabits = RelevanceHabits()

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Judge the attributes on a page about them."""
        return judged_page(self, trial, impression, rng) or other_page(self, trial, impression, rng, scene=scene)

    @abstractmethod
    def seems_relevant(self, values: Floats) -> bool:
        """Judge an attribute by its values, which are in the rows and columns of the grid."""


@register("participants", "column_looker")
class ColumnLooker(AttributeJudge):
    """Compares the columns of the grid: relevant is what rises or falls from the first to the last by enough."""

    threshold: float = Field(default=1.0, gt=0)
    """The difference between the outer columns that is seen, in standard deviations of the attribute."""

    def seems_relevant(self, values: Floats) -> bool:
        """Compare the ends of a line through the column means."""
        means = np.nanmean(values, axis=0)
        position = np.linspace(-0.5, 0.5, means.size)
        known = np.isfinite(means)
        if known.sum() < 2:
            return False
        return bool(abs(np.polyfit(position[known], means[known], 1)[0]) >= self.threshold)


@register("participants", "deterministic_reasoner")
class DeterministicReasoner(AttributeJudge):
    """Calls an attribute relevant only if it changes in the same direction in every row."""

    visible: float = Field(default=0.3, ge=0)
    """The smallest change between the outer columns that counts, in standard deviations."""

    def seems_relevant(self, values: Floats) -> bool:
        """Check that all rows agree."""
        return bool(agreeing_rows(values, self.visible) >= 1)


@register("participants", "probabilistic_reasoner")
class ProbabilisticReasoner(AttributeJudge):
    """Calls an attribute relevant if it changes in the same direction in most rows."""

    visible: float = Field(default=0.3, ge=0)
    """The smallest change between the outer columns that counts, in standard deviations."""
    share: float = Field(default=0.75, gt=0, le=1)
    """The share of rows that have to agree."""

    def seems_relevant(self, values: Floats) -> bool:
        """Count the rows that agree."""
        return agreeing_rows(values, self.visible) >= self.share


@register("participants", "relevance_guesser")
class RelevanceGuesser(AttributeJudge):
    """Passes the tests, and then guesses which attributes are relevant."""

    looks: ClassVar[bool] = False
    habits: RelevanceHabits = RelevanceHabits(page_s=150.0)

    def seems_relevant(self, values: Floats) -> bool:
        """Never look."""
        return False


def agreeing_rows(values: Floats, visible: float) -> float:
    """Return the share of rows whose change from the first to the last column has the more frequent direction."""
    changes = values[:, -1] - values[:, 0]
    changes = changes[np.isfinite(changes)]
    if not changes.size:
        return 0.0
    return float(max((changes >= visible).mean(), (changes <= -visible).mean()))
