"""Browser modules: finds what the page must load to draw tasks and kinds of explanation of other packages."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from understudy.errors import MaterialsError
from understudy.prepare.assets import address_of
from understudy.registry import entry
from understudy.roles import HasBrowserModule
from understudy.schema import BrowserModules, Trial, explanation_kinds

_ENDINGS = (".js", ".mjs")
"""Served as scripts; a browser runs no module of another type."""


class FoundModules(NamedTuple):
    """The modules that some trials need, and the files behind them."""

    modules: BrowserModules
    files: dict[str, Path]


def modules_for(trials: Iterable[Trial]) -> FoundModules:
    """Return the module of every task and every kind of explanation that the trials show, where it has one."""
    shown = list(trials)
    tasks = {name: entry("tasks", name) for name in sorted({trial.task for trial in shown})}
    drawn = {name: made for name, made in explanation_kinds().items() if isinstance(made, HasBrowserModule)}
    # Most studies use kinds of our own alone; theirs are not searched.
    kinds = {name: drawn[name] for name in sorted(_kinds_in(shown) & drawn.keys())} if drawn else {}
    files: dict[str, Path] = {}

    def addressed(what: str, owners: Mapping[str, Any]) -> dict[str, str]:
        addresses: dict[str, str] = {}
        for name, owner in owners.items():
            if isinstance(owner, HasBrowserModule):
                path = _checked(owner.browser_module, f"{what} {name!r}")
                addresses[name] = address_of(path)
                files[addresses[name]] = path
        return addresses

    modules = BrowserModules(tasks=addressed("The task", tasks), kinds=addressed("The explanation kind", kinds))
    return FoundModules(modules, files)


def _kinds_in(trials: Iterable[Trial]) -> set[str]:
    """Find the kinds of explanations of trials, also inside others, and of examples that a page shows."""
    return {
        kind
        for trial in trials
        for value in (trial.params, None if trial.explanation is None else trial.explanation.model_dump())
        for kind in _kinds_named(value)
    }


def _kinds_named(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("kind"), str):
            yield value["kind"]
        for part in value.values():
            yield from _kinds_named(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _kinds_named(part)


def _checked(path: Path, owner: str) -> Path:
    if path.suffix.lower() not in _ENDINGS:
        raise MaterialsError(f"{owner} is drawn by {path.name!r}, which is not a JavaScript file. Name a .js file.")
    if not path.is_file():
        raise MaterialsError(
            f"{owner} is drawn by {str(path)!r}, which is not there. Install its package with its JavaScript file."
        )
    return path
