"""Trained models in studies: linear, by recipe, and with maps."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import Field, model_validator

from understudy.errors import MaterialsError
from understudy.inference.map_models import (
    OpenedMapModel,
    SourcePhoto,
    Walk,
    fork_of,
    forks_of,
    map_model_from_folder,
    shown_tree,
    walk_of,
)
from understudy.inference.model_folders import (
    classifier_from_file,
    classifier_in,
    digest_of_classifier,
    models_folder,
    shipped_classifiers,
)
from understudy.inference.onnx_models import Classifier
from understudy.models.own_models import checked_probabilities
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import AssetPath, FolderPath, MapModelCard, Record
from understudy.sources.files import located
from understudy.training.recipes import PAPER, PICTURE_RECIPES, RECIPES, ClassifierRecipe, recipe_named


@register("models", "linear_classifier")
class LinearClassifier(Record):
    """Predicts by a weighted sum; weights are stated, not learned."""

    weights: tuple[float, ...] = Field(min_length=1)
    bias: float = 0.0
    labels: tuple[str, str] = ("no", "yes")
    features: tuple[str, ...] = ()

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the two labels."""
        if inputs.shape[1] != len(self.weights):
            raise MaterialsError(
                f"The linear classifier has {len(self.weights)} weights, but its inputs have {inputs.shape[1]} features. "
                "Give one weight for each feature."
            )
        yes = _logistic(inputs @ np.asarray(self.weights) + self.bias)
        return np.column_stack([1 - yes, yes])


def _logistic(scores: Floats) -> Floats:
    # The same digits as scipy.special.expit, whose import takes longer than a check of most studies; np.exp differs in
    # the last one. Beyond 709 the exponential overflows.
    return np.array([1 / (1 + math.exp(min(-score, 709.0))) for score in scores.tolist()])


# Map model: a picture classifier that shows what it looked at, in a folder.


@register("models", "map_model")
class MapModel(Record):
    """Predicts with a network that also gives maps: class maps, patch logits, or similarities to prototypes.

    The folder has `model.onnx`, `card.json` and the photos of the prototypes, as `understudy train` writes them.
    """

    folder: FolderPath

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.card.labels

    @property
    def card(self) -> MapModelCard:
        """How to read the maps."""
        return self.opened().card

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        opened = self.opened()
        return checked_probabilities(
            opened.predict(inputs), len(inputs), name=opened.card.name, labels=opened.card.labels, outputs="probabilities"
        )  # fmt: skip

    def maps(self, inputs: Floats) -> Floats:
        """Return the maps of each picture, as (n, maps, rows, columns)."""
        return self.opened().maps(inputs)

    def facts(self, inputs: Floats) -> Mapping[str, Sequence[str]]:
        """Say of each photo whether a page can leave two decisions of a tree open, at which fork, and what they are."""
        if self.card.method != "tree":
            return {}
        card = shown_tree(self.card)
        walks = [walk_of(maps, card) for maps in self.maps(inputs)]
        known = forks_of(card)
        forks = [fork_of(walk, known) for walk in walks]
        return {
            "has_fork": ["no" if at is None else "yes" for at in forks],
            "way_out": [_way_out(walk, at) for walk, at in zip(walks, forks, strict=True)],
        }

    def source_photo(self, prototype: int) -> SourcePhoto:
        """Return the photo that a prototype was taken from."""
        return self.opened().source_photo(prototype)

    def opened(self) -> OpenedMapModel:
        """Open the folder, or say what is wrong with it."""
        return map_model_from_folder(located(Path(), self.folder).path)


def _way_out(walk: Walk, fork: int | None) -> str:
    """Name a fork and the two decisions at it, such as "node 4: absent, present"."""
    if fork is None:
        return "none"
    made = ("present" if is_present else "absent" for is_present in walk.is_present[fork : fork + 2])
    return f"node {walk.nodes[fork]}: {', '.join(made)}"


# Classifiers by name: the models folder, then the shipped ones; for a missing one, the command that trains it.


def classifier_named(name: str, folder: Path) -> Classifier:
    """Open a classifier of a models folder, or a shipped one; the folder comes first."""
    classifier = classifier_in(folder, name)
    if classifier is None:
        raise MaterialsError(f"There is no classifier {name!r} in {folder}. {_remedy(name)}")
    return classifier


def _remedy(name: str) -> str:
    for_pictures = [full for full, recipe in PICTURE_RECIPES.items() if name in (full, recipe.name)]
    if for_pictures:
        return f"Make it with `understudy train {for_pictures[0]}`."
    recipe, is_papers = recipe_named(name.removesuffix(PAPER)), name.endswith(PAPER)
    # Generated cases have no published split, so no command makes a demo model under the name of one.
    if not isinstance(recipe, ClassifierRecipe) or (is_papers and recipe.collection == "demo"):
        known = {recipe.name for recipe in RECIPES.values() if isinstance(recipe, ClassifierRecipe)}
        return (
            f"Correct the name: {', '.join(shipped_classifiers())} come with understudy, and `understudy train` makes "
            f"{', '.join(sorted(known - {*shipped_classifiers()}))}."
        )
    split = " --split paper" if is_papers else ""
    return f"Make it with `understudy train {recipe.collection}/{recipe.name}{split}`."


# Trained classifiers: models that `understudy train` wrote, or that come with the package.


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
