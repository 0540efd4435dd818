"""Decoding: generative models as ONNX files with a card, run alike here and in the browser."""

from understudy.decoding.decoder import OnnxDecoder, decoder_from_bytes
from understudy.decoding.packing import floats_from_text, text_from_floats
from understudy.decoding.shelf import decoder_from_file, shipped_decoder, shipped_names

__all__ = [
    "OnnxDecoder",
    "decoder_from_bytes",
    "decoder_from_file",
    "floats_from_text",
    "shipped_decoder",
    "shipped_names",
    "text_from_floats",
]
