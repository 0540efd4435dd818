"""The study as participants see it: every trial written as JSON once, and the files each needs."""

import json
from collections.abc import Iterator
from typing import Any

from understudy.schema import (
    EditPath,
    Explanation,
    Json,
    Materials,
    Several,
    Study,
    Trial,
    explanation_from_json,
    json_from_record,
)

_SHOWN = {"trial_id", "block_id", "task", "params", "asks", "explanation"}
"""The fields of a trial that leave the server; what is typical and which stimulus it is do not."""


def dumps(value: Any) -> str:
    """Write JSON without blanks."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


class PublicStudy:
    """Trials and heading of a study, ready to be sent."""

    def __init__(self, study: Study, materials: Materials) -> None:
        self.digest = materials.study_digest
        self.heading_fields: Json = {
            "name": study.name, "title": study.shown_title, "language": study.language, "digest": self.digest,
        }  # fmt: skip
        self.heading = dumps(self.heading_fields)
        known = frozenset(materials.assets)
        self.models = frozenset(name for name in known if name.endswith(".onnx"))
        plain = {name: _public(trial) for name, trial in materials.trials.items()}
        self.trials = {name: dumps(one) for name, one in plain.items()}
        self.files = {name: tuple(dict.fromkeys(_files_in(one, known))) for name, one in plain.items()}


def _public(trial: Trial) -> dict[str, Any]:
    plain: dict[str, Any] = trial.model_dump(mode="json", include=_SHOWN)
    plain["explanation"] = with_payload(trial.explanation)
    for example in plain["params"].get("examples") or ():
        if isinstance(example, dict) and isinstance(example.get("explanation"), dict):
            example["explanation"] = with_payload(explanation_from_json(example["explanation"]))
    return plain


def with_payload(explanation: Explanation | None) -> dict[str, Any] | None:
    """Write an explanation as the page still reads it: `{"kind": ..., "payload": {...}}`.

    To be removed, with its two uses, as soon as the views read the records themselves.
    """
    if explanation is None:
        return None
    payload: dict[str, Any] = json_from_record(explanation)
    kind = payload.pop("kind")
    if isinstance(explanation, Several):
        payload["parts"] = [with_payload(part) for part in explanation.parts]
    for step in payload.get("steps", ()) if isinstance(explanation, EditPath) else ():
        for edit in step["edits"]:
            edit["from"], edit["to"] = edit.pop("old"), edit.pop("new")
    return {"kind": kind, "payload": payload}


def _files_in(value: Any, known: frozenset[str]) -> Iterator[str]:
    if isinstance(value, str):
        if value in known:
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _files_in(one, known)
    elif isinstance(value, list):
        for one in value:
            yield from _files_in(one, known)
