"""Given weights: what a library returned, as one row of numbers for each case and one number for each feature or word."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Variables, Vocabulary


def weights_of_cases(
    given: Any, inputs: Floats, legend: Variables | Vocabulary, *, column: int | None, columns: Sequence[str]
) -> list[Floats]:
    """Return the weights of each case, summed back to its features or cut to its words, or say why they do not fit.

    `column` is the place of the explained label on a last axis for labels, None where there is none; `columns` are the
    names of the weights where these are not the features in their order.
    """
    if len(given) != len(inputs):
        raise MaterialsError(
            f"There are weights of {len(given)} cases, but {len(inputs)} cases. Give one row for each, in their order."
        )
    rows = [_row(one, place, column) for place, one in enumerate(given)]
    if isinstance(legend, Vocabulary):
        return [_of_words(row, one, place) for place, (row, one) in enumerate(zip(rows, inputs, strict=True))]
    if len(columns):
        homes = homes_of_columns(columns, legend)
        _require_width(rows, len(columns), "columns named")
        sums = np.zeros((len(columns), len(legend.features)))
        sums[np.arange(len(columns)), homes] = 1
        return [row @ sums for row in rows]
    _require_width(rows, len(legend.features), "features")
    return rows


def homes_of_columns(columns: Sequence[str], legend: Variables) -> list[int]:
    """Return the place of the feature that each column was made from, by the names that scikit-learn gives."""
    homes = [_home(str(one), legend) for one in columns]
    strange = [str(one) for one, home in zip(columns, homes, strict=True) if home is None]
    if strange:
        raise MaterialsError(
            f"{', '.join(map(repr, strange[:5]))}{' and others' if len(strange) > 5 else ''} belongs to no feature, or to "
            f"several. Features are: {', '.join(legend.features)}; a column is called as its feature, or feature_value."
        )
    return [one for one in homes if one is not None]


def _home(column: str, legend: Variables) -> int | None:
    """Return the one feature that a column is named after: itself, one of its values, or else its longest beginning."""
    for name in (column, column.partition("__")[2]):
        if name in legend.features:
            return legend.features.index(name)
        valued = [
            place
            for place, (feature, values) in enumerate(zip(legend.features, legend.values, strict=True))
            if name.startswith(f"{feature}_") and name[len(feature) + 1 :] in values
        ]
        begun = [place for place, one in enumerate(legend.features) if name.startswith(f"{one}_")]
        for found in (valued, begun):
            if len(found) == 1:
                return found[0]
    return None


def _row(given: Any, place: int, column: int | None) -> Floats:
    try:
        row = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError) as error:  # the last is what torch raises
        raise MaterialsError(
            f"The weights of case {place + 1} cannot be read as numbers: {(str(error).splitlines() or ['no reason given'])[0][:160]} "
            "Give one number for each feature or word; for torch, weights.detach()."
        ) from None
    if row.ndim == 2 and column is None:
        raise MaterialsError(
            f"The weights of each case have the shape {row.shape}, so they are given for {row.shape[1]} labels. "
            "Say `labels`, in the order of the last axis, or choose one with weights[..., k]."
        )
    if row.ndim == 2 and column is not None and column < row.shape[1]:
        row = row[:, column]
    elif column is not None or row.ndim != 1:
        raise MaterialsError(
            f"The weights of case {place + 1} have the shape {row.shape}, which has no axis for the `labels` given. "
            "Leave `labels` out where the weights are of one label already."
        )
    if not np.isfinite(row).all():
        raise MaterialsError(
            f"The weights of case {place + 1} are not all finite: {np.flatnonzero(~np.isfinite(row)).size} of {row.size} "
            "are NaN or infinite. Explain that case again, or leave it out of the file of cases."
        )
    return row


def _require_width(rows: Sequence[Floats], n_wanted: int, what: str) -> None:
    odd = next(((place, len(row)) for place, row in enumerate(rows) if len(row) != n_wanted), None)
    if odd is not None:
        raise MaterialsError(
            f"Case {odd[0] + 1} has {odd[1]} weights, but there are {n_wanted} {what}. Give one weight for each; columns "
            "that were made from a feature are summed back when `columns` names them, such as get_feature_names_out()."
        )


def _of_words(row: Floats, inputs: Floats, place: int) -> Floats:
    n_words = int((inputs >= 0).sum())
    if len(row) not in (n_words, len(inputs)):
        raise MaterialsError(
            f"Sentence {place + 1} has {n_words} words, but {len(row)} weights. Give one for each word, in their order, "
            f"or one for each of the {len(inputs)} places of cases.inputs."
        )
    return row[:n_words]
