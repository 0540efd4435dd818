"""Text for references to catalogue entries."""

from collections.abc import Sequence

from understudy import registry
from understudy.errors import UnknownName
from understudy.report.wording import joined
from understudy.roles import HasModelRule
from understudy.schema import Ref


def named(ref: Ref) -> str:
    """Return a reference as its name and parameters.

    >>> named(Ref(name="answer", params={"question": "trust"}))
    '`answer` (question = trust)'
    """
    params = ", ".join(f"{name} = {value}" for name, value in ref.params.items())
    return f"`{ref.name}` ({params})" if params else f"`{ref.name}`"


def explained(catalogue: registry.Catalogue, ref: Ref) -> str:
    """Return a reference with the first sentence of its catalogue entry's docstring, if it has one."""
    try:
        lines = (registry.entry(catalogue, ref.name).__doc__ or "").strip().splitlines()
    except UnknownName:
        return named(ref)
    sentence = lines[0].rstrip(".") if lines else ""
    return f"{named(ref)} ({sentence})" if sentence else named(ref)


def estimand(analysis: Ref) -> str:
    """Return what an analysis estimates; empty if its entry does not say.

    >>> estimand(Ref(name="nothing_of_this_name"))
    ''
    """
    try:
        return str(getattr(registry.entry("analyses", analysis.name), "estimand", ""))
    except UnknownName:
        return ""


def model_rule(analysis: Ref) -> str:
    """Return when an analysis fits a simpler model than planned, and which; empty if it does not.

    >>> model_rule(Ref(name="nothing_of_this_name"))
    ''
    """
    try:
        entry = registry.entry("analyses", analysis.name)
    except UnknownName:
        return ""
    return entry.model_rule if isinstance(entry, HasModelRule) else ""


def quoted(names: Sequence[str]) -> str:
    """Return names in code style, joined as in a sentence.

    >>> quoted(["a", "b"])
    '`a` and `b`'
    """
    return joined([f"`{name}`" for name in names])


def plain(text: str) -> str:
    """Return text for Markdown on one line, with HTML escaped."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
