"""Recipes: which model is trained on which data, and with what settings (Ross et al., 2021)."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from understudy.errors import UnknownName

DatasetName: TypeAlias = Literal["sinelines", "dsprites", "mnist"]
Family: TypeAlias = Literal["ae", "vae", "tc", "ss", "gt", "ig"]


@dataclass(frozen=True)
class Recipe:
    """Everything that fixes a training run besides the machine."""

    name: str
    dataset: DatasetName
    family: Family
    """Autoencoder, variational one, beta-TCVAE, label-conditioned beta-TCVAE, supervised truth, InfoGAN."""
    n_dials: int
    """Continuous dimensions."""
    learning_rate: float
    n_epochs: int
    batch: int = 64
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    steps_per_epoch: int | None = None
    """All instances once, in batches, when absent."""
    total_correlation_weight: float = 9.0
    """Added to the weight of 1 that the divergence gives it: beta = 10 in the usual writing."""
    seed: int = 0

    @property
    def n_categories(self) -> int:
        """Options of the discrete dial, which comes first; none without one."""
        return 10 if self.family in {"ss", "ig"} else 0

    @property
    def is_variational(self) -> bool:
        """Whether codes are drawn from a posterior while learning."""
        return self.family in {"vae", "tc", "ss"}


def _sinelines(family: Family) -> Recipe:
    return Recipe(f"sinelines-{family}", "sinelines", family, 5, learning_rate=1e-3, n_epochs=150)


def _dsprites(family: Family) -> Recipe:
    return Recipe(f"dsprites-{family}", "dsprites", family, 5, learning_rate=5e-4, n_epochs=10)


def _mnist(family: Family, n_dials: int) -> Recipe:
    return Recipe(f"mnist-{family}{n_dials}", "mnist", family, n_dials, learning_rate=1e-3, n_epochs=100)


_ALL = (
    _sinelines("ae"),
    _sinelines("vae"),
    _dsprites("ae"),
    _dsprites("vae"),
    _dsprites("gt"),
    _mnist("ae", 5),
    _mnist("vae", 5),
    _mnist("tc", 5),
    _mnist("ss", 5),
    _mnist("ae", 10),
    _mnist("tc", 10),
    _mnist("ss", 10),
    Recipe(
        "mnist-ig5",
        "mnist",
        "ig",
        5,
        learning_rate=2e-4,
        n_epochs=100,
        batch=128,
        betas=(0.5, 0.999),
        epsilon=1e-6,
        steps_per_epoch=500,
    ),
)
RECIPES: dict[str, Recipe] = {one.name: one for one in _ALL}


def recipe_named(name: str) -> Recipe:
    """Return a recipe by its name, or say which there are."""
    if name not in RECIPES:
        raise UnknownName(f"There is no recipe {name!r}. There are: {', '.join(RECIPES)}.")
    return RECIPES[name]
