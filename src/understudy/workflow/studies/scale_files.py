"""Scale files: a block or a measure of a study file may name a scale by its file; it is written out when it is read.

The study then holds the whole scale, so that its digest pins every item.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from understudy.errors import StudyError
from understudy.schema import json_from_record, sentences_from_validation
from understudy.schema.scale import PublishedScale
from understudy.sources.safe_paths import path_fault

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
