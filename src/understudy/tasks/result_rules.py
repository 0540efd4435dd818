"""Result rules: how answers become what people are told about how they did."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field

from understudy.roles import AnsweredTrial, Rng
from understudy.schema import Record, ResultGroup, ShownResult, seed_from


class MedianSplit(Record):
    """Counts the higher half of somebody's ratings as "called right"; ties at the middle are filled at random."""

    rule: Literal["median_split"] = "median_split"
    block: str
    question: str
    """A rating that rises with the belief that the model is right."""
    attribute: str = "model_is"
    """The item's attribute that says whether the model is right."""
    right: str = "right"
    """The value of that attribute where it is."""
    title: str = ""

    def result(self, answered: Sequence[AnsweredTrial], rng: Rng) -> ShownResult | None:
        """Return the counts for right and for wrong predictions; None without an answer."""
        rated = [
            (value, trial.truth.get(self.attribute) == self.right)
            for trial in answered
            if isinstance(value := trial.response.get(self.question), int) and not isinstance(value, bool)
        ]
        if not rated:
            return None
        # Shuffled before a stable sort, so that chance alone decides between equal ratings.
        shuffled = rng.permutation(len(rated)).tolist()
        ranked = sorted(shuffled, key=lambda index: -rated[index][0])
        called_right = set(ranked[: len(rated) // 2])
        groups = tuple(
            ResultGroup(
                kind="right" if is_right else "wrong",
                n=sum(truth == is_right for _, truth in rated),
                n_recognised=sum(
                    truth == is_right and (index in called_right) == is_right for index, (_, truth) in enumerate(rated)
                ),
                ratings=tuple(value for value, truth in rated if truth == is_right),
            )
            for is_right in (True, False)
        )
        n_right = sum(group.n_recognised for group in groups)
        points = next((trial.labels[self.question] for trial in answered if self.question in trial.labels), ())
        return ShownResult(
            rule=self.rule, title=self.title, n=len(rated), n_right=n_right, points=points, groups=groups
        )


class ShareCorrect(Record):
    """Counts the answers that equal the key, and names the share that guessing would get right."""

    rule: Literal["share_correct"] = "share_correct"
    block: str
    question: str | None = None
    """The question that counts; by default all that have a right answer, together."""
    chance: float | None = Field(default=None, ge=0, le=1)
    title: str = ""

    def result(self, answered: Sequence[AnsweredTrial], rng: Rng) -> ShownResult | None:
        """Return the count; None if nothing has a right answer."""
        verdicts = []
        for trial in answered:
            asked = trial.key if self.question is None else trial.key.keys() & {self.question}
            if asked:
                verdicts.append(all(trial.response.get(name) == trial.key[name] for name in asked))
        if not verdicts:
            return None
        return ShownResult(rule=self.rule, title=self.title, n=len(verdicts), n_right=sum(verdicts), chance=self.chance)


ResultRule: TypeAlias = Annotated[MedianSplit | ShareCorrect, Field(discriminator="rule")]


def results_by(
    rules: Sequence[MedianSplit | ShareCorrect], answered: Sequence[AnsweredTrial], rng: Rng
) -> tuple[ShownResult, ...]:
    """Return the results of the rules that have something to tell, in their order."""
    seed = int(rng.integers(2**32))
    found = (
        rule.result(
            [trial for trial in answered if trial.block_id == rule.block],
            # Each rule has its own generator, so that a page that repeats one of them tells the same.
            np.random.default_rng(seed_from(seed, rule.block, rule.question or "")),
        )
        for rule in rules
    )
    return tuple(result for result in found if result is not None)
