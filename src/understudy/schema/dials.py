"""Dials: the controls of a generative model, and the card that describes a decoder."""

from math import isfinite
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from understudy.schema.record import Json, Record


class Dial(Record):
    """One dimension of a representation: a range to move in, or options to choose from."""

    name: str = ""
    """The name of the dimension. Shown only if a study says so, since it would give the answer away."""
    kind: Literal["continuous", "periodic", "discrete"] = "continuous"
    low: float = 0.0
    high: float = 1.0
    options: tuple[str, ...] = ()
    """The categories of a discrete dial; the decoder takes one number for each, 1 for the chosen one."""
    group: str = ""
    """Dials of one group are drawn together, if there are many dials."""

    @model_validator(mode="after")
    def _has_a_range(self) -> "Dial":
        if self.kind == "discrete" and len(self.options) < 2:
            raise ValueError(f"discrete dial {self.name!r} has {len(self.options)} options. Give at least two.")
        if self.kind != "discrete" and self.options:
            raise ValueError(f"dial {self.name!r} is {self.kind} and has options. Make it discrete, or drop them.")
        if self.kind != "discrete" and self.low >= self.high:
            raise ValueError(f"dial {self.name!r} runs from {self.low:g} to {self.high:g}. Make low the smaller one.")
        return self

    @property
    def n_inputs(self) -> int:
        """How many numbers of a code belong to the dial."""
        return len(self.options) if self.kind == "discrete" else 1

    @property
    def width(self) -> float:
        """The length of the range; a choice counts as one width."""
        return 1.0 if self.kind == "discrete" else self.high - self.low


class DecoderCard(Record):
    """What is known about a decoder besides its weights."""

    format: Literal[1] = 1
    name: str
    view: str = "image"
    """How an output is drawn: image, line, or the name of another view."""
    shape: tuple[int, ...]
    """Rows and columns of an image, or the number of points of a line."""
    limits: tuple[float, float] = (0.0, 1.0)
    """The values drawn as black and white, or as the bottom and the top of a chart."""
    dials: tuple[Dial, ...] = Field(min_length=1)
    """In the order of the decoder's inputs."""
    codes: tuple[tuple[float, ...], ...] = ()
    """Codes of held-out instances, from which starts and targets are drawn. Never served."""
    percentiles: dict[str, tuple[float, ...]] = {}
    """Percentile -> the value of each input over the held-out codes."""
    provenance: Json = {}
    """Recipe, seed, software, data, and held-out error."""

    @property
    def n_inputs(self) -> int:
        """The length of a code."""
        return sum(dial.n_inputs for dial in self.dials)

    @property
    def n_outputs(self) -> int:
        """The length of an output."""
        n = 1
        for size in self.shape:
            n *= size
        return n


def code_fault(dials: tuple[Dial, ...], code: JsonValue) -> str | None:
    """Return why a value is not a code of these dials, or None."""
    wanted = sum(dial.n_inputs for dial in dials)
    if not isinstance(code, list) or len(code) != wanted:
        return f"a code has {wanted} numbers"
    if not all(
        isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number) for number in code
    ):
        return "a code holds finite numbers only"
    numbers = [float(number) for number in code]  # type: ignore[arg-type]
    start = 0
    for number, dial in enumerate(dials, start=1):
        part = numbers[start : start + dial.n_inputs]
        start += dial.n_inputs
        if dial.kind == "discrete":
            if sorted(part) != [0.0] * (len(part) - 1) + [1.0]:
                return f"dial {number} chooses exactly one of {len(part)} options"
        elif not dial.low <= part[0] <= dial.high:
            return f"dial {number} lies between {dial.low:g} and {dial.high:g}"
    return None
