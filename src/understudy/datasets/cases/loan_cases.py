"""Loan cases: generated applications with a known true rule, which need no download."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record

FEATURES = ("income", "savings", "years_employed", "open_loans")
TRUE_WEIGHTS = (1.2, 0.8, 0.5, -1.0)


@register("datasets", "loan_cases")
class LoanCases(Record):
    """Draws applications with four standardised figures; a noisy linear rule decides which were repaid."""

    noise_sd: float = Field(default=0.6, ge=0)
    labels: ClassVar[tuple[str, str]] = ("defaulted", "repaid")

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n applications."""
        inputs = rng.normal(size=(n, len(FEATURES)))
        score = inputs @ np.array(TRUE_WEIGHTS) + rng.normal(scale=self.noise_sd, size=n)
        shown = np.round(
            np.column_stack(
                [
                    3000 + 900 * inputs[:, 0],
                    8000 + 3500 * inputs[:, 1],
                    6 + 2.5 * inputs[:, 2],
                    3 + 1.4 * inputs[:, 3],
                ]
            )
        )
        shown = np.maximum(shown, 0)
        return Sample(
            contents=[dict(zip(FEATURES, map(float, row), strict=True)) for row in shown],
            attributes={"label": [self.labels[int(value > 0)] for value in score]},
            inputs=inputs,
        )
