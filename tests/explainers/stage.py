"""Datasets and models of the catalogue's roles around the known formulas."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.explainers import known_models as known
from understudy import registry
from understudy.explainers import inputs as background
from understudy.roles import Explainer, Floats, Ints, Rng, Sample, Variables, Vocabulary
from understudy.schema import Explanation, Record, Ref
from understudy.sources.picture_pools import MemoryPool, picture_batches, sample_of_pictures

VARIABLES = Variables(
    features=tuple(f"variable {j}" for j in range(len(known.SIZES))),
    values=tuple(tuple(f"value {j}.{code}" for code in range(size)) for j, size in enumerate(known.SIZES)),
)
VOCABULARY = Vocabulary(known.WORDS, known.VECTORS, known.TAGS)
LABELS = ("below", "above")


class KnownRows(Record):
    """Rows of codes, those of one seed where it is named."""

    seed: int | None = None

    def draw(self, n: int, rng: Rng) -> Sample:
        rows = known.table_rows(n, int(rng.integers(2**31)) if self.seed is None else self.seed)
        return Sample(contents=[{}] * n, attributes={}, inputs=rows, legend=VARIABLES)


class KnownSentences(Record):
    """Rows of token ids."""

    vectors: bool = True

    def draw(self, n: int, rng: Rng) -> Sample:
        legend = VOCABULARY if self.vectors else Vocabulary(known.WORDS)
        ids = known.sentences(n, int(rng.integers(2**31)))
        return Sample(contents=[{}] * n, attributes={}, inputs=ids, legend=legend)


class Formula:
    """A model around margins, which remembers every row it was asked about."""

    labels: ClassVar[tuple[str, str]] = LABELS

    def __init__(self, name: str, factor: float = 1.0) -> None:
        self.name, self.factor = name, factor
        self.asked: list[Floats] = []

    def predict(self, inputs: Floats) -> Floats:
        self.asked.append(inputs.copy())
        return known.probabilities(self._margins(inputs))

    def _margins(self, inputs: Floats) -> Floats:
        return self.factor * (known.text_margins(inputs) if self.name == "text" else known.table_margins(inputs))


class OpenFormula(Formula):
    """The same with its margins and hidden layer open to view."""

    def margins(self, inputs: Floats) -> Floats:
        return self._margins(inputs)

    def latents(self, inputs: Floats) -> Floats:
        return known.table_hidden(inputs) if self.name == "table" else self._margins(inputs)[:, None]


class PrototypeFormula(Formula):
    """A model that answers as the likest of eight cases does."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._cases = known.table_rows(8, 21) if name == "table" else known.sentences(8, 21)

    @property
    def prototype_inputs(self) -> Floats:
        return self._cases

    @property
    def prototype_labels(self) -> tuple[str, ...]:
        return tuple(LABELS[int(margin > 0)] for margin in self._margins(self._cases))

    def similarities(self, inputs: Floats) -> Floats:
        hidden = known.table_hidden if self.name == "table" else known.text_hidden
        apart = hidden(inputs)[:, None] - hidden(self._cases)[None]
        return np.asarray(np.exp(-0.02 * (apart**2).sum(axis=2)), dtype=np.float64)

    def predict(self, inputs: Floats) -> Floats:
        scores = np.stack(
            [self.similarities(inputs)[:, [other == label for other in self.prototype_labels]].max(axis=1) for label in LABELS],
            axis=1,
        )  # fmt: skip
        return np.asarray(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), dtype=np.float64)


def explainer(name: str, background: Any = "known_rows", **params: Any) -> Explainer:
    """Return an entry of the catalogue on one of these backgrounds."""
    made: Explainer = registry.create("explainers", Ref(name=name, params={"background": background, **params}))
    return made


def predicted(model: Formula, inputs: Floats) -> list[int]:
    """Return the number of the label predicted for each input."""
    return [int(k) for k in np.argmax(model.predict(inputs), axis=1)]


class PictureFormula:
    """A model of pictures that looks at the brightness of their upper left quarter."""

    labels: ClassVar[tuple[str, str]] = LABELS

    def __init__(self, factor: float = 4.0) -> None:
        self.factor = factor

    def predict(self, inputs: Floats) -> Floats:
        height, width = inputs.shape[2:]
        bright = inputs[:, :, : height // 2, : width // 2].mean(axis=(1, 2, 3)) if len(inputs) else np.zeros(0)
        # An extreme factor would overflow.
        return known.probabilities(np.clip(self.factor * (bright - 0.5), -50, 50))

    def gradients(self, inputs: Floats, targets: Ints) -> Floats:
        height, width = inputs.shape[2] // 2, inputs.shape[3] // 2
        likely = self.predict(inputs)[:, 1]
        signs = np.where(targets == 1, 1.0, -1.0)
        slopes = np.zeros(inputs.shape)
        each = signs * likely * (1 - likely) * self.factor / (inputs.shape[1] * height * width)
        slopes[:, :, :height, :width] = each[:, None, None, None]
        return slopes


def picture_sample(n: int = 20, *, height: int = 8, width: int = 10, n_channels: int = 3) -> Sample:
    """Return noisy pictures that a model reads."""
    pixels = np.random.default_rng(5).integers(256, size=(n, height, width, n_channels), dtype=np.uint8)
    return sample_of_pictures(MemoryPool(pixels), {"label": [LABELS[k % 2] for k in range(n)]})


def picture_inputs(n: int = 20) -> Floats:
    """Return these pictures as models read them."""
    return next(picture_batches(picture_sample(max(n, 1))))[:n]


def fields(explanation: Explanation) -> dict[str, Any]:
    """Return what an explanation says, as plain JSON."""
    return explanation.model_dump(mode="json", exclude={"kind"}, exclude_none=True)


def known_datasets(monkeypatch: pytest.MonkeyPatch, **entries: type[Record]) -> Iterator[None]:
    """Put datasets into the catalogue for the length of a test, and forget the background drawn from them."""
    registry.names("datasets")
    for name, entry in entries.items():
        monkeypatch.setitem(registry._entries, ("datasets", name), entry)
    yield
    background._background.cache_clear()
