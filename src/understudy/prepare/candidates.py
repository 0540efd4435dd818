"""The classes that an item is explained for: candidates as numbered options of one page, or the answer that the page shows.

On a page that shows the model's answer, the explanation must be of that answer. With two labels a weight for one is a weight
against the other, and the page turns the signs round. With more labels that is not so: weights or a map of another class would
explain an answer that the model did not give.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.registry import create
from understudy.roles import Explained, Explainer, Floats, HasClasses, HasParts, Model, Rng
from understudy.schema import (
    Attribution,
    EditPath,
    Explanation,
    Heatmap,
    Json,
    RuleExplanation,
    Several,
    SimilarCase,
    Stimulus,
    TokenAttribution,
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

_WEIGHED = {"attribution", "token_attribution", "similar_case", "several"}
"""Kinds that explain one label for all cases unless they are told otherwise; maps are of the model's answer by default."""


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
    if not answers or _WEIGHED.isdisjoint(explainer.kinds) or _toward(explainer) or not {*answers} <= {*labels}:
        return by_itself
    if isinstance(explainer, HasClasses):
        kept = explainer.classes_of(inputs)
        return [
            labels.index(answer) if len(classes) > 1 else None for answer, classes in zip(answers, kept, strict=True)
        ]
    return [labels.index(answer) for answer in answers] if len(labels) > 2 else by_itself


def require_answers(
    shown: ShownAnswers, said: Sequence[Explanation | None], explainer: Explainer, inputs: Floats
) -> None:
    """Refuse explanations of other classes than the answers that their pages show."""
    unnamed = _unnamed_classes(explainer, inputs)
    wrong = [
        (answer, other)
        for answer, explanation, behind in zip(shown.answers, said, unnamed, strict=True)
        if explanation is not None and (other := _other_class(explanation, answer, behind)) is not None
    ]
    if wrong:
        answer, other = wrong[0]
        raise MaterialsError(
            f"Block {shown.block_id!r} shows the model's answer, but for {len(wrong)} of {len(said)} items {shown.explainer!r} "
            f"explains another class: the answer is {answer!r}, and the explanation is about {other!r}. Explain the answer: leave "
            "out `toward`, or record explanations of every class (`labels`) or of each case's answer (one `toward` for each)."
        )


def _other_class(explanation: Explanation, answer: str, behind: str) -> str | None:
    """Return the class that an explanation is about, if it is not the answer; `behind` is the class of an unnamed map."""
    match explanation:
        case Attribution() | TokenAttribution() | SimilarCase():
            # What speaks against the only other label speaks for the answer.
            return explanation.toward if answer not in (explanation.toward, explanation.against) else None
        case RuleExplanation():
            return explanation.label if explanation.label != answer else None
        case EditPath():
            # A path leads from the answer to another label.
            return explanation.toward if explanation.toward == answer else None
        case Heatmap():
            names = [layer.label for layer in explanation.layers if layer.label] or [behind]
            return ", ".join(names) if answer not in names and any(names) else None
        case Several():
            found = (_other_class(part, answer, behind) for part in explanation.parts)
            return next((other for other in found if other is not None), None)
    return behind if behind and behind != answer and explanation.kind == "prototype_matches" else None


def _unnamed_classes(explainer: Explainer, inputs: Floats) -> list[str]:
    """Return the class behind each explanation that does not name it; empty where nobody said."""
    if isinstance(explainer, HasClasses):
        return [classes[0] if len(classes) == 1 else "" for classes in explainer.classes_of(inputs)]
    return [_toward(explainer)] * len(inputs)


def _toward(explainer: Explainer) -> str:
    """Return the class that an explainer, or a part of it, was told to explain; empty if it was not."""
    parts: Sequence[Any] = explainer.parts if isinstance(explainer, HasParts) else ()
    told = [getattr(explainer, "toward", None), *(_toward(create("explainers", part)) for part in parts)]
    return next((str(label) for label in told if label), "")
