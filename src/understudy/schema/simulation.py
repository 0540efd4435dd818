"""Simulation: what a rehearsal assumes about people's ability and about the effects of conditions."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, SkipValidation

from understudy.schema.events import Event
from understudy.schema.record import Json, Record, Ref

# Walks for previews: what a simulated person met in each condition, so that every page can be shown as it comes.


class PreviewWalk(Record):
    """The session of one simulated person in one condition; it is in no log."""

    condition: str
    events: tuple[Event, ...]


class PreviewWalks(Record):
    """One walk through each condition of one version of a study."""

    study_digest: str
    walks: tuple[PreviewWalk, ...]


class Effect(Record):
    """A shift of ability for matching levels: in log-odds for right answers, otherwise in standard deviations."""

    when: dict[str, str | tuple[str, ...]] = {}
    blocks: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    shift: float


class Ability(Record):
    """How often an impression of the right answer is right, and how people and items differ."""

    accuracy: float = Field(default=0.75, gt=0, lt=1)
    effects: tuple[Effect, ...] = ()
    person_sd: float = Field(default=0.0, ge=0)
    item_sd: float = Field(default=0.0, ge=0)
    person_slope_sd: float = Field(default=0.0, ge=0)
    """How much people differ in what a condition does to them: the standard deviation of each effect over people."""
    item_slope_sd: float = Field(default=0.0, ge=0)
    """How much items differ in what a condition does to them."""
    center: float = 0.0
    """Mean of answers on an open scale, before effects."""
    spread: float = Field(default=1.0, gt=0)
    """Standard deviation of answers on an open scale, within a person."""


class CastMember(Record):
    """A share of the simulated people, all of one kind."""

    participant: Ref
    share: float = Field(gt=0)


class Cast(Record):
    """The simulated people of a rehearsal."""

    name: str = "mixed"
    members: tuple[CastMember, ...] = Field(min_length=1)
    dealing: Literal["drawn", "in_turn"] = "drawn"
    """drawn: each person's kind is drawn with its share as probability; in_turn: the kinds follow one another in every
    condition, as often as their shares, so that each condition gets each kind."""
    ability: Ability = Ability()


class Impression(Record):
    """What a simulated person believes the answer to be, right as often as the stated ability says."""

    answers: Json = {}
    """Question id -> what the right answer seems to be, where there is one."""
    latents: dict[str, float] = {}
    """Question id -> a standard normal number, shifted by person, item and effects, where there is no key."""
    center: float = 0.0
    spread: float = 1.0
    """What a latent of 0, and a step of 1, mean on an open scale."""
    n_seen: int = 0
    """How many trials of this task the person has answered before."""
    n_in_stage: int = 0
    """How many trials of this stage, with the same model before them, the person has answered before."""
    pictures: SkipValidation[Mapping[str, bytes]] = Field(default_factory=dict, exclude=True)
    """Content address -> the bytes of a picture that the explanation on the page shows, in reading order."""


class PowerPoint(Record):
    """How often a hypothesis was supported at one size and one effect, with the Monte Carlo error of that share.

    An effect opposite to the claim does not count.
    """

    hypothesis_id: str
    quota: int
    """Completed participants in each condition."""
    effect: float
    """In the direction that the hypothesis claims; without one, and about other factors, upwards."""
    power: float
    standard_error: float
    low: float
    high: float
    """The 95 % Wilson interval of the share."""
    n_simulations: int
    mean_recruited: float
    """How many simulated people had to come, dropouts and excluded ones included."""
    n_items: int | None = None
    """Items in each set of the main stages; absent where the study's own numbers were kept."""
    mean_cost: float | None = None
    """What all simulated people were paid by the study's rule, bonus included; absent without pay."""
