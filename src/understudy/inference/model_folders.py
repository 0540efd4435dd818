"""The shelf: models that come with the package and models in the user's folders, found by name or path."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.inference.cards import ClassifierCard, ModelCard, card_from_text, details_from_card, text_from_card
from understudy.inference.onnx_models import Classifier, OnnxDecoder, classifier_from_bytes, decoder_from_bytes
from understudy.schema import DecoderCard
from understudy.schema.model_cards import MapModelCard

SHELF = files("understudy") / "inference" / "shipped"
VARIABLE = "UNDERSTUDY_MODELS"


class WrittenModel(NamedTuple):
    """A model on disk: an ONNX file, or a folder of weights."""

    path: Path
    card: ModelCard | MapModelCard
    n_bytes: int


def models_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that UNDERSTUDY_MODELS names, or one in the home folder."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else Path.home() / ".understudy" / "models"


@cache
def shipped_cards() -> dict[str, ModelCard]:
    """Return the card of every model that comes with the package, by name."""
    paths = sorted((path for path in SHELF.iterdir() if path.name.endswith(".json")), key=lambda path: path.name)
    cards = (card_from_text(path.read_text(encoding="utf-8"), path.name) for path in paths)
    return {card.name: card for card in cards}


def shipped_decoders() -> tuple[str, ...]:
    """Return the names of the decoders that come with the package."""
    return tuple(name for name, card in shipped_cards().items() if card.kind == "decoder")


def shipped_classifiers() -> tuple[str, ...]:
    """Return the names of the classifiers that come with the package."""
    return tuple(name for name, card in shipped_cards().items() if card.kind == "classifier")


@cache
def shipped_decoder(name: str) -> OnnxDecoder:
    """Open a decoder that comes with the package."""
    if name not in shipped_decoders():
        raise MaterialsError(f"{name!r} does not come with understudy. These do: {', '.join(shipped_decoders())}.")
    return decoder_from_bytes(_shipped_content(name), details_from_card(shipped_cards()[name], DecoderCard, name))


@cache
def shipped_classifier(name: str) -> Classifier:
    """Open a classifier that comes with the package."""
    if name not in shipped_classifiers():
        raise MaterialsError(f"{name!r} does not come with understudy. These do: {', '.join(shipped_classifiers())}.")
    return classifier_from_bytes(_shipped_content(name), details_from_card(shipped_cards()[name], ClassifierCard, name))


def decoder_from_file(path: Path, card: DecoderCard | None = None) -> OnnxDecoder:
    """Open an ONNX file with the card given, or with the card of the same name in `.json` next to it."""
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the decoder there, or correct the path.")
    card_path = path.with_suffix(".json")
    if card is None and not card_path.is_file():
        raise MaterialsError(
            f"{path} has no card: neither dials nor a shape are given, and there is no {card_path.name} next to it."
        )
    return decoder_from_bytes(
        path.read_bytes(), card or details_from_card(_card(card_path), DecoderCard, str(card_path))
    )


def classifier_from_file(path: Path) -> Classifier:
    """Open an ONNX file with the card of the same name in `.json` next to it."""
    for needed in (path, path.with_suffix(".json")):
        if not needed.is_file():
            raise MaterialsError(f"{needed} is not a file. Put classifier and card there, or correct the path.")
    return _opened(path, path.stat().st_mtime_ns, path.with_suffix(".json").stat().st_mtime_ns)


def classifier_in(folder: Path, name: str) -> Classifier | None:
    """Open a classifier of a models folder, or else a shipped one; None if there is neither."""
    path = folder / f"{name}.onnx"
    if path.is_file():
        return classifier_from_file(path)
    return shipped_classifier(name) if name in shipped_classifiers() else None


def digest_of_classifier(classifier: Classifier) -> str:
    """Return the digest of the file."""
    return hashlib.sha256(classifier.content).hexdigest()


def write_model(card: ModelCard, content: bytes, folder: Path) -> Path:
    """Write a model and its card, and return the path of the model."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card.name}.onnx"
    path.write_bytes(content)
    path.with_suffix(".json").write_text(text_from_card(card), encoding="utf-8")
    return path


@cache
def _opened(path: Path, _changed_ns: int, _card_changed_ns: int) -> Classifier:
    card_path = path.with_suffix(".json")
    return classifier_from_bytes(path.read_bytes(), details_from_card(_card(card_path), ClassifierCard, str(card_path)))


def _card(path: Path) -> ModelCard:
    return card_from_text(path.read_text(encoding="utf-8"), str(path))


def _shipped_content(name: str) -> bytes:
    return (SHELF / f"{name}.onnx").read_bytes()
