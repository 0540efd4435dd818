"""Explanations by features: weights, rules, paths, similar cases and weighed evidence."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.pictures import PrototypeMatch, ShownPicture
from understudy.schema.record import Json, Record

# Weighed evidence: the sum behind signed weights, and the labels that they speak for and against.


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


class Attribution(WeighedEvidence, Explanation):
    """Signed weights of named features, in the order in which they are drawn."""

    kind: Literal["attribution"] = "attribution"
    features: tuple[str, ...]
    weights: tuple[float, ...]
    values: tuple[str, ...] = ()
    """The value of each feature in this case; empty if the item shows it."""

    @model_validator(mode="after")
    def _one_weight_for_each_feature(self) -> "Attribution":
        if len(self.weights) != len(self.features) or len(self.values) not in (0, len(self.features)):
            raise ValueError(
                f"there are {len(self.features)} features, {len(self.weights)} weights and {len(self.values)} values. "
                "Give one weight for each feature, and one value for each or none at all."
            )
        return self


# Path: the edits that lead to the other answer, one step at a time.


class Edit(Record):
    """One change: of a feature's value, or of the word at a position."""

    feature: str | None = None
    position: int | None = Field(default=None, ge=0)
    old: str
    new: str

    @model_validator(mode="before")
    @classmethod
    def _read_old_names(cls, value: Any) -> Any:
        # Version 0.1.0 called the two ends `from` and `to`.
        if isinstance(value, Mapping) and {"from", "to"} <= value.keys():
            rest = {name: part for name, part in value.items() if name not in ("from", "to")}
            return {**rest, "old": value["from"], "new": value["to"]}
        return value


class PathStep(Record):
    """The model's margin after some edits, all counted from the original input."""

    margin: float | None = None
    edits: tuple[Edit, ...]


class EditPath(Explanation):
    """The input, the evidence for it, and the steps to an input with the other answer."""

    kind: Literal["path"] = "path"
    input: Json = {}
    toward: str
    """The label at the end of the path."""
    margin: float | None = None
    """The evidence before any edit: positive for the second label, negative for the first."""
    labels: tuple[str, ...] = ()
    steps: tuple[PathStep, ...] = ()

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The labels that the path may lead away from."""
        return tuple(label for label in self.labels if label != self.toward)


# Rule: conditions under which the model gives the same answer, whatever else changes.


class RuleCondition(Record):
    """One condition: a feature keeps its value, or a word stays in the text."""

    feature: str | None = None
    value: str | None = None
    token: str | None = None
    position: int | None = Field(default=None, ge=0)
    """Which token it is, counted from 0; None if the word occurs more often than in the rule."""

    @model_validator(mode="after")
    def _feature_or_token(self) -> "RuleCondition":
        if (self.feature is None) == (self.token is None):
            raise ValueError("a condition is about a feature or about a token. Give exactly one of the two.")
        return self


class RuleExplanation(Explanation):
    """While all conditions hold, the model gives this label."""

    kind: Literal["rule"] = "rule"
    label: str
    conditions: tuple[RuleCondition, ...]
    tokens: tuple[str, ...] = ()
    """The whole text, if conditions are about words."""
    precision: float | None = None
    coverage: float | None = None

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The label that the rule gives."""
        return (self.label,)


# Similar case: the case that the model finds most similar, and what makes it similar.


class Importance(Record):
    """Signed weights of features or of tokens."""

    features: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    weights: tuple[float, ...]
    values: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_weight_for_each_name(self) -> "Importance":
        if len(self.weights) != len(self.features or self.tokens):
            raise ValueError(
                f"there are {len(self.features or self.tokens)} names and {len(self.weights)} weights. "
                "Give one weight for each feature or token."
            )
        return self


class SimilarCase(Explanation):
    """A case that the model knows, next to the explained one."""

    kind: Literal["similar_case"] = "similar_case"
    case: Json
    input: Json
    label: str
    similarity: float | None = None
    importance: Importance
    toward: str | None = None
    """The label that positive weights support."""
    against: str | None = None
    """The label that negative weights support, if there are only two."""

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The labels that weights support."""
        return tuple(label for label in (self.toward, self.against) if label is not None)


# Token attribution: how far each word pushed the prediction.


class TokenAttribution(WeighedEvidence, Explanation):
    """Signed weights of the words of a text, zero for a word that is not marked."""

    kind: Literal["token_attribution"] = "token_attribution"
    tokens: tuple[str, ...]
    weights: tuple[float, ...]

    @model_validator(mode="after")
    def _one_weight_for_each_token(self) -> "TokenAttribution":
        if len(self.weights) != len(self.tokens):
            raise ValueError(
                f"there are {len(self.tokens)} tokens and {len(self.weights)} weights. Give one weight for each token."
            )
        return self


# Tree path: the comparisons that lead a model down a decision tree, one after the other.


class TreeStep(PrototypeMatch):
    """One decision: is the prototype present in the photo?"""

    is_present: bool | None = None
    """What the model decided; None if the page must not say."""
    number: str = ""
    """What the step is called in a drawing of the whole tree, such as 3b; by default its position on the path."""


class TreeFork(Record):
    """Two decisions that are left to the person: the first one, and the next one for either answer."""

    first: TreeStep
    if_absent: TreeStep
    if_present: TreeStep


class TreePath(Explanation):
    """The steps from the root of the tree, and where people decide, the fork that they end in."""

    kind: Literal["tree_path"] = "tree_path"
    picture: ShownPicture
    steps: tuple[TreeStep, ...] = ()
    fork: TreeFork | None = None

    @model_validator(mode="after")
    def _leads_somewhere(self) -> "TreePath":
        if not self.steps and self.fork is None:
            raise ValueError("a tree path has neither a step nor a fork. Give at least one of them.")
        return self
