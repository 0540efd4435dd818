"""Rate matches: how similar people find each pair of regions that a model compared, and then the study's questions."""

from typing import ClassVar

from pydantic import Field, field_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.schema import (
    Alternatives,
    Explanation,
    PrototypeMatches,
    Question,
    Rating,
    Stimulus,
    TaskParams,
    TreePath,
)
from understudy.tasks.item_page import ItemParams
from understudy.tasks.row_page import RowPage

ROW, OPTION = "{row}", "{option}"
"""Stand for the numbers of a row and of an option in the prompt."""


class RateMatchesParams(ItemParams):
    """An item and what is revealed about it; the rows are in its explanation."""


@register("tasks", "rate_matches")
class RateMatches(RowPage):
    """Asks for a similarity rating on each row of prototype matches, a tree path, or alternatives of matches.

    Row k has the question `row_k`; with alternatives, row k of option j has `option_j_row_k`.
    """

    Params: ClassVar[type[TaskParams]] = RateMatchesParams
    name: ClassVar[str] = "rate_matches"
    prompt: str = f"How similar are the two regions in row {ROW}?"
    """{row} is the number of the row and {option} that of the option."""
    labels: tuple[str, ...] = Field(
        default=("Not similar", "Somewhat not similar", "Somewhat similar", "Similar"), min_length=2
    )
    """What the points of the scale mean, from 1."""
    most_rows: int = Field(default=10, ge=1, le=1000)
    """Items may have fewer rows, but not more."""
    n_options: int | None = Field(default=None, ge=2, le=1000)
    """How many options the items have, if their explanations are alternatives."""

    @field_validator("prompt")
    @classmethod
    def _names_the_row(cls, prompt: str) -> str:
        if ROW not in prompt:
            raise ValueError(f"the prompt does not name the row, so all ratings would read alike. Write {ROW} into it.")
        return prompt

    @property
    def questions(self) -> tuple[Question, ...]:
        """As many ratings as an item can have, and the further questions."""
        return (*self._ratings([self.most_rows] * (self.n_options or 1)), *self.further_questions)

    def _row_questions(self, stimulus: Stimulus) -> tuple[Question, ...]:
        counts = self._counts(stimulus.explanation)
        if max(counts) > self.most_rows:
            raise MaterialsError(
                f"An item has {max(counts)} rows to rate, and rate_matches allows {self.most_rows}. Raise most_rows."
            )
        return self._ratings(counts)

    def _counts(self, explanation: Explanation | None) -> list[int]:
        """Return the number of rows of each option, or of the one explanation."""
        if isinstance(explanation, Alternatives) and len(explanation.options) == self.n_options:
            return [_n_rows(option) for option in explanation.options]
        if isinstance(explanation, Alternatives):
            raise MaterialsError(
                f"An item has {len(explanation.options)} options, and rate_matches has n_options = {self.n_options}. "
                "Give both the same number."
            )
        if self.n_options is not None:
            raise MaterialsError(
                f"rate_matches has n_options = {self.n_options}, but an item is explained for one class. "
                "Explain it for several, or leave n_options out."
            )
        return [_n_rows(explanation)]

    def _ratings(self, counts: list[int]) -> tuple[Question, ...]:
        return tuple(
            Rating(
                question_id=f"row_{row}" if self.n_options is None else f"option_{option}_row_{row}",
                prompt=self.prompt.replace(ROW, str(row)).replace(OPTION, str(option)),
                points=len(self.labels),
                labels=self.labels,
            )
            for option, n_rows in enumerate(counts, start=1)
            for row in range(1, n_rows + 1)
        )


def _n_rows(explanation: Explanation | None) -> int:
    if isinstance(explanation, PrototypeMatches):
        return len(explanation.rows)
    if isinstance(explanation, TreePath) and explanation.steps and explanation.fork is None:
        return len(explanation.steps)
    kind = "no explanation" if explanation is None else f"the explanation {explanation.kind!r}"
    raise MaterialsError(
        f"rate_matches rates the rows of prototype_matches or of a tree_path without a fork, but an item has {kind}. "
        "Choose another explainer."
    )
