"""Prototype: the case most similar to the input, by the model's own similarity, and what makes it similar."""

from typing import ClassVar, Literal, Protocol, cast

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.inputs import background_of, columns_of, other_label, require_columns, rounded
from understudy.explainers.omission import Omissions, importance_of
from understudy.registry import create, register
from understudy.roles import Explained, Floats, HasPrototypes, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import DatasetRef, ModelRef, Record, SimilarCase
from understudy.sources.cases import content_from_row


class _PrototypeModel(Model, HasPrototypes, Protocol):
    """A model that decides by similarity to prototypes."""


@register("explainers", "prototype")
class Prototype(Record):
    """Explains by the nearest prototype and the importance of words or values for it. Hase and Bansal (2020).

    The paper computes importance for the similarity to that prototype, and omits words by a zero vector; the program used
    the best similarity to any prototype of its label (`score = "label"`) and the unknown word (`replacement = "unk"`),
    and kept three values at each end of the signed order if more than six counted (`keeps = "ends"`).
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"similar_case"})
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    """The dataset whose rows say how likely each value is, and whose legend reads the inputs."""
    n_background: int = Field(default=2000, ge=1, le=1_000_000)
    background_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    model: ModelRef | None = None
    """The model whose prototypes are shown; by default the explained model."""
    score: Literal["prototype", "label"] = "prototype"
    replacement: Literal["zero", "unk"] = "zero"
    keeps: Literal["largest", "ends"] = "largest"
    max_shown: int = Field(default=6, ge=1, le=10_000)
    scale: float = Field(default=10.0, gt=0)
    """Importance is multiplied by this, because similarity lies between 0 and 1."""
    toward: str | None = None
    """The label whose evidence is positive. Default: the second one."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one similar case per input."""
        background = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, background.legend)
        by = _with_prototypes(create("models", self.model) if self.model is not None else model)
        columns = columns_of(by, self.toward, _targets_by(by, model, targets), n=len(inputs))
        return Explained(
            [self._case(by, row, background.legend, column) for row, column in zip(inputs, columns, strict=True)]
        )

    def _case(self, model: _PrototypeModel, row: Floats, legend: Variables | Vocabulary, column: int) -> SimilarCase:
        positive = model.labels[column]
        similarities = model.similarities(row[None])[0]
        nearest = int(np.argmax(similarities))
        label = model.prototype_labels[nearest]
        same = [k for k, other in enumerate(model.prototype_labels) if other == label]
        columns = [nearest] if self.score == "prototype" else same
        # Evidence for a prototype of the other label counts as negative, so that colours mean the same everywhere.
        sign = 1.0 if label == positive else -1.0

        def score(rows: Floats) -> Floats:
            return np.asarray(self.scale * sign * model.similarities(rows)[:, columns].max(axis=1), dtype=np.float64)

        by = Omissions(
            self.background, self.n_background, self.background_seed, self.replacement, self.max_shown, self.keeps
        )
        return SimilarCase(
            case=content_from_row(model.prototype_inputs[nearest], legend),
            input=content_from_row(row, legend),
            label=label,
            similarity=rounded(similarities[nearest]),
            importance=importance_of(row, legend, score, by),
            toward=positive,
            against=other_label(model, column),
        )


def _targets_by(by: Model, model: Model, targets: Ints | None) -> Ints | None:
    """Return targets, which number the labels of the explained model, as numbers of the same labels of another model."""
    if targets is None or by.labels == model.labels:
        return targets
    absent = sorted({*model.labels} - {*by.labels})
    if absent:
        raise MaterialsError(
            f"The model with the prototypes does not know {', '.join(map(repr, absent))}, which the explained model answers. "
            "Name one with the same labels."
        )
    return np.array([by.labels.index(model.labels[int(target)]) for target in targets], dtype=np.int64)


def _with_prototypes(model: Model) -> _PrototypeModel:
    if not isinstance(model, HasPrototypes):
        raise MaterialsError(
            "The model to be explained has no prototypes. Bind a prototype model, or name one in the explainer."
        )
    return cast("_PrototypeModel", model)
