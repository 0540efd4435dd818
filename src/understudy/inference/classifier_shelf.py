"""The shelf: classifiers that come with the package, those trained into a folder, and files that somebody brings."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.inference.classifier import Classifier, classifier_from_bytes
from understudy.inference.classifier_card import ClassifierCard
from understudy.inference.classifier_recipes import RECIPES
from understudy.schema import sentences_from_validation

SHELF = files("understudy") / "inference" / "classifiers"
VARIABLE = "UNDERSTUDY_MODELS"
PAPER = "-paper"
"""How the name of a classifier ends that was trained under the split of the paper."""


def models_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that UNDERSTUDY_MODELS names, or one in the home folder."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else Path.home() / ".understudy" / "models"


def shipped_classifiers() -> tuple[str, ...]:
    """Return the names of the classifiers that come with the package."""
    return tuple(sorted(one.name.removesuffix(".onnx") for one in SHELF.iterdir() if one.name.endswith(".onnx")))


def classifier_named(name: str, folder: Path) -> Classifier:
    """Open a classifier of a models folder, or of the shelf; the folder comes first."""
    path = folder / f"{name}.onnx"
    if path.is_file():
        return classifier_from_file(path)
    if name in shipped_classifiers():
        return _shipped(name)
    raise MaterialsError(f"There is no classifier {name!r} in {folder}. {_remedy(name)}")


def classifier_from_file(path: Path) -> Classifier:
    """Open an ONNX file with the card that lies beside it under the same name in `.json`."""
    for one in (path, path.with_suffix(".json")):
        if not one.is_file():
            raise MaterialsError(f"{one} is not a file. Put classifier and card there, or correct the path.")
    return _opened(path, path.stat().st_mtime_ns, path.with_suffix(".json").stat().st_mtime_ns)


def digest_of_classifier(classifier: Classifier) -> str:
    """Return the digest of the file."""
    return hashlib.sha256(classifier.content).hexdigest()


def _remedy(name: str) -> str:
    """Return the command that makes a classifier, or where there is none, the names that would do."""
    recipe, is_papers = RECIPES.get(name.removesuffix(PAPER)), name.endswith(PAPER)
    if recipe is None or (is_papers and recipe.collection == "demo"):
        trainable = ", ".join(sorted({*RECIPES} - {*shipped_classifiers()}))
        return (
            f"Correct the name: {', '.join(shipped_classifiers())} come with understudy, and `understudy train` makes "
            f"{trainable}."
        )
    split = " --split paper" if is_papers else ""
    return f"Make it with `understudy train {recipe.collection}/{recipe.name}{split}`."


@cache
def _shipped(name: str) -> Classifier:
    card = ClassifierCard.model_validate_json((SHELF / f"{name}.json").read_text(encoding="utf-8"))
    return classifier_from_bytes((SHELF / f"{name}.onnx").read_bytes(), card)


@cache
def _opened(path: Path, _changed_ns: int, _card_changed_ns: int) -> Classifier:
    beside = path.with_suffix(".json")
    try:
        card = ClassifierCard.model_validate_json(beside.read_text(encoding="utf-8"))
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, ClassifierCard))
        raise MaterialsError(f"The card {beside} does not fit: {faults}") from None
    return classifier_from_bytes(path.read_bytes(), card)
