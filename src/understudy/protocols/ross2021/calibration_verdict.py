"""The verdict of a calibration: which strategy is closest to people, and where each one differs."""

from understudy.protocols.ross2021.calibration_rows import MODELS, NAMES, PUBLISHED, Calibration, OrderShare

CLOSE = 0.1
"""A mean difference of completion rates that the page calls close."""
LOST = 0.4
"""Completion with the true model below which the page explains the failure."""


def verdict(calibration: Calibration) -> list[str]:
    """Return the verdict in paragraphs."""
    sentences = []
    for data in calibration.seeds:
        ranked = sorted(calibration.strategies, key=lambda strategy: calibration.completion_gap(strategy, data))
        gaps = ", ".join(f"`{strategy}` {calibration.completion_gap(strategy, data):.2f}" for strategy in ranked)
        is_fitted = "fitted" if data == "sinelines" else "not fitted"
        sentences.append(f"Mean distance from people's completion rates on {NAMES[data]} ({is_fitted}): {gaps}.")
    last = list(calibration.seeds)[-1]
    nearest = min(calibration.strategies, key=lambda strategy: calibration.completion_gap(strategy, last))
    sentences.append(
        f"On {NAMES[last]}, `{nearest}` comes nearest to people"
        f"{'' if calibration.completion_gap(nearest, last) <= CLOSE else ', and is still not close'}. "
        f"Where each strategy is off, by more than {CLOSE:g} of a completion rate or by more than people's own standard "
        "deviation of the error:"
    )
    sentences.append(
        "\n".join(
            _failures(calibration, strategy, data) for data in calibration.seeds for strategy in calibration.strategies
        )
    )
    sentences += [*_matcher(calibration), *_lost(calibration)]
    sentences.append(
        "A strategy that fits completion rates need not work as people do: three rates are fitted with up to four "
        "parameters, so only the test, the errors and the order can speak against it. None of these people is evidence."
    )
    return sentences


def _matcher(calibration: Calibration) -> list[str]:
    eye = "dial_visual_matcher"
    sentences = [
        f"The noisy visual matcher orders the Sinelines as people do, GT > VAE > AE, in "
        f"{share(calibration.order(eye, 'sinelines'))} seeds."
    ]
    if "dsprites" in calibration.seeds:
        rates = [calibration.row(eye, "dsprites", model).completion for model in MODELS]
        order = " > ".join(model.upper() for _, model in sorted(zip(rates, MODELS, strict=True), reverse=True))
        sentences.append(
            f"On dSprites it does so in {share(calibration.order(eye, 'dsprites'))}; its mean rates there stand "
            f"{order} ({', '.join(f'{rate:.2f}' for rate in rates)} with {', '.join(model.upper() for model in MODELS)})."
        )
    return sentences


def _lost(calibration: Calibration) -> list[str]:
    """Return an explanation if no strategy succeeds with the true model of dSprites."""
    if "dsprites" not in calibration.seeds:
        return []
    best = max(calibration.row(strategy, "dsprites", "gt").completion for strategy in calibration.strategies)
    if best >= LOST:
        return []
    return [
        f"No strategy solves more than {best:.2f} of the questions with the true model of dSprites, where people solve "
        f"{PUBLISHED['dsprites']['gt'].completion:.2f}. All of them compare pictures value by value. Where two shapes do "
        "not overlap, moving one of them nearer changes neither that difference nor the printed agreement, so nothing "
        "tells them which way to go. People see where a shape is. What these four lack is an eye for things: on "
        "pictures, a rehearsal with them shows that a study can be walked through, not how well people will do."
    ]


def _failures(calibration: Calibration, strategy: str, data: str) -> str:
    off = []
    for model in MODELS:
        row, people = calibration.row(strategy, data, model), PUBLISHED[data][model]
        if abs(row.completion - people.completion) > CLOSE:
            off.append(f"completion with {model.upper()} is {row.completion:.2f} and not {people.completion:.2f}")
        if abs(row.error_auc - people.error_auc) > people.error_auc_sd:
            off.append(f"error AUC with {model.upper()} is {row.error_auc:.0f} and not {people.error_auc:.0f}")
    return f"- `{strategy}` on {NAMES[data]}: {'; '.join(off) or 'nowhere'}."


def share(order: OrderShare) -> str:
    """Return the share of seeds as text."""
    return f"{order.n_ordered} of {order.n_seeds}"
