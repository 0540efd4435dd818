"""The calibration page: how closely simulated people resemble real ones at the dials."""

from pathlib import Path

from understudy.protocols.ross2021.calibration_figure import write_calibration_figure
from understudy.protocols.ross2021.calibration_rows import MODELS, NAMES, PUBLISHED, Calibration
from understudy.protocols.ross2021.calibration_verdict import share, verdict
from understudy.report.theme import SYNTHETIC

PARAMETERS = {
    "noise": "noise", "memory_noise": "noise of memory", "restarts": "chance to start anew", "give_up": "chance to give up",
    "pace_s": "seconds per width",
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
        "# Calibration of the people who turn dials",
        f"<!-- Written by `{calibration.command}`; the numbers are in calibration.json next to this page. -->",
        f"**{SYNTHETIC}.** Only the rows called *people* are about people; they are the published means and standard "
        "deviations of Ross et al. (CHI 2021, Table 2; 15 people, 5 questions with each model).",
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
        *(part for data in calibration.seeds for part in (f"## {NAMES[data]}", _data_table(calibration, data))),
        "## The order of the models",
        _orders_table(calibration),
        "## Verdict",
        *verdict(calibration),
    ]
    return "\n\n".join(parts) + "\n"


def _method(calibration: Calibration) -> list[str]:
    sizes = "; ".join(f"{NAMES[data]}: {_span(seeds)}" for data, seeds in calibration.seeds.items())
    n_fit = min(fit.n_people for fit in calibration.tried)
    n_final = max(fit.n_people for fit in calibration.fits)
    tested = (
        "Nothing was fitted on dSprites."
        if "dsprites" in calibration.seeds
        else "The test on dSprites was left out of this run."
    )
    return [
        "Rehearsals of `ross2021-synthetic`, in its cells with dials: consent, instructions, practice, "
        "then each of the three models with five questions and a rating, in an order drawn for each person. It is "
        "what `understudy rehearse ross2021-synthetic` plays with its cast `dials`, with more people and one cell at a "
        "time. The strategies take turns, so that each cell meets each of them equally often. A seed gives the "
        "simulated people, and the targets of the study too.",
        f"First, every candidate of a grid was rehearsed on the Sinelines with {n_fit} simulated people "
        f"({_span(calibration.fit_seeds)}). The candidates whose three completion rates lay nearest to people's (least sum of "
        f"squares) were rehearsed again, to {n_final} people in all ({_span(calibration.final_seeds)}), and the nearest of "
        f"them was taken. {tested} Then the fitted four were rehearsed with other people and other targets, "
        f"{calibration.n_people} of each strategy for each seed ({sizes}); the tables below hold these alone.",
        "Error AUC is the squared difference summed over values and seconds, over the questions of a stage, in "
        "thousands. Standard deviations are over people.",
        "The form of the strategies was developed while looking at the Sinelines too: starting anew when a round of all "
        "dials made nothing look better was added when it was seen that a person who matches by eye draws the amplitude of "
        "the true model to nothing, after which its frequency has no effect. Coarser grids were looked at there before "
        "this one. dSprites were seen once before, in a rehearsal with parameters as they come, in which hardly anything "
        "was solved. An eye that pools local means and contrasts was tried after that, on the Sinelines alone, fitted "
        "them no better, and was dropped. So the Sinelines judge only how well strategies can fit; whether they resemble "
        "people is for dSprites to say.",
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
        "All candidates of the second round. Losses that differ by less than 0.01 are not told apart by so few people, so "
        "a fit is one of several that do as well.",
        "",
        f"| strategy | parameters | {' | '.join(model.upper() for model in MODELS)} | loss |",
        "|---" * (len(MODELS) + 3) + "|",
    ]
    for fit in sorted((fit for fit in calibration.tried if fit.is_finalist), key=lambda fit: (fit.strategy, fit.loss)):
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


def _data_table(calibration: Calibration, data: str) -> str:
    heads = [f"{measure} {model.upper()}" for measure in ("completion", "error AUC") for model in MODELS]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    people = PUBLISHED[data]
    cells = [f"{people[m].completion:.2f} ± {people[m].completion_sd:.2f}" for m in MODELS]
    cells += [f"{people[m].error_auc:.1f} ± {people[m].error_auc_sd:.1f}" for m in MODELS]
    lines.append(f"| *people* | {' | '.join(cells)} |")
    for strategy in calibration.strategies:
        rows = [calibration.row(strategy, data, model) for model in MODELS]
        cells = [f"{row.completion:.2f} ± {row.completion_sd:.2f}" for row in rows]
        cells += [f"{row.error_auc:.1f} ± {row.error_auc_sd:.1f}" for row in rows]
        lines.append(f"| `{strategy}` (synthetic) | {' | '.join(cells)} |")
    return "\n".join(lines)


def _orders_table(calibration: Calibration) -> str:
    lines = ["Share of seeds in which completion was strictly GT > VAE > AE, as it was for people:", ""]
    lines += [
        f"| strategy | {' | '.join(NAMES[data] for data in calibration.seeds)} |",
        "|---" * (len(calibration.seeds) + 1) + "|",
    ]
    for strategy in calibration.strategies:
        cells = [share(calibration.order(strategy, data)) for data in calibration.seeds]
        lines.append(f"| `{strategy}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _span(seeds: tuple[int, ...]) -> str:
    return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
