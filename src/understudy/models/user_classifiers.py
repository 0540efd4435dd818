"""User classifiers: export a scikit-learn pipeline, a torch module, an ONNX file or a function for a study."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.errors import MaterialsError
from understudy.models.onnx_classifier import OnnxClassifier, numbers_of_codes
from understudy.models.pickled_classifier import Pickled, Takes, answers, trust
from understudy.models.probabilities import Outputs
from understudy.models.table_form import TableForm, form_of
from understudy.models.torch_export import onnx_from_user_classifier
from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import Ref
from understudy.sources.legends import digest_of_legend


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
