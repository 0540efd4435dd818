"""Relevance: the answer key of a world, and what an observer reads off counterfactual pictures.

An observer that cannot read an attribute sees noise there, and noise seems to move: such attributes are listed and decide nothing.
"""

import json
from typing import Any, Literal, TypeAlias

from pydantic import Field, ValidationError, model_validator

from understudy.errors import MaterialsError
from understudy.schema.faults import sentences_from_validation
from understudy.schema.record import Record

MovementVerdict: TypeAlias = Literal[
    "moves as it should", "stays as it should", "should move", "should stay", "unreadable"
]


class MovementRule(Record):
    """When an attribute counts as moved, and when it is read well enough to tell."""

    spreads: float = Field(default=1.0, gt=0)
    """Moved means: the mean change along a row is at least so many standard deviations."""
    least_r_squared: float = Field(default=0.5, ge=0, lt=1)
    """Readable means: the observer explains at least this share of the variance of the attribute in ordinary pictures."""
    reason: str = (
        "In Table 6 of Sixt et al. (2022) relevant attributes move by 1.5 standard deviations or more along a row, and the "
        "others by 0.7 or less."
    )


class AttributeMovement(Record):
    """How far an attribute moves along rows of counterfactuals."""

    attribute: str
    mean: float
    """Mean over rows of the largest minus the smallest value along a row."""
    sd: float | None
    """Standard deviation over rows; None for a single row."""
    mean_in_spreads: float
    """The mean in standard deviations of the attribute among ordinary pictures."""
    unexplained: float | None = None
    """Share of the variance of the attribute that the observer misses; None if that was not measured."""
    should_move: bool
    verdict: MovementVerdict

    @property
    def r_squared(self) -> float | None:
        """Share of the variance of the attribute that the observer explains; None if that was not measured."""
        return None if self.unexplained is None else 1 - self.unexplained


class ObserverCheck(Record):
    """What counterfactuals move, and whether that is what they should move."""

    format: Literal[2] = 2
    observer: str
    n_rows: int
    n_steps: int
    """Pictures in a row."""
    rule: MovementRule = MovementRule()
    attributes: tuple[AttributeMovement, ...] = Field(min_length=1)

    @property
    def passes(self) -> bool:
        """Whether, of what the observer can read, everything moves that should and nothing else does."""
        return not self.faults

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Attributes that the observer cannot read, which decide nothing."""
        return tuple(row.attribute for row in self.attributes if row.verdict == "unreadable")

    @property
    def faults(self) -> tuple[str, ...]:
        """One sentence for each readable attribute that does not do what it should."""
        found = [
            f"{row.attribute} {row.verdict}: along a row it moves by {row.mean_in_spreads:.2f} standard deviations."
            for row in self.attributes
            if row.verdict in ("should move", "should stay")
        ]
        deciding = [row for row in self.attributes if row.verdict != "unreadable"]
        if not deciding or (self._moving and not any(row.should_move for row in deciding)):
            found.append(
                f"{self.observer} cannot read {', '.join(self._moving or self.unreadable)}: it explains less than "
                f"{self.rule.least_r_squared:.0%} of the variance. Train an observer that can."
            )
        return tuple(found)

    @property
    def _moving(self) -> tuple[str, ...]:
        return tuple(row.attribute for row in self.attributes if row.should_move)

    @model_validator(mode="before")
    @classmethod
    def _upgraded(cls, stored: Any) -> Any:
        """Read format 1, in which attributes that the observer cannot read decided too."""
        if not isinstance(stored, dict) or stored.get("format") != 1:
            return stored
        least = MovementRule().least_r_squared
        rows = [
            {**row, "verdict": "unreadable"} if (row.get("unexplained") or 0.0) > 1 - least else row
            for row in stored.get("attributes", ())
        ]
        return {**stored, "format": 2, "attributes": rows}

    @model_validator(mode="after")
    def _verdicts_follow_the_rule(self) -> "ObserverCheck":
        for row in self.attributes:
            if row.verdict != movement_verdict(row.mean_in_spreads, row.should_move, self.rule, row.r_squared):
                raise ValueError(f"{row.attribute!r} is said: {row.verdict}, which is not what its rule says")
        return self


def movement_verdict(
    mean_in_spreads: float, should_move: bool, rule: MovementRule, r_squared: float | None = None
) -> MovementVerdict:
    """Judge whether an attribute does what it should; `r_squared` says how well the observer reads it, where that is known."""
    if r_squared is not None and r_squared < rule.least_r_squared:
        return "unreadable"
    moves = mean_in_spreads >= rule.spreads
    if should_move:
        return "moves as it should" if moves else "should move"
    return "should stay" if moves else "stays as it should"


# Relevance key, the answers of bias discovery: what a model relies on, measured by drawing one attribute of its pictures anew.

Relevance: TypeAlias = Literal["relevant", "irrelevant"]


class Measured(Record):
    """A number with the limits of its interval."""

    value: float
    low: float
    high: float


class LatentShift(Record):
    """How an attribute moves the hidden layer that the classifier reads."""

    norm: float
    """Mean length of the change."""
    norm_sd: float | None = None
    angle: float | None = None
    """Mean angle with the weights of the classifier, in degrees, of a change towards larger values."""
    angle_sd: float | None = None


class RelevanceRule(Record):
    """When an attribute counts as relevant: the lower limit of its R² is above a value."""

    r_squared: float = Field(default=0.1, ge=0, lt=1)
    reason: str = (
        "Attributes that a model does not use flip its answers too, so only R², which needs a direction, can separate them. "
        "In Table 3 of Sixt et al. (2022) the smallest R² of a relevant attribute is .307 and the largest of the others .007."
    )

    def verdict(self, r_squared: Measured) -> Relevance:
        """Judge an attribute."""
        return "relevant" if r_squared.low > self.r_squared else "irrelevant"

    def is_settled(self, r_squared: Measured) -> bool:
        """Say whether the whole interval lies on one side of the threshold."""
        return r_squared.low > self.r_squared or r_squared.high <= self.r_squared


class AttributeImportance(Record):
    """What an attribute does to the logit of a model when it alone is redrawn."""

    attribute: str
    flip_rate: Measured
    """Share of pictures whose predicted class changes."""
    median_change: Measured
    """Median of the absolute change of the logit."""
    r_squared: Measured
    """Share of the variance of the change that a line through the change of the attribute explains."""
    latents: LatentShift | None = None
    verdict: Relevance


class GroupVerdict(Record):
    """Attributes that people are asked about together; relevant as soon as one of them is."""

    name: str
    attributes: tuple[str, ...] = Field(min_length=1)
    verdict: Relevance


class RelevanceKey(Record):
    """What a model relies on in a world, with everything needed to measure it again."""

    format: Literal[1] = 1
    world: str
    world_digest: str = ""
    """Empty for a world with computed attributes, which has no digest."""
    model: str
    model_digest: str = ""
    """SHA-256 of the model's file; empty where it has none."""
    label: str
    """The class that the logit is evidence for."""
    accuracy: float | None = None
    """Share of pictures whose class the model finds; None where its labels are not the classes of the world."""
    mode: Literal["all_parents", "class_only"] = "all_parents"
    """What the intervention cuts; see `understudy.worlds.sampling.Mode`."""
    edge: int
    """Pixels a side."""
    n: int
    """Pictures, each of which has a partner for every attribute."""
    seed: int
    level: float = 0.95
    """Of the intervals."""
    rule: RelevanceRule = RelevanceRule()
    attributes: tuple[AttributeImportance, ...] = Field(min_length=1)
    groups: tuple[GroupVerdict, ...] = Field(min_length=1)

    @property
    def verdicts(self) -> dict[str, Relevance]:
        """The right answer about each group."""
        return {group.name: group.verdict for group in self.groups}

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Attributes whose interval of R² contains the threshold: more pictures could change their verdict."""
        return tuple(row.attribute for row in self.attributes if not self.rule.is_settled(row.r_squared))

    def reading(self, *attributes: str) -> Literal["relevant", "irrelevant", "undecided"]:
        """Say what is known about attributes together; the key of a study counts what is undecided as irrelevant."""
        if any(self.attribute(name).verdict == "relevant" for name in attributes):
            return "relevant"
        return "undecided" if set(attributes) & set(self.unsettled) else "irrelevant"

    def attribute(self, name: str) -> AttributeImportance:
        """Return the row of an attribute."""
        for row in self.attributes:
            if row.attribute == name:
                return row
        known = ", ".join(row.attribute for row in self.attributes)
        raise MaterialsError(f"The relevance key has no attribute {name!r}. It has: {known}.")

    @model_validator(mode="after")
    def _verdicts_follow_the_rule(self) -> "RelevanceKey":
        by_name = {row.attribute: row for row in self.attributes}
        for row in self.attributes:
            if row.verdict != self.rule.verdict(row.r_squared):
                raise ValueError(f"{row.attribute!r} is called {row.verdict}, which is not what its rule says")
        for group in self.groups:
            unknown = [name for name in group.attributes if name not in by_name]
            if unknown:
                raise ValueError(f"the group {group.name!r} has {unknown[0]!r}, which was not measured")
            if group.verdict != group_verdict([by_name[name] for name in group.attributes]):
                raise ValueError(f"the group {group.name!r} is called {group.verdict}, which its attributes are not")
        return self


def group_verdict(rows: list[AttributeImportance]) -> Relevance:
    """Judge attributes together: relevant as soon as one of them is."""
    return "relevant" if any(row.verdict == "relevant" for row in rows) else "irrelevant"


def text_from_relevance_key(key: RelevanceKey) -> str:
    """Write a relevance key as its file has it."""
    return key.model_dump_json(indent=1) + "\n"


def relevance_key_from_text(text: str, source: str) -> RelevanceKey:
    """Read a relevance key; `source` names it in a refusal."""
    try:
        json.loads(text)
    except ValueError:
        raise MaterialsError(
            f"The relevance key {source} is not JSON. Write it again with `understudy worlds importance`."
        ) from None
    try:
        return RelevanceKey.model_validate_json(text)
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, RelevanceKey))
        raise MaterialsError(f"The relevance key {source} does not fit: {faults}") from None
