"""Lookup: who a link names, by the recruiters that are installed."""

import unicodedata
from collections.abc import Mapping
from typing import cast

from understudy.registry import create, entries, entry, names
from understudy.roles import Recruiter
from understudy.schema import Study


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
    return next((said for name in id_parameters() if (said := without_unseen(fields.get(name, "")))), None)


def without_unseen(text: str) -> str:
    """Return a text without what nobody sees: a link copied with a space at its end names the same person."""
    return "".join(letter for letter in text if unicodedata.category(letter)[0] != "C").strip()


def takes_signed_links(study: Study) -> bool:
    """Tell whether people of a study can come by links that we sign; most platforms make the links themselves."""
    if study.recruitment is None:
        return True
    recruiter: Recruiter = create("recruiters", study.recruitment.recruiter)
    n_missing = {
        links: len(
            recruiter.missing_from(
                study.model_copy(update={"access": study.access.model_copy(update={"links": links})})
            )
        )
        for links in ("open", "signed")
    }
    return n_missing["signed"] <= n_missing["open"]
