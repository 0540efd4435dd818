"""Classifiers by name: the models folder, then the shipped ones; for a missing one, the command that trains it."""

from pathlib import Path

from understudy.errors import MaterialsError
from understudy.inference.classifier import Classifier
from understudy.inference.shelf import classifier_in, shipped_classifiers
from understudy.training.picture_recipes import PICTURE_RECIPES
from understudy.training.recipes import PAPER, RECIPES, ClassifierRecipe, recipe_named


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
