"""Read and write study files: a whole study as one TOML or YAML file."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
import yaml
from pydantic import JsonValue, ValidationError

from understudy.errors import StudyError
from understudy.schema import Record, Study, json_from_record, sentences_from_validation
from understudy.workflow.studies.further_faults import further_faults
from understudy.workflow.studies.scale_files import with_scales

FORMS = {".toml": "TOML", ".yaml": "YAML", ".yml": "YAML", ".json": "JSON"}
"""File suffix -> format."""
Read = TypeVar("Read", bound=Record)
_LARGEST = 64 * 1024**2
_MOST_NODES = 2_000_000
"""Values of a YAML file with every alias written out."""


def read_study(path: Path) -> Study:
    """Read a study file; if its form is faulty, report everything that can be found wrong with it at once."""
    plain = with_scales(read_plain(path), path.parent, read_plain)
    try:
        return _record_from(plain, Study).read_from(path.parent)
    except ValidationError as error:
        faults = (*sentences_from_validation(error, Study), *further_faults(plain, error, path.parent))
        raise StudyError([f"{path.name}: {sentence}" for sentence in faults]) from None


def study_from_plain(plain: dict[str, Any], label: str) -> Study:
    """Turn the plain values of a study into a record; `label` names them in errors."""
    return _validated(label, plain, Study)


def read_record(path: Path, kind: type[Read]) -> Read:
    """Read a file into a record without converting types: true is not a number, and "3" is text."""
    return _validated(path.name, read_plain(path), kind)


def _validated(label: str, plain: dict[str, Any], kind: type[Read]) -> Read:
    try:
        return _record_from(plain, kind)
    except ValidationError as error:
        raise StudyError([f"{label}: {sentence}" for sentence in sentences_from_validation(error, kind)]) from None


def _record_from(plain: dict[str, Any], kind: type[Read]) -> Read:
    # Through JSON, so that strict mode still accepts lists for tuples.
    return kind.model_validate_json(json.dumps(plain, default=str), strict=True)


def read_plain(path: Path) -> dict[str, Any]:
    """Read a TOML, YAML or JSON file into plain values."""
    form = FORMS.get(path.suffix)
    if form is None:
        raise StudyError(
            [f"{path.name} ends in {path.suffix or 'nothing'!r}. Give a file that ends in {', '.join(FORMS)}."]
        )
    try:
        if path.stat().st_size > _LARGEST:
            raise StudyError(
                [f"{path.name} is larger than {_LARGEST // 1024**2} MB. Put items into a file of their own."]
            )
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise StudyError([f"{path} cannot be read: {reason}. Check the path."]) from None
    except UnicodeDecodeError:
        raise StudyError([f"{path.name} is not UTF-8 text. Save it as UTF-8."]) from None
    try:
        plain = _PARSERS[form](text)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        problem = " ".join(str(error).split()).rstrip(".")
        raise StudyError([f"{path.name} is not {form}: {problem}. Correct the file there."]) from None
    if plain is None or plain == {}:
        raise StudyError([f"{path.name} is empty. Start from a complete file: understudy new FILE"])
    if not isinstance(plain, dict):
        kind = "a list" if isinstance(plain, list) else "a single value"
        raise StudyError([f"{path.name} holds {kind}, but needs named fields, such as name and title."])
    return plain


class _UniqueKeyLoader(yaml.SafeLoader):
    """Loads YAML and rejects duplicate keys, of which plain YAML would keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping from keys that are all different."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
                raise yaml.YAMLError(f"duplicate key {key.value!r} ({_line(key)})")
            seen.add(str(key.value))
        return super().construct_mapping(node, deep=deep)


def _yaml(text: str) -> Any:
    """Load YAML, unless it is much larger than it looks: each alias repeats everything it refers to."""
    loader = _UniqueKeyLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _n_nodes(node, {}) > _MOST_NODES:
            raise yaml.YAMLError(f"its aliases expand to more than {_MOST_NODES:,} values")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _n_nodes(node: yaml.Node, known: dict[int, int]) -> int:
    """Count values with every alias written out, each node once."""
    if id(node) in known:
        return known[id(node)]
    # A node inside itself would be endless.
    known[id(node)] = _MOST_NODES + 1
    parts: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        parts = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        parts = node.value
    known[id(node)] = 1 + sum(_n_nodes(part, known) for part in parts)
    return known[id(node)]


def _line(node: yaml.Node) -> str:
    return f"line {node.start_mark.line + 1}"


def _one_of_each_key(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
    if twice:
        raise ValueError(f"duplicate key {twice[0]!r}")
    return dict(pairs)


_PARSERS: dict[str, Callable[[str], Any]] = {
    "TOML": tomllib.loads,
    "YAML": _yaml,
    "JSON": lambda text: json.loads(text, object_pairs_hook=_one_of_each_key),
}


def write_study(study: Study, path: Path) -> Path:
    """Write a study as TOML or YAML, depending on the suffix."""
    if path.suffix not in (".toml", ".yaml", ".yml"):
        raise StudyError([f"{path.name} ends in {path.suffix or 'nothing'!r}; write a study to .toml or .yaml."])
    text = toml_from_study(study) if path.suffix == ".toml" else yaml_from_study(study)
    path.write_text(text, encoding="utf-8")
    return path


def toml_from_study(study: Study) -> str:
    """Return a study as TOML text, which has no null.

    Examples
    --------
    >>> from understudy.protocols import loan_demo
    >>> toml_from_study(loan_demo()).splitlines()[0]
    'name = "loan-demo"'
    """
    return tomli_w.dumps(plain_for_toml(study), multiline_strings=False)


def plain_for_toml(study: Study) -> dict[str, Any]:
    """Return the plain values of a study without null, which TOML does not have."""
    plain: dict[str, Any] = _spoken(json_from_record(study))
    return plain


def yaml_from_study(study: Study) -> str:
    """Return a study as YAML text."""
    return yaml.safe_dump(json_from_record(study), sort_keys=False, allow_unicode=True, width=110)


def _spoken(value: JsonValue, name: str = "") -> Any:
    """Replace null by the word none where reading accepts it, since TOML has no null."""
    if isinstance(value, dict):
        return {key: _spoken(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_spoken(inner) for inner in value]
    if value is None and name != "summary":
        raise StudyError(
            [f"The study holds a null in {name or 'a list'}, which TOML cannot express. Write it to .yaml."]
        )
    return "none" if value is None else value
