"""A decoder: an ONNX model from codes to outputs, checked against its card."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from understudy.errors import MaterialsError
from understudy.inference.onnx_session import PAGE_MIB, ModelSession, OpenedModel, reason_of, session_from_bytes
from understudy.roles import Floats
from understudy.schema import DecoderCard

MAX_MIB = 100
"""A participant downloads the decoder; nobody waits for a page that is larger than this."""
N_TRIED = 64
"""How many settings of the dials the check tries."""


@dataclass(frozen=True)
class OnnxDecoder(OpenedModel[DecoderCard]):
    """A decoder that passed its checks."""

    takes_batches: bool

    @property
    def address(self) -> str:
        """The content address under which a page fetches the file."""
        return f"{hashlib.sha256(self.content).hexdigest()}.onnx"

    def decode(self, codes: Floats) -> Floats:
        """Return one row of outputs for each code."""
        rows = np.atleast_2d(np.asarray(codes, dtype=np.float32))
        name = self.session.get_inputs()[0].name
        # Some exporters fix the number of rows at 1; such files are run row by row.
        if self.takes_batches:
            outputs = self.session.run(None, {name: rows})[0]
        else:
            outputs = np.concatenate([self.session.run(None, {name: row[None]})[0] for row in rows])
        result: Floats = outputs.reshape(len(rows), -1).astype(np.float64)
        return result


def decoder_from_bytes(content: bytes, card: DecoderCard) -> OnnxDecoder:
    """Open a decoder and refuse one that a study could not use."""
    if len(content) > MAX_MIB * 2**20:
        raise MaterialsError(
            f"Decoder {card.name!r} has {len(content) / 2**20:.0f} MiB; a page can take {MAX_MIB}. "
            "Export it in half precision, or make it smaller."
        )
    rows = _tried_codes(card).astype(np.float32)
    session = session_from_bytes(content, what=f"Decoder {card.name!r}", rows=rows, call_mib=PAGE_MIB)
    decoder = OnnxDecoder(card, content, session, _takes_batches(session, card))
    _check_outputs(decoder)
    return decoder


def _takes_batches(session: ModelSession, card: DecoderCard) -> bool:
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1 or len(outputs) < 1:
        raise MaterialsError(
            f"Decoder {card.name!r} has {len(inputs)} inputs and {len(outputs)} outputs; "
            "it needs one input, the code, and its first output is shown."
        )
    kinds = (inputs[0].type, outputs[0].type)
    if kinds != ("tensor(float)", "tensor(float)"):
        raise MaterialsError(
            f"Decoder {card.name!r} takes {kinds[0]} and gives {kinds[1]}; a page works with tensor(float) alone. "
            "Export it with 32-bit inputs and outputs."
        )
    shape = inputs[0].shape
    if len(shape) != 2 or (isinstance(shape[1], int) and shape[1] != card.n_inputs):
        raise MaterialsError(
            f"Decoder {card.name!r} takes inputs of shape {shape}, but its dials make codes of {card.n_inputs} numbers "
            f"(shape [rows, {card.n_inputs}]). Correct the list of dials, or export the right part of the model."
        )
    return not isinstance(shape[0], int)


def _check_outputs(decoder: OnnxDecoder) -> None:
    card = decoder.card
    failure = decoder.session.failure
    try:
        outputs = np.zeros((0, 0)) if failure else decoder.decode(_tried_codes(card))
    except MaterialsError:
        raise
    except Exception as error:  # onnxruntime's exceptions have no common base class
        failure = reason_of(error)
    if failure is not None:
        raise MaterialsError(f"Decoder {card.name!r} failed on a code of {card.n_inputs} numbers: {failure}")
    if outputs.shape[1] != card.n_outputs:
        raise MaterialsError(
            f"Decoder {card.name!r} gives {outputs.shape[1]} numbers, but its shape "
            f"{' x '.join(map(str, card.shape))} has {card.n_outputs}. Correct the shape."
        )
    if not np.isfinite(outputs).all():
        raise MaterialsError(
            f"Decoder {card.name!r} gives values that are not finite within the ranges of its dials. "
            "Narrow the ranges, or correct the model."
        )


def _tried_codes(card: DecoderCard) -> Floats:
    """Return the ends and the middle of all dials, and random settings between them; always the same ones."""
    rng = np.random.default_rng(0)
    parts: list[Floats] = []
    for dial in card.dials:
        if dial.kind == "discrete":
            parts.append(np.eye(dial.n_inputs)[np.arange(N_TRIED) % dial.n_inputs])
        else:
            ends = (dial.low, (dial.low + dial.high) / 2, dial.high)
            parts.append(np.concatenate([ends, rng.uniform(dial.low, dial.high, N_TRIED - 3)])[:, None])
    return np.concatenate(parts, axis=1)
