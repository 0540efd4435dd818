"""A concept test: two models trained and tested with noise and with extra information."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError, ResultsError
from understudy.probe.hypotheses import SETS
from understudy.probe.results import Correctness, FourResults, results_from_frames
from understudy.probe.verdicts import ProbeOptions, probe
from understudy.roles import Concept, Dataset, Floats, Ints, Model, Objects, Rng, Sample, Shown, TrainedModel, Trainer
from understudy.schema import Verdicts, seed_from

# Encodings: where a model input holds the extra information, or noise in its place.

Encoding: TypeAlias = Literal["quadrants", "side_channel"]
Noise: TypeAlias = Literal["uniform", "normal", "shuffled", "empty"]
"""What lies where there is no information: even noise, bell-shaped noise, the information with its numbers in random order
over all objects, or zeros."""


class Inputs(NamedTuple):
    """The same objects twice, identical except where the extra information is."""

    with_noise: Objects
    with_extra: Objects


def encoded(shown: Shown, encoding: Encoding, *, corner: str, rng: Rng, noise: Noise = "uniform") -> Inputs:
    """Return objects and extra information in the layout that models see."""
    if encoding == "quadrants":
        return _quadrants(shown, corner, noise, rng)
    return _side_channel(shown, noise, rng)


def _drawn(noise: Noise, shape: tuple[int, ...], extra: Objects, rng: Rng) -> Objects:
    """Return noise of a shape."""
    if noise == "uniform":
        return rng.random(shape, dtype=np.float32)
    if noise == "normal":
        # Mean and spread of even noise, so that only the form differs.
        return rng.normal(0.5, 12**-0.5, size=shape).astype(np.float32)
    if noise == "empty":
        return np.zeros(shape, dtype=np.float32)
    return rng.choice(extra.ravel(), size=shape).astype(np.float32)


def _quadrants(shown: Shown, corner: str, noise: Noise, rng: Rng) -> Inputs:
    if shown.objects.ndim != 3 or shown.extra.shape != shown.objects.shape:
        raise MaterialsError(
            f"Quadrants hold pictures of one size, but objects are {shown.objects.shape[1:]} and the extra information "
            f"{shown.extra.shape[1:]}. Use the side_channel encoding."
        )
    n, height, width = shown.objects.shape
    with_noise = _drawn(noise, (n, 2 * height, 2 * width), shown.extra, rng)
    with_noise[:, :height, :width] = shown.objects
    # The unused corners hold the same noise in both versions.
    with_extra = with_noise.copy()
    rows = slice(0, height) if corner == "upper right" else slice(height, None)
    with_extra[:, rows, width:] = shown.extra
    return Inputs(with_noise, with_extra)


def _side_channel(shown: Shown, noise: Noise, rng: Rng) -> Inputs:
    """Stack pictures of equal size as two channels, and concatenate anything else into rows."""
    drawn = _drawn(noise, shown.extra.shape, shown.extra, rng)
    if shown.objects.ndim == 3 and shown.extra.shape == shown.objects.shape:
        return Inputs(*(np.stack([shown.objects, extra], axis=1) for extra in (drawn, shown.extra)))
    n = len(shown.objects)
    objects = shown.objects.reshape(n, -1)
    return Inputs(*(np.concatenate([objects, extra.reshape(n, -1)], axis=1) for extra in (drawn, shown.extra)))


class LabelledObjects(NamedTuple):
    """Objects with the number of their class, in the order of their ids."""

    ids: tuple[str, ...]
    objects: Objects
    labels: Ints
    label_names: tuple[str, ...]


class Answers(NamedTuple):
    """The answers of one model on one set of test objects."""

    labels: Ints
    confidences: Floats


class SeedResults(NamedTuple):
    """Four result sets over the same test objects, by the names PP, PD, MP and MD."""

    ids: tuple[str, ...]
    truth: tuple[str, ...]
    label_names: tuple[str, ...]
    answers: dict[str, Answers]


@dataclass(frozen=True)
class ConceptTest:
    """The question: does this concept help models of this kind on these objects?"""

    dataset: Dataset
    concept: Concept
    trainer: Trainer
    encoding: Encoding = "quadrants"
    n_train: int = 2000
    n_test: int = 1000
    noise: Noise = "uniform"
    """What lies in place of the information, and in unused corners."""

    def results(
        self, seed: int, *, data_seed: int = 0, on_model: Callable[[str], None] = lambda _: None
    ) -> SeedResults:
        """Train both models with one seed and test each on both kinds of test objects.

        Every run uses the objects of `data_seed`; the seed of a run decides the changes, the noise, the initial weights
        and the order of batches, which are the same for both models.
        """
        train, test = self._split(data_seed)
        train_inputs = self._inputs(train, seed, "train")
        test_inputs = self._inputs(test, seed, "test")
        if train_inputs.with_extra.shape[1:] != test_inputs.with_extra.shape[1:]:
            raise MaterialsError(
                f"Objects to train with are shown as {train_inputs.with_extra.shape[1:]} and objects to test with as "
                f"{test_inputs.with_extra.shape[1:]} numbers, extra information included; where that is a label, objects to "
                "test with lack a class. Ask for more of them, or let the concept return one shape for every object."
            )
        # Both models start from the same weights, so they differ only in what they see.
        model_seed = seed_from(seed, "models") % 2**31
        answers = {}
        for name, inputs in (("M", train_inputs.with_noise), ("P", train_inputs.with_extra)):
            model = self.trainer.train(inputs, train.labels, model_seed)
            answers[f"{name}P"] = _answers(model, test_inputs.with_extra)
            answers[f"{name}D"] = _answers(model, test_inputs.with_noise)
            on_model(name)
        truth = tuple(test.label_names[k] for k in test.labels)
        return SeedResults(test.ids, truth, test.label_names, answers)

    def _split(self, data_seed: int) -> tuple[LabelledObjects, LabelledObjects]:
        n = self.n_train + self.n_test
        sample = self.dataset.draw(n, np.random.default_rng(seed_from(data_seed, "objects")))
        if len(sample.contents) < n:
            raise MaterialsError(
                f"The data hold {len(sample.contents)} objects, but {self.n_train} to train and {self.n_test} to test "
                "are requested. Ask for fewer."
            )
        objects, labels, names = _objects(sample), *_labels(sample)
        ids = tuple(f"object-{k}" for k in range(n))
        parts = (slice(0, self.n_train), slice(self.n_train, n))
        train, test = (LabelledObjects(ids[part], objects[part], labels[part], names) for part in parts)
        unseen = set(test.labels.tolist()) - set(train.labels.tolist())
        if len(set(train.labels.tolist())) < 2 or unseen:
            raise MaterialsError("The objects to train with lack a class. Ask for more of them.")
        return train, test

    def _inputs(self, part: LabelledObjects, seed: int, name: str) -> Inputs:
        rng = np.random.default_rng(seed_from(seed, name))
        shown = self.concept.show(part.objects, part.labels, rng)
        return encoded(shown, self.encoding, corner=self.concept.place, rng=rng, noise=self.noise)


def _objects(sample: Sample) -> Objects:
    """Return square inputs of images as pictures, and other inputs as rows."""
    if sample.inputs is None:
        raise MaterialsError("The data have no numbers to learn from. Choose a dataset whose items have inputs.")
    inputs = sample.inputs.astype(np.float32)
    edge = int(np.sqrt(inputs.shape[1]))
    is_picture = edge * edge == inputs.shape[1] and all("image" in content for content in sample.contents)
    return inputs.reshape(-1, edge, edge) if is_picture else inputs


def _labels(sample: Sample) -> tuple[Ints, tuple[str, ...]]:
    if "label" not in sample.attributes:
        raise MaterialsError(
            f"The data have no labels to learn. Their attributes are: {', '.join(sample.attributes) or 'none'}."
        )
    labels = [str(label) for label in sample.attributes["label"]]
    names = tuple(sorted(set(labels)))
    number = {name: k for k, name in enumerate(names)}
    return np.array([number[label] for label in labels], dtype=np.int64), names


def _answers(model: TrainedModel, inputs: Objects) -> Answers:
    chances = model.predict(inputs)
    labels = chances.argmax(axis=1)
    return Answers(labels, chances[np.arange(len(labels)), labels])


# Run two models on two data sets and align their answers.


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs with their true labels or values; two data sets share the ids of their objects."""

    inputs: Floats
    truth: Sequence[str] | Sequence[float]
    ids: Sequence[str] = ()
    """Without it, objects are numbered from 0, and rows with the same number must be the same object."""
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def results_of_models(
    m: Model,
    m_plus: Model,
    d: LabelledInputs,
    d_plus: LabelledInputs,
    *,
    correctness: Correctness | None = None,
    with_confidence: bool = False,
    name: str = "",
) -> FourResults:
    """Return the answers of both models on both data sets; only `m_plus` was trained with the extra information.

    A classifier answers with its most probable label; `with_confidence` counts the probability of that label as its
    confidence. A model without labels answers with a value and needs a `correctness`, such as `linear(scale)`.
    """
    models: dict[str, Model] = {"P": m_plus, "M": m}
    data: dict[str, LabelledInputs] = {"P": d_plus, "D": d}
    frames = {
        set_id: _model_answers_answers(models[set_id[0]], data[set_id[1]], with_confidence=with_confidence)
        for set_id in SETS
    }
    if correctness is None and not all(model.labels for model in models.values()):
        raise ResultsError(
            [
                "A model without labels answers with values; say how correct a value is, for example with correctness=linear(scale)."
            ]
        )
    return results_from_frames(frames, correctness=correctness, name=name)


def probe_models(
    m: Model,
    m_plus: Model,
    d: LabelledInputs,
    d_plus: LabelledInputs,
    *,
    correctness: Correctness | None = None,
    with_confidence: bool = False,
    **options: Unpack[ProbeOptions],
) -> Verdicts:
    """Run both models on both data sets and judge the concept: `results_of_models`, then `probe` with its options."""
    results = results_of_models(m, m_plus, d, d_plus, correctness=correctness, with_confidence=with_confidence)
    return probe(results, **options)


def _model_answers_answers(model: Model, data: LabelledInputs, *, with_confidence: bool) -> pd.DataFrame:
    outputs = np.asarray(model.predict(data.inputs), dtype=np.float64)
    n = len(data.inputs)
    lengths = {"truths": len(data.truth), "ids": len(data.ids) or n, "outputs": outputs.shape[0]}
    unlike = [f"{number} {part}" for part, number in lengths.items() if number != n]
    if unlike:
        raise ResultsError([f"There are {n} inputs but {', '.join(unlike)}; give one for each input."])
    labels: Any = _model_answers_labels(model, outputs)
    frame = pd.DataFrame({"id": list(data.ids) or range(n), "truth": list(data.truth), "label": labels})
    if with_confidence:
        if not model.labels:
            raise ResultsError(["A model without labels has no confidence; leave with_confidence out."])
        frame["confidence"] = outputs.max(axis=1).clip(0, 1)
    return frame.assign(**{name: list(values) for name, values in data.columns.items()})


def _model_answers_labels(model: Model, outputs: Floats) -> list[Any]:
    if not model.labels:
        return list(outputs.reshape(len(outputs), -1)[:, 0])
    if outputs.ndim != 2 or outputs.shape[1] != len(model.labels):
        raise ResultsError(
            [f"The model names {len(model.labels)} labels but predicts {outputs.shape[1:]} numbers for an input."]
        )
    return [model.labels[index] for index in outputs.argmax(axis=1)]
