"""Lookup: who a link names, by the recruiters that are installed."""

from collections.abc import Mapping
from typing import cast

from understudy.registry import entries, entry, names
from understudy.roles import Recruiter


def id_parameters() -> tuple[str, ...]:
    """Return every parameter by which some recruiter names people, in the order they are looked for."""
    recruiters: list[type[Recruiter]] = [*entries("recruiters")]
    return tuple(dict.fromkeys(name for recruiter in recruiters for name in recruiter.id_parameters))


def recruiter_of_parameter() -> dict[str, str]:
    """Return which recruiter uses each parameter."""
    recruiters = {name: cast("type[Recruiter]", entry("recruiters", name)) for name in names("recruiters")}
    return {parameter: name for name, recruiter in recruiters.items() for parameter in recruiter.id_parameters}


def recruiter_id_of(fields: Mapping[str, str]) -> str | None:
    """Return what a recruiter calls somebody; None when no parameter of the link says it."""
    return next((fields[name] for name in id_parameters() if fields.get(name)), None)
