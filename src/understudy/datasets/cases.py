"""Cases: rows and sentences with a right label, generated, downloaded or published."""

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, JsonValue

from understudy.errors import MaterialsError
from understudy.registry import create, register
from understudy.roles import Dataset, Model, Rng, Sample
from understudy.schema import DatasetRef, ModelRef, Record
from understudy.sources.adult import LABELS, adult_cases
from understudy.sources.cases import Cases, SplitName, SplitRule, drawn_cases, require_same_legend
from understudy.sources.files import data_folder
from understudy.sources.hase_sheets import read_stimuli, refuse_validity, stimuli_folder
from understudy.sources.hase_stimuli import Domain, Item
from understudy.sources.income import LABELS as INCOME_LABELS
from understudy.sources.income import income_cases
from understudy.sources.reviews import LABELS as REVIEW_LABELS
from understudy.sources.reviews import polarity_cases, review_cases

# The common part of datasets whose cases are divided into fixed splits.


class CaseSplit(Record, ABC):
    """Draws cases of one split, without replacement; each dataset says where its cases come from."""

    split: SplitName = "test"

    @abstractmethod
    def cases(self) -> Cases:
        """Return all cases, with their splits."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n cases with their labels."""
        return drawn_cases(self.cases(), self.split, n, rng)


@register("datasets", "adult")
class Adult(CaseSplit):
    """Draws census records of one split, in the categories of Hase and Bansal (2020), without replacement."""

    split_rule: SplitRule = "leak_free"
    """`paper` reproduces the published cases; four in ten of its test records are training records too."""
    folder: str = ""
    """The folder with adult.data; `adult` in the data folder by default."""
    labels: ClassVar[tuple[str, ...]] = LABELS

    def cases(self) -> Cases:
        """Return all records."""
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / "adult"
        return adult_cases(folder, self.split_rule)


# Agreed cases: the cases of another dataset on which several models agree.


@register("datasets", "agreed_cases")
class AgreedCases(Record):
    """Draws cases of another dataset that all models answer the same, so that explanations of each fit the answer."""

    source: DatasetRef
    """The dataset whose cases are drawn."""
    models: tuple[ModelRef, ...] = Field(min_length=2)
    """The models that must agree; their labels must have the same names."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n cases; fewer only if the models agree on no more."""
        seed = int(rng.integers(2**62))
        source: Dataset = create("datasets", self.source)
        models: list[Model] = [create("models", ref) for ref in self.models]
        n_pool = 2 * n
        while True:
            # The same seed each time: a larger pool starts with the same cases.
            sample = source.draw(n_pool, np.random.default_rng(seed))
            rows = self._agreed(sample, models)
            if len(rows) >= n or len(sample.contents) < n_pool:
                return _part(sample, rows[:n])
            # Agreement may be rare, so the pool grows fast.
            n_pool *= 4

    def _agreed(self, sample: Sample, models: list[Model]) -> list[int]:
        if sample.inputs is None:
            raise MaterialsError(
                f"Dataset {self.source.name!r} has no inputs that a model could answer. Name one that has."
            )
        for model in models:
            require_same_legend(model, sample.legend, of=f"dataset {self.source.name!r} has")
        answers = [np.array(model.labels)[model.predict(sample.inputs).argmax(axis=1)] for model in models]
        return [int(row) for row in np.flatnonzero(np.all([labels == answers[0] for labels in answers], axis=0))]


def _part(sample: Sample, rows: list[int]) -> Sample:
    return Sample(
        contents=[sample.contents[row] for row in rows],
        attributes={name: [values[row] for row in rows] for name, values in sample.attributes.items()},
        inputs=None if sample.inputs is None else sample.inputs[rows],
        assets=sample.assets,
        legend=sample.legend,
    )


# The items of Hase and Bansal (2020), read from their released sheets.


@register("datasets", "hase_stimuli")
class HaseStimuli(Record):
    """Draws the cases that the original participants saw, each identified by its row number, its only input."""

    domain: Domain
    part: Literal["learning", "forward", "counterfactual", "validity"] = "forward"
    """Validity sheets were released too, but are rejected because they are misaligned."""
    folder: str = ""
    """The folder with master.csv and trials.csv; `simulatability-stimuli` in the data folder by default."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n cases in random order, without replacement."""
        folder = stimuli_folder(self.folder, os.environ)
        if self.part == "validity":
            refuse_validity(folder)
            raise AssertionError("validity sheets are never drawn from")
        items = read_stimuli(folder, self.domain).of(self.part)
        drawn = [items[int(index)] for index in rng.permutation(len(items))[:n]]
        attributes: dict[str, list[str | int]] = {
            "label": [item.label for item in drawn],
            "prediction": [item.prediction for item in drawn],
        }
        if self.part == "counterfactual":
            attributes |= _edited(drawn)
        return Sample(
            contents=[dict[str, JsonValue](item.content) for item in drawn],
            attributes=attributes,
            inputs=np.array([[item.row] for item in drawn], dtype=np.float64).reshape(len(drawn), 1),
        )


def _edited(drawn: list[Item]) -> dict[str, list[str | int]]:
    edits = [item.edit for item in drawn if item.edit is not None]
    return {
        "edited_prediction": [edit.prediction for edit in edits],
        "keeps": ["same" if item.keeps else "changed" for item in drawn],
        "n_edits": [edit.n_edits for edit in edits],
    }


# Income cases: generated people in eight categories, with a known true rule.


@register("datasets", "income_cases")
class IncomeCases(CaseSplit):
    """Draws generated people of one split, without replacement; no description is in two splits."""

    labels: ClassVar[tuple[str, ...]] = INCOME_LABELS

    def cases(self) -> Cases:
        """Return all people."""
        return income_cases()


# Loan cases: generated applications with a known true rule, which need no download.

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


# Review lines: generated sentences about plays, with a known true rule.


@register("datasets", "review_lines")
class ReviewLines(CaseSplit):
    """Draws generated sentences of one split, without replacement; no sentence is in two splits."""

    labels: ClassVar[tuple[str, ...]] = REVIEW_LABELS

    def cases(self) -> Cases:
        """Return all sentences."""
        return review_cases()


# Sentence polarity: positive and negative lines of film reviews.


@register("datasets", "rt_polarity")
class RtPolarity(CaseSplit):
    """Draws sentences of one split, without replacement; words have GloVe vectors if the data folder has them."""

    split_rule: SplitRule = "leak_free"
    """`paper` drops what the published code could not read, and keeps duplicate sentences."""
    folder: str = ""
    """The folder with rt-polarity.pos and .neg; `rt-polarity` in the data folder by default."""
    vectors: str = ""
    """The folder with words.txt and glove_100d_f16.npz; `glove-100d` in the data folder by default."""
    labels: ClassVar[tuple[str, ...]] = REVIEW_LABELS

    def cases(self) -> Cases:
        """Return all sentences."""
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / "rt-polarity"
        vectors = Path(self.vectors) if self.vectors else data_folder(os.environ) / "glove-100d"
        return polarity_cases(folder, self.split_rule, vectors)
