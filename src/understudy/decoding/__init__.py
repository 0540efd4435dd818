"""Decoding: generative models as ONNX files with a card, run alike here and in the browser."""

from understudy.decoding.decoder import OnnxDecoder, decoder_from_bytes
from understudy.decoding.packing import (
    Packing,
    floats_from_text,
    outputs_from_text,
    packing_of,
    text_from_floats,
    text_from_outputs,
)
from understudy.decoding.shelf import decoder_from_file, shipped_decoder, shipped_names

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
