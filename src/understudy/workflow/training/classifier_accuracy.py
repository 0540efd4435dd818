"""Accuracy of classifiers: measured on the written file, and put on its card."""

import hashlib
from typing import NamedTuple, Protocol

import numpy as np

from understudy.inference.card import ClassifierCard, ModelCard, card_from_details
from understudy.inference.classifier import Classifier, classifier_from_bytes
from understudy.inference.quantization import Precision, quantized
from understudy.schema import Json
from understudy.sources.cases import Cases, Part, SplitName, SplitRule
from understudy.training.recipes import PAPER

PARTS: tuple[SplitName, ...] = ("train", "validation", "test")


class TrainedFile(Protocol):
    """What training hands over."""

    @property
    def content(self) -> bytes:
        """The ONNX file, in 32 bits."""

    @property
    def card(self) -> ClassifierCard:
        """Without accuracies."""


class MeasuredClassifier(NamedTuple):
    """The file as it will be written, and its whole card."""

    content: bytes
    card: ModelCard


def measured_classifier(
    trained: TrainedFile, cases: Cases, *, split: SplitRule, precision: Precision
) -> MeasuredClassifier:
    """Store weights as ordered, and measure on every part what the file then does.

    Under the split of the paper the name ends in `-paper`, so that neither replaces the other.
    """
    content = quantized(trained.content, precision)
    classifier = classifier_from_bytes(content, trained.card)
    measured: Json = {
        "split": split,
        "accuracy": {name: _accuracy(classifier, cases.part(name)) for name in PARTS},
        "n_cases": {name: len(cases.part(name).labels) for name in PARTS},
        "digest": hashlib.sha256(content).hexdigest(),
    }
    name = f"{trained.card.name}{PAPER}" if split == "paper" else trained.card.name
    provenance = {**trained.card.provenance, **measured}
    card = trained.card.model_copy(update={"name": name, "provenance": provenance})
    return MeasuredClassifier(content, card_from_details(card))


def _accuracy(classifier: Classifier, part: Part) -> float:
    return round(float(np.mean(classifier.predict(part.inputs).argmax(axis=1) == part.labels)), 6)
