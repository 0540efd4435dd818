"""Omission: how the evidence changes without each word, or with each variable averaged over its likely values."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from understudy.explainers.background import background_of
from understudy.explainers.importance import Omissions, importance_of
from understudy.explainers.reading import (
    columns_of,
    margins_of,
    other_label,
    require_columns,
    require_two_labels,
    rounded,
)
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import Attribution, DatasetRef, Record, TokenAttribution


@register("explainers", "omission")
class Omission(Record):
    """Explains by how much the margin falls with each omission, and shows the margin itself.

    A sixth condition that Hase and Bansal (2020) generated but did not report.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution", "token_attribution"})
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    n_background: int = Field(default=2000, ge=1, le=1_000_000)
    background_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    replacement: Literal["zero", "unk"] = "zero"
    """What replaces an omitted word: a blank, as in the paper, or the unknown word, as in the program."""
    max_shown: int = Field(default=6, ge=1, le=10_000)
    keeps: Literal["largest", "ends"] = "largest"
    toward: str | None = None
    """The label whose evidence is positive. Default: the second one."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one attribution per input."""
        background = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, background.legend)
        require_two_labels(model)
        columns = columns_of(model, self.toward, targets, n=len(inputs))
        return Explained(
            [self._of(model, row, background.legend, column) for row, column in zip(inputs, columns, strict=True)]
        )

    def _of(
        self, model: Model, row: Floats, legend: Variables | Vocabulary, column: int
    ) -> Attribution | TokenAttribution:
        sign = 1.0 if column == 1 else -1.0

        def score(rows: Floats) -> Floats:
            return sign * margins_of(model, rows)

        by = Omissions(
            self.background, self.n_background, self.background_seed, self.replacement, self.max_shown, self.keeps
        )
        importance = importance_of(row, legend, score, by)
        evidence: dict[str, Any] = {
            "weights": importance.weights,
            "total": rounded(score(row[None])[0]),
            "even": 0.0,
            "toward": model.labels[column],
            "against": other_label(model, column),
        }
        if isinstance(legend, Vocabulary):
            return TokenAttribution(tokens=importance.tokens, **evidence)
        return Attribution(features=importance.features, values=importance.values, **evidence)
