"""The cases of a recipe, read from the data folder or generated."""

from pathlib import Path

from understudy.errors import MaterialsError
from understudy.sources.adult import SPLIT_SEED as ADULT_SEED
from understudy.sources.adult import adult_cases
from understudy.sources.cases import Cases, SplitRule
from understudy.sources.income import income_cases
from understudy.sources.polarity import SPLIT_SEED as POLARITY_SEED
from understudy.sources.polarity import polarity_cases
from understudy.sources.reviews import review_cases
from understudy.training.recipes import ClassifierRecipe


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
