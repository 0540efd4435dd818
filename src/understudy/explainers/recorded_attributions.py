"""Recorded attributions: a file with the weights that a library such as shap or captum gave to each case."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.explainers.attribution_weights import weights_of_cases
from understudy.explainers.reading import require_recorded, rounded, tokens_of, values_of
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
from understudy.sources.file_cache import read_once

AnyAttribution: TypeAlias = Attribution | TokenAttribution


class Recording(Record):
    """The file: for each case, its inputs and its explanation."""

    inputs: tuple[tuple[float, ...], ...]
    explanations: tuple[AnyExplanation, ...]


@register("explainers", "recorded_attributions")
class RecordedAttributions(Record):
    """Explains each case with the weights in a file that `understudy.explainers.record_attributions` wrote."""

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution", "token_attribution"})
    path: AssetPath

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return what was recorded for each input."""
        path = Path(self.path)
        known = read_once(path, _read, advice="Write it with understudy.explainers.record_attributions.")
        rows = [_row(row) for row in inputs]
        n_absent = sum(row not in known for row in rows)
        if n_absent:
            raise MaterialsError(
                f"{path.name} explains {len(known)} cases, but not {n_absent} of the {len(rows)} that the study shows. "
                "Record explanations of every case of the dataset."
            )
        attributions = [known[row] for row in rows]
        unknown = {str(attribution.toward) for attribution in attributions} - {*model.labels}
        if model.labels and unknown:
            raise MaterialsError(
                f"{path.name} explains what speaks for {', '.join(map(repr, sorted(unknown)))}, which is not a label of the "
                f"model. Its labels are: {', '.join(model.labels)}. Record with one of them as `toward`."
            )
        require_recorded(model, [attribution.toward for attribution in attributions], targets, source=path.name)
        return Explained([_with_other(attribution, model.labels) for attribution in attributions])


def record_attributions(
    path: str | Path,
    cases: Sample,
    weights: Any,
    *,
    toward: str,
    baseline: float | None = None,
    even: float | None = None,
    n_shown: int = 5,
    columns: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> Ref:
    """Write weights, one row for each case and one number for each feature or word, and return the explainer to bind.

    `toward` is the label that positive weights speak for, `baseline` the evidence without any of them, and `even` the
    evidence at which a model with two labels is undecided: 0 for log-odds, 0.5 for probabilities. With `even`, a page that
    shows the model's answer states the evidence for that answer. Of each case the `n_shown` largest weights are shown. Weights of columns that were made from features, such as one column for each
    value, are summed back when `columns` gives the names of the columns. Weights for several labels have one more axis
    at the end, and `labels` gives its order.

    Examples
    --------
    >>> record_attributions(Path("mine.json"), cases, weights, toward="above")  # doctest: +SKIP
    """
    path = Path(path)
    if cases.inputs is None or cases.legend is None:
        raise MaterialsError(
            "These cases have no legend, so their features have no names. Draw them from coded_table or text_table."
        )
    named, leading = [str(label) for label in labels], str(toward)
    if named and leading not in named:
        raise MaterialsError(f"`toward` is {leading!r}, which is not among the labels. These are: {', '.join(named)}.")
    column = named.index(leading) if named else None
    # Summed back before the largest are chosen: the parts of one feature may cancel.
    rows = weights_of_cases(weights, cases.inputs, cases.legend, column=column, columns=columns)
    explained = []
    for inputs, row in zip(cases.inputs, rows, strict=True):
        shown_weights = np.where(
            np.isin(np.arange(len(row)), np.argsort(-np.abs(row), kind="stable")[:n_shown]), row, 0.0
        )
        total = None if baseline is None else rounded(float(baseline + shown_weights.sum()))
        summary = _Summary(leading, None if baseline is None else float(baseline), total, even)
        explained.append(_attribution(inputs, shown_weights, cases.legend, summary))
    recording = Recording(inputs=tuple(_row(row) for row in cases.inputs), explanations=tuple(explained))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(canonical_json(json_from_record(recording)), encoding="utf-8")
    return Ref(name="recorded_attributions", params={"path": path.as_posix()})


class _Summary(NamedTuple):
    """The numbers that describe a case as a whole."""

    toward: str
    baseline: float | None
    total: float | None
    even: float | None


def _with_other(attribution: AnyAttribution, labels: Sequence[str]) -> AnyAttribution:
    """Name the label that negative weights speak for, if there are only two."""
    others = [label for label in labels if label != attribution.toward]
    return attribution.model_copy(update={"against": others[0]}) if len(labels) == 2 else attribution


def _attribution(inputs: Floats, weights: Floats, legend: Variables | Vocabulary, summary: _Summary) -> AnyAttribution:
    toward, baseline, total, even = summary
    if isinstance(legend, Vocabulary):
        tokens = tuple(tokens_of(inputs, legend))
        of_tokens = tuple(rounded(weight) for weight in weights[: len(tokens)])
        return TokenAttribution(
            tokens=tokens, weights=of_tokens, baseline=baseline, total=total, even=even, toward=toward
        )
    order = [int(index) for index in np.argsort(-weights, kind="stable") if weights[index] != 0]
    values = values_of(inputs, legend)
    return Attribution(
        features=tuple(legend.features[index] for index in order),
        weights=tuple(rounded(weights[index]) for index in order),
        values=tuple(values[index] for index in order),
        baseline=baseline,
        total=total,
        even=even,
        toward=toward,
    )


def _row(inputs: Floats) -> tuple[float, ...]:
    """Return a row without the padding of sentences, whose length depends on the draw."""
    return tuple(float(value) for value in inputs if value >= 0)


def _read(path: Path) -> dict[tuple[float, ...], AnyAttribution]:
    try:
        recording = Recording.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, Recording))
        raise MaterialsError(f"{path} is not a recording of attributions: {faults}") from None
    except ValueError:
        raise MaterialsError(f"{path} is not a recording of attributions. Write it with record_attributions.") from None
    if len(recording.inputs) != len(recording.explanations):
        raise MaterialsError(
            f"{path} has {len(recording.inputs)} cases and {len(recording.explanations)} explanations. "
            "Write it again with record_attributions."
        )
    attributions = [
        explanation for explanation in recording.explanations if isinstance(explanation, Attribution | TokenAttribution)
    ]
    if len(attributions) != len(recording.explanations):
        other = sorted({explanation.kind for explanation in recording.explanations} - RecordedAttributions.kinds)
        raise MaterialsError(
            f"{path} holds explanations of the kind {', '.join(other)}, but attributions are expected. "
            "Write it with record_attributions."
        )
    return dict(zip(recording.inputs, attributions, strict=True))
