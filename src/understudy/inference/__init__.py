"""Inference: decoders and classifiers as ONNX files with a card, run in the same way here and in the browser, without torch."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.inference.cards import (
        Packing,
        floats_from_text,
        outputs_from_text,
        packing_of,
        text_from_floats,
        text_from_outputs,
    )
    from understudy.inference.model_folders import decoder_from_file, shipped_decoder, shipped_decoders
    from understudy.inference.onnx_models import OnnxDecoder, decoder_from_bytes

__all__ = [
    "OnnxDecoder",
    "Packing",
    "decoder_from_bytes",
    "decoder_from_file",
    "floats_from_text",
    "outputs_from_text",
    "packing_of",
    "shipped_decoder",
    "shipped_decoders",
    "text_from_floats",
    "text_from_outputs",
]

defer_names(__name__)
