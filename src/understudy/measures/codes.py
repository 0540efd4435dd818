"""Codes: what annotators said about a person's texts, as measures that plans and exclusions read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from understudy.measures.measured_unit import SessionMeasure
from understudy.registry import register
from understudy.schema import CodesGiven, CodesSettled, Event, Json, Scale


@dataclass
class UnitCodes:
    """What was said about one text: the last word of each annotator, and the decision where there is one."""

    given: dict[str, CodesGiven] = field(default_factory=dict)
    """Annotator -> their last codes; people who took theirs back are left out."""
    settled: CodesSettled | None = None
    n_revisions: dict[str, int] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether as many people have coded the text as should."""
        return bool(self.given) and len(self.given) >= max(event.n_wanted for event in self.given.values())

    @property
    def agreed(self) -> tuple[str, ...] | None:
        """The codes that count: those decided upon, or those that everybody gave; None while neither is known."""
        if self.settled is not None:
            return self.settled.codes
        found = {tuple(sorted(event.codes or ())) for event in self.given.values()}
        return found.pop() if self.is_complete and len(found) == 1 else None

    def says(self, codes: Iterable[str]) -> bool | None:
        """Tell whether the text has one of the codes; None while annotators disagree about this or are not done."""
        wanted = frozenset(codes)
        if self.settled is not None:
            return not wanted.isdisjoint(self.settled.codes)
        found = {not wanted.isdisjoint(event.codes or ()) for event in self.given.values()}
        return found.pop() if self.is_complete and len(found) == 1 else None


def fold_codes(units: dict[str, UnitCodes], event: CodesGiven | CodesSettled) -> None:
    """Add one event to what is known about its text."""
    known = units.setdefault(event.unit_id, UnitCodes())
    if isinstance(event, CodesSettled):
        known.settled = event
        return
    known.n_revisions[event.annotator] = event.revision
    if event.codes is None:
        known.given.pop(event.annotator, None)
    else:
        known.given[event.annotator] = event
    # The decision was about what annotators had said before, so that a change asks for another.
    known.settled = None


def codes_in(
    events: Iterable[Event], scheme_id: str, phase: Literal["open", "closed"] = "closed"
) -> dict[str, UnitCodes]:
    """Return what was said about each text by a coding scheme, by the text's mark."""
    units: dict[str, UnitCodes] = {}
    for event in events:
        match event:
            case CodesGiven(scheme_id=read, phase=given_in) if (read, given_in) == (scheme_id, phase):
                fold_codes(units, event)
            case CodesSettled(scheme_id=read) if (read, "closed") == (scheme_id, phase):
                fold_codes(units, event)
    return units


class _OfScheme(SessionMeasure):
    scheme: str
    """The coding scheme, as the study's annotation part names it."""

    @property
    def scheme_id(self) -> str:
        """The coding scheme."""
        return self.scheme

    @property
    def read_codes(self) -> tuple[str, ...]:
        """The codes that the measure asks for; empty for all."""
        return ()


class _OfCodes(_OfScheme):
    codes: tuple[str, ...]

    @property
    def read_codes(self) -> tuple[str, ...]:
        """The codes that the measure asks for."""
        return self.codes

    def said(self, events: Sequence[Event]) -> list[bool | None]:
        """Tell of each text of the person whether it has one of the codes; None for those that are not decided yet."""
        units = codes_in(events, self.scheme).values()
        n_units = max((event.n_units for unit in units for event in unit.given.values()), default=0)
        return [unit.says(self.codes) for unit in units] + [None] * (n_units - len(units))


@register("measures", "coded")
class Coded(_OfCodes):
    """1 if a text of the person has one of the codes, 0 if none has, by what annotators agreed or decided on."""

    scale: ClassVar[Scale] = "binary"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return whether a text has a code; None while it is open, or if nobody coded a text of the person."""
        said = self.said(events)
        if True in said:
            return 1.0
        return None if None in said or not said else 0.0


@register("measures", "n_coded")
class NumberCoded(_OfCodes):
    """How many texts of the person have one of the codes, by what annotators agreed or decided on."""

    scale: ClassVar[Scale] = "count"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number; None while a text is open, or if nobody coded a text of the person."""
        said = self.said(events)
        return None if None in said or not said else float(said.count(True))


@register("measures", "settled_code")
class SettledCode(_OfScheme):
    """The code of the person's text, by what annotators agreed or decided on; for texts with one code each."""

    scale: ClassVar[Scale] = "nominal"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the code; None while it is open, or if the person's texts have different codes."""
        agreed = {unit.agreed for unit in codes_in(events, self.scheme).values()}
        found = agreed.pop() if len(agreed) == 1 else None
        return found[0] if found is not None and len(found) == 1 else None
