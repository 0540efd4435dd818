"""Cards of trained models: what a study needs to know about them besides their weights."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.inference.cards import (
    N_CODES,
    PERCENTILES,
    ClassifierCard,
    percentiles_from_codes,
    ranges_from_codes,
    rounded,
)
from understudy.inference.onnx_models import Classifier
from understudy.roles import Ints, Variables
from understudy.schema import DecoderCard, Dial, Json
from understudy.sources import sprites
from understudy.sources.adult import SPLIT_SEED as ADULT_SEED
from understudy.sources.adult import adult_cases
from understudy.sources.cases import Cases, Part, SplitName, SplitRule
from understudy.sources.income import income_cases
from understudy.sources.reviews import SPLIT_SEED as POLARITY_SEED
from understudy.sources.reviews import polarity_cases, review_cases
from understudy.statistics.arrays import Floats
from understudy.training.recipes import PAPER, ClassifierRecipe, DecoderRecipe, Recipe

PARTS: tuple[SplitName, ...] = ("train", "validation", "test")
SHAPES: dict[str, tuple[int, ...]] = {"sinelines": (64,), "dsprites": (64, 64), "mnist": (28, 28)}


def decoder_card(recipe: DecoderRecipe, codes: Floats | None, provenance: Json) -> DecoderCard:
    """Return the card of a trained decoder: ranges, percentiles and the first codes of held-out instances.

    Without codes (InfoGAN) the dials span the prior, from which starts and targets are then drawn.
    """
    is_line = recipe.dataset == "sinelines"
    dials: list[Dial] = []
    if recipe.n_categories:
        options = tuple(str(category) for category in range(recipe.n_categories))
        dials.append(Dial(name="category", kind="discrete", options=options))
    if codes is None:
        ranges = np.array([[-1.0, 1.0]] * recipe.n_dials)
    elif recipe.family == "gt":
        ranges = np.array([[values[0], values[-1]] for values in sprites.VALUES])
    else:
        ranges = ranges_from_codes(codes[:, recipe.n_categories :])
    names = sprites.FACTORS if recipe.family == "gt" else [f"z{number + 1}" for number in range(recipe.n_dials)]
    for name, (low, high) in zip(names, ranges, strict=True):
        dials.append(Dial(name=name, low=float(low), high=float(high)))
    return DecoderCard(
        name=recipe.name,
        view="line" if is_line else "image",
        shape=SHAPES[recipe.dataset],
        limits=(-10.0, 10.0) if is_line else (0.0, 1.0),
        dials=tuple(dials),
        codes=() if codes is None else tuple(map(tuple, rounded(codes[:N_CODES]))),
        percentiles=_percentiles_of_prior(recipe) if codes is None else percentiles_from_codes(codes),
        provenance={"recipe": _recipe_json(recipe), **provenance},
    )


def classifier_card(recipe: ClassifierRecipe, cases: Cases, prototypes: Ints, provenance: Json) -> ClassifierCard:
    """Return the card of a trained classifier; `prototypes` are the training cases that it decides by."""
    legend = cases.legend
    is_codes = isinstance(legend, Variables)
    rows = cases.train.inputs[prototypes]
    return ClassifierCard(
        name=recipe.name,
        takes="codes" if is_codes else "tokens",
        labels=tuple(cases.labels),
        features=tuple(legend.features) if isinstance(legend, Variables) else (),
        values=tuple(map(tuple, legend.values)) if isinstance(legend, Variables) else (),
        words=() if isinstance(legend, Variables) else tuple(legend.words),
        prototypes=tuple(tuple(int(code) for code in row if code >= 0) for row in rows),
        prototype_labels=tuple(cases.labels[int(label)] for label in cases.train.labels[prototypes]),
        provenance={"recipe": _recipe_json(recipe), **provenance},
    )


def with_accuracy(card: ClassifierCard, classifier: Classifier, cases: Cases, split: SplitRule) -> ClassifierCard:
    """Add the share of correct answers of the file on every part of a split.

    Under the split of the paper the name ends in `-paper`, so that neither model replaces the other.
    """
    measured: Json = {
        "split": split,
        "accuracy": {name: _accuracy(classifier, cases.part(name)) for name in PARTS},
        "n_cases": {name: len(cases.part(name).labels) for name in PARTS},
    }
    name = f"{card.name}{PAPER}" if split == "paper" else card.name
    return card.model_copy(update={"name": name, "provenance": {**card.provenance, **measured}})


def _recipe_json(recipe: Recipe) -> Json:
    """Return every setting of a recipe."""
    settings: Json = json.loads(json.dumps(asdict(recipe)))
    return settings


def _percentiles_of_prior(recipe: DecoderRecipe) -> dict[str, tuple[float, ...]]:
    """Return percentiles of dials that are even between -1 and 1; categories have none, and are 0."""
    return {str(level): (0.0,) * recipe.n_categories + (level / 50 - 1,) * recipe.n_dials for level in PERCENTILES}


def _accuracy(classifier: Classifier, part: Part) -> float:
    return round(float(np.mean(classifier.predict(part.inputs).argmax(axis=1) == part.labels)), 6)


# The cases of a recipe, read from the data folder or generated.


def cases_of_recipe(recipe: ClassifierRecipe, folder: Path, rule: SplitRule, *, split_seed: int | None = None) -> Cases:
    """Return the cases that a recipe learns from; `folder` is the data folder.

    With another `split_seed`, other cases are drawn for training, validation and test by the same rule.
    """
    if recipe.cases == "adult":
        seed = ADULT_SEED if split_seed is None else split_seed
        return adult_cases(folder / "adult", rule, split_seed=seed)
    if recipe.cases == "polarity":
        seed = POLARITY_SEED if split_seed is None else split_seed
        return polarity_cases(folder / "rt-polarity", rule, folder / "glove-100d", split_seed=seed)
    if split_seed is not None:
        raise MaterialsError(
            f"The cases of {recipe.name!r} are generated with one split. Leave the seed of the split out."
        )
    if rule == "paper":
        raise MaterialsError(f"The cases of {recipe.name!r} are generated, so no paper split them. Leave --split out.")
    return income_cases() if recipe.cases == "income" else review_cases()
