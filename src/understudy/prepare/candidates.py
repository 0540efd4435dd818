"""Candidates: the classes that an item is explained for, and their explanations as numbered options of one page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Explained, Floats, Model, Rng
from understudy.schema import Json, Stimulus, explanation_of_options, seed_from


class Candidates(NamedTuple):
    """The classes of one item, in the order in which they are shown."""

    classes: tuple[int, ...]
    truth: Json
    """What the page must not say: the name behind each option, and which option is right."""


def candidates_of(stimuli: Sequence[Stimulus], model: Model, inputs: Floats, n: int, *, seed: int) -> list[Candidates]:
    """Choose n classes for each item: the most likely ones, with the label in the last place if it is not among them.

    So a correctly classified item gets the model's first n classes, and a misclassified one its first n - 1 and the
    label (Kim et al. 2022). Their order is random, with label and prediction at each number equally often, so that no
    number is a better guess than another.
    """
    if len(model.labels) < n:
        raise MaterialsError(
            f"Items should be explained for {n} classes each, but the model knows {len(model.labels)}"
            f"{': ' + ', '.join(model.labels) if model.labels else ''}. Ask for fewer candidates, or bind a model with more classes."
        )
    ranked = np.argsort(-model.predict(inputs), axis=1, kind="stable")
    rng = np.random.default_rng(seed_from(seed, "prepare", "options"))
    numbers = {is_right: _number_pairs(n, rng, is_right=is_right) for is_right in (True, False)}
    return [
        _candidates(model, _ranked_classes(stimulus, model, order[: n + 1].tolist(), n), numbers, rng)
        for stimulus, order in zip(stimuli, ranked, strict=True)
    ]


class _NumberPair(NamedTuple):
    """The options of label and prediction, from 0; the same for a right prediction."""

    label: int
    prediction: int


class _RankedClasses(NamedTuple):
    """The classes of an item, from the likeliest, and which of them is the label."""

    classes: tuple[int, ...]
    label: int


def _number_pairs(n: int, rng: Rng, *, is_right: bool) -> Iterator[_NumberPair]:
    """Yield all pairs of options in random order, again and again."""
    pairs = [(k, k) for k in range(n)] if is_right else [*permutations(range(n), 2)]
    while True:
        for index in rng.permutation(len(pairs)):
            yield _NumberPair(*pairs[int(index)])


def _ranked_classes(stimulus: Stimulus, model: Model, ranked: Sequence[int], n: int) -> _RankedClasses:
    label = str(stimulus.truth.get("label", ""))
    if label not in model.labels:
        raise MaterialsError(
            f"An item has the label {label!r}, which the model does not know, so no option could be right. "
            f"Its labels are: {', '.join(model.labels[:8])}. Give the items labels of the model."
        )
    of_label, chosen = model.labels.index(label), list(ranked[:n])
    if of_label not in chosen:
        chosen[-1] = of_label
    return _RankedClasses(tuple(chosen), of_label)


def _candidates(
    model: Model, ranked: _RankedClasses, numbers: Mapping[bool, Iterator[_NumberPair]], rng: Rng
) -> Candidates:
    """Put label and prediction at their numbers, and the other classes at random at the rest."""
    predicted = ranked.classes[0]
    pair = next(numbers[predicted == ranked.label])
    fixed = {pair.label: ranked.label, pair.prediction: predicted}
    others = iter(rng.permutation([k for k in ranked.classes if k not in fixed.values()]).tolist())
    shown = tuple(fixed[number] if number in fixed else next(others) for number in range(len(ranked.classes)))
    return Candidates(
        shown,
        {
            "options": [model.labels[k] for k in shown],
            "option_of_label": str(pair.label + 1),
            "option_of_prediction": str(pair.prediction + 1),
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
