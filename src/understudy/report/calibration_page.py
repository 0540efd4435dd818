"""The calibration page: which simulated people resemble real ones at the dials, and where they do not."""

from pathlib import Path

from understudy.report.calibration_figure import write_calibration_figure
from understudy.report.calibration_rows import MODELS, NAMES, PUBLISHED, Calibration, OrderShare
from understudy.report.theme import SYNTHETIC

CLOSE = 0.1
"""A mean difference of completion rates that the page calls close."""


def write_calibration_page(found: Calibration, path: Path, *, command: str) -> Path:
    """Write the page as Markdown, and its figure beside it."""
    figure = write_calibration_figure(found, path.with_suffix(".svg"))
    path.write_text(calibration_markdown(found, figure=figure.name, command=command), encoding="utf-8")
    return path


def calibration_markdown(found: Calibration, *, figure: str, command: str) -> str:
    """Return the page as Markdown."""
    parts = [
        "# Calibration of the people who turn dials",
        f"<!-- Written by `{command}`. -->",
        f"**{SYNTHETIC}.** Only the rows called *people* are about people; they are the published means and standard "
        "deviations of Ross et al. (CHI 2021, Table 2; 15 people, 5 questions with each model).",
        _method(found),
        f"![Completion rate and error by model, for each strategy and for people]({figure})",
        "## Fitted parameters",
        _fits_table(found),
        "## What noise does",
        _noise_table(found),
        *(part for data in found.seeds for part in (f"## {NAMES[data]}", _data_table(found, data))),
        "## The order of the models",
        _orders_table(found),
        "## Verdict",
        *_verdict(found),
    ]
    return "\n\n".join(parts) + "\n"


def _method(found: Calibration) -> str:
    seeds = "; ".join(f"{NAMES[data]}: {_span(held)}" for data, held in found.seeds.items())
    tested = (
        "dSprites were not looked at for fitting. "
        if "dsprites" in found.seeds
        else "The test on dSprites was left out of this run. "
    )
    return (
        "Noise, patience and pace of each strategy were fitted to people's three completion rates on the Sinelines, "
        f"over a grid, with {found.n_fit_people} simulated people and seed {found.fit_seed} for every candidate. "
        f"{tested}The tables come from other seeds ({seeds}), with {found.n_people} simulated people each who work "
        "through 5 questions with each model. Error AUC is the squared difference summed over values and seconds, over "
        "the questions of a stage, in thousands. Standard deviations are over people."
    )


def _fits_table(found: Calibration) -> str:
    lines = [
        "| strategy | noise | chance to give up | seconds per width | loss | candidates |",
        "|---|---|---|---|---|---|",
    ]
    for fit in found.fits:
        noise = f"{fit.parameters['noise']:g}" if "noise" in fit.parameters else "–"
        lines.append(
            f"| `{fit.strategy}` | {noise} | {fit.parameters['give_up']:g} | {fit.parameters['pace_s']:g} "
            f"| {fit.loss:.3f} | {fit.n_tried} |"
        )
    return "\n".join(lines)


def _noise_table(found: Calibration) -> str:
    lines = [
        "Completion on the Sinelines at other noises, patience and pace as fitted, by the simulated people of the fit:",
        "",
        f"| strategy | noise | {' | '.join(model.upper() for model in MODELS)} |",
        "|---" * (len(MODELS) + 2) + "|",
    ]
    lines += [
        f"| `{one.strategy}` | {one.noise:g} | {' | '.join(f'{rate:.2f}' for rate in one.completion)} |"
        for one in found.noise_rows
    ]
    return "\n".join(lines)


def _data_table(found: Calibration, data: str) -> str:
    heads = [f"{what} {model.upper()}" for what in ("completion", "error AUC") for model in MODELS]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    people = PUBLISHED[data]
    cells = [f"{people[m].completion:.2f} ± {people[m].completion_sd:.2f}" for m in MODELS]
    cells += [f"{people[m].error_auc:.1f} ± {people[m].error_auc_sd:.1f}" for m in MODELS]
    lines.append(f"| *people* | {' | '.join(cells)} |")
    for strategy in found.strategies:
        rows = [found.row(strategy, data, model) for model in MODELS]
        cells = [f"{one.completion:.2f} ± {one.completion_sd:.2f}" for one in rows]
        cells += [f"{one.error_auc:.1f} ± {one.error_auc_sd:.1f}" for one in rows]
        lines.append(f"| `{strategy}` (synthetic) | {' | '.join(cells)} |")
    return "\n".join(lines)


def _orders_table(found: Calibration) -> str:
    lines = ["Share of seeds in which completion was strictly GT > VAE > AE, as it was for people:", ""]
    lines += [
        f"| strategy | {' | '.join(NAMES[data] for data in found.seeds)} |",
        "|---" * (len(found.seeds) + 1) + "|",
    ]
    for strategy in found.strategies:
        cells = [_share(_order(found, strategy, data)) for data in found.seeds]
        lines.append(f"| `{strategy}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _verdict(found: Calibration) -> list[str]:
    said = []
    for data in found.seeds:
        ranked = sorted(found.strategies, key=lambda one: found.completion_gap(one, data))
        gaps = ", ".join(f"`{one}` {found.completion_gap(one, data):.2f}" for one in ranked)
        is_fitted = "fitted" if data == "sinelines" else "not fitted"
        said.append(f"Mean distance from people's completion rates on {NAMES[data]} ({is_fitted}): {gaps}.")
    last = list(found.seeds)[-1]
    nearest = min(found.strategies, key=lambda one: found.completion_gap(one, last))
    said.append(
        f"On {NAMES[last]}, `{nearest}` comes nearest to people"
        f"{'' if found.completion_gap(nearest, last) <= CLOSE else ', and is still not close'}. "
        f"Where each strategy is off, by more than {CLOSE:g} of a completion rate or by more than people's own standard "
        "deviation of the error:"
    )
    said.append("\n".join(_failures(found, strategy, data) for data in found.seeds for strategy in found.strategies))
    matcher = "dial_visual_matcher"
    said.append(
        f"The noisy visual matcher orders the Sinelines as people do in {_share(_order(found, matcher, 'sinelines'))} "
        f"seeds."
        + (
            f" On dSprites it does so in {_share(_order(found, matcher, 'dsprites'))}."
            if "dsprites" in found.seeds
            else ""
        )
    )
    said.append(
        "A strategy that fits completion rates need not work as people do: three rates are fitted with up to three "
        "parameters, so only the test, the errors and the order can speak against it. None of these people is evidence."
    )
    return said


def _failures(found: Calibration, strategy: str, data: str) -> str:
    off = []
    for model in MODELS:
        row, people = found.row(strategy, data, model), PUBLISHED[data][model]
        if abs(row.completion - people.completion) > CLOSE:
            off.append(f"completion with {model.upper()} is {row.completion:.2f} and not {people.completion:.2f}")
        if abs(row.error_auc - people.error_auc) > people.error_auc_sd:
            off.append(f"error AUC with {model.upper()} is {row.error_auc:.0f} and not {people.error_auc:.0f}")
    return f"- `{strategy}` on {NAMES[data]}: {'; '.join(off) or 'nowhere'}."


def _order(found: Calibration, strategy: str, data: str) -> OrderShare:
    return next(one for one in found.orders if (one.strategy, one.data) == (strategy, data))


def _share(one: OrderShare) -> str:
    return f"{one.n_ordered} of {one.n_seeds}"


def _span(seeds: tuple[int, ...]) -> str:
    return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
