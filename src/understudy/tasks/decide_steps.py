"""Decide steps: two decisions of a model on its way down a tree, made by a person."""

from typing import ClassVar

from pydantic import field_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.schema import Choice, Draft, Json, Question, Stimulus, TaskParams, TreePath, TreeStep
from understudy.tasks.item_page import ItemParams
from understudy.tasks.row_page import RowPage

DECISIONS = "decisions"
"""The attribute with the model's two decisions at the fork: two truth values, true for present."""
FIRST, SECOND = "decision_1", "decision_2"


class DecideStepsParams(ItemParams):
    """An item, and what steps, decisions and outcomes are called; the steps are in its explanation."""

    step_name: str = "Step {step}"
    decision_names: tuple[str, str] = ("Absent", "Present")
    outcomes: tuple[str, str, str, str] = ("Species 1", "Species 2", "Species 3", "Species 4")
    decided: tuple[str, str] | None = None
    """Both decisions of the model, on the page of a worked example."""


@register("tasks", "decide_steps")
class DecideSteps(RowPage):
    """Shows the steps above a fork, and asks for the two decisions below; the second depends on the first.

    The questions are `decision_1` and `decision_2`. Both are right if they are the model's own, which items have as
    `decisions`.
    """

    Params: ClassVar[type[TaskParams]] = DecideStepsParams
    name: ClassVar[str] = "decide_steps"
    prompts: tuple[str, str] = (
        "Is the part of the prototype present in the photo?",
        "And is the part of the next prototype present in the photo?",
    )
    step_name: str = "Step {step}"
    """What steps are called on the page; {step} is the number."""
    decision_names: tuple[str, str] = ("Absent", "Present")
    """The options of both questions."""
    outcomes: tuple[str, str, str, str] = ("Species 1", "Species 2", "Species 3", "Species 4")
    """Where the four ways lead: both absent, only the second present, only the first present, both present."""
    is_example: bool = False
    """Whether the page is a worked example, which shows both decisions and asks nothing."""

    @field_validator("decision_names", "outcomes")
    @classmethod
    def _all_different(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError("two of the names are the same, so nobody could tell them apart. Rename one.")
        return names

    @property
    def questions(self) -> tuple[Question, ...]:
        """Both decisions, and the further questions; none in a worked example."""
        return () if self.is_example else (*self._decisions, *self.further_questions)

    @property
    def keyed(self) -> frozenset[str]:
        """The decisions, and the questions that the item has an answer to."""
        return frozenset() if self.is_example else frozenset({FIRST, SECOND, *self.keys})

    @property
    def _decisions(self) -> tuple[Question, ...]:
        return tuple(
            Choice(question_id=question_id, prompt=prompt, options=self.decision_names)
            for question_id, prompt in zip((FIRST, SECOND), self.prompts, strict=True)
        )

    def attributes(self) -> set[str]:
        """Return the attributes that items need."""
        return super().attributes() | {DECISIONS}

    def _row_questions(self, stimulus: Stimulus) -> tuple[Question, ...]:
        path = stimulus.explanation
        if not isinstance(path, TreePath) or path.fork is None:
            raise MaterialsError(
                "decide_steps asks about the fork of a tree_path, which an item does not have. Choose another explainer."
            )
        if any(map(_tells, (path.fork.first, path.fork.if_absent, path.fork.if_present))):
            raise MaterialsError(
                "The fork of a tree_path says what the model decided, which decide_steps asks. "
                "Leave similarities and decisions of the fork out."
            )
        return () if self.is_example else self._decisions

    def _draft(self, stimulus: Stimulus) -> Draft:
        draft = super()._draft(stimulus)
        if not self.is_example:
            return draft
        params = draft.params.model_copy(update={"decided": self._words(stimulus)})
        return Draft(params=params, asks=(), answers={})

    def _answers(self, stimulus: Stimulus, asks: tuple[Question, ...]) -> Json:
        first, second = self._words(stimulus)
        return {FIRST: first, SECOND: second, **super()._answers(stimulus, asks)}

    def _words(self, stimulus: Stimulus) -> tuple[str, str]:
        """Return the model's decisions as they are called on the page."""
        decided = stimulus.truth[DECISIONS]
        if (
            not isinstance(decided, list)
            or len(decided) != 2
            or not all(isinstance(decision, bool) for decision in decided)
        ):
            raise MaterialsError(
                f"An item's {DECISIONS!r} is {decided!r}. decide_steps needs two truth values, true for present."
            )
        return self.decision_names[bool(decided[0])], self.decision_names[bool(decided[1])]


def _tells(step: TreeStep) -> bool:
    return step.similarity is not None or step.is_present is not None
