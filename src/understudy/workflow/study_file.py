"""Study files: one readable TOML or YAML file holds a whole study, and comes back as the same study."""

import tomllib
from pathlib import Path
from typing import Any

import tomli_w
import yaml
from pydantic import JsonValue, ValidationError

from understudy.errors import StudyError
from understudy.schema import Study, json_from_record, sentences_from_validation

SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def read_study(path: Path) -> Study:
    """Read a study file; every fault of its form is reported at once."""
    plain = read_plain(path)
    try:
        return Study.model_validate(plain)
    except ValidationError as error:
        raise StudyError([f"{path.name}: {sentence}" for sentence in sentences_from_validation(error)]) from None


def read_plain(path: Path) -> dict[str, Any]:
    """Read a TOML, YAML or JSON file into plain values."""
    if path.suffix not in SUFFIXES:
        raise StudyError(
            [f"{path.name} ends in {path.suffix or 'nothing'!r}; a study file ends in {', '.join(SUFFIXES)}."]
        )
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError([f"{path} cannot be read: {(error.strerror or 'unknown reason').lower()}."]) from None
    except UnicodeDecodeError:
        raise StudyError([f"{path.name} is not UTF-8 text. Save it as UTF-8."]) from None
    try:
        plain = tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except (tomllib.TOMLDecodeError, yaml.YAMLError) as error:
        kind = "TOML" if path.suffix == ".toml" else "YAML"
        raise StudyError([f"{path.name} is not {kind}: {' '.join(str(error).split())}."]) from None
    if not isinstance(plain, dict):
        raise StudyError([f"{path.name} holds a {type(plain).__name__}; a study file holds named fields."])
    return plain


def write_study(study: Study, path: Path) -> Path:
    """Write a study as TOML, or as YAML where the name ends so."""
    plain = _spoken(json_from_record(study))
    if path.suffix == ".toml":
        path.write_text(tomli_w.dumps(plain, multiline_strings=False), encoding="utf-8")
    elif path.suffix in (".yaml", ".yml"):
        path.write_text(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110), encoding="utf-8")
    else:
        raise StudyError([f"{path.name} ends in {path.suffix or 'nothing'!r}; write a study to .toml or .yaml."])
    return path


def _spoken(value: JsonValue) -> Any:
    """Write null as the word none, since TOML has no null."""
    if isinstance(value, dict):
        return {name: _spoken(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_spoken(one) for one in value]
    return "none" if value is None else value
