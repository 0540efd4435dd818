"""The verdict of a calibration: which strategy comes nearest to people, where each is off, and what that means."""

from understudy.protocols.ross2021.calibration_rows import MODELS, NAMES, PUBLISHED, Calibration, OrderShare

CLOSE = 0.1
"""A mean difference of completion rates that the page calls close."""
LOST = 0.4
"""Completion with the true model below which the page says why."""


def verdict(found: Calibration) -> list[str]:
    """Return the verdict in paragraphs."""
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
    said += [*_matcher(found), *_lost(found)]
    said.append(
        "A strategy that fits completion rates need not work as people do: three rates are fitted with up to four "
        "parameters, so only the test, the errors and the order can speak against it. None of these people is evidence."
    )
    return said


def _matcher(found: Calibration) -> list[str]:
    eye = "dial_visual_matcher"
    said = [
        f"The noisy visual matcher orders the Sinelines as people do, GT > VAE > AE, in "
        f"{share(found.order(eye, 'sinelines'))} seeds."
    ]
    if "dsprites" in found.seeds:
        rates = [found.row(eye, "dsprites", model).completion for model in MODELS]
        order = " > ".join(model.upper() for _, model in sorted(zip(rates, MODELS, strict=True), reverse=True))
        said.append(
            f"On dSprites it does so in {share(found.order(eye, 'dsprites'))}; its mean rates there stand "
            f"{order} ({', '.join(f'{rate:.2f}' for rate in rates)} with {', '.join(one.upper() for one in MODELS)})."
        )
    return said


def _lost(found: Calibration) -> list[str]:
    """Say why, where nobody finds the way with the true model of dSprites."""
    if "dsprites" not in found.seeds:
        return []
    best = max(found.row(one, "dsprites", "gt").completion for one in found.strategies)
    if best >= LOST:
        return []
    return [
        f"No strategy solves more than {best:.2f} of the questions with the true model of dSprites, where people solve "
        f"{PUBLISHED['dsprites']['gt'].completion:.2f}. All of them compare pictures value by value. Where two shapes do "
        "not overlap, moving one of them nearer changes neither that difference nor the printed agreement, so nothing "
        "tells them which way to go. People see where a shape is. What these four lack is an eye for things: on "
        "pictures, a rehearsal with them shows that a study can be walked through, not how well people will do."
    ]


def _failures(found: Calibration, strategy: str, data: str) -> str:
    off = []
    for model in MODELS:
        row, people = found.row(strategy, data, model), PUBLISHED[data][model]
        if abs(row.completion - people.completion) > CLOSE:
            off.append(f"completion with {model.upper()} is {row.completion:.2f} and not {people.completion:.2f}")
        if abs(row.error_auc - people.error_auc) > people.error_auc_sd:
            off.append(f"error AUC with {model.upper()} is {row.error_auc:.0f} and not {people.error_auc:.0f}")
    return f"- `{strategy}` on {NAMES[data]}: {'; '.join(off) or 'nowhere'}."


def share(one: OrderShare) -> str:
    """Write how many seeds of how many."""
    return f"{one.n_ordered} of {one.n_seeds}"
