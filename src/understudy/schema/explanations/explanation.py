"""Explanation: the base of every kind, the register of kinds, and the reader that turns JSON into the right one."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, SerializeAsAny

from understudy.schema.record import Record

_KINDS: dict[str, type["Explanation"]] = {}


class Explanation(Record):
    """An explanation of one prediction or of a whole model, as data and not as a picture.

    A kind is a subclass whose field `kind` is a literal with a default; defining it registers it. The browser has one
    view for each kind, so that a study compares methods and not artwork.
    """

    kind: str

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register the new kind."""
        super().__pydantic_init_subclass__(**kwargs)
        name = cls.model_fields["kind"].default
        if not isinstance(name, str):
            raise TypeError(f"{cls.__name__} has no kind. Give it one: kind: Literal['name'] = 'name'.")
        taken = _KINDS.get(name)
        # A notebook defines its classes again and again under the same name; a second owner is a mistake.
        if taken is not None and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"The explanation kind {name!r} is taken by {taken.__module__}.{taken.__qualname__}.")
        _KINDS[name] = cls

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The classes that this is about; empty if it names none."""
        return ()

    def other_class(self, answer: str, *, unnamed: str = "") -> str | None:
        """Return the class that this is about, if that is not the answer; `unnamed` is the class behind one that names none."""
        about = self.named_classes or ((unnamed,) if unnamed else ())
        return about[0] if about and answer not in about else None

    def with_options(self, others: Sequence["Explanation"]) -> "Explanation | None":
        """Return this and others as one explanation of numbered options, if the kind has a form of its own for that."""
        return None


def explanation_kinds() -> Mapping[str, type[Explanation]]:
    """Return every known kind by its name."""
    return dict(_KINDS)


def explanation_from_json(value: Any) -> Any:
    """Read an explanation as the kind it names; leave anything else for pydantic to refuse.

    Version 0.1.0 wrote `{"kind": ..., "payload": {...}}`; such files are still read.
    """
    if isinstance(value, Explanation) or not isinstance(value, Mapping):
        return value
    name = value.get("kind")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(
            f"the explanation kind {name!r} is not known. Known kinds are: {', '.join(sorted(_KINDS))}. "
            "Install the package that brings it."
        )
    payload = value.get("payload")
    return kind.model_validate({"kind": name, **payload} if isinstance(payload, Mapping) else dict(value))


AnyExplanation: TypeAlias = Annotated[SerializeAsAny[Explanation], BeforeValidator(explanation_from_json)]
"""An explanation of any kind, as a field of another record."""


# Alternatives: what speaks for each of several classes, one explanation a class, without saying which is which.


class Alternatives(Explanation):
    """One explanation for each option, in the order of the options' numbers."""

    kind: Literal["alternatives"] = "alternatives"
    options: tuple[AnyExplanation, ...] = Field(min_length=2)


def explanation_of_options(explanations: Sequence[Explanation]) -> Explanation:
    """Return one explanation of all options: in the form that their kind has for that, or side by side."""
    first, *others = explanations
    return first.with_options(others) or Alternatives(options=tuple(explanations))


# Several: the explanations of more than one method, side by side.


class Several(Explanation):
    """Explanations of one prediction in the order in which they are shown."""

    kind: Literal["several"] = "several"
    parts: tuple[AnyExplanation, ...] = Field(min_length=1)
