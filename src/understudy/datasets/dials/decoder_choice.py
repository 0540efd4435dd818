"""The decoder of a dataset: one shipped with understudy, or your own file."""

from pathlib import Path
from typing import Protocol

from understudy.inference import OnnxDecoder, decoder_from_file, shipped_decoder
from understudy.schema import DecoderCard, Dial


class DecoderChoice(Protocol):
    """The parameters of a dataset that choose its decoder."""

    @property
    def decoder(self) -> str:
        """Return the name of a decoder shipped with understudy, such as sinelines-vae."""

    @property
    def file(self) -> str | None:
        """Return the path of your own ONNX decoder, instead."""

    @property
    def dials(self) -> tuple[Dial, ...]:
        """Return the dials of your own decoder, in the order of its inputs; taken from its card when absent."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of an output of your own decoder."""

    @property
    def view(self) -> str:
        """Return how an output of your own decoder is drawn."""

    @property
    def limits(self) -> tuple[float, float]:
        """Return the output values drawn as black and white, or as the bottom and top of a chart."""


def require_one_decoder(choice: DecoderChoice) -> None:
    """Reject a choice without a decoder, or with two."""
    if bool(choice.decoder) == bool(choice.file):
        raise ValueError("name either a decoder that comes with understudy, or a file of your own.")
    if choice.dials and not (choice.file and choice.shape):
        raise ValueError("dials are for a file of your own, and go with its shape.")


def opened_decoder(choice: DecoderChoice) -> OnnxDecoder:
    """Open the chosen decoder."""
    if choice.file is None:
        return shipped_decoder(choice.decoder)
    card = None
    if choice.dials:
        name = Path(choice.file).stem
        card = DecoderCard(name=name, view=choice.view, shape=choice.shape, limits=choice.limits, dials=choice.dials)
    return decoder_from_file(Path(choice.file), card)
