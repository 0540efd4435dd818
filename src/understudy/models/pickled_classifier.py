"""Pickled classifier: a Python object of somebody's own that returns probabilities, from a file of joblib.

Reading such a file runs the code in it: use files of your own only.
"""

import warnings
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import joblib
import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.models.probabilities import Outputs, checked_probabilities
from understudy.models.table_form import TableForm
from understudy.registry import register
from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import AssetPath, Record
from understudy.sources.legends import digest_of_legend

Takes: TypeAlias = Literal["codes", "frame", "texts"]
"""Rows of codes as they are; a pandas frame; or sentences."""


class Pickled(NamedTuple):
    """What lies in the file besides the model."""

    model: Any
    labels: tuple[str, ...]
    takes: Takes
    outputs: Outputs
    legend: Variables | Vocabulary | None
    form: TableForm | None = None
    """Of the frame; without it, all columns are value names."""


@register("models", "pickled_classifier")
class PickledClassifier(Record):
    """Answers as a Python object does that `understudy.models.export_classifier` wrote; use files of your own only."""

    path: AssetPath

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return _pickled(Path(self.path)).labels

    @property
    def legend_digest(self) -> str:
        """The digest of what the model was told that codes or token ids stand for."""
        return digest_of_legend(_pickled(Path(self.path)).legend)

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        held = _pickled(Path(self.path))
        return answers(held, inputs, Path(self.path).name)


def answers(held: Pickled, inputs: Floats, name: str) -> Floats:
    """Ask a model, in the form that it takes, and check what it says."""
    if len(inputs) == 0:
        return np.zeros((0, len(held.labels)))
    _require_fit(held, inputs, name)
    ask = getattr(held.model, "predict_proba", held.model)
    try:
        returned = ask(_as_taken(held, inputs))
    except Exception as error:  # whatever a model of somebody's own raises
        raise MaterialsError(
            f"Model {name!r} failed on {len(inputs)} inputs of the shape {inputs.shape}: "
            f"{(str(error).splitlines() or [type(error).__name__])[0][:160]}. "
            f"It is said to take {held.takes}; see what it was fitted on."
        ) from None
    return checked_probabilities(returned, len(inputs), name=name, labels=held.labels, outputs=held.outputs)


def _require_fit(held: Pickled, inputs: Floats, name: str) -> None:
    if not isinstance(held.legend, Variables):
        return
    features, sizes = held.legend.features, np.array([len(values) for values in held.legend.values])
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


def _as_taken(held: Pickled, inputs: Floats) -> Any:
    if held.form is not None:
        return held.form.rows(inputs)
    if held.takes == "frame" and isinstance(held.legend, Variables):
        columns = {
            feature: np.array(values, dtype=object)[inputs[:, place].astype(np.int64)]
            for place, (feature, values) in enumerate(zip(held.legend.features, held.legend.values, strict=True))
        }
        return pd.DataFrame(columns)
    if held.takes == "texts" and isinstance(held.legend, Vocabulary):
        words = held.legend.words
        return [" ".join(words[int(one)] for one in row if one >= 0) for row in inputs]
    return inputs


def _pickled(path: Path) -> Pickled:
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the model there, or correct the path.")
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _changed_ns: int) -> Pickled:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            held = joblib.load(path)
    except ModuleNotFoundError as error:
        raise MaterialsError(
            f"{path} needs the module {error.name!r}, which cannot be imported here. Install it; or, where it is a file of "
            "your own, name its folder in PYTHONPATH."
        ) from None
    except Exception as error:  # unpickling raises whatever the classes in the file raise
        raise MaterialsError(
            f"{path} cannot be read: {(str(error).splitlines() or [type(error).__name__])[0][:160]}. Write it with "
            "understudy.models.export_classifier, and install here what the model was made with."
        ) from None
    if not isinstance(held, Pickled):
        raise MaterialsError(
            f"{path} holds {type(held).__name__!r} without its labels. Write it with understudy.models.export_classifier."
        )
    for one in dict.fromkeys(_warning(path, told.message) for told in caught):
        warnings.warn(one, stacklevel=2)
    return held


def _warning(path: Path, message: Warning | str) -> str:
    """Return a warning as a sentence; of the many about another version of scikit-learn, one and the same."""
    made = getattr(message, "original_sklearn_version", None)
    if made is None:
        return f"{path}: {str(message).splitlines()[0]}"
    here = getattr(message, "current_sklearn_version", "another one")
    return (
        f"{path} was made with scikit-learn {made}, and {here} is installed here, so that its answers may differ. "
        "Export the model again, or install that version."
    )
