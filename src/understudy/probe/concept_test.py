"""Concept test: train two models, with noise and with extra information, and test each on both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.probe.encodings import Encoding, Inputs, Noise, encoded
from understudy.roles import Concept, Dataset, Floats, Ints, Objects, Sample, TrainedModel, Trainer
from understudy.schema import seed_from


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
