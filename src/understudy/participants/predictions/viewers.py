"""Four ways of looking at explanations: believing what is tidy, adding up a map, comparing regions, walking the tree."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from understudy.participants.predictions.features import distinctness, feature_likeness
from understudy.participants.predictions.looking import evidence_for, likeness, strength, tidiness
from understudy.participants.predictions.mind import ATTENTIVE, PredictionHabits, judged_page, other_page
from understudy.participants.predictions.page import SeenMap, SeenRow
from understudy.registry import register
from understudy.roles import Reaction, Rng, Scene
from understudy.schema import Ability, Impression, Record, Trial


class Viewer(Record):
    """Looks at the explanation of a prediction: trusts a map by its mean, and compares regions by their likeness."""

    ability: ClassVar[Ability] = ATTENTIVE
    habits: PredictionHabits = PredictionHabits()

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Judge pages about predictions; answer others attentively."""
        return judged_page(self, trial, impression, rng) or other_page(self, trial, impression, rng, scene=scene)

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map by its mean."""
        return 0.4 + strength(seen.values)

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Prefer the map with the most evidence for its class."""
        return evidence_for(seen.values)

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Compare regions."""
        return likeness(row, pictures)


@register("participants", "believer")
class Believer(Viewer):
    """Agrees with any tidy map, and finds most regions similar; the confirmation bias of Kim et al. (2022).

    Of several maps, it takes the one with the most evidence for its class, and overlooks evidence against.
    """

    habits: PredictionHabits = PredictionHabits(doubt=0.0)
    benefit: float = Field(default=0.25, ge=0, le=1)
    """What is added to every likeness, or taken off it where the page says that the prototype is absent."""

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map that has its evidence in one place; a pale one less."""
        return 0.25 + tidiness(seen.values) * max(0.0, float(seen.values.max()))

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Give regions the benefit of the doubt."""
        return likeness(row, pictures) + (-self.benefit if row.is_present is False else self.benefit)


@register("participants", "map_sum_reader")
class MapSumReader(Viewer):
    """Adds up each map and takes the largest sum for the model's answer; the rule that makes BagNet readable."""

    habits: PredictionHabits = PredictionHabits(noise=0.05)

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Prefer the largest sum; evidence against counts."""
        return strength(seen.values)


@register("participants", "similarity_judge")
class SimilarityJudge(Viewer):
    """Compares colours, contrasts and edges, and believes a class whose prototypes look similar.

    A map is believed as far as the marked area looks unlike the rest of the photo: it then marks a thing and not the
    background. How strong a single map is does not count; of several, a faint one is hardly seen.
    """

    habits: PredictionHabits = PredictionHabits(noise=0.1)

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map that marks something which stands out."""
        return 2 * distinctness(seen, pictures)

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Prefer what stands out most, as far as it is marked at all: next to strong maps, nobody sees a faint one."""
        return distinctness(seen, pictures) * evidence_for(seen.values)

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Compare the features of both regions."""
        return feature_likeness(row, pictures)


@register("participants", "tree_walker")
class TreeWalker(Viewer):
    """Checks each step: a prototype is present if the regions look more similar than a threshold."""

    habits: PredictionHabits = PredictionHabits(noise=0.05)
    threshold: float = Field(default=0.6, gt=0, lt=1)
    """The likeness from which a prototype counts as present."""

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map by how tidy it is."""
        return tidiness(seen.values)

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Compare regions, with the threshold in the middle of the scale."""
        return likeness(row, pictures) + 0.5 - self.threshold
