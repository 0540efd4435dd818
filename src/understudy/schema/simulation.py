"""What a rehearsal assumes about people: how able they are, and what a condition does to them."""

from pydantic import Field

from understudy.schema.record import Json, Record
from understudy.schema.ref import Ref


class Effect(Record):
    """A shift of ability where the levels match: log-odds for right answers, standard deviations elsewhere."""

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
    center: float = 0.0
    """Mean of answers on an open scale, before effects."""
    spread: float = Field(default=1.0, gt=0)
    """Standard deviation of answers on an open scale, within a person."""


class CastMember(Record):
    """A share of the simulated people, all of one kind."""

    participant: Ref
    share: float = Field(gt=0)


class Cast(Record):
    """Who comes to a rehearsal."""

    name: str = "mixed"
    members: tuple[CastMember, ...] = Field(min_length=1)
    ability: Ability = Ability()


class Impression(Record):
    """What a simulated person takes the answer to be: right as often as the stated ability says, no more known."""

    answers: Json = {}
    latent: float = 0.0
    """A standard normal number, shifted by person, item and effects: drives answers that have no key."""
