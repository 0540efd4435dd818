"""The decoder of a dataset: one shipped with understudy, or your own file."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from understudy.inference import OnnxDecoder, decoder_from_file, shipped_decoder
from understudy.schema import AssetPath, DecoderCard, Dial, Record


class DecoderChoice(Record):
    """The parameters of a dataset that choose its decoder."""

    decoder: str = ""
    """A decoder shipped with understudy, such as sinelines-vae."""
    file: AssetPath | None = None
    """Your own ONNX decoder, instead."""
    dials: tuple[Dial, ...] = ()
    """The dials of your own decoder, in the order of its inputs. Default: those on its card."""
    shape: tuple[Annotated[int, Field(le=10_000)], ...] = ()
    view: str = "image"
    limits: tuple[float, float] = (0.0, 1.0)

    @model_validator(mode="after")
    def _one_decoder(self) -> Self:
        if bool(self.decoder) == bool(self.file):
            raise ValueError("name either a decoder that comes with understudy, or your own file.")
        if self.dials and not (self.file and self.shape):
            raise ValueError("dials are for your own file, and need its shape.")
        return self

    def opened_decoder(self) -> OnnxDecoder:
        """Open the chosen decoder."""
        if self.file is None:
            return shipped_decoder(self.decoder)
        card = None
        if self.dials:
            name = Path(self.file).stem
            card = DecoderCard(name=name, view=self.view, shape=self.shape, limits=self.limits, dials=self.dials)
        return decoder_from_file(Path(self.file), card)
