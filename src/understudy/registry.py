"""Names -> catalogue entries, ours and third parties', found through one entry-point group.

A package joins by an entry point in the group `understudy.catalogues` that names a module; importing that module
registers its entries. The built-in catalogues use the same mechanism. An entry point named after a catalogue is
imported when that catalogue is first used, so that a server needs no statistics; any other, with the first catalogue.
A package whose `ENTRIES` say which of its modules registers which names is imported module by module, each when one of
its names is first used.
"""

import hashlib
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from pydantic import ValidationError

from understudy.errors import UnderstudyError, UnknownName, nearest
from understudy.schema import Record, Ref, sentences_from_validation

Catalogue: TypeAlias = Literal[
    "datasets",
    "models",
    "explainers",
    "model_explainers",
    "tasks",
    "designs",
    "orderings",
    "participants",
    "measures",
    "analyses",
    "checks",
    "distances",
    "concepts",
    "trainers",
    "recruiters",
]
Entry = TypeVar("Entry", bound=type[Record])

_GROUP = "understudy.catalogues"
_FORM = '{"measures": {"my_module": ["my_measure"]}}'
_CATALOGUES: frozenset[str] = frozenset(get_args(Catalogue))
_KEPT_IN: dict[str, str] = {"orderings": "designs", "checks": "analyses"}
"""Catalogues whose entries register in the module of another."""
_entries: dict[tuple[str, str], type[Record]] = {}
_other_names: dict[str, dict[str, tuple[str, ...]]] = {}
"""What else people call entries, by catalogue."""
_modules: dict[tuple[str, str], str] = {}
"""The module that registers each entry of a package with `ENTRIES`."""
_loaded: set[str] = set()
MOST_S = 20
"""Seconds for the first import of a module of another package; a large library takes a few."""
TRIED = Path("~/.understudy/tried")
"""Has an empty file for each module of another package that was imported in a process of its own."""
_TRYING = "UNDERSTUDY_TRIES_A_PACKAGE"
_TRIAL = """
import sys
word, module, *sys.path = sys.argv[1:]
import importlib, os
out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
try:
    importlib.import_module(module)
except (Exception, SystemExit):
    word += " refused"
except BaseException as error:
    word += " " + type(error).__name__
os.write(out, word.encode())
os._exit(0)
"""
"""Imports a module and says so. What it raises is said by the process that imports it next."""
_points: dict[tuple[str, ...], tuple[EntryPoint, ...]] = {}
"""The entry points that were found on a path, because reading those of all installed packages takes a while."""


def register(catalogue: Catalogue, name: str) -> Callable[[Entry], Entry]:
    """Put a class into a catalogue under a name that study files can use."""
    if catalogue not in _CATALOGUES or not isinstance(name, str):
        raise UnderstudyError(
            f"An entry is registered as {name!r} in {catalogue!r}. A name is a text, and the catalogues are: "
            f"{', '.join(sorted(_CATALOGUES))}."
        )

    def enter(entry: Entry) -> Entry:
        # Importing a module twice registers the same class again, which is harmless; another class is a mistake.
        taken = _entries.setdefault((catalogue, name), entry)
        if taken is not entry:
            raise _taken_twice(catalogue, name, _place_of(taken), _place_of(entry))
        return entry

    return enter


def foreign_packages() -> dict[str, str]:
    """Return version and digest of each installed package of others that adds to our catalogues, by its name.

    All of them, used or not: their code runs with ours as soon as a catalogue is loaded.
    """
    found = {_package_of(point): point for point in _found_points() if _package_of(point) != "understudy"}
    return {name: f"{_version_of(point)} (SHA-256 {_digest_of(point)})" for name, point in sorted(found.items())}


def names(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the names of a catalogue, sorted."""
    _load(catalogue)
    return tuple(sorted(name for owner, name in {*_entries, *_modules} if owner == catalogue))


def entries(catalogue: Catalogue) -> tuple[Any, ...]:
    """Return the classes of a catalogue in the order in which its package names or registers them."""
    _load(catalogue)
    keys = [key for key in dict.fromkeys([*_modules, *_entries]) if key[0] == catalogue]
    return tuple(entry(catalogue, name) for _, name in keys)


def entry(catalogue: Catalogue, name: str) -> type[Record]:
    """Return the class registered under a name."""
    _load(catalogue)
    key = (catalogue, name)
    if key in _modules:
        module = _modules[key]
        package = module.partition(".")[0]
        _require_trial(module, package)
        with _said_of(package, f"its module {module!r}"):
            import_module(module)
        if key not in _entries:
            raise UnderstudyError(
                f"ENTRIES of {module.rpartition('.')[0]!r} say that {module!r} registers {name!r} among the {catalogue}, but "
                "it does not. Correct the package, update it or uninstall it."
            )
    entry_class = _entries.get(key)
    if entry_class is None:
        known = names(catalogue)
        raise UnknownName(f"{name!r} is not among the {catalogue}.{_meant(catalogue, name)} Known: {', '.join(known)}.")
    return entry_class


def _meant(catalogue: Catalogue, name: str) -> str:
    """Ask whether entries were meant that also go by this name, or one that is spelt alike."""
    called = "".join(letter for letter in name.casefold() if letter.isalpha()).removesuffix("test")
    others = _other_names.get(catalogue, {}).get(called, ())
    if not others:
        return nearest(name, names(catalogue))
    *most, last = map(repr, others)
    return f" Did you mean {', '.join(most)}{' or ' if most else ''}{last}?"


def offers(catalogue: Catalogue, name: str, ability: type) -> bool:
    """Tell whether an entry declares an ability, without building it; an unknown name declares none.

    For abilities that a class has by itself: methods, properties and class variables, not parameters.
    """
    return name in names(catalogue) and isinstance(entry(catalogue, name), ability)


def create(catalogue: Catalogue, ref: Ref) -> Any:
    """Build the entry a Ref names, with its parameters checked."""
    entry_class = entry(catalogue, ref.name)
    try:
        return entry_class(**ref.params)
    except ValidationError as error:
        faults = sentences_from_validation(error, entry_class)
        raise UnknownName(f"The parameters of {catalogue} entry {ref.name!r} do not fit: {' '.join(faults)}") from None


def load_extensions() -> None:
    """Import every module whose entry point is not named after a catalogue: those bring kinds of explanations."""
    for point in _found_points():
        if point.name not in _CATALOGUES:
            _imported(point)


def _load(catalogue: Catalogue) -> None:
    if catalogue in _loaded:
        return
    wanted = {catalogue, _KEPT_IN.get(catalogue, catalogue)}
    for point in _found_points():
        if point.name in wanted or point.name not in _CATALOGUES:
            _note_modules(_imported(point), _package_of(point))
    # Marked only now: a module that cannot be imported must fail each time, not leave a catalogue half empty.
    _loaded.add(catalogue)


def _imported(point: EntryPoint) -> Any:
    """Import the module of an entry point, or say in a sentence whose package cannot be imported."""
    _require_trial(point.value.partition(":")[0].strip(), _package_of(point))
    with _said_of(_package_of(point), repr(point.value)):
        return point.load()


def _require_trial(module: str, package: str) -> None:
    """Import a module of another package in a process of its own first, since nothing here could stop it.

    It may run for ever or end the process without a word. One that came back is known by the times of its files.
    """
    if package == "understudy" or _TRYING in os.environ:
        return
    mark = _mark_of(module)
    with suppress(OSError, RuntimeError):
        if mark is not None and mark.expanduser().exists():
            return
    word = secrets.token_hex(8)
    # -P: without it, Python would look for the module in the working folder first.
    command = [sys.executable, "-P", "-c", _TRIAL, word, module, *filter(None, sys.path)]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_S,
            check=False,
            env={**os.environ, _TRYING: "1"},
        )
    except subprocess.TimeoutExpired:
        raise _unusable(package, f"{module!r} does not finish within {MOST_S} seconds") from None
    said, _, raised = done.stdout.decode("utf-8", "replace").partition(" ")
    if said != word:
        raise _unusable(package, f"{module!r} ends the process (status {done.returncode})")
    if raised not in ("", "refused"):
        raise _unusable(package, f"{raised} in {module!r}")
    with suppress(OSError, RuntimeError):
        if mark is not None and not raised:
            mark.expanduser().parent.mkdir(parents=True, exist_ok=True)
            mark.expanduser().touch()


def _mark_of(module: str) -> Path | None:
    """Return the file that says that a package, as it is now, was tried; None for one that cannot be found."""
    root = _root_of(module)
    if root is None:
        return None
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*.py") if path.is_file())
    found = [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files]
    return TRIED / hashlib.sha256("\n".join([module, sys.version, __file__, *found]).encode()).hexdigest()


def _unusable(package: str, reason: str) -> UnderstudyError:
    return UnderstudyError(
        f"The installed package {package!r} cannot be imported: {reason}. Correct it, update it or uninstall it."
    )


@contextmanager
def _said_of(package: str, what: str) -> Iterator[None]:
    try:
        # What a package prints must not come between the lines that a command prints for programs.
        with redirect_stdout(sys.stderr):
            yield
    except UnderstudyError:
        raise
    # Any error at all, an exit included, because importing runs the code of somebody else. Its traceback stays as the cause.
    except (Exception, SystemExit) as error:
        if package == "understudy":
            raise
        raise _unusable(package, f"{type(error).__name__} in {what}: {_words_of(error)}") from error


def _words_of(error: BaseException) -> str:
    try:
        return " ".join(str(error).split()).rstrip(".") or "it gives no reason"
    except Exception:
        return "it gives no reason"


def _place_of(entry_class: type[Record]) -> str:
    return f"{entry_class.__module__}.{entry_class.__qualname__}"


def _taken_twice(catalogue: str, name: str, first: str, second: str) -> UnderstudyError:
    return UnderstudyError(
        f"The name {name!r} among the {catalogue} is registered by two packages: {first} and {second}. "
        "Rename one of them, or uninstall its package."
    )


def _found_points() -> tuple[EntryPoint, ...]:
    path = tuple(sys.path)
    if path not in _points:
        try:
            _points[path] = tuple(entry_points(group=_GROUP))
        # One file that cannot be read makes the library fail for all packages, without a name.
        except Exception:
            _points[path] = tuple(_readable_points())
    return _points[path]


def _readable_points() -> Iterator[EntryPoint]:
    for installed in distributions():
        try:
            yield from (point for point in installed.entry_points if point.group == _GROUP)
        except Exception as error:
            # A file of somebody who has nothing to do with us is not our matter.
            if _names_our_group(installed, error):
                raise UnderstudyError(
                    f"entry_points.txt of the installed package {installed.metadata['Name']!r} cannot be read. "
                    "Correct it, update it or uninstall it."
                ) from error


def _names_our_group(installed: Distribution, error: Exception) -> bool:
    if isinstance(error, UnicodeDecodeError):
        return _GROUP.encode() in error.object
    return _GROUP in (installed.read_text("entry_points.txt") or "")


def _package_of(point: EntryPoint) -> str:
    return point.value.partition(":")[0].partition(".")[0].strip() if point.dist is None else point.dist.name


def _version_of(point: EntryPoint) -> str:
    return "of unknown version" if point.dist is None else point.dist.version


def _digest_of(point: EntryPoint) -> str:
    """Return what changes with the files of a package, installed or in development."""
    root = _root_of(point.value.partition(":")[0])
    if root is None:
        return "unknown"
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        if "__pycache__" not in path.parts:
            digest.update(
                path.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest()
            )
    return digest.hexdigest()[:16]


def _root_of(module: str) -> Path | None:
    """Return the folder of the package that has a module, or its file if it is one file; None if there is none."""
    try:
        spec = find_spec(module.partition(".")[0].strip())
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        return None
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin


def _note_modules(package: Any, owner: str) -> None:
    """Note which module of a package registers which names; none that another package has."""
    # They may be anything, also what raises when it is read.
    with _said_of(owner, "its ENTRIES"):
        named = list(_named_modules(getattr(package, "ENTRIES", {}), owner))
        other_names = getattr(package, "OTHER_NAMES", {})
        for catalogue, called in other_names.items() if isinstance(other_names, Mapping) else ():
            _other_names.setdefault(str(catalogue), {}).update(
                {str(name): tuple(map(str, said)) for name, said in called.items()}
            )
    for key, module in named:
        place = f"{package.__name__}.{module}"
        known = _entries.get(key)
        other = _modules.get(key) or (None if known is None else known.__module__)
        if other is not None and other.partition(".")[0] != place.partition(".")[0]:
            raise _taken_twice(*key, other, place)
        _modules[key] = place


def _named_modules(declared: Any, owner: str) -> Iterator[tuple[tuple[str, str], str]]:
    if not isinstance(declared, Mapping):
        raise _misdeclared(owner, f"they are a {type(declared).__name__}")
    for catalogue, modules in declared.items():
        if catalogue not in _CATALOGUES:
            raise _misdeclared(owner, f"{catalogue!r} is not a catalogue.{nearest(str(catalogue), _CATALOGUES)}")
        if not isinstance(modules, Mapping):
            raise _misdeclared(owner, f"what they say about {catalogue!r} is a {type(modules).__name__}")
        for module, registered in modules.items():
            # A text is a sequence of its letters, each of which would become a name.
            if not isinstance(module, str) or isinstance(registered, str) or not isinstance(registered, Iterable):
                raise _misdeclared(owner, f"{module!r} is not a module with a list of names")
            for name in registered:
                if not isinstance(name, str) or not name:
                    raise _misdeclared(owner, f"{name!r}, a name of {module!r}, is not a text")
                yield (catalogue, name), module


def _misdeclared(owner: str, found: str) -> UnderstudyError:
    return UnderstudyError(
        f"ENTRIES of the installed package {owner!r} cannot be used: {found.rstrip('.')}. They have the form {_FORM}. "
        "Correct the package, update it or uninstall it."
    )
