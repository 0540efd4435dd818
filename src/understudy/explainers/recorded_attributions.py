"""Recorded attributions: weights that a library gave to each case, and explanations as published."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.explainers.inputs import columns_of, require_recorded, rounded, tokens_of, values_of
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
from understudy.sources.files import read_once
from understudy.sources.hase_sheets import Method, read_stimuli, stimuli_folder
from understudy.sources.hase_stimuli import Domain, explanation_from_texts

# Attribution weights: what an attribution library returned, as one number for each feature or word of each case.


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


# Imported explanations: those of a released study, parsed into the kinds of this package.


@register("explainers", "imported_explanations")
class ImportedExplanations(Record):
    """Gives the explanations that Hase and Bansal (2020) showed; inputs are rows of the dataset hase_stimuli."""

    kinds: ClassVar[frozenset[str]] = frozenset(
        {"attribution", "path", "rule", "several", "similar_case", "token_attribution"}
    )
    domain: Domain
    method: Method
    """Omission was generated, but never reported."""
    folder: str = ""
    """The folder of master.csv and trials.csv; by default `simulatability-stimuli` inside the data folder."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the released explanation of each item."""
        if targets is not None:
            raise MaterialsError(
                "Released explanations exist only as their study showed them, not for a chosen class. "
                "Leave the targets out, or bind a method that computes explanations, such as lime."
            )
        stimuli = read_stimuli(stimuli_folder(self.folder, os.environ), self.domain)
        explanations = []
        for row in inputs[:, 0]:
            texts = stimuli.texts.get((self.method, int(row)))
            if texts is None:
                raise MaterialsError(
                    f"No {self.method} explanation was released for {self.domain} item {int(row)}: there are some for "
                    "learning and counterfactual items, and none for forward ones."
                )
            explanations.append(explanation_from_texts(texts, stimuli.items[int(row)], self.method))
        return Explained(explanations)


AnyAttribution: TypeAlias = Attribution | TokenAttribution


class Recording(Record):
    """The file: for each case, its inputs and its explanation, or one explanation for each label."""

    inputs: tuple[tuple[float, ...], ...]
    explanations: tuple[AnyExplanation, ...]
    """With labels: those of the first case in the order of the labels, then those of the next one."""
    labels: tuple[str, ...] = ()
    """The labels that every case has weights for; empty in files with one explanation for each case."""
    toward: str = ""
    """The label that is explained where the page does not show the model's answer; only in files with labels."""


class _Known(NamedTuple):
    """What a file says: of each case one explanation, or one for each label."""

    cases: dict[tuple[float, ...], tuple[AnyAttribution, ...]]
    labels: tuple[str, ...]
    toward: str


@register("explainers", "recorded_attributions")
class RecordedAttributions(Record):
    """Explains each case with the weights in a file that `understudy.explainers.record_attributions` wrote."""

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution", "token_attribution"})
    path: AssetPath

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return what was recorded for each input: toward its target where there is one."""
        path, known = Path(self.path), self._known()
        rows = [_recorded_attributions_row(row) for row in inputs]
        n_absent = sum(row not in known.cases for row in rows)
        if n_absent:
            raise MaterialsError(
                f"{path.name} explains {len(known.cases)} cases, but not {n_absent} of the {len(rows)} that the study shows. "
                "Record explanations of every case of the dataset."
            )
        found = [known.cases[row] for row in rows]
        unknown = {str(attribution.toward) for of_case in found for attribution in of_case} - {*model.labels}
        if model.labels and unknown:
            raise MaterialsError(
                f"{path.name} explains what speaks for {', '.join(map(repr, sorted(unknown)))}, which is not a label of the "
                f"model. Its labels are: {', '.join(model.labels)}. Record with one of them as `toward`."
            )
        if known.labels:
            wanted = _wanted(known, model, targets, n=len(rows), source=path.name)
            chosen = [of_case[known.labels.index(label)] for of_case, label in zip(found, wanted, strict=True)]
        else:
            chosen = [of_case[0] for of_case in found]
        require_recorded(model, [attribution.toward for attribution in chosen], targets, source=path.name)
        return Explained([_with_other(attribution, model.labels) for attribution in chosen])

    def classes_of(self, inputs: Floats) -> list[tuple[str, ...]]:
        """Return the labels that each input has weights for; none for a case that is not in the file."""
        cases = self._known().cases
        return [tuple(str(said.toward) for said in cases.get(_recorded_attributions_row(row), ())) for row in inputs]

    def _known(self) -> _Known:
        return read_once(Path(self.path), _read, advice="Write it with understudy.explainers.record_attributions.")


def _wanted(known: _Known, model: Model, targets: Ints | None, *, n: int, source: str) -> list[str]:
    """Return the label that each of n cases is explained for."""
    if targets is not None:
        wanted = [model.labels[column] for column in columns_of(model, None, targets, n=n)]
    elif known.toward:
        wanted = [known.toward] * n
    else:
        raise MaterialsError(
            f"{source} has weights for {', '.join(known.labels)}, and this page does not show the model's answer, which would "
            "say whose are meant. Show the answer, or record with one label as `toward`."
        )
    absent = sorted({*wanted} - {*known.labels})
    if absent:
        raise MaterialsError(
            f"{source} has no weights for {', '.join(map(repr, absent))}. It has weights for: {', '.join(known.labels)}. "
            "Record those of every label of the model."
        )
    return wanted


def record_attributions(
    path: str | Path,
    cases: Sample,
    weights: Any,
    *,
    toward: str | Sequence[str] = "",
    baseline: float | Sequence[float] | None = None,
    even: float | None = None,
    n_shown: int = 5,
    columns: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> Ref:
    """Write weights, one row for each case and one number for each feature or word, and return the explainer to bind.

    Weights for several labels have one more axis at the end, and `labels` gives its order. All of them are kept: a page that
    shows the model's answer shows the weights for that answer, and any other page those for `toward`.

    Otherwise `toward` is the label that positive weights speak for: one for all cases, or one for each. With three or more
    labels, give `labels` or one `toward` for each case, because a page refuses weights for another label than its answer.

    `baseline` is the evidence without any of the weights (with `labels`, one for each), and `even` the evidence at which a model
    with two labels is undecided: 0 for log-odds, 0.5 for probabilities. With `even`, a page that shows the model's answer
    states the evidence for that answer. Of each case the `n_shown` largest weights are shown. Weights of columns that were
    made from features, such as one column for each value, are summed back when `columns` gives the names of the columns.

    Examples
    --------
    >>> record_attributions(Path("mine.json"), cases, weights, toward="above")  # doctest: +SKIP
    """
    path = Path(path)
    if cases.inputs is None or cases.legend is None:
        raise MaterialsError(
            "These cases have no legend, so their features have no names. Draw them from coded_table or text_table."
        )
    named = tuple(str(label) for label in labels)
    summaries = _summaries(toward, named, baseline, even, n=len(cases.inputs))
    by_label = []
    for column, of_cases in enumerate(summaries):
        # Summed back before the largest are chosen: the parts of one feature may cancel.
        axis = LabelAxis(len(named), column) if named else None
        rows = weights_of_cases(weights, cases.inputs, cases.legend, axis=axis, columns=columns)
        by_label.append(
            [
                _attribution(inputs, row, cases.legend, summary, n_shown)
                for inputs, row, summary in zip(cases.inputs, rows, of_cases, strict=True)
            ]
        )
    recording = Recording(
        inputs=tuple(_recorded_attributions_row(row) for row in cases.inputs),
        explanations=tuple(said for of_case in zip(*by_label, strict=True) for said in of_case),
        labels=named,
        toward=str(toward) if named else "",
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(canonical_json(json_from_record(recording)), encoding="utf-8")
    return Ref(name="recorded_attributions", params={"path": path.as_posix()})


class _Summary(NamedTuple):
    """The numbers that describe a case as a whole."""

    toward: str
    baseline: float | None
    even: float | None


def _summaries(
    toward: str | Sequence[str],
    labels: tuple[str, ...],
    baseline: float | Sequence[float] | None,
    even: float | None,
    *,
    n: int,
) -> list[list[_Summary]]:
    """Return what is known of each of n cases, for one label or for each; refuse what cannot belong together."""
    is_one = np.ndim(toward) == 0
    if not labels:
        if np.ndim(baseline or 0):
            raise MaterialsError("`baseline` has several numbers, but the weights are of one label. Give one number.")
        leading = [str(toward)] * n if is_one else [str(label) for label in toward]
        if len(leading) != n:
            raise MaterialsError(
                f"`toward` has {len(leading)} labels for {n} cases. Give one for all, or one for each."
            )
        if "" in leading:
            raise MaterialsError(
                "Nothing says which label positive weights speak for. Name it as `toward`, or give `labels`."
            )
        return [[_Summary(label, None if baseline is None else float(baseline), even) for label in leading]]  # type: ignore[arg-type]
    if len(set(labels)) < len(labels):
        raise MaterialsError(f"`labels` are {', '.join(labels)}. Name each label once, in the order of the last axis.")
    if not is_one:
        raise MaterialsError(
            "The weights of every label are kept, so `toward` is one label at most. Leave it out, or name one."
        )
    if str(toward) and str(toward) not in labels:
        raise MaterialsError(
            f"`toward` is {str(toward)!r}, which is not among the labels. These are: {', '.join(labels)}."
        )
    if even is not None and len(labels) != 2:
        raise MaterialsError(
            f"`even` is where a model with two labels is undecided, but `labels` has {len(labels)}. Leave `even` out."
        )
    if baseline is not None and np.shape(baseline) != (len(labels),):
        raise MaterialsError(
            f"`baseline` has the shape {np.shape(baseline)}, but the weights are of {len(labels)} labels. Give one number for "
            "each, in their order."
        )
    baselines = [None] * len(labels) if baseline is None else [float(value) for value in np.asarray(baseline)]
    return [[_Summary(label, base, even)] * n for label, base in zip(labels, baselines, strict=True)]


def _with_other(attribution: AnyAttribution, labels: Sequence[str]) -> AnyAttribution:
    """Name the label that negative weights speak for, if there are only two."""
    others = [label for label in labels if label != attribution.toward]
    return attribution.model_copy(update={"against": others[0]}) if len(labels) == 2 else attribution


def _attribution(
    inputs: Floats, row: Floats, legend: Variables | Vocabulary, summary: _Summary, n_shown: int
) -> AnyAttribution:
    toward, baseline, even = summary
    largest = np.argsort(-np.abs(row), kind="stable")[:n_shown]
    weights = np.where(np.isin(np.arange(len(row)), largest), row, 0.0)
    total = None if baseline is None else rounded(float(baseline + weights.sum()))
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


def _recorded_attributions_row(inputs: Floats) -> tuple[float, ...]:
    """Return a row without the padding of sentences, whose length depends on the draw."""
    return tuple(float(value) for value in inputs if value >= 0)


def _read(path: Path) -> _Known:
    try:
        recording = Recording.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, Recording))
        raise MaterialsError(f"{path} is not a recording of attributions: {faults}") from None
    except ValueError:
        raise MaterialsError(f"{path} is not a recording of attributions. Write it with record_attributions.") from None
    n_each, n_cases = max(1, len(recording.labels)), len(recording.inputs)
    if n_each * n_cases != len(recording.explanations):
        of_labels = f" of {n_each} labels" if recording.labels else ""
        raise MaterialsError(
            f"{path} has {n_cases} cases{of_labels} and {len(recording.explanations)} explanations. "
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
    by_case = [tuple(attributions[n_each * case : n_each * (case + 1)]) for case in range(n_cases)]
    mixed = [
        case for case, said in enumerate(by_case) if recording.labels not in ((), tuple(item.toward for item in said))
    ]
    if mixed:
        raise MaterialsError(
            f"{path}: the explanations of case {mixed[0] + 1} are not for {', '.join(recording.labels)}, in this order. "
            "Write it again with record_attributions."
        )
    return _Known(dict(zip(recording.inputs, by_case, strict=True)), recording.labels, recording.toward)
