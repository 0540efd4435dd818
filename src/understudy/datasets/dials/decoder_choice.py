"""The decoder a dataset draws from: one that comes with understudy, or a file of somebody's own."""

from pathlib import Path
from typing import Protocol

from understudy.inference import OnnxDecoder, decoder_from_file, shipped_decoder
from understudy.schema import DecoderCard, Dial


class DecoderChoice(Protocol):
    """What a dataset is told about its decoder."""

    @property
    def decoder(self) -> str:
        """A decoder that comes with understudy, such as sinelines-vae."""

    @property
    def file(self) -> str | None:
        """An ONNX decoder of one's own, instead."""

    @property
    def dials(self) -> tuple[Dial, ...]:
        """The dials of a decoder of one's own, in the order of its inputs; its card says when absent."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an output of a decoder of one's own."""

    @property
    def view(self) -> str:
        """How an output of a decoder of one's own is drawn."""

    @property
    def limits(self) -> tuple[float, float]:
        """The values of such an output drawn as black and white, or as the bottom and the top of a chart."""


def require_one_decoder(choice: DecoderChoice) -> None:
    """Refuse a choice that names no decoder, or two."""
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
