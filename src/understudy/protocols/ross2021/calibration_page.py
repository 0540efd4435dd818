"""The calibration page: how closely simulated people resemble real ones at the dials."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from understudy.protocols.ross2021.calibration import GRID, N_PEOPLE, repeated_rank
from understudy.protocols.ross2021.calibration_rows import (
    MODELS_OF,
    NAMES,
    PUBLISHED,
    Calibration,
    Interval,
    PlayedDecoder,
    PublishedScores,
    SimulatedRow,
    share,
    verdict,
)
from understudy.protocols.ross2021.printed import MNIST_SCORES
from understudy.report import write_spec
from understudy.report.theme import SYNTHETIC, chart_config

# The calibration figure: completion rate and error by model, for simulated and real people.

PEOPLE = "people (published)"
MEASURES = {"completion": "Completion rate", "error_auc": "Error AUC, thousands", "difficulty": "Rated difficulty"}
LIMITS = {"completion": (0.0, 1.0), "error_auc": (0.0, None), "difficulty": (1.0, 7.0)}
"""The range of each measure, at which spreads are cut off."""
HUES = ("#1c2733", "#8a8f98", "#b3541e", "#0b6470", "#6a4c93", "#a4303f")


def write_calibration_figure(calibration: Calibration, path: Path) -> Path:
    """Draw one panel for each data set and measure, to an SVG file."""
    columns = [_panels(calibration, measure) for measure in MEASURES]
    chart = alt.vconcat(*columns).properties(
        title=alt.Title(
            SYNTHETIC,
            subtitle="Published values of people in black, with one population standard deviation to either side within the measure's range.",
        )
    )
    spec = {**chart.to_dict(), "config": chart_config("paper")}
    return write_spec(spec, path)


def _panels(calibration: Calibration, measure: str) -> alt.HConcatChart:
    return alt.hconcat(*(_panel(calibration, data, measure) for data in calibration.data))


def _panel(calibration: Calibration, data: str, measure: str) -> Any:
    lowest, highest = LIMITS[measure]
    rows = [
        {"who": row.strategy, "model": row.model.upper(), "value": getattr(row, measure)}
        for row in calibration.rows
        if row.data == data
    ]
    rows += [
        {
            "who": PEOPLE, "model": model.upper(), "value": getattr(published, measure),
            "low": max(getattr(published, measure) - getattr(published, f"{measure}_sd"), lowest),
            "high": min(getattr(published, measure) + getattr(published, f"{measure}_sd"), highest or math.inf),
        }
        for model, published in PUBLISHED[data].items()
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    x = alt.X("model:N", title=None, sort=[model.upper() for model in MODELS_OF[data]], axis=alt.Axis(labelAngle=0))
    hue = alt.Color("who:N", title=None, scale=alt.Scale(domain=[PEOPLE, *calibration.strategies], range=list(HUES)))
    top = max(1.0, float(frame[["value", "high"]].max().max()))
    y = alt.Y("value:Q", title=MEASURES[measure], scale=alt.Scale(domain=[0, top]))
    lines = alt.Chart(frame).mark_line(point=alt.OverlayMarkDef(size=50)).encode(x, y, hue)
    people = alt.Chart(frame[frame["who"] == PEOPLE])
    spans = people.mark_rule().encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), hue)
    return alt.layer(spans, lines).properties(width=260, height=200, title=NAMES[data])


MODELS = MODELS_OF["sinelines"]
PARAMETERS = {
    "noise": "noise", "memory_noise": "noise of memory", "restarts": "chance to start over", "give_up": "chance to give up",
    "pace_s": "seconds per width", "hope": "hope",
}  # fmt: skip


def write_calibration(calibration: Calibration, path: Path) -> tuple[Path, ...]:
    """Write the numbers as JSON, the figure, and the page, which depends only on the numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = path.with_suffix(".json")
    numbers.write_text(calibration.model_dump_json(indent=1) + "\n", encoding="utf-8")
    figure = write_calibration_figure(calibration, path.with_suffix(".svg"))
    path.write_text(calibration_markdown(calibration, figure=figure.name), encoding="utf-8")
    return path, figure, numbers


def calibration_markdown(calibration: Calibration, *, figure: str) -> str:
    """Return the page as Markdown."""
    parts = [
        f"# Calibration of the people who turn dials{' to write digits' if 'mnist' in calibration.data else ''}",
        f"<!-- Written by `{calibration.command}`; the numbers are in {Path(figure).stem}.json next to this page. -->",
        f"**{SYNTHETIC}.** Only the rows called *people* are about people; they are the published means and standard "
        "deviations of Ross et al. (CHI 2021, Table 2; 15 people; 5 questions with each model, 7 with digits).",
        f"Written by `{calibration.command}`, which plays everything told here again.",
        "## What was played",
        *_method(calibration),
        f"![Completion rate and error by model, for each strategy and for people]({figure})",
        "## Fitted parameters",
        _fits_table(calibration),
        "## How sharp the fit is",
        _finals_table(calibration),
        "## What noise does",
        _noise_table(calibration),
        *(part for data in calibration.data for part in _data_section(calibration, data)),
        "## How like people",
        _likeness_table(calibration),
        "## Verdict",
        *verdict(calibration),
    ]
    return "\n\n".join(parts) + "\n"


def _method(calibration: Calibration) -> list[str]:
    sizes = ", ".join(f"{n} on {NAMES[data]}" for data, n in calibration.n_people.items())
    first, *later = calibration.rounds
    further = ", then ".join(str(n) for n in later)
    absent = [NAMES[data] for data in MODELS_OF if data not in calibration.data]
    absent += [f"`{strategy}`" for strategy in GRID if strategy not in calibration.strategies]
    left_out = f" This run left out {', '.join(absent)}." if absent else ""
    return [
        "The questions with dials of `ross2021-synthetic` (and of `ross2021-mnist`, where it was played): each of the "
        "models with its questions and a rating, with the orders and targets that `understudy rehearse` draws. Other "
        "pages are left out. Frames of pictures far from a match are blended from their neighbours, which `rehearse` "
        "never does. A seed gives the simulated people, and the targets of the study too.",
        f"First, every candidate of a grid played the Sinelines with {first} simulated people. The candidates of each "
        "strategy whose three completion rates were nearest to people's (least sum of squares) played on, with "
        f"{further} more people; the others stopped. All candidates met the same questions with the same random numbers "
        f"({_span(calibration.fit_seeds)}), so that they differ by what they do and less by luck. Nothing was fitted on "
        f"other data.{left_out} Then the fitted strategies played with other people and other targets "
        f"({_span(calibration.seeds)}; people of each strategy for each seed: {sizes}). The tables below hold these alone.",
        "Error AUC is the squared difference summed over values and seconds, over the questions of a stage, in "
        "thousands. ± gives standard deviations over people; brackets hold 95 % intervals over seeds. Difficulty goes "
        "from 1, very easy, to 7. Simulated people rate it by the share of questions they solved, on the line through "
        "people's three means on the Sinelines, so only dSprites and digits test it.",
        "The form of the strategies was developed while looking at the Sinelines. Starting anew was added when the "
        "matcher by eye drew the amplitude of the true model to nothing. For the features matcher, dSprites with other "
        "targets than those below (seed 1000) were looked at too, with 2 to 4 simulated people at a time: Euclidean sums of "
        "features, and sums with an exponent of 1.5, solved less with the true model, so absolute differences were added; skipping became less likely "
        "near the threshold, after it was seen that they gave up at 89 %; attending to place first was tried, solved "
        "less on both data sets, and was dropped. The noticeable steps were set once and not changed. So dSprites are a "
        "test of the fitted numbers, and not an untouched test of the form.",
    ]


def _fits_table(calibration: Calibration) -> str:
    names = list(dict.fromkeys(name for fit in calibration.fits for name in fit.parameters))
    heads = ["strategy", *(PARAMETERS.get(name, name) for name in names), *(model.upper() for model in MODELS), "loss"]
    lines = [
        "Completion rates are those of the fit.",
        "",
        f"| {' | '.join(heads)} | people | candidates |",
        "|---" * (len(heads) + 2) + "|",
    ]
    for fit in calibration.fits:
        values = [f"{fit.parameters[name]:g}" if name in fit.parameters else "–" for name in names]
        rates = [f"{rate:.2f}" for rate in fit.completion]
        n_tried = sum(tried.strategy == fit.strategy for tried in calibration.tried)
        cells = [f"`{fit.strategy}`", *values, *rates, f"{fit.loss:.3f}", str(fit.n_people), str(n_tried)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _finals_table(calibration: Calibration) -> str:
    lines = [
        "All candidates of the last round. Losses that differ by less than 0.01 are not told apart by so few people, so "
        "a fit is one of several that do as well.",
        "",
        f"| strategy | parameters | {' | '.join(model.upper() for model in MODELS)} | loss |",
        "|---" * (len(MODELS) + 3) + "|",
    ]
    finalists = [fit for fit in calibration.tried if fit.n_rounds == len(calibration.rounds)]
    for fit in sorted(finalists, key=lambda fit: (fit.strategy, fit.loss)):
        values = ", ".join(f"{PARAMETERS.get(name, name)} {value:g}" for name, value in fit.parameters.items())
        rates = " | ".join(f"{rate:.2f}" for rate in fit.completion)
        lines.append(f"| `{fit.strategy}` | {values} | {rates} | {fit.loss:.3f} |")
    return "\n".join(lines)


def _noise_table(calibration: Calibration) -> str:
    lines = [
        "Completion on the Sinelines at other noises, everything else as fitted, by the simulated people of the fit:",
        "",
        f"| strategy | noise | {' | '.join(model.upper() for model in MODELS)} | people |",
        "|---" * (len(MODELS) + 3) + "|",
    ]
    lines += [
        f"| `{variant.strategy}` | {variant.parameters['noise']:g} | {' | '.join(f'{rate:.2f}' for rate in variant.completion)} "
        f"| {variant.n_people} |"
        for fit in calibration.fits
        if "noise" in fit.parameters
        for variant in calibration.variants(fit, "noise")
    ]
    return "\n".join(lines)


def _data_section(calibration: Calibration, data: str) -> list[str]:
    told = [_decoders_table(calibration.decoders)] if data == "mnist" and calibration.decoders else []
    return [f"## {NAMES[data]}", *told, _data_table(calibration, data)]


def _decoders_table(decoders: Sequence[PlayedDecoder]) -> str:
    """Say how long each decoder of the digits learned, since results depend on it and the files are not shipped."""
    lines = [
        "The decoders of the digits do not come with understudy: `understudy train ross2021/mnist-ss5 --out FOLDER` trains "
        "one, and so for the others. Those that were played are described by their cards: "
        "epochs of training (100 are published), and the squared error on held-out digits (of drawn codes for variational "
        "models) compared with that of the published model. An InfoGAN rebuilds nothing, so it has no error.",
        "",
        "| model | epochs | error | published error |",
        "|---|---|---|---|",
    ]
    for decoder in decoders:
        cells = [
            decoder.n_epochs or "–",
            *(_decimals(error) for error in (decoder.error, MNIST_SCORES[decoder.model].error)),
        ]
        lines.append(f"| {decoder.model.upper()} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _data_table(calibration: Calibration, data: str) -> str:
    models = MODELS_OF[data]
    lines = []
    for measure, title in (("completion", "completion"), ("error_auc", "error AUC"), ("difficulty", "difficulty")):
        digits = 1 if measure == "error_auc" else 2
        lines += [f"| {title} | {' | '.join(model.upper() for model in models)} |", "|---" * (len(models) + 1) + "|"]
        cells = [_spread(PUBLISHED[data][model], measure, digits) for model in models]
        lines.append(f"| *people* | {' | '.join(cells)} |")
        for strategy in calibration.strategies:
            rows = [calibration.row(strategy, data, model) for model in models]
            cells = [_spread(row, measure, digits) for row in rows]
            if measure == "completion":
                cells = [
                    f"{cell} [{max(row.completion_low, 0):.2f}, {min(row.completion_high, 1):.2f}]"
                    for cell, row in zip(cells, rows, strict=True)
                ]
            lines.append(f"| `{strategy}` (synthetic) | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines).strip()


def _spread(row: SimulatedRow | PublishedScores, measure: str, digits: int) -> str:
    return f"{getattr(row, measure):.{digits}f} ± {getattr(row, f'{measure}_sd'):.{digits}f}"


def _likeness_table(calibration: Calibration) -> str:
    lines = [
        "Distance is the mean absolute difference from people's completion rates, worst the largest. Order is Kendall's "
        "tau-b between the models' completion rates and people's, over all seeds; next to it the mean over single seeds, "
        "the same of rated difficulty, and the seeds whose rates were strictly in people's order. Three models can be "
        "ordered in six ways, so a tau of 1 on one data set alone says little.",
        "",
        "| data | strategy | distance | worst | order | order in a seed | order of difficulty | strictly ordered |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for data in calibration.data:
        for strategy in calibration.strategies:
            held = calibration.likeness(strategy, data)
            lines.append(
                f"| {NAMES[data]} | `{strategy}` | {held.gap:.2f} [{held.gap_low:.2f}, {held.gap_high:.2f}] "
                f"| {calibration.worst_gap(strategy, data):.2f} | {held.rank:.2f} [{held.rank_low:.2f}, {held.rank_high:.2f}] "
                f"| {held.seed_rank:.2f} | {_spanned(held.difficulty_rank)} | {share(held)} |"
            )
    repeated = ", ".join(f"{_spanned(repeated_rank(data))} on {NAMES[data]}" for data in calibration.data)
    lines += [
        "",
        f"People's own order is uncertain too. With {N_PEOPLE} other people for each model, drawn around the published "
        f"means with the published standard deviations, their tau-b with the published order would be {repeated} (median and 95 % of draws).",
    ]
    return "\n".join(lines)


def _spanned(interval: Interval | None) -> str:
    return "–" if interval is None else f"{interval.estimate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _span(seeds: tuple[int, ...]) -> str:
    return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
