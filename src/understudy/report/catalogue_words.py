"""What a registered name stands for, told by the catalogue itself."""

from collections.abc import Sequence

from understudy import registry
from understudy.errors import UnknownName
from understudy.report.wording import joined
from understudy.schema import Ref


def named(ref: Ref) -> str:
    """Write a reference as its name and parameters.

    >>> named(Ref(name="answer", params={"question": "trust"}))
    '`answer` (question = trust)'
    """
    params = ", ".join(f"{name} = {value}" for name, value in ref.params.items())
    return f"`{ref.name}` ({params})" if params else f"`{ref.name}`"


def explained(catalogue: registry.Catalogue, ref: Ref) -> str:
    """Write a reference with the sentence its catalogue entry has about itself, where there is one."""
    try:
        lines = (registry.entry(catalogue, ref.name).__doc__ or "").strip().splitlines()
    except UnknownName:
        return named(ref)
    sentence = lines[0].rstrip(".") if lines else ""
    return f"{named(ref)} ({sentence})" if sentence else named(ref)


def quoted(names: Sequence[str]) -> str:
    """List names of a study as a sentence does.

    >>> quoted(["a", "b"])
    '`a` and `b`'
    """
    return joined([f"`{name}`" for name in names])


def plain(text: str) -> str:
    """Return text of a study for a Markdown line: one line, and nothing that a renderer takes for markup."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
