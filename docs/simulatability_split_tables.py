"""Tables and the figure of the classifiers over splits and seeds, for docs/simulatability_models.py."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from understudy.report.theme import chart_config

SENTENCES, TABLE = "polarity-prototypes", "adult-prototypes"
"""The two prototype models."""
RULES = {"leak_free": "without leaks", "paper": "by the rule of the paper"}


def split_table(rows: Sequence[dict[str, Any]], rule: str) -> str:
    """Return one line for each run under a rule."""
    lines = ["| model | split | seed | passes | validation | test |", "| --- | --- | --- | --- | --- | --- |"]
    for row in _sorted(rows, rule):
        first = row["first_stage_epoch"]
        passes = f"{row['best_epoch']}" if first is None else f"{first} + {row['best_epoch']}"
        shares = " | ".join(f"{100 * row[part]:.2f}" for part in ("validation", "test"))
        lines.append(f"| `{row['name']}` | {row['split_seed']} | {row['seed']} | {passes} | {shares} |")
    return "\n".join(lines)


def summary_table(rows: Sequence[dict[str, Any]], published: dict[str, str]) -> str:
    """Return the mean and spread of each model under each rule, with what the paper has."""
    lines = [
        "| model | split | runs | validation: mean, SD | test: mean, SD | test: range | published |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for rule, words in RULES.items():
        for name in dict.fromkeys(row["name"] for row in _sorted(rows, rule)):
            found = [row for row in _sorted(rows, rule) if row["name"] == name]
            test = [100 * row["test"] for row in found]
            spans = " | ".join(_mean_and_spread([100 * row[part] for row in found]) for part in ("validation", "test"))
            lines.append(
                f"| `{name}` | {words} | {len(found)} | {spans} | {min(test):.2f} to {max(test):.2f} | "
                f"{published[name]} |"
            )
    return "\n".join(lines)


def figure_path(name: str) -> Path:
    """Return where the curves of a prototype model are, from the folder of the page."""
    return Path("models") / f"{name}-loss.svg"


def curve_table(rows: Sequence[dict[str, Any]], model: str, *, every: int = 1) -> str:
    """Return loss and validation accuracy of a prototype model after each n-th pass, one line for each run."""
    passes = "each pass" if every == 1 else f"passes 1, {every + 1}, {2 * every + 1}, …"
    lines = [f"| split | seed | loss after {passes} | validation after {passes} | kept |", "|---|---|---|---|---|"]
    for row in _curves(rows, model):
        losses = ", ".join(f"{loss:.2f}" for loss in row["loss_by_epoch"][::every])
        shares = ", ".join(f"{100 * share:.1f}" for share in row["validation_by_epoch"][::every])
        name = f"{row['split_seed']} {RULES[row['rule']]}"
        lines.append(f"| {name} | {row['seed']} | {losses} | {shares} | {row['best_epoch']} |")
    return "\n".join(lines)


def write_curve(rows: Sequence[dict[str, Any]], model: str, path: Path) -> None:
    """Draw loss and validation accuracy of a prototype model by pass, a line for each run."""
    points = pd.DataFrame(
        [
            {
                "run": f"{row['rule']} {row['split_seed']} {row['seed']}",
                "pass": number,
                "loss": loss,
                "validation": share,
            }
            for row in _curves(rows, model)
            for number, (loss, share) in enumerate(
                zip(row["loss_by_epoch"], row["validation_by_epoch"], strict=True), start=1
            )
        ]
    )
    panels = [
        alt.Chart(points)
        .mark_line(point=bool(points["pass"].max() < 20), opacity=0.6)
        .encode(
            alt.X("pass:Q", title="pass", axis=alt.Axis(tickMinStep=1)),
            alt.Y(f"{name}:Q", title=title, scale=alt.Scale(zero=False)),
            alt.Detail("run:N"),
        )
        .properties(width=280, height=200)
        for name, title in (("loss", "loss on training cases"), ("validation", "validation accuracy"))
    ]
    spec = {**alt.hconcat(*panels).to_dict(), "config": chart_config("paper")}
    path.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


def _mean_and_spread(values: Sequence[float]) -> str:
    return f"{mean(values):.2f}, {stdev(values):.2f}" if len(values) > 1 else f"{mean(values):.2f}, –"


def _curves(rows: Sequence[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    return [row for rule in RULES for row in _sorted(rows, rule) if row["name"] == model]


def _sorted(rows: Sequence[dict[str, Any]], rule: str) -> list[dict[str, Any]]:
    return sorted(
        (row for row in rows if row["rule"] == rule), key=lambda row: (row["name"], row["split_seed"], row["seed"])
    )
