"""The photos of the paper, birds and objects, and those of pets, with a model that you trained."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from understudy.protocols.kim2022.photos import BIRDS_RISKS, OBJECTS_RISKS, Photos
from understudy.protocols.kim2022.variants import Method
from understudy.schema import Ref

ACCURACIES: Mapping[tuple[str, Method], float] = MappingProxyType({
    ("CUB", "gradcam"): 81.0, ("CUB", "bagnet"): 74.2, ("CUB", "protopnet"): 79.9, ("CUB", "prototree"): 81.7,
    ("ImageNet", "gradcam"): 76.1, ("ImageNet", "bagnet"): 66.7,
})  # fmt: skip
"""Of the paper's own models, in per cent."""


def paper_photos(data: Literal["CUB", "ImageNet"], dataset: Ref, model: Ref, *, accuracy: float) -> Photos:
    """Return birds or objects in a folder of yours, with your model and its accuracy in per cent."""
    is_birds = data == "CUB"
    return Photos(
        name=data.lower(),
        dataset=dataset,
        model=model,
        accuracy=accuracy,
        n_classes=200 if is_birds else 1000,
        noun="species" if is_birds else "class",
        plural="species" if is_birds else "classes",
        kind="photos of birds" if is_birds else "photos of objects",
        risks=BIRDS_RISKS if is_birds else OBJECTS_RISKS,
    )


def pets(model: Ref, *, accuracy: float, dataset: Ref | None = None) -> Photos:
    """Return the Oxford pets of the test part, with a model that `understudy train kim2022/pets-...` wrote.

    24 of the 37 breeds are classes of ImageNet, which the backbone of these models has learned before: say so.
    """
    return Photos(
        name="pets",
        dataset=dataset or Ref(name="oxford_pets"),
        model=model,
        accuracy=accuracy,
        n_classes=37,
        noun="breed",
        plural="breeds",
        kind="photos of cats and dogs",
        risks=BIRDS_RISKS,
    )
