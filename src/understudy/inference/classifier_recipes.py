"""Recipes: which classifier learns from which cases, and with what settings.

Those of the collection hase2020 follow Hase and Bansal (2020), with two differences. Every pass shows every case once:
the original's batches overlapped, so that a pass showed few of them, and numbers of passes cannot be compared. And the
text models learn with Adam from smaller word vectors, in a tenth of the time.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

CaseName: TypeAlias = Literal["adult", "polarity", "income", "reviews"]
Collection: TypeAlias = Literal["hase2020", "demo"]


@dataclass(frozen=True)
class Recipe:
    """Everything that fixes a training run besides the machine and the split."""

    name: str
    collection: Collection
    cases: CaseName
    learning_rate: float
    batch: int
    n_epochs: int
    """At most so many passes over the cases."""
    patience: int
    """Passes without a better validation accuracy after which learning ends."""
    method: Literal["adam", "sgd"] = "adam"
    momentum: float = 0.9
    """Of stochastic gradient descent."""
    slowing: float = 0.0
    """The rate in pass k is divided by 1 + slowing * k."""
    weight_decay: float = 0.0
    max_gradient: float | None = None
    """The norm to which gradients are clipped."""
    n_hidden: int = 50
    n_embedding: int = 100
    dropout: float = 0.5
    """Share of the numbers of word vectors that are left out while learning."""
    starts_from: str = ""
    """The recipe whose settings train the net with a linear head first, before it gets prototypes."""
    n_prototypes: int = 0
    """Prototypes of each class; none makes a plain classifier."""
    clusters_of: Literal["all", "right"] = "all"
    """Whether prototypes start at clusters of all cases, or of those that the first stage finds.

    Where many labels are noise, wrongly found cases make clusters amid the other class: of sentences, prototypes that
    start at all cases find 75 % of the test cases, those that start at right ones 80 %.
    """
    n_latent: int = 16
    """Dimensions in which prototypes live."""
    separation: float = 0.1
    """Weight of the distance to the prototypes of the other class."""
    first_push: int = 0
    """Passes with prototypes after which they are first moved onto cases."""
    seed: int = 10


_ADULT = Recipe(
    "adult-mlp", "hase2020", "adult", learning_rate=1e-3, batch=1000, n_epochs=300, patience=150, weight_decay=1e-4
)
_POLARITY = Recipe(
    "polarity-lstm",
    "hase2020",
    "polarity",
    learning_rate=1e-3,
    batch=50,
    n_epochs=12,
    patience=5,
    slowing=0.05,
    max_gradient=5.0,
)
_INCOME = Recipe(
    "income-mlp",
    "demo",
    "income",
    learning_rate=3e-3,
    batch=100,
    n_epochs=60,
    patience=20,
    n_hidden=24,
    weight_decay=1e-4,
)
_REVIEWS = Recipe(
    "reviews-lstm",
    "demo",
    "reviews",
    learning_rate=5e-3,
    batch=50,
    n_epochs=15,
    patience=5,
    max_gradient=5.0,
    n_hidden=12,
    n_embedding=16,
    dropout=0.1,
)
_ALL = (
    _ADULT,
    replace(_ADULT, name="adult-mlp-sgd", method="sgd", learning_rate=0.05),
    replace(
        _ADULT,
        name="adult-prototypes",
        starts_from="adult-mlp",
        method="sgd",
        learning_rate=1e-3,
        n_prototypes=20,
        first_push=80,
    ),
    _POLARITY,
    replace(
        _POLARITY,
        name="polarity-prototypes",
        starts_from="polarity-lstm",
        learning_rate=2e-4,
        n_epochs=4,
        patience=2,
        n_prototypes=40,
        clusters_of="right",
    ),
    _INCOME,
    replace(_INCOME, name="income-prototypes", starts_from="income-mlp", n_prototypes=8, n_latent=8, first_push=5),
    _REVIEWS,
    replace(
        _REVIEWS,
        name="reviews-prototypes",
        starts_from="reviews-lstm",
        n_prototypes=8,
        n_latent=8,
        first_push=2,
    ),
)
RECIPES: dict[str, Recipe] = {one.name: one for one in _ALL}


def stage_epochs(recipe: Recipe) -> tuple[int, ...]:
    """Return how many passes each stage takes at most; who shortens a recipe shortens both of its stages."""
    if not recipe.n_prototypes:
        return (recipe.n_epochs,)
    first = RECIPES[recipe.starts_from].n_epochs
    is_shortened = recipe.n_epochs < RECIPES[recipe.name].n_epochs
    return (min(first, recipe.n_epochs) if is_shortened else first, recipe.n_epochs)
