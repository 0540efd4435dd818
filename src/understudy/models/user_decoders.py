"""User decoders: export a torch module, a scikit-learn model or an ONNX file for a study."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.inference import OnnxDecoder, decoder_from_bytes
from understudy.inference.card import card_from_details, text_from_card
from understudy.inference.dense_form import ACTIVATIONS, onnx_from_dense
from understudy.inference.held_out_codes import N_CODES, percentiles_from_codes, ranges_from_codes, rounded
from understudy.inference.linear_form import onnx_from_matrix
from understudy.inference.onnx_session import reason_of
from understudy.inference.quantization import quantized
from understudy.models.torch_export import onnx_from_user_module
from understudy.roles import Floats
from understudy.schema import DecoderCard, Dial


def export_decoder(
    model: Any,
    path: str | Path,
    *,
    shape: Sequence[int],
    codes: npt.ArrayLike | None = None,
    dials: Sequence[Dial] = (),
    view: str = "image",
    limits: tuple[float, float] = (0.0, 1.0),
    precision: Literal["float32", "float16", "int8"] = "float32",
) -> OnnxDecoder:
    """Check a decoder as a study will, and write it with its card.

    `model` is a torch module from codes to outputs, the path of an ONNX file, or a fitted model of scikit-learn: one
    whose `inverse_transform` or `predict` is linear (PCA, NMF, Ridge), or an MLPRegressor from codes to outputs. `codes` are codes of held-out instances, one row each: starts and targets are drawn
    from them, and without `dials` their extremes become the ranges of the dials.

    Examples
    --------
    >>> export_decoder(module, Path("decoder.onnx"), shape=(28, 28), codes=codes)  # doctest: +SKIP
    """
    path = Path(path)
    rows = None if codes is None else np.atleast_2d(np.asarray(codes, dtype=np.float64))
    if rows is not None and not np.isfinite(rows).all():
        raise MaterialsError("The codes hold values that are not finite. Leave those rows out.")
    card = _card(path.stem, rows, tuple(dials), shape=tuple(shape), view=view, limits=limits)
    whole = _content(model, card)
    # Tried as it came, because the library that stores it in fewer bits has no bounds.
    decoder = decoder_from_bytes(whole, card)
    content = quantized(whole, precision)
    if content != whole:
        decoder = decoder_from_bytes(content, card)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.with_suffix(".json").write_text(text_from_card(card_from_details(card)), encoding="utf-8")
    return decoder


def _card(
    name: str,
    codes: Floats | None,
    dials: tuple[Dial, ...],
    *,
    shape: tuple[int, ...],
    view: str,
    limits: tuple[float, float],
) -> DecoderCard:
    if not dials and codes is None:
        raise MaterialsError(f"Decoder {name!r} has neither dials nor codes. Give one of them, for the ranges.")
    if not dials and codes is not None:
        constant = [str(number) for number, spread in enumerate(np.ptp(codes, axis=0), start=1) if not spread]
        if constant:
            raise MaterialsError(
                f"The codes of decoder {name!r} never vary in number {', '.join(constant)}, so they give no range for a dial. "
                "Give codes of more instances, or dials with their ranges."
            )
        dials = tuple(Dial(low=float(low), high=float(high)) for low, high in ranges_from_codes(codes))
    n_inputs = sum(dial.n_inputs for dial in dials)
    if codes is not None and codes.shape[1] != n_inputs:
        raise MaterialsError(
            f"The codes of decoder {name!r} have {codes.shape[1]} numbers, but its dials make codes of {n_inputs}; "
            "a discrete dial takes one number for each of its options."
        )
    return DecoderCard(
        name=name,
        view=view,
        shape=shape,
        limits=limits,
        dials=dials,
        codes=() if codes is None else tuple(map(tuple, rounded(codes[:N_CODES]))),
        percentiles={}
        if codes is None
        else {level: tuple(values) for level, values in percentiles_from_codes(codes).items()},
    )


def _content(model: Any, card: DecoderCard) -> bytes:
    if isinstance(model, str | Path):
        path = Path(model)
        if not path.is_file():
            raise MaterialsError(f"{path} is not a file. Put the decoder there, or correct the path.")
        return path.read_bytes()
    if hasattr(model, "state_dict") and callable(model):
        return onnx_from_user_module(
            model,
            optional("torch", extra="torch").zeros(2, card.n_inputs),
            names=("code", "shown"),
            tried_on=f"codes of {card.n_inputs} numbers",
            advice="Correct the list of dials, or give the decoder part of the model alone.",
        )
    if (
        hasattr(model, "coefs_")
        and getattr(model, "out_activation_", "") == "identity"
        and model.activation in ACTIVATIONS
    ):
        return onnx_from_dense(model.coefs_, model.intercepts_, model.activation)
    for method in ("inverse_transform", "predict"):
        if hasattr(model, method):
            return _linear(model, method, card)
    raise MaterialsError(
        f"{type(model).__name__!r} cannot become a decoder. Give a torch module, the path of an ONNX file, or a fitted "
        "model with a linear inverse_transform or predict."
    )


def _linear(model: Any, method: str, card: DecoderCard) -> bytes:
    """Recover offset and matrix from the model's answers, and refuse a model that is not linear."""
    n = card.n_inputs
    kind = type(model).__name__
    decoded = getattr(model, method)
    lows, highs = _corners(card)
    rng = np.random.default_rng(0)
    # Linear at zero and at the unit codes does not mean linear in between, so random codes are compared too.
    tried = rng.uniform(lows, highs, size=(64, n))
    try:
        offset = np.asarray(decoded(np.zeros((1, n))), dtype=np.float64).reshape(1, -1)
        matrix = np.asarray(decoded(np.eye(n)), dtype=np.float64).reshape(n, -1) - offset
        wanted = np.asarray(decoded(tried), dtype=np.float64).reshape(len(tried), -1)
    except ValueError as error:
        raise MaterialsError(f"The {method} of {kind} does not take codes of {n} numbers: {reason_of(error)}") from None
    if not np.allclose(tried @ matrix + offset, wanted, atol=1e-6 * max(1.0, float(np.abs(wanted).max()))):
        raise MaterialsError(
            f"The {method} of {kind} is not linear, so it cannot be written from samples. "
            "Export it to ONNX with its own tools and give the file."
        )
    return onnx_from_matrix(matrix, offset[0])


def _corners(card: DecoderCard) -> tuple[Floats, Floats]:
    lows = [dial.low for dial in card.dials for _ in range(dial.n_inputs)]
    highs = [dial.high for dial in card.dials for _ in range(dial.n_inputs)]
    return np.array(lows), np.array(highs)
