"""Agreed cases: those cases of another dataset about which several models say the same."""

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import create, register
from understudy.roles import Dataset, Model, Rng, Sample
from understudy.schema import DatasetRef, ModelRef, Record
from understudy.sources.legends import require_same_legend


@register("datasets", "agreed_cases")
class AgreedCases(Record):
    """Draws cases of another dataset that all models answer alike, so that explanations of any of them fit the answer."""

    source: DatasetRef
    """The dataset whose cases are drawn."""
    models: tuple[ModelRef, ...] = Field(min_length=2)
    """The models that must agree; their labels have the same names."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n cases; fewer only if no more are agreed upon."""
        seed = int(rng.integers(2**62))
        source: Dataset = create("datasets", self.source)
        models: list[Model] = [create("models", one) for one in self.models]
        n_pool = 2 * n
        while True:
            sample = source.draw(n_pool, np.random.default_rng(seed))
            places = self._agreed(sample, models)
            if len(places) >= n or len(sample.contents) < n_pool:
                return _part(sample, places[:n])
            n_pool *= 4

    def _agreed(self, sample: Sample, models: list[Model]) -> list[int]:
        if sample.inputs is None:
            raise MaterialsError(
                f"Dataset {self.source.name!r} has no inputs that a model could answer. Name one that has."
            )
        for model in models:
            require_same_legend(model, sample.legend, of=f"dataset {self.source.name!r} has")
        said = [np.array(model.labels)[model.predict(sample.inputs).argmax(axis=1)] for model in models]
        return [int(place) for place in np.flatnonzero(np.all([one == said[0] for one in said], axis=0))]


def _part(sample: Sample, places: list[int]) -> Sample:
    return Sample(
        contents=[sample.contents[place] for place in places],
        attributes={name: [values[place] for place in places] for name, values in sample.attributes.items()},
        inputs=None if sample.inputs is None else sample.inputs[places],
        assets=sample.assets,
        legend=sample.legend,
    )
