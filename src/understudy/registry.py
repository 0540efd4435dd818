"""Names -> catalogue entries, ours and third parties', found through one entry-point group.

A package joins by an entry point in the group `understudy.catalogues` that names a module; importing that module
registers its entries. The built-in catalogues use the same mechanism. An entry point named after a catalogue is
imported when that catalogue is first used, so that a server needs no statistics; any other, with the first catalogue.
A package whose `ENTRIES` say which of its modules registers which names is imported module by module, each when one of
its names is first used.
"""

import hashlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import ValidationError

from understudy import roles
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
_ROLES: dict[Catalogue, type] = {
    "datasets": roles.Dataset,
    "models": roles.Model,
    "explainers": roles.Explainer,
    "model_explainers": roles.ModelExplainer,
    "tasks": roles.Task,
    "designs": roles.Design,
    "orderings": roles.Ordering,
    "participants": roles.Participant,
    "measures": roles.Measure,
    "analyses": roles.Analysis,
    "checks": roles.AssumptionCheck,
    "distances": roles.Distance,
    "concepts": roles.Concept,
    "trainers": roles.Trainer,
    "recruiters": roles.Recruiter,
}
_CATALOGUES: frozenset[str] = frozenset(get_args(Catalogue))
_KEPT_IN: dict[str, str] = {"orderings": "designs", "checks": "analyses"}
"""Catalogues whose entries register in the module of another."""
_entries: dict[tuple[str, str], type[Record]] = {}
_other_names: dict[str, dict[str, tuple[str, ...]]] = {}
"""What else people call entries, by catalogue."""
_modules: dict[tuple[str, str], str] = {}
"""The module that registers each entry of a package with `ENTRIES`."""
_loaded: set[str] = set()
_FOLDER = Path(__file__).parent
_tampering: dict[str, UnderstudyError] = {}
"""Packages that replaced a part of ours, by their first name: what they did lasts as long as this process."""
_ADVICE = "Correct it, update it or uninstall it."
_NAMES = "A name is a text of letters from a to z, digits, '_', '-' and '.'"
MOST_S = 20
"""Seconds for the first import of a module of another package; a large library takes a few."""
TRIED = Path("~/.understudy/tried")
"""Has an empty file for each module of another package that was imported in a process of its own."""
_TRYING = "UNDERSTUDY_TRIES_A_PACKAGE"
_ENDED = 86
"""The status of a trial that ends by itself."""
_TRIAL = f"""
import json, os, sys
word, module, *sys.path = sys.argv[1:]
if sys.platform == "linux":
    import resource
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (half if most == -1 else min(half, most), most))
out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
raised = said = where = ""
ours = False
try:
    __import__(module)
    for stream in (0, 1, 2):
        os.fstat(stream)
except BaseException as error:
    raised = type(error).__name__
    ours = any((kind.__module__, kind.__name__) == ("understudy.errors", "UnderstudyError") for kind in type(error).__mro__)
    try:
        import traceback
        said = str(error)
        where = "".join(traceback.format_exception(error))
    except BaseException:
        pass
os.write(out, json.dumps([word, raised, said[:2000], where[-9000:], ours]).encode() + b"\\n")
sys.exit({_ENDED})
"""
"""Imports a module, says what it raised, and ends as every program does, with what the module left for the end."""
_points: dict[tuple[str, ...], tuple[EntryPoint, ...]] = {}
"""The entry points that were found on a path, because reading those of all installed packages takes a while."""


def register(catalogue: Catalogue, name: str) -> Callable[[Entry], Entry]:
    """Put a class into a catalogue under a name that study files can use."""
    if catalogue not in _CATALOGUES or not _is_name(name):
        raise UnderstudyError(
            f"An entry is registered as {name!a} in {catalogue!r}. {_NAMES}, and the catalogues are: "
            f"{', '.join(sorted(_CATALOGUES))}."
        )

    def enter(entry: Entry) -> Entry:
        if not (isinstance(entry, type) and issubclass(entry, Record)):
            raise UnderstudyError(
                f"{entry!r} is registered as {name!r} among the {catalogue}, but an entry is a class that inherits from Record."
            )
        # Importing a module twice registers the same class again, which is harmless; another class is a mistake.
        taken = _entries.setdefault((catalogue, name), entry)
        if taken is not entry:
            raise _taken_twice(catalogue, name, _place_of(taken), _place_of(entry))
        return entry

    return enter


def _is_name(name: object) -> bool:
    # Letters of other scripts can look like these, so that a reader of a report would take one entry for another.
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name) is not None


def foreign_packages() -> dict[str, str]:
    """Return version and digest of each installed package of others that adds to our catalogues, by its name.

    All of them, used or not: their code runs with ours as soon as a catalogue is loaded.
    """
    found: dict[str, list[EntryPoint]] = {}
    for point in _found_points():
        if not _is_ours(point):
            found.setdefault(_package_of(point), []).append(point)
    return {name: f"{_version_of(points[0])} (SHA-256 {_digest_of(points)})" for name, points in sorted(found.items())}


def failure_of_another(error: BaseException) -> UnderstudyError | None:
    """Return a sentence about an error that was raised in the code of another package; None for one that was not."""
    roots = {
        root: _package_of(point)
        for point in _found_points()
        if not _is_ours(point) and (root := _root_of(_module_of(point)))
    }
    # As a text, because an error that comes from another process has its lines there alone.
    lines = re.findall(r'File "(.+?)", line (\d+)', "".join(traceback.format_exception(error)) if roots else "")
    for file, line in reversed(lines):
        for root, package in roots.items():
            if Path(file) == root or root in Path(file).parents:
                what = f"{type(error).__name__} in {Path(file).name}, line {line}: {_words_of(error)}"
                return UnderstudyError(f"The installed package {package!r} failed: {what}. {_ADVICE}")
    return None


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
        with _said_of(package, f"its module {module!r}"), _leaving_ours(package, module):
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
    _require_role(catalogue, name, entry_class)
    return entry_class


def _require_role(catalogue: Catalogue, name: str, entry_class: type[Record]) -> None:
    """Refuse an entry of another package that cannot play its part."""
    if entry_class.__module__.partition(".")[0] == "understudy":
        return
    role = _ROLES[catalogue]
    parts = [part for part in dict.fromkeys([*role.__annotations__, *vars(role)]) if not part.startswith("_")]
    missing = [part for part in parts if part not in entry_class.model_fields and not hasattr(entry_class, part)]
    found = f"has no {' and no '.join(missing)}, as every entry there has" if missing else None
    for part, declared in role.__annotations__.items():
        said, (allowed,) = getattr(entry_class, part, None), get_args(declared) or (None,)
        if isinstance(said, str) and get_origin(allowed) is Literal and said not in get_args(allowed):
            found = f"has the {part} {said!r}, which is not one of: {', '.join(get_args(allowed))}"
    if found is not None:
        raise UnderstudyError(
            f"{name!r} among the {catalogue}, registered by {_place_of(entry_class)}, {found}. "
            "Correct its package, update it or uninstall it."
        )


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
    package = _package_of(point)
    _require_trial(_module_of(point), package)
    with _said_of(package, repr(point.value)), _leaving_ours(package, _module_of(point)):
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
    command = [sys.executable, "-P", "-c", _TRIAL, word, module, *(path or str(Path.cwd()) for path in sys.path)]
    # A session of its own, so that what it starts can be ended with it.
    with subprocess.Popen(  # noqa: S603 - our own words
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, _TRYING: "1"},
    ) as trial:
        try:
            answer, _ = trial.communicate(timeout=MOST_S)
        except subprocess.TimeoutExpired as late:
            more = " and leaves something running, such as a thread" if late.output else ""
            raise _unusable(package, f"{module!r} does not finish within {MOST_S} seconds{more}") from None
        finally:
            _end(trial)
    try:
        said, raised, words, where, is_ours = json.loads(answer)
    except ValueError:
        what = "starts another process" if answer.count(word.encode()) > 1 else "ends the process"
        raise _unusable(package, f"{module!r} {what} (status {trial.returncode})") from None
    if said != word or trial.returncode != _ENDED:
        raise _unusable(package, f"{module!r} ends the process (status {trial.returncode})")
    if raised:
        # It is not run again here, where it might wait for a key, or take all memory.
        said = f"{words} This is the installed package {package!r}."
        refusal = UnderstudyError(said) if is_ours else _unusable(package, f"{raised} in {module!r}: {_reason(words)}")
        refusal.add_note(where)
        raise refusal
    with suppress(OSError, RuntimeError):
        if mark is not None:
            mark.expanduser().parent.mkdir(parents=True, exist_ok=True)
            mark.expanduser().touch()


def _end(trial: subprocess.Popen[bytes]) -> None:
    """End a trial and whatever it left behind."""
    if sys.platform == "win32":
        trial.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(trial.pid, signal.SIGKILL)
    trial.wait()


def _mark_of(module: str) -> Path | None:
    """Return the file that says that a package, as it is now, was tried; None for one that cannot be found."""
    root = _root_of(module)
    if root is None:
        return None
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*.py") if path.is_file())
    found = [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files]
    return TRIED / hashlib.sha256("\n".join([module, sys.version, __file__, *found]).encode()).hexdigest()


def _unusable(package: str, reason: str) -> UnderstudyError:
    return UnderstudyError(f"The installed package {package!r} cannot be imported: {reason}. {_ADVICE}")


@contextmanager
def _said_of(package: str, what: str) -> Iterator[None]:
    """Run the code of a package; what goes wrong there is a sentence, and what it prints is not for programs to read."""
    folder, depth = Path.cwd(), sys.getrecursionlimit()
    try:
        with redirect_stdout(sys.stderr), redirect_stderr(sys.stderr), warnings.catch_warnings():
            yield
    except UnderstudyError:
        raise
    # Any error at all, an exit included, because importing runs the code of somebody else. Its traceback stays as the cause.
    except (Exception, SystemExit) as error:
        if package == "understudy":
            raise
        raise _unusable(package, f"{type(error).__name__} in {what}: {_words_of(error)}") from error
    finally:
        # Paths that a command is given are meant from here.
        os.chdir(folder)
        sys.setrecursionlimit(depth)


def _words_of(error: BaseException) -> str:
    try:
        return _reason(str(error))
    except Exception:
        return "it gives no reason"


def _reason(words: str) -> str:
    return " ".join(words.split()).rstrip(".") or "it gives no reason"


@contextmanager
def _leaving_ours(package: str, module: str) -> Iterator[None]:
    """Refuse a package that puts something else in the place of a part of understudy."""
    if package == "understudy":
        yield
        return
    top = module.partition(".")[0]
    if top in _tampering:
        raise _tampering[top]
    before = dict(_parts_of_ours())
    yield
    root = _root_of(module)
    for place, part in _parts_of_ours():
        if place in before:
            # Ours may load or wrap parts of their own when they are first used, but never an entry.
            is_replaced = before[place] is not part and (
                place[0] in _CATALOGUES or not _is_from(part, "understudy", _FOLDER)
            )
        else:
            # In a module of ours that was loaded only now; an entry may well be new.
            is_replaced = place[0] not in _CATALOGUES and _is_from(part, top, root)
        if is_replaced:
            _tampering[top] = _unusable(package, f"it replaces {'.'.join(place)}, a part of understudy")
            raise _tampering[top]


def _parts_of_ours() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield modules, classes, functions and values of understudy, as far as they are loaded, by where they are."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "understudy":
            continue
        yield (name,), module
        for key, value in list(vars(module).items()):
            yield from _part((name, key), value)
            if isinstance(value, type) and value.__module__ == name:
                for inner, member in list(vars(value).items()):
                    yield from _part((name, key, inner), member)
    yield from ((key, entry_class) for key, entry_class in list(_entries.items()))


def _part(place: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, FunctionType):
        yield place, value.__code__
    # Python and pydantic keep their own notes under names with underscores, and change them.
    elif not place[-1].startswith("_"):
        yield place, value


def _is_from(part: Any, top: str, root: Path | None) -> bool:
    """Tell whether something was made by the package of that first name, whose files lie there."""
    if isinstance(part, CodeType):
        file = Path(part.co_filename)
        return root is not None and (file == root or root in file.parents)
    source = part.__name__ if isinstance(part, ModuleType) else getattr(part, "__module__", type(part).__module__)
    if isinstance(part, ModuleType) and part.__spec__ is None:
        # Nobody imports such a module; it was put there.
        return top != "understudy"
    return isinstance(source, str) and source.partition(".")[0] == top


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
            found = tuple(entry_points(group=_GROUP))
        # One file that cannot be read makes the library fail for all packages, without a name.
        except Exception:
            found = tuple(_readable_points())
        _require_own_names(found)
        _points[path] = found
    return _points[path]


def _require_own_names(points: Sequence[EntryPoint]) -> None:
    """Refuse a package that calls itself as we do, in whose place Python would look for us, or whose module is ours."""
    for point in points:
        names_ours = _module_of(point).partition(".")[0] == "understudy"
        if names_ours and not _is_ours(point):
            raise UnderstudyError(
                f"The installed package {_package_of(point)!r} names {point.value!r} as its own, which is a part of understudy. "
                f"{_ADVICE}"
            )
        if _is_ours(point) and not names_ours:
            raise _called_like_us(f"It adds {point.value!r} from {_folder_of(point.dist)}")
    if not any(map(_is_ours, points)):
        with suppress(PackageNotFoundError):
            first = distribution("understudy")
            if not any(point.group == _GROUP for point in first.entry_points):
                raise _called_like_us(f"It lies in {_folder_of(first)} and hides the entries of understudy")


def _called_like_us(what: str) -> UnderstudyError:
    return UnderstudyError(f"Another installed package calls itself 'understudy'. {what}. Rename it or uninstall it.")


def _folder_of(installed: Distribution | None) -> str:
    return "somewhere" if installed is None else str(installed.locate_file("."))


def _is_ours(point: EntryPoint) -> bool:
    return re.sub(r"[-_.]+", "-", _package_of(point)).casefold() == "understudy"


def _module_of(point: EntryPoint) -> str:
    return point.value.partition(":")[0].partition("[")[0].strip()


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
    # A name may be missing, and hold anything.
    named = None if point.dist is None else point.dist.metadata["Name"]
    return " ".join((named or _module_of(point).partition(".")[0]).split())


def _version_of(point: EntryPoint) -> str:
    version = None if point.dist is None else point.dist.metadata["Version"]
    return " ".join(version.split()) if version else "of unknown version"


def _digest_of(points: Sequence[EntryPoint]) -> str:
    """Return what changes with the files of a package, installed or in development."""
    roots = sorted({root for point in points if (root := _root_of(_module_of(point))) is not None})
    digest = hashlib.sha256()
    for root in roots:
        for path in [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file()):
            if "__pycache__" not in path.parts:
                digest.update(
                    path.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest()
                )
    return digest.hexdigest()[:16] if roots else "unknown"


def _root_of(module: str) -> Path | None:
    """Return the folder of the package that has a module, or its file if it is one file; None if there is none."""
    first, _, rest = module.partition(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.origin is None or not Path(spec.origin).is_file():
        # A folder that several packages share has no file of its own.
        second = rest.partition(".")[0]
        shared = [Path(folder) / second for folder in spec.submodule_search_locations or () if second]
        return next((path for folder in shared for path in (folder, folder.with_suffix(".py")) if path.exists()), None)
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
    # Only plain ones: what else can be walked through need not end.
    if not isinstance(declared, dict):
        raise _misdeclared(owner, f"they are a {type(declared).__name__}")
    for catalogue, modules in dict.items(declared):
        if catalogue not in _CATALOGUES:
            raise _misdeclared(owner, f"{catalogue!r} is not a catalogue.{nearest(str(catalogue), _CATALOGUES)}")
        if not isinstance(modules, dict):
            raise _misdeclared(owner, f"what they say about {catalogue!r} is a {type(modules).__name__}")
        for module, registered in dict.items(modules):
            if not isinstance(module, str) or type(registered) not in (list, tuple, set, frozenset):
                raise _misdeclared(owner, f"{module!r} is not a module with a list of names")
            for name in registered:
                if not _is_name(name):
                    raise _misdeclared(owner, f"{name!a}, a name of {module!r}, is not a name. {_NAMES}")
                yield (catalogue, name), module


def _misdeclared(owner: str, found: str) -> UnderstudyError:
    return UnderstudyError(
        f"ENTRIES of the installed package {owner!r} cannot be used: {found.rstrip('.')}. They have the form {_FORM}. "
        "Correct the package, update it or uninstall it."
    )
