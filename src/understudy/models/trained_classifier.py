"""Trained classifiers: models that `understudy train` wrote, or that come with the package."""

import os
from pathlib import Path

from pydantic import model_validator

from understudy.errors import MaterialsError
from understudy.inference.classifier import Classifier
from understudy.inference.shelf import classifier_from_file, digest_of_classifier, models_folder
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import AssetPath, Record
from understudy.training.lookup import classifier_named


class _Trained(Record):
    name: str = ""
    """A classifier of the models folder (UNDERSTUDY_MODELS, or ~/.understudy/models), or one that comes with the package."""
    path: AssetPath | None = None
    """The ONNX file next to the study, with its card; instead of a name."""
    digest: str = ""
    """The SHA-256 of the file, to accept no other."""

    @model_validator(mode="after")
    def _is_found_one_way(self) -> "_Trained":
        if bool(self.name) == bool(self.path):
            raise ValueError("give either the name of a classifier or the path of its file")
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.opened().card.labels

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        return self.opened().predict(inputs)

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label over the first."""
        return self.opened().margins(inputs)

    def latents(self, inputs: Floats) -> Floats:
        """Return the last hidden layer."""
        return self.opened().latents(inputs)

    @property
    def word_vectors(self) -> Floats | None:
        """The learned vector of each word; None for a classifier of codes."""
        return self.opened().word_vectors

    def opened(self) -> Classifier:
        """Open the file, or say what is missing."""
        return _opened(self.name, self.path, self.digest)


@register("models", "trained_classifier")
class TrainedClassifier(_Trained):
    """Predicts with a trained classifier, and exposes its margin and its last hidden layer."""


@register("models", "trained_prototypes")
class TrainedPrototypes(_Trained):
    """Predicts with a trained prototype classifier, and exposes the cases that it compares inputs with."""

    def similarities(self, inputs: Floats) -> Floats:
        """Return the similarity, between 0 and 1, of each input to each prototype."""
        return self.opened().similarities(inputs)

    @property
    def prototype_inputs(self) -> Floats:
        """The prototypes, as inputs."""
        return self.opened().prototype_inputs

    @property
    def prototype_labels(self) -> tuple[str, ...]:
        """The label of each prototype."""
        return self.opened().card.prototype_labels

    def opened(self) -> Classifier:
        """Open the file, or say what is missing."""
        classifier = super().opened()
        if not classifier.has_prototypes:
            raise MaterialsError(
                f"Classifier {classifier.card.name!r} has no prototypes. Name one that does, such as "
                "income-prototypes, or use it as a trained_classifier."
            )
        return classifier


def _opened(name: str, path: str | None, digest: str) -> Classifier:
    classifier = classifier_from_file(Path(path)) if path else classifier_named(name, models_folder(os.environ))
    if digest and digest_of_classifier(classifier) != digest:
        raise MaterialsError(
            f"Classifier {classifier.card.name!r} is not the one that the study was made with: its digest is "
            f"{digest_of_classifier(classifier)[:16]}…, but the study expects {digest[:16]}…. Use that file, or change the digest."
        )
    return classifier
