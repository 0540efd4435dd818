"""Recorded attributions: what any library said about each case, such as shap or captum, kept in a file."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.explainers.given_weights import weights_of_cases
from understudy.explainers.reading import require_recorded, shown, tokens_of, values_of
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Sample, Variables, Vocabulary
from understudy.schema import (
    AnyExplanation,
    AssetPath,
    Attribution,
    Record,
    Ref,
    TokenAttribution,
    canonical_json,
    json_from_record,
    sentences_from_validation,
)

_Said: TypeAlias = Attribution | TokenAttribution


class Recording(Record):
    """The file: one row of inputs, and what is said of it, for each case."""

    inputs: tuple[tuple[float, ...], ...]
    explanations: tuple[AnyExplanation, ...]


@register("explainers", "recorded_attributions")
class RecordedAttributions(Record):
    """Explains each case as a file of `understudy.explainers.record_attributions` says."""

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution", "token_attribution"})
    path: AssetPath

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
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
        said = [known[row] for row in rows]
        strange = {str(one.toward) for one in said} - {*model.labels}
        if model.labels and strange:
            raise MaterialsError(
                f"{path.name} explains what speaks for {', '.join(map(repr, sorted(strange)))}, which is no label of the "
                f"model. Its labels are: {', '.join(model.labels)}. Record with one of them as `toward`."
            )
        require_recorded(model, [one.toward for one in said], targets, source=path.name)
        return Explained(said)


def record_attributions(
    path: Path,
    cases: Sample,
    weights: Any,
    *,
    toward: str,
    baseline: float | None = None,
    n_shown: int = 5,
    columns: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> Ref:
    """Write weights, one row for each case and one number for each feature or word, and return the explainer to bind.

    `toward` is the label that positive weights speak for, `baseline` the evidence without any of them. Of each case the
    `n_shown` largest weights are shown. Weights of columns that were made from features, such as one column for each
    value, are summed back when `columns` gives the names of the columns. Weights for several labels have one more axis
    at the end, and `labels` gives its order.
    """
    if cases.inputs is None or cases.legend is None:
        raise MaterialsError(
            "These cases have no legend, so that no feature has a name. Draw them from coded_table or text_table."
        )
    named, leading = [str(one) for one in labels], str(toward)
    if named and leading not in named:
        raise MaterialsError(f"`toward` is {leading!r}, which is not among the labels. These are: {', '.join(named)}.")
    column = named.index(leading) if named else None
    rows = weights_of_cases(weights, cases.inputs, cases.legend, column=column, columns=columns)
    explained = []
    for inputs, row in zip(cases.inputs, rows, strict=True):
        kept = np.where(np.isin(np.arange(len(row)), np.argsort(-np.abs(row), kind="stable")[:n_shown]), row, 0.0)
        total = None if baseline is None else shown(float(baseline + kept.sum()))
        stated = _Stated(leading, None if baseline is None else float(baseline), total)
        explained.append(_attribution(inputs, kept, cases.legend, stated))
    recording = Recording(inputs=tuple(_row(one) for one in cases.inputs), explanations=tuple(explained))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(canonical_json(json_from_record(recording)), encoding="utf-8")
    return Ref(name="recorded_attributions", params={"path": path.as_posix()})


class _Stated(NamedTuple):
    """What is said of a whole case."""

    toward: str
    baseline: float | None
    total: float | None


def _attribution(inputs: Floats, kept: Floats, legend: Variables | Vocabulary, stated: _Stated) -> _Said:
    toward, baseline, total = stated
    if isinstance(legend, Vocabulary):
        tokens = tuple(tokens_of(inputs, legend))
        weights = tuple(shown(weight) for weight in kept[: len(tokens)])
        return TokenAttribution(tokens=tokens, weights=weights, baseline=baseline, total=total, toward=toward)
    places = [int(one) for one in np.argsort(-kept, kind="stable") if kept[one] != 0]
    values = values_of(inputs, legend)
    return Attribution(
        features=tuple(legend.features[place] for place in places),
        weights=tuple(shown(kept[place]) for place in places),
        values=tuple(values[place] for place in places),
        baseline=baseline,
        total=total,
        toward=toward,
    )


def _row(inputs: Floats) -> tuple[float, ...]:
    """Return a row without the padding of sentences, whose length depends on the draw."""
    return tuple(float(one) for one in inputs if one >= 0)


@cache
def _read(path: Path, _changed_ns: int) -> dict[tuple[float, ...], _Said]:
    try:
        found = Recording.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, Recording))
        raise MaterialsError(f"{path} is not a recording of attributions: {faults}") from None
    except ValueError:
        raise MaterialsError(f"{path} is not a recording of attributions. Write it with record_attributions.") from None
    if len(found.inputs) != len(found.explanations):
        raise MaterialsError(
            f"{path} has {len(found.inputs)} cases and {len(found.explanations)} explanations. "
            "Write it again with record_attributions."
        )
    said = [one for one in found.explanations if isinstance(one, Attribution | TokenAttribution)]
    if len(said) != len(found.explanations):
        other = sorted({one.kind for one in found.explanations} - RecordedAttributions.kinds)
        raise MaterialsError(
            f"{path} holds explanations of the kind {', '.join(other)}, but attributions are expected. "
            "Write it with record_attributions."
        )
    return dict(zip(found.inputs, said, strict=True))
