"""Compare the results of a run with printed ones, including figures over single trials."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from understudy.actions.run_folder import Run
from understudy.actions.run_tables import tables_of
from understudy.estimate.participant_flow import analysed_sessions
from understudy.protocols.hase2020.printed import model_accuracies, published_tables
from understudy.protocols.kim2022.printed import published_tables as hive_tables
from understudy.protocols.ross2021.printed import automatic_scores_of
from understudy.protocols.sixt2022.printed import published_tables as two4two_tables
from understudy.report import PrintedResults, PrintedTables, Strip, StripRow, write_paper_comparison
from understudy.schema import Findings


def paper_comparison_of(run: Run, findings: Findings, printed: PrintedResults, page: Path) -> Path:
    """Write the page that compares a run with printed results."""
    trials = _analysed_trials(run, printed.strips)
    levels = {factor.name: factor.levels for factor in run.script.study.factors}
    strips = [(strip, strip_rows(trials, strip, levels)) for strip in printed.strips]
    scores = automatic_scores_of(run.script.study, printed)
    return write_paper_comparison(findings, printed, page, strips=strips, ours=scores.ours, gaps=scores.gaps)


def paper_tables_of(run: Run, environment: Mapping[str, str]) -> PrintedTables | None:
    """Return the printed tables that a run is compared with, None if its study repeats no paper with tables."""
    study = run.script.study
    found = published_tables(study, accuracies=model_accuracies(study, environment))
    if found is None and two4two_tables(study) is not None:
        found = two4two_tables(study, tables_of(run).sessions)
    return found or hive_tables(study)


def strip_rows(
    trials: pd.DataFrame, strip: Strip, levels: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[StripRow]:
    """Return the means of a strip over per-person means; `levels` gives the order of factor levels."""
    chosen = trials[trials["block"].isin(strip.blocks)].dropna(subset=[strip.measure])
    if strip.only is not None:
        chosen = chosen[chosen[strip.only[0]] == strip.only[1]]
    if not len(chosen):
        return []
    split = [name for name in strip.split if name != strip.series]
    for name in strip.split:
        chosen = chosen.assign(**{name: pd.Categorical(chosen[name].astype(str), _ordered(chosen[name], levels, name))})
    if strip.kind == "by_truth":
        shared = chosen[strip.series] if strip.series else ""
        return _rows(chosen.assign(series=shared), strip.measure, [*split, f"truth.{strip.truth}"])
    sizes = chosen.groupby(["session", *split], observed=True)["position"].transform("size")
    # The middle questions count as neither first nor last, so that both halves have equal size.
    half = (sizes - 1) // 2
    position = chosen.groupby(["session", *split], observed=True).cumcount()
    series = np.where(
        position < half, "first questions", np.where(position >= sizes - half, "last questions", "between")
    )
    rows = chosen.assign(series=series)
    return _rows(rows[rows["series"] != "between"], strip.measure, split)


def _ordered(values: "pd.Series[str]", levels: Mapping[str, Sequence[str]], name: str) -> list[str]:
    return list(levels.get(name) or dict.fromkeys(values.astype(str)))


def _rows(trials: pd.DataFrame, measure: str, split: Sequence[str]) -> list[StripRow]:
    means = trials.groupby(["session", *split, "series"], observed=True)[measure].mean().reset_index()
    rows = []
    for levels, group in means.groupby([*split, "series"], observed=True):
        *names, series = levels
        values = group[measure].to_numpy(dtype=float)
        se = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
        rows.append(StripRow(", ".join(map(str, names)), str(series), float(values.mean()), se, len(values)))
    return rows


def _analysed_trials(run: Run, strips: Sequence[Strip]) -> pd.DataFrame:
    columns = {"session", "block", "position", "trial", *_columns(strips)}
    frames = tables_of(run)
    session_ids = set(analysed_sessions(frames.sessions, run.script.study.plan.partial_sessions)["session"].astype(str))
    parts = [part[part["session"].astype(str).isin(session_ids)] for part in frames.trial_parts(columns)]
    trials = pd.concat(parts) if parts else pd.DataFrame(columns=sorted(columns))
    truth = run.prepared.key.truth
    for name in {strip.truth for strip in strips if strip.truth}:
        trials[f"truth.{name}"] = [str(truth.get(str(trial), {}).get(name, "")) for trial in trials["trial"]]
    return trials


def _columns(strips: Sequence[Strip]) -> set[str]:
    named = {name for strip in strips for name in (strip.measure, *strip.split)}
    return named | {strip.only[0] for strip in strips if strip.only is not None}
