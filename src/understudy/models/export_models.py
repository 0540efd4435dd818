"""Export your own classifiers and decoders as ONNX files with cards."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.errors import MaterialsError, optional
from understudy.inference import OnnxDecoder, decoder_from_bytes
from understudy.inference.cards import (
    N_CODES,
    card_from_details,
    percentiles_from_codes,
    ranges_from_codes,
    rounded,
    text_from_card,
)
from understudy.inference.onnx_graphs import ACTIVATIONS, onnx_from_dense, onnx_from_matrix, quantized
from understudy.inference.onnx_models import reason_of
from understudy.models.own_models import OnnxClassifier, Outputs, numbers_of_codes
from understudy.models.pickled_classifier import Pickled, TableForm, Takes, answers, form_of, trust
from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import DecoderCard, Dial, Ref
from understudy.sources.cases import digest_of_legend


def onnx_from_user_module(
    module: Any, example: Any, *, names: tuple[str, str], tried_on: str, advice: str, has_words: bool = False
) -> bytes:
    """Write a module that takes any number of rows like those of the tensor `example`.

    `names` are the names of its input and output. Rows of words may have any length. A refusal says what the module was
    tried on, and gives the advice.
    """
    # Before the module that needs them, so that a missing extra is named by its own package.
    for package in ("torch", "onnx"):
        optional(package, extra="torch")
    export = optional("understudy.training.export", extra="torch")
    input_name, output_name = names
    ends = export.Ends(input_name, (output_name,), free_axes=("rows", "words") if has_words else ("rows",))
    try:
        content: bytes = export.onnx_by_tracing(module, example, ends)
    except Exception as error:  # a user's module may raise anything on inputs that it was not made for
        raise MaterialsError(f"The torch module failed on {tried_on}: {reason_of(error)}. {advice}") from None
    return content


def onnx_from_user_classifier(
    module: Any, rows: Floats, *, takes: Literal["inputs", "pictures"], advice: str, has_words: bool = False
) -> bytes:
    """Write a module that classifies rows like these; `takes` is what people call them."""
    return onnx_from_user_module(
        module,
        optional("torch", extra="torch").from_numpy(rows).float(),
        names=(takes, "outputs"),
        tried_on=f"{takes} of the shape {rows.shape}",
        advice=advice,
        has_words=has_words,
    )


# User classifiers: export a scikit-learn pipeline, a torch module, an ONNX file or a function for a study.


def export_classifier(
    model: Any,
    path: str | Path,
    *,
    example: npt.ArrayLike | pd.DataFrame,
    labels: Sequence[str] = (),
    takes: Takes = "codes",
    legend: Variables | Vocabulary | None = None,
    outputs: Outputs = "probabilities",
) -> Ref:
    """Check a classifier as a study will, write it, and return the reference to bind in a study.

    `model` has `predict_proba` (scikit-learn), or is a torch module, the path of an ONNX file, or a function from
    inputs to probabilities. `example` is used to try it: the table that it was fitted on, whose columns and types
    it will get again, or inputs of the dataset. For inputs, `takes` says what it was fitted on: rows of codes, a
    `frame` of value names, or `texts`. A table, value names and texts need the `legend` of the dataset.

    Examples
    --------
    >>> export_classifier(pipeline, Path("mine"), example=table, legend=cases.legend)  # doctest: +SKIP
    """
    path = Path(path)
    form, rows = _read(example, legend)
    if takes != "codes" and legend is None:
        raise MaterialsError(f"A model that takes {takes} needs the legend of its dataset. Give sample.legend.")
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(model, str | Path) or (hasattr(model, "state_dict") and callable(model)):
        about = _Onnx(tuple(labels), outputs, form, legend)
        return _as_onnx(model, path.with_suffix(".onnx"), rows, about)
    if not hasattr(model, "predict_proba") and not callable(model):
        raise MaterialsError(
            f"{type(model).__name__!r} cannot become a classifier. Give a model with predict_proba, a torch module, "
            "the path of an ONNX file, or a function that returns probabilities."
        )
    pickled = Pickled(model, _labels_of(model, tuple(labels)), "frame" if form else takes, outputs, legend, form)
    answers(pickled, rows, path.stem)
    target = path.with_suffix(".joblib")
    content = _pickle_of(pickled)
    target.write_bytes(content)
    trust(content)
    return Ref(name="pickled_classifier", params={"path": target.as_posix()})


class _Onnx(NamedTuple):
    """What a study must know about a net besides its file."""

    labels: tuple[str, ...]
    outputs: Outputs
    form: TableForm | None
    legend: Variables | Vocabulary | None


class _Example(NamedTuple):
    """Rows to try a model on."""

    form: TableForm | None
    rows: Floats


def _read(example: npt.ArrayLike | pd.DataFrame, legend: Variables | Vocabulary | None) -> _Example:
    if not isinstance(example, pd.DataFrame):
        return _Example(None, np.atleast_2d(np.asarray(example, dtype=np.float64)))
    if not isinstance(legend, Variables):
        raise MaterialsError("A table as the example needs the legend of a dataset with features. Give sample.legend.")
    form = form_of(example, legend)
    return _Example(form, form.codes(example))


def _labels_of(model: Any, labels: tuple[str, ...]) -> tuple[str, ...]:
    known = tuple(str(label) for label in getattr(model, "classes_", ()))
    if len(known) == 1:
        raise MaterialsError(
            f"{type(model).__name__!r} knows one class only, {known[0]!r}. Fit it to cases of at least two."
        )
    if not labels and not known:
        raise MaterialsError("The model does not say what its classes are. Give labels, in the order of its outputs.")
    if labels and known and len(labels) != len(known):
        raise MaterialsError(
            f"{len(labels)} labels are given ({', '.join(labels)}), but the model has {len(known)} classes: "
            f"{', '.join(known)}."
        )
    if labels != known and sorted(labels) == sorted(known):
        raise MaterialsError(
            f"The labels are given in the order {', '.join(labels)}, but the model's outputs come in the order "
            f"{', '.join(known)}. Leave labels out: the model says them itself."
        )
    return labels or known


def _pickle_of(pickled: Pickled) -> bytes:
    written = io.BytesIO()
    kind = type(pickled.model).__name__
    try:
        joblib.dump(pickled, written)
    except Exception as error:  # pickling raises whatever the parts of a model raise
        raise MaterialsError(
            f"{kind!r} cannot be written to a file: {(str(error).splitlines() or [type(error).__name__])[0][:160]}. "
            "Leave out lambdas, open files and generators, or export the model to ONNX and give the path."
        ) from None
    # Pickle stores classes by module name, and another program has another __main__.
    if b"__main__" in written.getvalue():
        raise MaterialsError(
            f"{kind!r} uses names that this script defines, so no other program could read it. "
            "Put them into a module that can be imported."
        )
    return written.getvalue()


def _as_onnx(model: Any, path: Path, rows: Floats, about: _Onnx) -> Ref:
    if len(about.labels) < 2:
        raise MaterialsError(
            "An ONNX model does not say what its classes are. Give labels, in the order of its outputs."
        )
    numbers = about.form.numbers() if about.form else ()
    content = _content(
        model,
        numbers_of_codes(rows, numbers, path.name) if numbers else rows,
        has_words=isinstance(about.legend, Vocabulary),
    )
    path.write_bytes(content)
    params: dict[str, Any] = {"path": path.as_posix(), "labels": list(about.labels), "outputs": about.outputs}
    if about.legend is not None:
        params["legend_digest"] = digest_of_legend(about.legend)
    if numbers:
        params["numbers"] = [list(values) for values in numbers]
    try:
        OnnxClassifier(**params).predict(rows)
    except MaterialsError:
        if not isinstance(model, str | Path) or Path(model) != path:
            path.unlink()
        raise
    return Ref(name="onnx_classifier", params=params)


def _content(model: Any, rows: Floats, *, has_words: bool) -> bytes:
    if isinstance(model, str | Path):
        if not Path(model).is_file():
            raise MaterialsError(f"{model} is not a file. Put the model there, or correct the path.")
        return Path(model).read_bytes()
    advice = "Give a module that takes rows as the dataset draws them."
    return onnx_from_user_classifier(model, rows, takes="inputs", advice=advice, has_words=has_words)


# User decoders: export a torch module, a scikit-learn model or an ONNX file for a study.


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
    whole = _user_decoders_content(model, card)
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


def _user_decoders_content(model: Any, card: DecoderCard) -> bytes:
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
