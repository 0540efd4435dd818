"""Browser modules: finds what the page must load to draw tasks and kinds of explanation of other packages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from understudy.drawing import module_trial
from understudy.errors import MaterialsError
from understudy.prepare.assets import address_of
from understudy.registry import entry
from understudy.roles import HasBrowserModule
from understudy.schema import BrowserModules, Trial, explanation_kinds

_ENDINGS = (".js", ".mjs")
"""Served as scripts; a browser runs no module of another type."""
_MOST_S, _MOST_BYTES = 5, 256 * 2**20
"""What loading a module may take; ours takes milliseconds, and people wait for it on phones."""
_BROWSER = """
const anything = new Proxy(function () {}, {
  get: (_, name) => (name === "then" ? undefined : name === Symbol.toPrimitive ? () => "" : anything),
  set: () => true, has: () => true, apply: () => anything, construct: () => anything,
});
for (const name of "window self document navigator location history screen localStorage sessionStorage indexedDB crypto performance console fetch Request Response Headers AbortController URL URLSearchParams Blob File FileReader FormData TextEncoder TextDecoder Event CustomEvent EventTarget Node Element HTMLElement HTMLCanvasElement HTMLImageElement HTMLInputElement HTMLButtonElement SVGElement Image Audio AudioContext OffscreenCanvas Path2D ImageData DOMParser DOMRect XMLSerializer MutationObserver ResizeObserver IntersectionObserver customElements CSS CSSStyleSheet getComputedStyle matchMedia requestAnimationFrame cancelAnimationFrame requestIdleCallback setTimeout clearTimeout setInterval clearInterval structuredClone Worker MessageChannel WebSocket Intl atob btoa addEventListener removeEventListener devicePixelRatio innerWidth innerHeight".split(" "))
  if (!(name in globalThis)) globalThis[name] = anything;
const helpers = new Proxy({ version: 1, h: anything, svg: anything, freshId: anything, words: anything, prose: anything, page: anything, form: anything, explanation: anything, item: anything }, {
  get(known, name) {
    if (typeof name === "string" && !(name in known)) throw new Error(`understudy has no helper ${name}`);
    return known[name];
  },
});
"""
"""Stands for a page: whatever a module asks of it while it is loaded is there and does nothing."""
_LOOK = """{
  if (module.version !== 1)
    return module.version === undefined
      ? "it exports no version; write: export const version = 1;"
      : `it asks for version ${module.version} of the helpers, and this is version 1`;
  if (typeof module.default !== "function") return "its default export is not a function";
  let drawn;
  try { drawn = module.default(helpers); } catch (error) { return String(error); }
  for (const [part, names, what] of [["tasks", given.tasks, "task"], ["views", given.kinds, "explanation kind"]])
    for (const name of names)
      if (typeof drawn?.[part]?.[name] !== "function") return `it has no function for the ${what} '${name}' among its ${part}`;
  return null;
}"""
"""The same questions that the page asks of a module (frontend/src/extensions/modules.ts)."""


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
    for address, path in files.items():
        _require_drawing(
            path,
            [name for name, drawn_by in modules.tasks.items() if drawn_by == address],
            [name for name, drawn_by in modules.kinds.items() if drawn_by == address],
        )
    return FoundModules(modules, files)


def _require_drawing(path: Path, tasks: Sequence[str], kinds: Sequence[str]) -> None:
    """Load a module without a browser, and refuse one that a participant's page could not load either.

    What its functions do when they draw is seen by `understudy rehearse --browser` alone.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise MaterialsError(f"The browser module {path.name!r} is not a text in UTF-8. Save it as UTF-8.") from None
    trial = module_trial(
        _BROWSER, text, _LOOK, {"tasks": tasks, "kinds": kinds}, most_s=_MOST_S, most_bytes=_MOST_BYTES
    )
    found = trial.fault or (None if trial.found is None else str(trial.found))
    if found is not None:
        raise MaterialsError(
            f"The browser module {str(path)!r} cannot be used: {found}. Correct the file or update its package."
        )


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
