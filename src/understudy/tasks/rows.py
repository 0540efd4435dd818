"""Tasks about rows: an explanation as a list of comparisons, checked, decided and rated."""

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import (
    Alternatives,
    Choice,
    Draft,
    Explanation,
    Json,
    PrototypeMatches,
    Question,
    Rating,
    Stimulus,
    TaskParams,
    TreePath,
    TreeStep,
)
from understudy.tasks.pages import ItemParams, ItemTask, answers_of, reading_order, require_attributes


class RowPage(ItemTask):
    """Shows an item and its comparisons; what is asked about each of them depends on the item."""

    name: ClassVar[str]
    """The name of the task, for messages."""
    further_questions: tuple[Question, ...] = ()
    """The study's own questions, which come after those about the rows."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything that a page may ask; an item with fewer rows asks less."""
        return self.further_questions

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        asked = self.questions
        self.require_names(asked)
        ids = [question.question_id for question in asked]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"two questions are called {twice[0]!r}. Rename the one among the further questions.")
        return self

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one page for each item."""
        require_attributes(self.name, self.attributes(), stimuli)
        return [self._draft(stimulus) for stimulus in stimuli]

    def _draft(self, stimulus: Stimulus) -> Draft:
        asks = (*self._row_questions(stimulus), *self.further_questions)
        shown = {name: value for name, value in self if name in self.Params.model_fields}
        params = self.Params.model_validate(
            {
                **shown,
                "content": stimulus.content,
                "revealed": {name: stimulus.truth[name] for name in self.reveals},
                "order": reading_order(stimulus.content),
            }
        )
        return Draft(params=params, asks=asks, answers=self._answers(stimulus, asks))

    def _row_questions(self, stimulus: Stimulus) -> tuple[Question, ...]:
        """Return what is asked about the rows of an item."""
        return ()

    def _answers(self, stimulus: Stimulus, asks: tuple[Question, ...]) -> Json:
        return answers_of(stimulus, self.keys, asks)


# Check steps: what a model decided on its way down a tree, and the first step that somebody disagrees with.

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


# Decide steps: two decisions of a model on its way down a tree, made by a person.

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


# Rate matches: how similar people find each pair of regions that a model compared, and then the study's questions.

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
