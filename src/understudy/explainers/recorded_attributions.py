"""Recorded attributions: what any library said about each case, such as shap or captum, kept in a file."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.explainers.reading import shown, tokens_of, values_of
from understudy.registry import register
from understudy.roles import Floats, Model, Rng, Sample, Variables, Vocabulary
from understudy.schema import AssetPath, Explanation, Json, Record, Ref, sentences_from_validation


class Recording(Record):
    """The file: one row of inputs, and what is said of it, for each case."""

    inputs: tuple[tuple[float, ...], ...]
    explanations: tuple[Explanation, ...]


@register("explainers", "recorded_attributions")
class RecordedAttributions(Record):
    """Explains each case as a file of `understudy.explainers.record_attributions` says."""

    kind: ClassVar[str] = "attribution"
    """Of features; sentences are explained by the kind `token_attribution`."""
    path: AssetPath

    def explain(self, model: Model, inputs: Floats, rng: Rng) -> Sequence[Explanation]:
        """Return what was recorded for each input."""
        path = Path(self.path)
        if not path.is_file():
            raise MaterialsError(f"{path} is not a file. Write it with understudy.explainers.record_attributions.")
        known = _read(path, path.stat().st_mtime_ns)
        rows = [_row(one) for one in inputs]
        n_absent = sum(row not in known for row in rows)
        if n_absent:
            raise MaterialsError(
                f"{path.name} explains {len(known)} cases, but not {n_absent} of the {len(rows)} that the study shows. "
                "Record explanations of every case of the dataset."
            )
        return [known[row] for row in rows]


def record_attributions(
    path: Path, cases: Sample, weights: npt.ArrayLike, *, toward: str, baseline: float | None = None, n_shown: int = 5
) -> Ref:
    """Write weights, one row for each case and one column for each feature or word, and return the explainer to bind.

    `toward` is the label that positive weights speak for, `baseline` the evidence without any of them. Of each case the
    `n_shown` largest weights are shown.
    """
    if cases.inputs is None or cases.legend is None:
        raise MaterialsError("These cases have no legend, so that no feature has a name. Draw them from coded_table.")
    rows = np.asarray(weights, dtype=np.float64)
    if rows.shape != cases.inputs.shape or not np.isfinite(rows).all():
        raise MaterialsError(
            f"The weights have the shape {rows.shape}{'' if np.isfinite(rows).all() else ' and are not all finite'}; "
            f"finite ones of the shape {cases.inputs.shape} are wanted, for each case one for each feature or word."
        )
    stated: Json = {"toward": toward}
    explained = []
    for inputs, row in zip(cases.inputs, rows, strict=True):
        kept = np.where(np.isin(np.arange(len(row)), np.argsort(-np.abs(row), kind="stable")[:n_shown]), row, 0.0)
        total: Json = {} if baseline is None else {"baseline": baseline, "total": shown(baseline + float(kept.sum()))}
        explained.append(_attribution(inputs, kept, cases.legend, {**stated, **total}))
    recording = Recording(inputs=tuple(_row(one) for one in cases.inputs), explanations=tuple(explained))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(recording.model_dump_json(), encoding="utf-8")
    return Ref(name="recorded_attributions", params={"path": path.as_posix()})


def _attribution(inputs: Floats, kept: Floats, legend: Variables | Vocabulary, stated: Json) -> Explanation:
    if isinstance(legend, Vocabulary):
        tokens = tokens_of(inputs, legend)
        said: Json = {"tokens": [*tokens], "weights": [shown(one) for one in kept[: len(tokens)]], **stated}
        return Explanation(kind="token_attribution", payload=said)
    places = [int(one) for one in np.argsort(-kept, kind="stable") if kept[one] != 0]
    values = values_of(inputs, legend)
    return Explanation(
        kind="attribution",
        payload={
            "features": [legend.features[one] for one in places],
            "weights": [shown(kept[one]) for one in places],
            "values": [values[one] for one in places],
            **stated,
        },
    )


def _row(inputs: Floats) -> tuple[float, ...]:
    """Return a row without the padding of sentences, whose length depends on the draw."""
    return tuple(float(one) for one in inputs if one >= 0)


@cache
def _read(path: Path, _changed_ns: int) -> dict[tuple[float, ...], Explanation]:
    try:
        found = Recording.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, Recording))
        raise MaterialsError(f"{path} is no recording of attributions: {faults}") from None
    except ValueError:
        raise MaterialsError(f"{path} is no recording of attributions. Write it with record_attributions.") from None
    return dict(zip(found.inputs, found.explanations, strict=True))
