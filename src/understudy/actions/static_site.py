"""Export a folder that runs the study from any web host, and store the assignments drawn for it."""

import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from understudy.actions.run_folder import Run
from understudy.errors import MaterialsError, StudyError, UnderstudyError
from understudy.record.log import now_ms
from understudy.schema import Assignment, Record
from understudy.schema.wire import StaticManifest
from understudy.serve.arrivals import counted_from_log
from understudy.serve.public_study import PublicStudy
from understudy.serve.site_routes import page_name
from understudy.serve.static_export import PlaceWriter, drawn_assignments
from understudy.serve.static_needs import Needs, Sealer, needs_of
from understudy.serve.wire import PLAIN, WireNames, written

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'{post}; object-src 'none'; base-uri 'none'; form-action 'none'"
)


class Places(Record):
    """The assignments drawn for static pages; they stay in the run folder because they name conditions."""

    format: Literal[1] = 1
    study_digest: str
    places: dict[str, Assignment]
    keys: dict[str, str] = {}
    """What the names of blocks and trials on each page are made with; folders of earlier versions used the study's."""
    made_ms: dict[str, int] = {}
    """When the page of each place was exported: nobody can have begun before."""

    def names_of(self, place: str, blocks: Collection[str]) -> WireNames:
        """Return what blocks and trials are called on the page of a place."""
        key = self.keys.get(place)
        return PLAIN if key is None else WireNames(bytes.fromhex(key), place, blocks)


class StaticOptions(NamedTuple):
    """Options of the exported pages."""

    n_sessions: int | None = None
    """Sessions to draw; None for as many as the study still needs."""
    post: str | None = None
    """The address that receives the data; None to save a file instead."""
    redirect: str | None = None
    """Where participants go at the end."""
    reveals: bool = False
    """Whether the folder may contain correct answers in plain text."""


def static_folder(
    run: Run, folder: Path, *, web: Path, options: StaticOptions, token: Callable[[int], bytes] = secrets.token_bytes,
    clock: Callable[[], int] = now_ms,
) -> int:  # fmt: skip
    """Write the folder and return how many sessions were drawn for it; an error leaves nothing behind."""
    needs = needs_of(run.script)
    _check_exportable(run, needs, options)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UnderstudyError(f"{folder} is not empty, and an export never mixes with other files; name a new folder.")
    drawn = _drawn(run, options, token)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".static-") as temporary:
        root = Path(temporary) / "site"
        _write_pages(root, web, options.post, run.script.study.language)
        (root / "media").mkdir()
        for address, source in run.prepared.files.items():
            target = root / "media" / address
            if isinstance(source, bytes):
                target.write_bytes(source)
            else:
                shutil.copyfile(source, target)
        public = PublicStudy(run.script.study, run.prepared.materials)
        writer = PlaceWriter(run.script, public, needs, reveals=options.reveals)
        keys = {name: token(32).hex() for name in drawn}
        made_ms = dict.fromkeys(drawn, clock())
        places = Places(study_digest=run.script.digest, places=drawn, keys=keys, made_ms=made_ms)
        _write_places(root, writer, places, token)
        _write_manifest(root, writer, list(drawn), options)
        # The list is stored first: without it, results of the folder could never be collected.
        _remember(run, places)
        if folder.exists():
            folder.rmdir()
        root.rename(folder)
    return len(drawn)


def places_of(run: Run) -> Places:
    """Return all assignments drawn for this version of the study."""
    try:
        stored = Places.model_validate_json(_places_file(run).read_bytes())
    except FileNotFoundError:
        return Places(study_digest=run.script.digest, places={})
    except ValidationError:
        raise MaterialsError(f"{_places_file(run)} is damaged; put back the copy that belongs to the export.") from None
    if stored.study_digest != run.script.digest:
        return Places(study_digest=run.script.digest, places={})
    return stored


def _check_exportable(run: Run, needs: Needs, options: StaticOptions) -> None:
    faults = list(needs.impossible)
    if needs.revealing and not options.reveals:
        faults.append(
            f"{run.script.study.name!r} needs right answers while people take part, for {_listed(needs.revealing)}. "
            "A folder without a server would have to hold them in clear: take that out of the study, use understudy "
            "serve, or add --reveal-answers if people may read them."
        )
    if options.post is not None and not re.fullmatch(r"https?://[^\s'\"<>;,]+", options.post):
        faults.append(f"--post is {options.post!r}; give an address that begins with https:// and holds no blanks.")
    if options.redirect is not None and "{code}" in options.redirect:
        faults.append(
            "The completion address asks for {code}, which only a server can make; write the recruiter's own code in."
        )
    if faults:
        raise StudyError(faults)


def _listed(parts: tuple[str, ...]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _drawn(run: Run, options: StaticOptions, token: Callable[[int], bytes]) -> dict[str, Assignment]:
    study = run.script.study
    issued = places_of(run).places
    with run.open_log() as log:
        ledger = counted_from_log(log, study, run.script.digest, is_rehearsal=False, heard_ms=0).ledger
    n_free = sum(max(0, place.quota - place.n_held) for place in ledger.places())
    n = options.n_sessions or n_free
    if n == 0:
        raise StudyError([f"All places of {study.name!r} are taken; say with --sessions how many more to draw."])
    first = max([ledger.n_arrivals, *(assignment.arrival + 1 for assignment in issued.values())])
    return {_name(token): assignment for assignment in drawn_assignments(ledger, n, first_arrival=first)}


def _name(token: Callable[[int], bytes]) -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in token(12))


def _remember(run: Run, drawn: Places) -> None:
    stored = places_of(run)
    places = Places(
        study_digest=stored.study_digest,
        places={**stored.places, **drawn.places},
        keys={**stored.keys, **drawn.keys},
        made_ms={**stored.made_ms, **drawn.made_ms},
    )
    draft = _places_file(run).with_suffix(".part")
    draft.write_text(places.model_dump_json(), encoding="utf-8")
    draft.replace(_places_file(run))


def _places_file(run: Run) -> Path:
    return run.folder / "places.json"


def _write_places(root: Path, writer: PlaceWriter, drawn: Places, token: Callable[[int], bytes]) -> None:
    (root / "sessions").mkdir()
    for name, assignment in drawn.places.items():
        names = drawn.names_of(name, writer.script.blocks)
        place = writer.place(name, assignment, Sealer(token(16)), names=names)
        (root / "sessions" / f"{name}.json").write_bytes(written(place))


def _write_manifest(root: Path, writer: PlaceWriter, names: list[str], options: StaticOptions) -> None:
    manifest = StaticManifest(
        study=writer.public.heading,
        places=tuple(names),
        needs_seals=bool(writer.needs.sealed) and not writer.reveals,
        post=options.post,
        redirect=options.redirect,
    )
    (root / "manifest.json").write_bytes(written(manifest))


def _write_pages(root: Path, web: Path, post: str | None, language: str) -> None:
    """Write the player's page for any host, with relative addresses and a policy, and a second page for JATOS."""
    (root / "assets").mkdir(parents=True)
    name = page_name(language, lambda page: (web / page).is_file())
    shell = (web / name).read_text(encoding="utf-8")
    for name in _scripts_of(web / "assets", re.findall(r'"/static/([^"]+)"', shell)):
        shutil.copyfile(web / "assets" / name, root / "assets" / name)
    shutil.copyfile(web / "NOTICES.txt", root / "NOTICES.txt")
    page = shell.replace('"/static/', '"assets/').replace('<div id="player">', '<div id="player" data-host="static">')
    address = urlsplit(post) if post else None
    allowed = f" {address.scheme}://{address.netloc}" if address else ""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(post=allowed)}">'
    # JATOS loads its own scripts and opens connections, so its page must not restrict them.
    (root / "index.html").write_text(page.replace("<title>", f"{policy}\n    <title>"), encoding="utf-8")
    loaded = page.replace("<title>", '<script src="jatos.js"></script>\n    <title>')
    (root / "jatos.html").write_text(loaded, encoding="utf-8")


def _scripts_of(assets: Path, names: list[str]) -> list[str]:
    """Return the named front-end files and all files they refer to, including those that pages load lazily."""
    available = {path.name for path in assets.iterdir()}
    used: list[str] = []
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        used.append(name)
        if name.endswith(".js"):
            text = (assets / name).read_text(encoding="utf-8")
            waiting += [
                other for other in sorted(available) if other in text and other not in used and other not in waiting
            ]
    return used
