"""Attribution weights: what an attribution library returned, as one number for each feature or word of each case."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Variables, Vocabulary


class LabelAxis(NamedTuple):
    """The last axis of weights that are given for several labels, and the label that is read from it."""

    n_labels: int
    column: int


def weights_of_cases(
    weights: Any, inputs: Floats, legend: Variables | Vocabulary, *, axis: LabelAxis | None, columns: Sequence[str]
) -> list[Floats]:
    """Return the weights of each case, summed back to its features or cut to its words, or say why they do not fit.

    `axis` is None if weights are of one label; `columns` are the names of the weights, if these are not the features in order.
    """
    if len(weights) != len(inputs):
        raise MaterialsError(
            f"There are weights of {len(weights)} cases, but {len(inputs)} cases. Give one row for each, in their order."
        )
    rows = [_row(case_weights, number, axis) for number, case_weights in enumerate(weights)]
    if isinstance(legend, Vocabulary):
        return [_of_words(row, case, number) for number, (row, case) in enumerate(zip(rows, inputs, strict=True))]
    if len(columns):
        features = features_of_columns(columns, legend)
        _require_width(rows, len(columns), "columns named")
        sums = np.zeros((len(columns), len(legend.features)))
        sums[np.arange(len(columns)), features] = 1
        return [row @ sums for row in rows]
    _require_width(rows, len(legend.features), "features")
    return rows


def features_of_columns(columns: Sequence[str], legend: Variables) -> list[int]:
    """Return the index of the feature that each column was made from, by the names that scikit-learn gives."""
    features = [_feature_of(str(column), legend) for column in columns]
    unknown = [str(column) for column, feature in zip(columns, features, strict=True) if feature is None]
    if unknown:
        raise MaterialsError(
            f"{', '.join(map(repr, unknown[:5]))}{' and others' if len(unknown) > 5 else ''} belongs to no feature, or to "
            f"several. Features are: {', '.join(legend.features)}; a column is called as its feature, or feature_value."
        )
    return [feature for feature in features if feature is not None]


def _feature_of(column: str, legend: Variables) -> int | None:
    """Return the only feature that a column name fits: the whole name, feature_value, or else feature_ and anything."""
    for name in (column, column.partition("__")[2]):
        if name in legend.features:
            return legend.features.index(name)
        valued = [
            index
            for index, (feature, values) in enumerate(zip(legend.features, legend.values, strict=True))
            if name.startswith(f"{feature}_") and name[len(feature) + 1 :] in values
        ]
        prefixed = [index for index, feature in enumerate(legend.features) if name.startswith(f"{feature}_")]
        for matches in (valued, prefixed):
            if len(matches) == 1:
                return matches[0]
    return None


def _row(weights: Any, number: int, axis: LabelAxis | None) -> Floats:
    try:
        row = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError) as error:  # the last is what torch raises
        raise MaterialsError(
            f"The weights of case {number + 1} cannot be read as numbers: {(str(error).splitlines() or ['no reason given'])[0][:160]} "
            "Give one number for each feature or word; for torch, weights.detach()."
        ) from None
    if row.ndim == 2 and axis is None:
        raise MaterialsError(
            f"The weights of each case have the shape {row.shape}, so they are given for {row.shape[1]} labels. "
            "Say `labels`, in the order of the last axis, or choose one with weights[..., k]."
        )
    if row.ndim == 2 and axis is not None:
        if row.shape[1] != axis.n_labels:
            raise MaterialsError(
                f"The weights of case {number + 1} are given for {row.shape[1]} labels, but `labels` has {axis.n_labels}. "
                "Name every label, in the order of the last axis."
            )
        row = row[:, axis.column]
    elif axis is not None or row.ndim != 1:
        raise MaterialsError(
            f"The weights of case {number + 1} have the shape {row.shape}, which has no axis for the `labels` given. "
            "Leave `labels` out where the weights are of one label already."
        )
    if not np.isfinite(row).all():
        raise MaterialsError(
            f"The weights of case {number + 1} are not all finite: {np.flatnonzero(~np.isfinite(row)).size} of {row.size} "
            "are NaN or infinite. Explain that case again, or leave it out of the file of cases."
        )
    return row


def _require_width(rows: Sequence[Floats], n_wanted: int, what: str) -> None:
    misfit = next(((number, len(row)) for number, row in enumerate(rows) if len(row) != n_wanted), None)
    if misfit is not None:
        raise MaterialsError(
            f"Case {misfit[0] + 1} has {misfit[1]} weights, but there are {n_wanted} {what}. Give one weight for each; columns "
            "that were made from a feature are summed back when `columns` names them, such as get_feature_names_out()."
        )


def _of_words(row: Floats, inputs: Floats, number: int) -> Floats:
    n_words = int((inputs >= 0).sum())
    if len(row) not in (n_words, len(inputs)):
        raise MaterialsError(
            f"Sentence {number + 1} has {n_words} words, but {len(row)} weights. Give one for each word, in their order, "
            f"or one for each of the {len(inputs)} positions of cases.inputs."
        )
    return row[:n_words]
