"""The shelf: decoders that come with the package, and files that somebody brings."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.inference.decoder import OnnxDecoder, decoder_from_bytes
from understudy.schema import DecoderCard, sentences_from_validation

SHELF = files("understudy") / "inference" / "decoders"


def shipped_names() -> tuple[str, ...]:
    """Return the names of the decoders that come with the package."""
    return tuple(sorted(one.name.removesuffix(".onnx") for one in SHELF.iterdir() if one.name.endswith(".onnx")))


@cache
def shipped_decoder(name: str) -> OnnxDecoder:
    """Open a decoder that comes with the package."""
    if name not in shipped_names():
        raise MaterialsError(f"{name!r} does not come with understudy. These do: {', '.join(shipped_names())}.")
    card = DecoderCard.model_validate_json((SHELF / f"{name}.json").read_text(encoding="utf-8"))
    return decoder_from_bytes((SHELF / f"{name}.onnx").read_bytes(), card)


def decoder_from_file(path: Path, card: DecoderCard | None = None) -> OnnxDecoder:
    """Open an ONNX file with the card given, or with the one that lies beside it under the same name in `.json`."""
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the decoder there, or correct the path.")
    if card is None:
        beside = path.with_suffix(".json")
        if not beside.is_file():
            raise MaterialsError(
                f"{path} has no card: neither dials nor a shape are given, and {beside.name} does not lie beside it."
            )
        try:
            card = DecoderCard.model_validate_json(beside.read_text(encoding="utf-8"))
        except ValidationError as error:
            faults = " ".join(sentences_from_validation(error, DecoderCard))
            raise MaterialsError(f"The card {beside} does not fit: {faults}") from None
    return decoder_from_bytes(path.read_bytes(), card)
