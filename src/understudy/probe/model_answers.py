"""Run two models on two data sets and align their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
import pandas as pd

from understudy.errors import ResultsError
from understudy.probe.alignment import results_from_frames
from understudy.probe.correctness import Correctness
from understudy.probe.hypotheses import SETS
from understudy.probe.results import FourResults
from understudy.probe.verdicts import ProbeOptions, probe
from understudy.roles import Floats, Model
from understudy.schema import Verdicts


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs with their true labels or values; two data sets share the ids of their objects."""

    inputs: Floats
    truth: Sequence[str] | Sequence[float]
    ids: Sequence[str] = ()
    """Without it, objects are numbered from 0, and rows with the same number must be the same object."""
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def results_of_models(
    m: Model,
    m_plus: Model,
    d: LabelledInputs,
    d_plus: LabelledInputs,
    *,
    correctness: Correctness | None = None,
    with_confidence: bool = False,
    name: str = "",
) -> FourResults:
    """Return the answers of both models on both data sets; only `m_plus` was trained with the extra information.

    A classifier answers with its most probable label; `with_confidence` counts the probability of that label as its
    confidence. A model without labels answers with a value and needs a `correctness`, such as `linear(scale)`.
    """
    models: dict[str, Model] = {"P": m_plus, "M": m}
    data: dict[str, LabelledInputs] = {"P": d_plus, "D": d}
    frames = {set_id: _answers(models[set_id[0]], data[set_id[1]], with_confidence=with_confidence) for set_id in SETS}
    if correctness is None and not all(model.labels for model in models.values()):
        raise ResultsError(
            [
                "A model without labels answers with values; say how correct a value is, for example with correctness=linear(scale)."
            ]
        )
    return results_from_frames(frames, correctness=correctness, name=name)


def probe_models(
    m: Model,
    m_plus: Model,
    d: LabelledInputs,
    d_plus: LabelledInputs,
    *,
    correctness: Correctness | None = None,
    with_confidence: bool = False,
    **options: Unpack[ProbeOptions],
) -> Verdicts:
    """Run both models on both data sets and judge the concept: `results_of_models`, then `probe` with its options."""
    results = results_of_models(m, m_plus, d, d_plus, correctness=correctness, with_confidence=with_confidence)
    return probe(results, **options)


def _answers(model: Model, data: LabelledInputs, *, with_confidence: bool) -> pd.DataFrame:
    outputs = np.asarray(model.predict(data.inputs), dtype=np.float64)
    n = len(data.inputs)
    lengths = {"truths": len(data.truth), "ids": len(data.ids) or n, "outputs": outputs.shape[0]}
    unlike = [f"{number} {part}" for part, number in lengths.items() if number != n]
    if unlike:
        raise ResultsError([f"There are {n} inputs but {', '.join(unlike)}; give one for each input."])
    labels: Any = _labels(model, outputs)
    frame = pd.DataFrame({"id": list(data.ids) or range(n), "truth": list(data.truth), "label": labels})
    if with_confidence:
        if not model.labels:
            raise ResultsError(["A model without labels has no confidence; leave with_confidence out."])
        frame["confidence"] = outputs.max(axis=1).clip(0, 1)
    return frame.assign(**{name: list(values) for name, values in data.columns.items()})


def _labels(model: Model, outputs: Floats) -> list[Any]:
    if not model.labels:
        return list(outputs.reshape(len(outputs), -1)[:, 0])
    if outputs.ndim != 2 or outputs.shape[1] != len(model.labels):
        raise ResultsError(
            [f"The model names {len(model.labels)} labels but predicts {outputs.shape[1:]} numbers for an input."]
        )
    return [model.labels[index] for index in outputs.argmax(axis=1)]
