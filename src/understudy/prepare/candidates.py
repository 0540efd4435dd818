"""The classes that an item is explained for: candidates as numbered options of one page, or the answer that the page shows.

On a page that shows the model's answer, the explanation must be of that answer. With two labels a weight for one is a weight
against the other, and the page turns the signs round. With more labels that is not so: weights or a map of another class would
explain an answer that the model did not give.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.registry import create
from understudy.roles import Explained, Explainer, Floats, HasClasses, HasParts, Model, Rng
from understudy.schema import (
    Explanation,
    Json,
    Several,
    Stimulus,
    explanation_kinds,
    explanation_of_options,
    seed_from,
)


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


# The answer that a page shows


class ShownAnswers(NamedTuple):
    """The model's answers that the pages of a block show, and the explainer that explains them."""

    block_id: str
    explainer: str
    answers: tuple[str, ...]


def targets_of_answers(
    explainer: Explainer, labels: Sequence[str], answers: Sequence[str], inputs: Floats
) -> list[int | None]:
    """Return the class to explain for each input, None where the explainer chooses."""
    by_itself: list[int | None] = [None] * len(inputs)
    if not answers or not {*answers} <= {*labels}:
        return by_itself
    if isinstance(explainer, HasParts):
        return _targets_of_parts(_parts(explainer), labels, answers, inputs)
    if not _speaks_for_one_label(explainer) or _toward(explainer):
        return by_itself
    if isinstance(explainer, HasClasses):
        kept = explainer.classes_of(inputs)
        return [
            labels.index(answer) if len(classes) > 1 else None for answer, classes in zip(answers, kept, strict=True)
        ]
    return [labels.index(answer) for answer in answers] if len(labels) > 2 else by_itself


def _targets_of_parts(
    parts: Sequence[Explainer], labels: Sequence[str], answers: Sequence[str], inputs: Floats
) -> list[int | None]:
    """Return the class that all parts explain: the answer if one of them needs to be told."""
    told = next((toward for part in parts if (toward := _toward(part)) and {*answers} != {toward}), "")
    if told and len(labels) > 2:
        raise MaterialsError(
            f"The page shows the model's answer, and a part of its explanation is always about {told!r}. Leave out the "
            "`toward` of that part, so that it explains the answer."
        )
    of_parts = [targets_of_answers(part, labels, answers, inputs) for part in parts]
    return [next((target for target in row if target is not None), None) for row in zip(*of_parts, strict=True)]


def require_answers(
    shown: ShownAnswers, said: Sequence[Explanation | None], explainer: Explainer, inputs: Floats
) -> None:
    """Refuse explanations of other classes than the answers that their pages show."""
    others = _other_classes(shown.answers, said, explainer, inputs)
    wrong = [(answer, other) for answer, other in zip(shown.answers, others, strict=True) if other is not None]
    if wrong:
        answer, other = wrong[0]
        raise MaterialsError(
            f"Block {shown.block_id!r} shows the model's answer, but for {len(wrong)} of {len(said)} items {shown.explainer!r} "
            f"explains another class: the answer is {answer!r}, and the explanation is about {other!r}. Explain the answer: leave "
            "out `toward`, or record explanations of every class (`labels`) or of each case's answer (one `toward` for each)."
        )


def _other_classes(
    answers: Sequence[str], said: Sequence[Explanation | None], explainer: Explainer, inputs: Floats
) -> list[str | None]:
    """Return the class that each explanation is about where it is not the answer."""
    if isinstance(explainer, HasParts):
        found: list[str | None] = [None] * len(said)
        for number, part in enumerate(_parts(explainer)):
            shown = [item.parts[number] if isinstance(item, Several) else None for item in said]
            of_part = _other_classes(answers, shown, part, inputs)
            found = [earlier or other for earlier, other in zip(found, of_part, strict=True)]
        return found
    if isinstance(explainer, HasClasses):
        behind = [classes[0] if len(classes) == 1 else "" for classes in explainer.classes_of(inputs)]
    else:
        behind = [_toward(explainer)] * len(said)
    return [
        None if item is None else item.other_class(answer, unnamed=unnamed)
        for answer, item, unnamed in zip(answers, said, behind, strict=True)
    ]


def _speaks_for_one_label(explainer: Explainer) -> bool:
    """Say whether weights need a label to speak for; other kinds are about the model's answer unless they are told otherwise."""
    kinds = explanation_kinds()
    return any("toward" in kinds[kind].model_fields for kind in explainer.kinds if kind in kinds)


def _toward(explainer: Explainer) -> str:
    """Return the class that an explainer was told to explain; empty if it was not."""
    return str(getattr(explainer, "toward", None) or "")


def _parts(explainer: Explainer) -> list[Explainer]:
    return [create("explainers", part) for part in explainer.parts] if isinstance(explainer, HasParts) else []
