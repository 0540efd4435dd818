"""Decision boundary: the nearest sampled input with the other answer, and the edits that lead to it."""

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from understudy.explainers.inputs import (
    Background,
    answers_of,
    answers_of_texts,
    background_of,
    lengths_of,
    margins_of,
    require_columns,
    require_predicted,
    require_two_labels,
    rounded,
)
from understudy.registry import register
from understudy.roles import Explained, Floats, HasLatents, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import DatasetRef, Edit, EditPath, PathStep, Record
from understudy.sources.cases import content_from_row
from understudy.sources.edits import change_chance, choices_for, edited_rows, edited_texts
from understudy.sources.words import words_for

# Edit path: from an input to its counterfactual, one edit at a time, in the smallest steps.


class Step(NamedTuple):
    """The positions edited so far, in that order, and the input with these edits."""

    places: tuple[int, ...]
    row: Floats


def edit_path(start: Floats, end: Floats, evidence: Callable[[Floats], Floats]) -> list[Step]:
    """Repeatedly apply the remaining edit that changes the evidence least, until the input is the counterfactual."""
    left = [int(position) for position in np.flatnonzero(start != end)]
    row, steps, done = start, list[Step](), list[int]()
    while left:
        # All remaining edits are tried in one batch; greedy, since all orders would be factorial in number.
        tried = np.repeat(row[None], len(left), axis=0)
        tried[np.arange(len(left)), left] = end[left]
        scores = evidence(np.vstack([row, tried]))
        nearest = int(np.argmin(np.abs(scores[1:] - scores[0])))
        row = tried[nearest]
        done.append(left.pop(nearest))
        steps.append(Step(tuple(done), row))
    return steps


_TINY = 1e-12
_MORE_CHOICES, _MORE_CHANCE, _MORE_HEAT = 10, 0.05, 0.4
"""How much each further attempt at a text widens the search."""


class _Input(NamedTuple):
    """One input, with the model's answer and the background."""

    model: Model
    row: Floats
    label: int
    background: Background


@register("explainers", "decision_boundary")
class DecisionBoundary(Record):
    """Explains by a counterfactual with few edits, reached one edit at a time. Hase and Bansal (2020).

    The paper samples 10,000 perturbed inputs; the program took 1,000 for texts (`n_samples`). The paper counts edits
    and lets hidden values break ties; the program added both (`nearest = "sum"`). The paper orders edits by the
    margin; the program by the evidence of the predicted class alone (`path_by`), which is read here from its
    log-probability.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"path"})
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    """The dataset whose legend says which values and words there are."""
    n_background: int = Field(default=100, ge=1, le=1_000_000)
    background_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    n_samples: int = Field(default=10_000, ge=1, le=1_000_000)
    nearest: Literal["edits", "sum"] = "edits"
    path_by: Literal["margin", "predicted_class"] = "margin"
    max_edits: int = Field(default=3, ge=1, le=100)
    """Tables only: the most variables that are edited at once."""
    n_steps: int = Field(default=4, ge=1, le=1000)
    """How many steps are shown, counted from the last one."""
    max_attempts: int = Field(default=10, ge=1, le=10_000)
    """Samples to try before giving up; for a text, each one searches more widely."""
    n_choices: int = Field(default=100, ge=1, le=100_000)
    temperature: float = Field(default=0.8, gt=0)

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one path per input away from the model's answer; one without steps where no sampled input crosses the boundary."""
        background = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, background.legend)
        require_two_labels(model)
        require_predicted(model, inputs, targets, method="Decision boundary")
        if not len(inputs):
            return Explained([])
        labels = np.argmax(model.predict(inputs), axis=1)
        return Explained(
            [
                self._path(_Input(model, _cut(row, background), int(label), background), rng)
                for row, label in zip(inputs, labels, strict=True)
            ]
        )

    def _path(self, case: _Input, rng: Rng) -> EditPath:
        end = self._end(case, rng)
        steps = [] if end is None else edit_path(case.row, end, self._evidence(case))
        # One call for the input and all steps: models answer batches much faster than single rows.
        margins = margins_of(case.model, np.vstack([case.row, *(step.row for step in steps)]))
        shown_steps = [
            PathStep(margin=rounded(margin), edits=tuple(_edits(case, step)))
            for step, margin in zip(steps, margins[1:], strict=True)
        ]
        return EditPath(
            input=content_from_row(case.row, case.background.legend),
            toward=case.model.labels[1 - case.label],
            margin=rounded(margins[0]),
            labels=case.model.labels,
            steps=tuple(shown_steps[-self.n_steps :]),
        )

    def _end(self, case: _Input, rng: Rng) -> Floats | None:
        for turn in range(self.max_attempts):
            nearest = self._nearest(case, self._sampled(case, turn, rng))
            if nearest is not None:
                return nearest
        return None

    def _sampled(self, case: _Input, turn: int, rng: Rng) -> Floats:
        legend = case.background.legend
        if isinstance(legend, Variables):
            return edited_rows(case.row, [len(names) for names in legend.values], self.n_samples, self.max_edits, rng)
        choices = choices_for(
            case.row.astype(np.int64),
            case.background.words or words_for(case.model, legend),
            n_choices=self.n_choices + _MORE_CHOICES * turn,
            temperature=self.temperature + _MORE_HEAT * turn,
        )
        chance = change_chance(len(case.row)) + _MORE_CHANCE * turn
        changes = rng.random((self.n_samples, len(choices.places))) < chance
        return edited_texts(case.row, choices, changes, rng.random(changes.sum()))

    def _nearest(self, case: _Input, sampled: Floats) -> Floats | None:
        """Return the sampled input across the boundary with the fewest edits, among equals the closest in hidden values."""
        ask = answers_of_texts if isinstance(case.background.legend, Vocabulary) else answers_of
        across = sampled[np.argmax(ask(case.model.predict, sampled), axis=1) != case.label]
        if not len(across):
            return None
        n_edits = (across != case.row).sum(axis=1)
        # The paper lets the hidden distance only break ties, so inputs with more edits are dropped first.
        if self.nearest == "edits":
            across = across[n_edits == n_edits.min()]
            n_edits = np.full(len(across), n_edits.min())
        apart = _hidden(case.model, across) - _hidden(case.model, case.row[None])
        return np.asarray(across[int(np.argmin(n_edits + (apart**2).sum(axis=1)))], dtype=np.float64)

    def _evidence(self, case: _Input) -> Callable[[Floats], Floats]:
        if self.path_by == "margin":
            return lambda rows: margins_of(case.model, rows)
        return lambda rows: np.asarray(
            np.log(np.clip(case.model.predict(rows)[:, case.label], _TINY, 1)), dtype=np.float64
        )


def _cut(row: Floats, background: Background) -> Floats:
    return row[: int(lengths_of(row[None])[0])] if isinstance(background.legend, Vocabulary) else row


def _hidden(model: Model, rows: Floats) -> Floats:
    """Return hidden values, or probabilities if a model has none."""
    return np.asarray(model.latents(rows) if isinstance(model, HasLatents) else model.predict(rows), dtype=np.float64)


def _edits(case: _Input, step: Step) -> Iterator[Edit]:
    legend = case.background.legend
    for position in sorted(step.places):
        old, new = int(case.row[position]), int(step.row[position])
        if isinstance(legend, Variables):
            names = legend.values[position]
            yield Edit(feature=legend.features[position], old=names[old], new=names[new])
        else:
            yield Edit(position=position, old=legend.words[old], new=legend.words[new])
