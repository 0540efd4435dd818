"""The cases of a recipe, read from the data folder or generated."""

from pathlib import Path

from understudy.errors import MaterialsError
from understudy.sources.adult import adult_cases
from understudy.sources.cases import Cases, SplitRule
from understudy.sources.income import income_cases
from understudy.sources.polarity import polarity_cases
from understudy.sources.reviews import review_cases
from understudy.training.recipes import ClassifierRecipe


def cases_of_recipe(recipe: ClassifierRecipe, folder: Path, rule: SplitRule) -> Cases:
    """Return the cases that a recipe learns from; `folder` is the data folder."""
    if recipe.cases == "adult":
        return adult_cases(folder / "adult", rule)
    if recipe.cases == "polarity":
        return polarity_cases(folder / "rt-polarity", rule, folder / "glove-100d")
    if rule == "paper":
        raise MaterialsError(f"The cases of {recipe.name!r} are generated, so no paper split them. Leave --split out.")
    return income_cases() if recipe.cases == "income" else review_cases()
