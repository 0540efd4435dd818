"""Omission: how the evidence changes without each word, or with each value as it usually is."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from understudy.explainers.background import background_of
from understudy.explainers.importance import Omissions, importance_payload
from understudy.explainers.reading import column_of, margins_of, require_columns, require_two_labels, shown
from understudy.registry import register
from understudy.roles import Floats, Model, Rng, Variables, Vocabulary
from understudy.schema import DatasetRef, Explanation, Record


@register("explainers", "omission")
class Omission(Record):
    """Explains by what the margin loses by each omission, beside the margin itself.

    A sixth condition that Hase and Bansal (2020) made and did not report.
    """

    kind: ClassVar[str] = "attribution"
    """Of variables; a text is explained by the kind `token_attribution`."""
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    n_background: int = Field(default=2000, ge=1)
    background_seed: int = Field(default=0, ge=0)
    replacement: Literal["zero", "unk"] = "zero"
    """What stands for a word left out: a blank, as the paper says, or the unknown word, as the program did it."""
    max_shown: int = Field(default=6, ge=1)
    keeps: Literal["largest", "ends"] = "largest"
    toward: str | None = None
    """The label whose evidence is positive; the second one when absent."""

    def explain(self, model: Model, inputs: Floats, rng: Rng) -> Sequence[Explanation]:
        """Return one attribution per input."""
        held = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, held.legend)
        require_two_labels(model)
        sign = 1.0 if column_of(model, self.toward) == 1 else -1.0
        return [self._of(model, row, held.legend, sign) for row in inputs]

    def _of(self, model: Model, row: Floats, legend: Variables | Vocabulary, sign: float) -> Explanation:
        def score(rows: Floats) -> Floats:
            return sign * margins_of(model, rows)

        by = Omissions(
            self.background, self.n_background, self.background_seed, self.replacement, self.max_shown, self.keeps
        )
        return Explanation(
            kind="token_attribution" if isinstance(legend, Vocabulary) else "attribution",
            payload={
                **importance_payload(row, legend, score, by),
                "total": shown(score(row[None])[0]),
                "toward": model.labels[1 if sign > 0 else 0],
            },
        )
