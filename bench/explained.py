"""What the explainers' rows explain: shipped classifiers, which remember what they were asked."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from measured import Timing, Unavailable, timed
from understudy.errors import UnderstudyError
from understudy.registry import create
from understudy.roles import Dataset, Explainer, Floats, Model, Sample, Variables, Vocabulary
from understudy.schema import Explanation, Ref

SEED, N_BACKGROUND = 1, 1500
TABLES = (("adult-mlp", "adult"), ("income-mlp", "income_cases"))
TEXTS = (("polarity-lstm", "rt_polarity"), ("reviews-lstm", "review_lines"))
"""Classifiers and their datasets, the one that is wanted and the one that is always there."""
_N_AT_ONCE = 2048


class Asked:
    """A model that remembers what it was asked, so that its pure cost can be measured."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.asked: list[Floats] = []

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the model."""
        return self._model.labels

    def predict(self, inputs: Floats) -> Floats:
        """Return the model's answers."""
        self.asked.append(inputs)
        return self._model.predict(inputs)

    def again(self) -> None:
        """Answer every row once more, those of equal width in large batches and nothing in between."""
        by_width: dict[int, list[Floats]] = {}
        for rows in self.asked:
            by_width.setdefault(rows.shape[1], []).append(rows)
        for some in by_width.values():
            rows = np.vstack(some)
            for start in range(0, len(rows), _N_AT_ONCE):
                self._model.predict(rows[start : start + _N_AT_ONCE])

    @property
    def n_rows(self) -> int:
        """How many rows it was asked about."""
        return sum(map(len, self.asked))


class Scene(NamedTuple):
    """A model, the items to explain, and the background."""

    name: str
    model: Model
    items: Floats
    background: Floats
    legend: Variables | Vocabulary
    ref: Ref


class Cost(NamedTuple):
    """Seconds for each item, ours and of the model alone, with what was said."""

    ours: Timing
    model_s: float
    n_rows: float
    said: Sequence[Explanation]


def scene_of(choices: Sequence[tuple[str, str]], n_items: int, *, min_length: int = 0) -> Scene:
    """Take the first classifier that is there, with items of its dataset."""
    for name, dataset in choices:
        try:
            model: Model = create("models", Ref(name="trained_classifier", params={"name": name}))
            ref = Ref(name=dataset, params={"split": "validation"})
            background = _drawn(ref, N_BACKGROUND)
            sample = _drawn(Ref(name=dataset), 20 * n_items)
            assert sample.inputs is not None
            assert background.inputs is not None
            assert background.legend is not None
            long_enough = (sample.inputs >= 0).sum(axis=1) >= min_length
            items = sample.inputs[long_enough][:n_items]
            model.predict(items)
        except UnderstudyError:
            continue
        return Scene(name, model, items, background.inputs, background.legend, ref)
    raise Unavailable(f"needs one of {', '.join(name for name, _ in choices)}")


def explained_again(scene: Scene, method: str, seed: int, **settings: object) -> Sequence[Explanation]:
    """Explain every item with another seed."""
    return (
        _explainer(scene, method, settings)
        .explain(scene.model, scene.items, None, np.random.default_rng(seed))
        .explanations
    )


def cost_of(scene: Scene, method: str, **settings: object) -> Cost:
    """Explain every item, and let the model answer the same rows alone."""
    explainer = _explainer(scene, method, settings)
    asked = Asked(scene.model)
    said = explainer.explain(asked, scene.items, None, np.random.default_rng(SEED)).explanations
    n = len(scene.items)
    ours = timed(
        lambda: explainer.explain(scene.model, scene.items, None, np.random.default_rng(SEED)).explanations,
        n_repeats=3,
        n_warm=0,
    )
    pure = timed(asked.again, n_repeats=3)
    each = Timing(ours.best_s / n, ours.worst_s / n, ours.n_repeats, ours.clock)
    return Cost(each, pure.best_s / n, asked.n_rows / n, said)


def _explainer(scene: Scene, method: str, settings: dict[str, object]) -> Explainer:
    params = {"background": scene.ref.model_dump(), "n_background": N_BACKGROUND, **settings}
    made: Explainer = create("explainers", Ref.model_validate({"name": method, "params": params}))
    return made


def _drawn(ref: Ref, n: int) -> Sample:
    dataset: Dataset = create("datasets", ref)
    return dataset.draw(n, np.random.default_rng(0))
