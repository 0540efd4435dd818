"""A short study about single dials: practice on the disc, then lines, with examples or traversals."""

from typing import Any, Literal

from understudy.schema import Study


def _screen(block_id: str, purpose: str, task: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "screen", "block_id": block_id, "purpose": purpose, "task": task}


def _dataset(decoder: str, **params: Any) -> dict[str, Any]:
    return {"name": "single_dial", "params": {"decoder": decoder, "n_sets": 3, **params}}


def dial_study(layout: Literal["exemplars", "traversals"], *, language: str = "en") -> Study:
    """Build the study."""
    task = {"name": "single_dial", "params": {"language": language}}
    words = {"language": language}
    return Study.model_validate(
        {
            "name": f"dials-{layout}-{language}",
            "title": "One dial at a time",
            "language": language,
            "seed": 4,
            "item_sets": [
                {"name": "easy", "n_items": 2,
                 "dataset": _dataset("practice-disc", layout=layout, asked=[1], regimes="balanced", unclear="redraw")},
                {"name": "lines", "n_items": 4, "dataset": _dataset("sinelines-gt", layout=layout)},
            ],
            "flow": [
                {"kind": "stage", "block_id": "practice", "purpose": "practice", "items": "easy", "order": "given", "task": task},
                {"kind": "stage", "block_id": "dials", "items": "lines", "order": "given", "feedback": "per_trial", "task": task},
                _screen("ease", "questionnaire", {"name": "seq", "params": words}),
                _screen("load", "questionnaire", {"name": "nasa_tlx", "params": words}),
                _screen("who", "questionnaire", {"name": "demographics", "params": words}),
            ],
            "measures": [{"name": "right", "measure": {"name": "correct", "params": {"question": "regime"}}}],
            "plan": {"outcomes": [{"name": "accuracy", "measure": "right"}],
                     "descriptions": [{"description_id": "accuracy", "outcome": "accuracy"}]},
        }
    )  # fmt: skip
