"""Candidates: the classes that an item is explained for, and their explanations as numbered options of one page."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Explained, Floats, Model
from understudy.schema import Json, Stimulus, explanation_of_options, seed_from


class Candidates(NamedTuple):
    """The classes of one item, in the order in which they are shown."""

    classes: tuple[int, ...]
    truth: Json
    """What the page must not say: the name behind each option, and which option is right."""


def candidates_of(stimuli: Sequence[Stimulus], model: Model, inputs: Floats, n: int, *, seed: int) -> list[Candidates]:
    """Choose n classes for each item: the most likely ones, with the label in the last place if it is not among them.

    So a correctly classified item gets the model's first n classes, and a misclassified one its first n - 1 and the
    label (Kim et al. 2022). Their order is drawn anew for each item.
    """
    if len(model.labels) < n:
        raise MaterialsError(
            f"Items are to be explained for {n} classes each, but the model knows {len(model.labels)}"
            f"{': ' + ', '.join(model.labels) if model.labels else ''}. Ask for fewer candidates, or bind a model with more classes."
        )
    ranked = np.argsort(-model.predict(inputs), axis=1, kind="stable")
    return [
        _candidates(stimulus, model, order[: n + 1].tolist(), n, seed=seed)
        for stimulus, order in zip(stimuli, ranked, strict=True)
    ]


def _candidates(stimulus: Stimulus, model: Model, ranked: Sequence[int], n: int, *, seed: int) -> Candidates:
    label = str(stimulus.truth.get("label", ""))
    if label not in model.labels:
        raise MaterialsError(
            f"An item has the label {label!r}, which the model does not know, so no option could be right. "
            f"Its labels are: {', '.join(model.labels[:8])}. Give the items labels of the model."
        )
    of_label, chosen = model.labels.index(label), list(ranked[:n])
    if of_label not in chosen:
        chosen[-1] = of_label
    rng = np.random.default_rng(seed_from(seed, "prepare", "options", stimulus.stimulus_id))
    shown = tuple(chosen[int(k)] for k in rng.permutation(n))
    return Candidates(
        shown,
        {
            "options": [model.labels[k] for k in shown],
            "option_of_label": str(shown.index(of_label) + 1),
            "option_of_prediction": str(shown.index(ranked[0]) + 1),
        },
    )


def class_number(stimulus: Stimulus, labels: Sequence[str]) -> Json:
    """Return the number of the predicted class among the model's labels, for pages that must not name the class."""
    predicted = stimulus.truth.get("prediction")
    return (
        {"class_number": str(labels.index(predicted) + 1)} if isinstance(predicted, str) and predicted in labels else {}
    )


def as_options(parts: Sequence[Explained]) -> Explained:
    """Combine one explanation for each candidate: heat maps on one shared scale, other kinds side by side."""
    said = [part.explanations[0] for part in parts]
    together = explanation_of_options(said)
    files = {address: file for part in parts for address, file in part.files.items()}
    return Explained([together], files, [_truth_of_options([truth_of(part) for part in parts])])


def truth_of(part: Explained) -> Json:
    """Return what must not be shown about the one explanation of a part."""
    return part.truths[0] if part.truths else {}


def _truth_of_options(truths: Sequence[Json]) -> Json:
    """Join lists, such as those of rows, over the options; each entry says which option it belongs to."""
    joined: Json = {}
    for number, truth in enumerate(truths, start=1):
        for name, value in truth.items():
            entries = value if isinstance(value, list) else [value]
            named = [{**entry, "option": str(number)} if isinstance(entry, dict) else entry for entry in entries]
            earlier = joined.get(name)
            joined[name] = [*(earlier if isinstance(earlier, list) else []), *named]
    return joined
