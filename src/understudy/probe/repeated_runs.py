"""Run a concept test with several seeds and return the result tables."""

from collections.abc import Callable, Iterable

import pandas as pd

from understudy.probe.alignment import results_from_frames
from understudy.probe.concept_test import ConceptTest, SeedResults
from understudy.probe.results import FourResults
from understudy.schema.probe import SetId

_SETS: tuple[SetId, ...] = ("PP", "PD", "MP", "MD")


def results_of_runs(
    test: ConceptTest,
    seeds: Iterable[int],
    *,
    with_confidence: bool = False,
    on_model: Callable[[str], None] = lambda _: None,
) -> tuple[FourResults, ...]:
    """Train and test both models once per seed; `on_model` is called after each model."""
    return tuple(
        results_from_frames(
            frames_of(test.results(seed, on_model=on_model), with_confidence=with_confidence), name=f"seed-{seed}"
        )
        for seed in seeds
    )


def frames_of(results: SeedResults, *, with_confidence: bool) -> dict[SetId, pd.DataFrame]:
    """Return four tables; without confidence an answer is just right or wrong."""
    frames: dict[SetId, pd.DataFrame] = {}
    for name in _SETS:
        answers = results.answers[name]
        columns = {"id": results.ids, "truth": results.truth, "label": [results.label_names[k] for k in answers.labels]}
        frames[name] = pd.DataFrame(columns | ({"confidence": answers.confidences} if with_confidence else {}))
    return frames
