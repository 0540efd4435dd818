"""Pickled classifier: a user's Python object that returns probabilities, in a joblib file.

Reading such a file runs the code in it, so use only files that you wrote yourself.
"""

import hashlib
import multiprocessing
import warnings
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import joblib
import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.models.own_models import Outputs, checked_probabilities
from understudy.registry import register
from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import AssetPath, Record
from understudy.sources.cases import digest_of_legend
from understudy.sources.files import read_once

# Table form: the columns and types of the table that a pipeline was fitted on, to turn codes back into such rows.


class TableForm(NamedTuple):
    """The columns of a table, and the cell in each for every value of a dataset."""

    features: tuple[str, ...]
    """In the order of the dataset."""
    cells: dict[str, tuple[Any, ...]]
    """Column -> the cell for each code; columns in the order of the table."""
    kinds: dict[str, Any]
    """Column -> its type."""

    def rows(self, inputs: Floats) -> pd.DataFrame:
        """Return rows of codes as rows of the table."""
        columns = {}
        for name, known in self.cells.items():
            codes = inputs[:, self.features.index(name)].astype(np.int64)
            columns[name] = pd.Series([known[code] for code in codes], dtype=self.kinds[name])
        return pd.DataFrame(columns)

    def codes(self, frame: pd.DataFrame) -> Floats:
        """Return rows of the table as codes, or say which value the dataset does not have."""
        columns = []
        for name in self.features:
            code_of = {_key(cell): code for code, cell in enumerate(self.cells[name])}
            unknown = [cell for cell in frame[name] if _key(cell) not in code_of]
            if unknown:
                raise MaterialsError(
                    f"The example holds {unknown[0]!r} in column {name!r}, which the dataset does not have. "
                    "Take the rows of the file that the dataset reads."
                )
            columns.append(np.array([code_of[_key(cell)] for cell in frame[name]], dtype=np.float64))
        return np.column_stack(columns)

    def numbers(self) -> tuple[tuple[float, ...], ...]:
        """Return what a net takes for each code of each column: numbers as they are, words as their codes."""
        if tuple(self.cells) != self.features:
            raise MaterialsError(
                f"The columns of the example come as {', '.join(self.cells)}, but the features of the dataset as "
                f"{', '.join(self.features)}. A net does not know their names: give both in the same order."
            )
        return tuple(
            tuple(float(cell) for cell in known)
            if pd.api.types.is_numeric_dtype(self.kinds[name])
            else tuple(float(code) for code in range(len(known)))
            for name, known in self.cells.items()
        )


def form_of(frame: pd.DataFrame, legend: Variables) -> TableForm:
    """Read the form of a user's table, whose columns are the features of a dataset."""
    names = [str(column) for column in frame.columns]
    unmatched = sorted({*names} ^ {*legend.features})
    if unmatched:
        raise MaterialsError(
            f"The example has the columns {', '.join(names)}, but the dataset has the features "
            f"{', '.join(legend.features)}: only one of them has {', '.join(map(repr, unmatched))}. "
            "Give the same columns to both."
        )
    values = dict(zip(legend.features, legend.values, strict=True))
    cells = {name: _cells(frame[name], values[name]) for name in names}
    return TableForm(legend.features, cells, {name: frame[name].dtype for name in names})


def _cells(column: "pd.Series[Any]", names: tuple[str, ...]) -> tuple[Any, ...]:
    kind: Any = column.dtype
    try:
        if pd.api.types.is_bool_dtype(kind):
            return tuple({"true": True, "false": False}[name.lower()] for name in names)
        if pd.api.types.is_numeric_dtype(kind):
            return tuple(kind.type(float(name)) if name else np.nan for name in names)
    except (KeyError, TypeError, ValueError):
        raise MaterialsError(
            f"Column {column.name!r} of the example holds {kind}, but in the dataset its values are "
            f"{', '.join(map(repr, names[:5]))}. Read both from the same file."
        ) from None
    # An empty value name is a gap only if the table has gaps; otherwise it is an empty string.
    has_gaps = bool(column.isna().any())
    known = {str(cell): cell for cell in column.dropna().unique()}
    return tuple(np.nan if name == "" and has_gaps else known.get(name, name) for name in names)


def _key(cell: Any) -> Any:
    """Return a key under which all missing cells are equal."""
    return None if pd.isna(cell) else cell


Takes: TypeAlias = Literal["codes", "frame", "texts"]
"""Rows of codes as they are; a pandas frame; or sentences."""


class Pickled(NamedTuple):
    """The content of the file: the model and how to use it."""

    model: Any
    labels: tuple[str, ...]
    takes: Takes
    outputs: Outputs
    legend: Variables | Vocabulary | None
    form: TableForm | None = None
    """The form of the frame; without it, all columns hold value names."""


@register("models", "pickled_classifier")
class PickledClassifier(Record):
    """Predicts with a file that `understudy.models.export_classifier` wrote; use only files that you wrote yourself."""

    path: AssetPath

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return _pickled(Path(self.path)).labels

    @property
    def legend_digest(self) -> str:
        """The digest of the legend that the model was exported with."""
        return digest_of_legend(_pickled(Path(self.path)).legend)

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        pickled = _pickled(Path(self.path))
        return answers(pickled, inputs, Path(self.path).name)


def answers(pickled: Pickled, inputs: Floats, name: str) -> Floats:
    """Call a model with inputs in the form that it takes, and check what it returns."""
    if len(inputs) == 0:
        return np.zeros((0, len(pickled.labels)))
    _require_fit(pickled, inputs, name)
    # A plain function has no predict_proba and is called itself.
    ask = getattr(pickled.model, "predict_proba", pickled.model)
    try:
        returned = ask(_as_taken(pickled, inputs))
    except Exception as error:  # a user's model may raise anything
        raise MaterialsError(
            f"Model {name!r} failed on {len(inputs)} inputs of the shape {inputs.shape}: "
            f"{(str(error).splitlines() or [type(error).__name__])[0][:160]}. "
            f"It is said to take {pickled.takes}; see what it was fitted on."
        ) from None
    return checked_probabilities(returned, len(inputs), name=name, labels=pickled.labels, outputs=pickled.outputs)


def _require_fit(pickled: Pickled, inputs: Floats, name: str) -> None:
    if not isinstance(pickled.legend, Variables):
        return
    features, sizes = pickled.legend.features, np.array([len(values) for values in pickled.legend.values])
    if inputs.shape[1] != len(features):
        raise MaterialsError(
            f"Model {name!r} was made for {len(features)} features ({', '.join(features)}), but its inputs have "
            f"{inputs.shape[1]}. Bind the dataset that it was made for."
        )
    over = np.flatnonzero((inputs >= sizes).any(axis=0))
    if len(over):
        raise MaterialsError(
            f"Model {name!r} knows {sizes[over[0]]} values of {features[over[0]]!r}, but its inputs hold more. "
            "Export it again with the legend of the file as it is now."
        )


def _as_taken(pickled: Pickled, inputs: Floats) -> Any:
    if pickled.form is not None:
        return pickled.form.rows(inputs)
    if pickled.takes == "frame" and isinstance(pickled.legend, Variables):
        columns = {
            feature: np.array(values, dtype=object)[inputs[:, column].astype(np.int64)]
            for column, (feature, values) in enumerate(zip(pickled.legend.features, pickled.legend.values, strict=True))
        }
        return pd.DataFrame(columns)
    if pickled.takes == "texts" and isinstance(pickled.legend, Vocabulary):
        words = pickled.legend.words
        return [" ".join(words[int(token_id)] for token_id in row if token_id >= 0) for row in inputs]
    return inputs


def _pickled(path: Path) -> Pickled:
    return read_once(path, _read, advice="Put the model there, or correct the path.")


class PickleWarning(UserWarning):
    """A file is about to be loaded that can run code."""


_trusted: set[str] = set()


def trust(content: bytes) -> None:
    """Remember a file that this process wrote itself, or has warned about."""
    _trusted.add(hashlib.sha256(content).hexdigest())


def _read(path: Path) -> Pickled:
    # Before anything is loaded: loading is what runs the code.
    content = path.read_bytes() if path.is_file() else b""
    if content and hashlib.sha256(content).hexdigest() not in _trusted:
        trust(content)
        _warn(
            f"{path} is a pickle, and loading one runs the code in it; go on only if you wrote it yourself. A file for "
            "onnx_classifier holds no code and is the safe way to pass on a model.",
            PickleWarning,
        )
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pickled = joblib.load(path)
    except ModuleNotFoundError as error:
        raise MaterialsError(
            f"{path} needs the module {error.name!r}, which cannot be imported here. Install it; or, if it is one of "
            "your files, add its folder to PYTHONPATH."
        ) from None
    except Exception as error:  # unpickling may raise anything
        raise MaterialsError(
            f"{path} cannot be read: {(str(error).splitlines() or [type(error).__name__])[0][:160]}. Write it with "
            "understudy.models.export_classifier, and install here what the model was made with."
        ) from None
    if not isinstance(pickled, Pickled):
        raise MaterialsError(
            f"{path} holds {type(pickled).__name__!r} without its labels. Write it with understudy.models.export_classifier."
        )
    for sentence in dict.fromkeys(_warning(path, warning.message) for warning in caught):
        _warn(sentence, UserWarning)
    return pickled


def _warn(sentence: str, kind: type[UserWarning]) -> None:
    """Warn, unless this is a worker: the process that started it has loaded the file too, and said so."""
    if multiprocessing.parent_process() is None:
        warnings.warn(sentence, kind, stacklevel=3)


def _warning(path: Path, message: Warning | str) -> str:
    """Return a warning as a sentence; all warnings about another version of scikit-learn give the same one."""
    version = getattr(message, "original_sklearn_version", None)
    if version is None:
        return f"{path}: {str(message).splitlines()[0]}"
    here = getattr(message, "current_sklearn_version", "another one")
    return (
        f"{path} was made with scikit-learn {version}, and {here} is installed here, so its answers may differ. "
        "Export the model again, or install that version."
    )
