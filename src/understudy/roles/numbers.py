"""Fit: what an analysis says about the data it can take, and what a plan says about the data it will have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from understudy.schema import Scale


@dataclass(frozen=True)
class Fit:
    """What an analysis can take; a plan that offers anything else is refused before data exist."""

    scales: frozenset[Scale]
    unit: Literal["participant", "trial", "either"] = "participant"
    factor: Literal["none", "between", "within", "any", "optional"] = "none"
    """What the compared factor must be: none allowed, between people, within people, any of these."""
    n_levels: Literal["two", "many", "any"] = "any"
    crossed_with: Literal["none", "within", "optional"] = "none"
    """What the second factor must be: none allowed, within people, or any or none."""
    needs: frozenset[Literal["against", "other", "item"]] = frozenset()
    reads: tuple[tuple[str, str | None], ...] = ()
    """Further factors that its parameters name, each with the level they name, if any."""
    directions: frozenset[str] = frozenset({"greater", "less", "different"})
    rows: Literal["contrasted", "all"] = "contrasted"
    """all: the rows of every level of the factor, also of those outside the contrast."""
    other_scales: frozenset[Scale] | None = None
    """The scales of the second outcome. Default: any."""
    covariates: tuple[str, ...] = ()
    """Further outcomes that its parameters name, which become columns of the table."""


@dataclass(frozen=True)
class PlannedData:
    """What is known about the rows of a hypothesis before data exist."""

    scale: Scale
    unit: Literal["participant", "trial"]
    scopes: Mapping[str, str]
    """What each factor varies over: between, within, item or question."""
    has_items: bool
