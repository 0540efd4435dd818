"""Agreed cases: the cases of another dataset on which several models agree."""

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import create, register
from understudy.roles import Dataset, Model, Rng, Sample
from understudy.schema import DatasetRef, ModelRef, Record
from understudy.sources.legends import require_same_legend


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
