"""Check steps: what a model decided on its way down a tree, and the first step that somebody disagrees with."""

from typing import ClassVar

from pydantic import Field, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.schema import Choice, Draft, Question, Stimulus, TaskParams, TreePath
from understudy.tasks.item_page import ItemParams
from understudy.tasks.row_page import RowPage

STEP = "{step}"
"""Stands for the number of a step."""
QUESTION = "first_disagreement"


class CheckStepsParams(ItemParams):
    """An item, and what steps and decisions are called; the steps are in its explanation."""

    step_name: str = f"Step {STEP}"
    decision_names: tuple[str, str] = ("Absent", "Present")


@register("tasks", "check_steps")
class CheckSteps(RowPage):
    """Shows the similarity and the decision of each step, and asks for the first one that people disagree with.

    The question is `first_disagreement`; its options are the item's steps, and that all of them are right.
    """

    Params: ClassVar[type[TaskParams]] = CheckStepsParams
    name: ClassVar[str] = "check_steps"
    prompt: str = "Which is the first step that you disagree with?"
    step_name: str = f"Step {STEP}"
    """What steps are called on the page and in the options; {step} is the number.

    Where a path calls its steps as in the drawing of the tree, people read Step 3b, and the answer is Step 3.
    """
    agreement: str = "I agree with all steps"
    """The last option."""
    decision_names: tuple[str, str] = ("Absent", "Present")
    most_steps: int = Field(default=9, ge=1, le=1000)
    """Items may have fewer steps, but not more."""

    @model_validator(mode="after")
    def _names_the_step(self) -> "CheckSteps":
        if STEP not in self.step_name:
            raise ValueError(f"step_name does not number the steps. Write {STEP} into it.")
        return self

    @property
    def questions(self) -> tuple[Question, ...]:
        """The question about all steps that an item can have, and the further questions."""
        return (self._question(self.most_steps), *self.further_questions)

    def _row_questions(self, stimulus: Stimulus) -> tuple[Question, ...]:
        path = stimulus.explanation
        if not isinstance(path, TreePath) or not path.steps or path.fork is not None:
            raise MaterialsError(
                "check_steps shows the steps of a tree_path without a fork, which an item does not have. "
                "Choose another explainer."
            )
        if any(step.similarity is None or step.is_present is None for step in path.steps):
            raise MaterialsError(
                "check_steps shows what the model decided, but a tree_path does not say it. "
                "Set shows_scores of the explainer to true."
            )
        if len(path.steps) > self.most_steps:
            raise MaterialsError(
                f"An item has {len(path.steps)} steps, and check_steps allows {self.most_steps}. Raise most_steps."
            )
        return (self._question(len(path.steps)),)

    def _draft(self, stimulus: Stimulus) -> Draft:
        draft = super()._draft(stimulus)
        path = stimulus.explanation
        drawn = {
            self._step(str(position)): self._step(step.number)
            for position, step in enumerate(path.steps if isinstance(path, TreePath) else (), start=1)
            if step.number
        }
        return draft.model_copy(
            update={"params": draft.params.model_copy(update={"value_names": {**drawn, **self.value_names}})}
        )

    def _step(self, number: str) -> str:
        return self.step_name.replace(STEP, number)

    def _question(self, n_steps: int) -> Choice:
        steps = (self._step(str(number)) for number in range(1, n_steps + 1))
        return Choice(question_id=QUESTION, prompt=self.prompt, options=(*steps, self.agreement))
