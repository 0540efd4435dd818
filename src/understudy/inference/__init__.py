"""Decoding: generative models as ONNX files with a card, run alike here and in the browser."""

from understudy.inference.decoder import OnnxDecoder, decoder_from_bytes
from understudy.inference.decoder_shelf import decoder_from_file, shipped_decoder, shipped_names
from understudy.inference.packing import (
    Packing,
    floats_from_text,
    outputs_from_text,
    packing_of,
    text_from_floats,
    text_from_outputs,
)

__all__ = [
    "OnnxDecoder",
    "Packing",
    "decoder_from_bytes",
    "decoder_from_file",
    "floats_from_text",
    "outputs_from_text",
    "packing_of",
    "shipped_decoder",
    "shipped_names",
    "text_from_floats",
    "text_from_outputs",
]
