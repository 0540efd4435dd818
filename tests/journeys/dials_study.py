"""A short study with live models: practice with every control, then two Sinelines."""

from typing import Any

from tests.small_studies import consent, debrief, two_group_plain
from understudy.protocols.ross2021.practice import dials_practice
from understudy.schema import Study

LINES: dict[str, Any] = {
    "decoder": "sinelines-gt", "distance": {"name": "tolerance_band"}, "matched_seed": 3,
}  # fmt: skip


def dials_study(*, language: str = "en", with_practice: bool = True, **task: Any) -> Study:
    """Build the study; `task` changes the questions after the practice."""
    practice = dials_practice()
    screens = [block.model_dump(mode="json") for block in practice.blocks] if with_practice else []
    sets = [one.model_dump(mode="json") for one in practice.item_sets] if with_practice else []
    lines = {"kind": "stage", "block_id": "lines", "items": "lines", "task": {"name": "reconstruct", "params": task}}
    return Study.model_validate(
        two_group_plain(
            name=f"dials-{language}",
            language=language,
            shown_title="Turn the dials",
            item_sets=[*sets, {"name": "lines", "n_items": 2, "dataset": {"name": "reconstruction", "params": LINES}}],
            flow=[consent(), *screens, lines, debrief()],
            measures=[{"name": "seconds", "measure": "response_time"}],
            plan={
                "outcomes": [{"name": "pace", "measure": "seconds"}],
                "hypotheses": [
                    {"hypothesis_id": "H1", "claim": "Groups differ in pace.", "outcome": "pace", "factor": "explanation",
                     "contrast": ["shown", "hidden"], "analysis": "welch_t"}
                ],
            },
        )
    )  # fmt: skip
