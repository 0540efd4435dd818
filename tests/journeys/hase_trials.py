"""Every trial of the released sheets, as the judge page shows it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from understudy.registry import create
from understudy.schema import Ref, Stimulus, Trial
from understudy.sources.hase_sheets import Stimuli
from understudy.sources.hase_stimuli import Item, explanation_from_texts

RATING = {"kind": "rating", "question_id": "rating", "prompt": "How well does the explanation show the reasons?"}
SHOWN = ["label", "prediction"]


def trials_from(stimuli: Stimuli) -> Iterator[Trial]:
    """Yield one trial for each row of the sheets."""
    by_place = {(item.part, item.item_id): item for item in stimuli.items}
    for number, row in enumerate(stimuli.trials):
        part = "learning" if row["phase"] == "learning" else row["test"]
        item = by_place[part, row["id"]]  # type: ignore[index]
        texts = stimuli.texts.get((row["method"], item.row)) if row["phase"] != "pre" else None
        said = None if texts is None else explanation_from_texts(texts, item, row["method"])
        truth = {"label": item.label, "prediction": item.prediction}
        stimulus = Stimulus(stimulus_id=str(number), content=item.content, truth=truth, explanation=said)
        task = create("tasks", Ref(name="judge", params=_params(row, item, stimuli)))
        (draft,) = task.drafts([stimulus], np.random.default_rng(1))
        yield Trial(
            trial_id=f"{stimuli.domain}-{number}", block_id=part, task="judge", params=draft.params.model_dump(mode="json"),
            asks=draft.asks, explanation=said,
        )  # fmt: skip


def _params(row: Any, item: Item, stimuli: Stimuli) -> dict[str, Any]:
    labels = sorted({one.prediction for one in stimuli.items})
    asked = [{"kind": "choice", "question_id": "prediction", "prompt": "What will the model say?", "options": labels}]
    if item.part == "forward":
        return {"questions": asked}
    if item.part == "learning":
        return {"reveals": SHOWN, "questions": [RATING] if row["method"] != "blackbox" else []}
    return {"reveals": SHOWN, "questions": [*([RATING] if row["phase"] == "post" else []), *asked]}
