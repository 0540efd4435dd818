"""Read study files and say every fault at once, also those that hide behind a wrong form."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import tomli_w
import yaml
from pydantic import JsonValue, ValidationError

from understudy.check.study_check import declared_faults
from understudy.errors import StudyError
from understudy.schema import Record, Study, json_from_record, sentences_from_validation
from understudy.schema.scales import PublishedScale
from understudy.sources.files import path_fault

Steps: TypeAlias = Sequence[str | int]
MORE_MAY_FOLLOW = "More faults may appear once these are fixed."


def further_faults(plain: Mapping[str, Any], error: ValidationError, root: Path) -> list[str]:
    """Return the faults of the rest of a study, or a sentence that says that it could not be checked."""
    rest = deepcopy(dict(plain))
    faults = error.errors()
    if any(fault["type"] == "value_error" for fault in faults):
        # Without a rule that cannot be read, its exclusion would be blamed for having none.
        return [MORE_MAY_FOLLOW]
    missing = [fault["loc"] for fault in faults if fault["type"] == "missing"]
    for fault in faults:
        if fault["type"] != "missing":
            _leave_out(rest, fault["loc"], missing)
    try:
        study = Study.model_validate_json(json.dumps(rest, default=str), strict=True)
    except ValidationError:
        # What is wrong has no default, so nothing can be said about the study without it.
        return [MORE_MAY_FOLLOW]
    return declared_faults(study, root)


def _leave_out(plain: Any, path: Steps, missing: Sequence[Steps]) -> None:
    """Delete the value at the end of a path; a misspelt field becomes the one that is missing next to it."""
    holder, last = None, ""
    for step in path:
        # Steps that name kinds of records are not in the file.
        if isinstance(plain, dict) and step in plain:
            holder, last, plain = plain, str(step), plain[step]
        elif isinstance(plain, list) and isinstance(step, int) and step < len(plain):
            holder, plain = None, plain[step]
    if holder is None:
        return
    value = holder.pop(last)
    nearby = [str(other[-1]) for other in missing if other[:-1] == path[:-1]]
    for name in get_close_matches(last, nearby, n=1):
        holder[name] = value


# Scale files: a block or a measure of a study file may name a scale by its file; it is written out when it is read.
#
# The study then holds the whole scale, so that its digest pins every item.

Scales: TypeAlias = Callable[[str], PublishedScale]


def with_scales(plain: dict[str, Any], root: Path, read: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Return a study file's values with every named scale file written out; `read` parses such a file."""

    def scale_in(name: str) -> PublishedScale:
        fault = path_fault(root, name, wants_folder=False)
        if fault is not None:
            raise StudyError([f"The scale file {name!r} {fault}"])
        return scale_from(name, read(root / name))

    flow, measures = plain.get("flow"), plain.get("measures")
    return {
        **plain,
        **({"flow": _blocks(flow, scale_in)} if isinstance(flow, list) else {}),
        **({"measures": _measures(measures, scale_in)} if isinstance(measures, list) else {}),
    }


def scale_from(name: str, plain: dict[str, Any]) -> PublishedScale:
    """Read a scale from plain values and report all faults of its form at once."""
    try:
        return PublishedScale.model_validate_json(json.dumps(plain, default=str), strict=True)
    except ValidationError as error:
        sentences = sentences_from_validation(error, PublishedScale)
        raise StudyError([f"{name}: {sentence}" for sentence in sentences]) from None


def _blocks(blocks: list[Any], scales: Scales) -> list[Any]:
    return [_block(block, scales) if isinstance(block, dict) else block for block in blocks]


def _block(block: dict[str, Any], scales: Scales) -> dict[str, Any]:
    if isinstance(block.get("blocks"), list):
        return {**block, "blocks": _blocks(block["blocks"], scales)}
    if "scale" not in block:
        return block
    scale = scales(str(block["scale"]))
    task = {"name": "questionnaire", "params": {"text": scale.title, "questions": [json_from_record(scale.question)]}}
    rest = {name: value for name, value in block.items() if name != "scale"}
    return {"kind": "screen", "purpose": "questionnaire", **rest, "task": task}


def _measures(measures: list[Any], scales: Scales) -> list[Any]:
    return [_measure(measure, scales) if isinstance(measure, dict) else measure for measure in measures]


def _measure(measure: dict[str, Any], scales: Scales) -> dict[str, Any]:
    if "scale" not in measure:
        return measure
    scale = scales(str(measure["scale"]))
    params = {
        "question": scale.name,
        "points": scale.points,
        "reversed": list(scale.reversed_rows),
        "summary": scale.score,
        "source": scale.source,
    }
    rest = {name: value for name, value in measure.items() if name != "scale"}
    return {**rest, "measure": {"name": "scale_score", "params": params}}


# Read and write study files: a whole study as one TOML or YAML file.

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
