"""Prepared: the public materials, the answer key, and the files behind them, in memory and in a folder."""

import hashlib
import os
import shlex
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from understudy.drawing import module_trial
from understudy.errors import MaterialsError
from understudy.prepare.assets import address_of
from understudy.prepare.bindings import item_set_of
from understudy.prepare.explaining import Explaining
from understudy.prepare.trials import Workbench, make_screen, make_stage
from understudy.registry import entry, load_extensions
from understudy.roles import HasBrowserModule
from understudy.schema import (
    AnswerKey,
    BrowserModules,
    Materials,
    Screen,
    Stage,
    Study,
    Trial,
    blocks_in,
    canonical_json,
    explanation_kinds,
    files_named_in,
    json_from_record,
)
from understudy.sources.pictures import FORMATS

# Browser modules: finds what the page must load to draw tasks and kinds of explanation of other packages.

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


# Picture sizes: make the files of items equally long where their length could tell right from wrong predictions.
#
# A photo that a model gets wrong is often plainer or busier than others, and its file shorter or longer; so are the
# prototypes and examples next to it. People who look at the files that a page loads must learn nothing that the page does
# not say (decision 42).

_PNG = b"\x89PNG\r\n\x1a\n"
_STARTS = (_PNG, b"\xff\xd8\xff", b"GIF8", b"RIFF")
"""How files of PNG, JPEG, GIF and WebP pictures begin."""
_END = 12
"""Bytes of the last chunk of a PNG file."""
_CHUNK = b"fiLl"
"""Ancillary, private and safe to copy, by the case of its letters: programs that read PNG files skip it."""


class LevelledPictures(NamedTuple):
    """Trials and files, with padded files under their new addresses."""

    trials: dict[str, Trial]
    files: dict[str, Path | bytes]


def with_equal_sizes(study: Study, trials: Mapping[str, Trial], files: Mapping[str, Path | bytes]) -> LevelledPictures:
    """Pad the pictures of pages whose items are chosen by whether the model is right to one length.

    Files of the item and of its explanation alike; what remains is how many pictures a page has, which anybody sees.
    """
    blocks = {
        block.block_id
        for block in blocks_in(study.flow)
        if isinstance(block, Stage) and _is_chosen_by_truth(study, block)
    }
    judged = [trial for trial in trials.values() if trial.block_id in blocks]
    known = frozenset(files)
    shown = {address for trial in judged for address in files_named_in(trial, known)}
    contents = {address: _content(files[address]) for address in sorted(shown) if Path(address).suffix in FORMATS}
    renamed = {old: (_address(padded, Path(old).suffix), padded) for old, padded in _padded(contents).items()}
    if not renamed:
        return LevelledPictures(dict(trials), dict(files))
    kept = {address: file for address, file in files.items() if address not in renamed}
    addresses = {old: new for old, (new, _) in renamed.items()}
    return LevelledPictures(
        {trial_id: _readdressed(trial, addresses, known) for trial_id, trial in trials.items()},
        {**kept, **dict(renamed.values())},
    )


def _is_chosen_by_truth(study: Study, stage: Stage) -> bool:
    item_set = item_set_of(study, stage)
    return item_set is not None and "model_is" in (*item_set.strata, *item_set.only)


def _content(file: Path | bytes) -> bytes:
    return file if isinstance(file, bytes) else file.read_bytes()


def _padded(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    pictures = {address: content for address, content in contents.items() if content.startswith(_STARTS)}
    if len({len(content) for content in pictures.values()}) < 2:
        return {}
    # Room for an empty chunk in the longest file, so that all PNG files have one.
    size = max(len(content) for content in pictures.values()) + len(_chunk(0))
    return {address: _with_size(content, size) for address, content in pictures.items()}


def _with_size(content: bytes, size: int) -> bytes:
    if not content.startswith(_PNG):
        # Readers of the other formats stop at the end that the file itself declares, and ignore what follows.
        return content + bytes(size - len(content))
    return content[:-_END] + _chunk(size - len(content) - len(_chunk(0))) + content[-_END:]


def _chunk(n: int) -> bytes:
    data = _CHUNK + bytes(n)
    return n.to_bytes(4, "big") + data + zlib.crc32(data).to_bytes(4, "big")


def _address(content: bytes, suffix: str) -> str:
    return f"{hashlib.sha256(content).hexdigest()}{suffix}"


def _readdressed(trial: Trial, addresses: Mapping[str, str], known: Iterable[str]) -> Trial:
    named = {*files_named_in(trial, frozenset(known))} & addresses.keys()
    if not named:
        return trial
    text = canonical_json(json_from_record(trial))
    for address in named:
        text = text.replace(address, addresses[address])
    return Trial.model_validate_json(text)


class Prepared(NamedTuple):
    """A study ready to be carried out."""

    study: Study
    materials: Materials
    key: AnswerKey
    files: dict[str, Path | bytes]
    """Content address -> the file to serve under it, or its bytes where preparing made them."""


def prepare(study: Study, root: Path, explaining: Explaining = Explaining()) -> Prepared:  # noqa: B008, it is frozen
    """Compute everything a study shows; the same study and seed always give the same bytes.

    `root` is the folder of the study file, where its assets lie; `explaining` says how explanations are computed and
    where they are kept, which changes nothing about them.
    """
    bench = Workbench(study, root, explaining)
    for block in blocks_in(study.flow):
        if isinstance(block, Screen):
            make_screen(bench, block)
        else:
            make_stage(bench, block)
    drawing = modules_for(bench.trials.values())
    levelled = with_equal_sizes(study, bench.trials, {**bench.files, **drawing.files})
    digest = study.digest
    materials = Materials(
        study_digest=digest,
        trials=levelled.trials,
        trial_sets=tuple(bench.trial_sets),
        assets=tuple(sorted(levelled.files)),
        modules=drawing.modules,
    )
    key = AnswerKey(
        study_digest=digest, answers=bench.answers, reasons=bench.reasons, strata=bench.strata, truth=bench.truth
    )
    return Prepared(study, materials, key, dict(sorted(levelled.files.items())))


# The folder of a prepared study: only `public/` may be served.


def write_prepared(prepared: Prepared, folder: Path) -> Path:
    """Write study, materials, key and assets; the same prepared study always writes the same bytes."""
    public = folder / "public"
    # Files of an earlier preparation must not stay public.
    shutil.rmtree(public, ignore_errors=True)
    (public / "assets").mkdir(parents=True, exist_ok=True)
    # The folder will hold the answer key, what people answer and who they are.
    folder.chmod(0o700)
    for address, source in prepared.files.items():
        if isinstance(source, bytes):
            (public / "assets" / address).write_bytes(source)
        else:
            shutil.copyfile(source, public / "assets" / address)
    (public / "materials.json").write_text(canonical_json(json_from_record(prepared.materials)), encoding="utf-8")
    _write_private(folder / "answers.json", canonical_json(json_from_record(prepared.key)))
    (folder / "study.json").write_text(canonical_json(json_from_record(prepared.study)), encoding="utf-8")
    return folder


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from the moment it exists."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    path.chmod(0o600)


def read_prepared(folder: Path) -> Prepared:
    """Read a folder that `write_prepared` wrote, and check that its files belong together."""
    # Materials name kinds of explanations, which a package may bring that nobody has asked for yet.
    load_extensions()
    if folder.is_file():
        raise MaterialsError(
            f"{folder} is a file. Give the folder that understudy prepare or understudy rehearse wrote."
        )
    if not folder.exists():
        raise MaterialsError(
            f"There is no folder {folder}. Check the path, or prepare a study there: "
            f"understudy prepare STUDY --out {shlex.quote(str(folder))}"
        )
    try:
        study = Study.model_validate_json((folder / "study.json").read_text(encoding="utf-8"))
        materials = Materials.model_validate_json((folder / "public" / "materials.json").read_text(encoding="utf-8"))
        key = AnswerKey.model_validate_json((folder / "answers.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MaterialsError(
            f"{error.filename} is missing, so {folder} is not a prepared study. "
            f"Run: understudy prepare STUDY --out {shlex.quote(str(folder))}"
        ) from None
    except (ValidationError, UnicodeDecodeError):
        raise MaterialsError(
            f"The files in {folder} are damaged. Prepare the study again: understudy prepare STUDY --out {shlex.quote(str(folder))}"
        ) from None
    if not study.digest == materials.study_digest == key.study_digest:
        raise MaterialsError(f"The files in {folder} belong to different versions of the study. Prepare it again.")
    assets = folder / "public" / "assets"
    return Prepared(study, materials, key, {address: assets / address for address in materials.assets})
