"""The verdict of a calibration: which strategy is closest to people, and where each one differs."""

from understudy.protocols.ross2021.calibration_rows import (
    MODELS_OF,
    NAMES,
    PUBLISHED,
    Calibration,
    Likeness,
    PublishedScores,
    SimulatedRow,
)

WANTED = 0.15
"""The largest difference in any completion rate with which a strategy counts as close to people."""
EYE = "dial_features_matcher"
LIMITS = (
    "It turns one dial at a time and remembers nothing between questions; people can undo what one dial does with another, "
    "and learn a model while they use it. Both are missing."
)
MISSING = {"mnist": " It cannot read either: people see which digit is wanted, and can choose that category first."}
"""What else people can do with a data set and the features matcher cannot."""


def verdict(calibration: Calibration) -> list[str]:
    """Return the verdict in paragraphs."""
    sentences = [_ranking(calibration, data) for data in calibration.data]
    tests = [data for data in calibration.data if data != "sinelines"]
    sentences += [_features(calibration, data) for data in tests if EYE in calibration.strategies]
    sentences.append(
        f"Where each strategy is off, by more than {WANTED:g} of a completion rate or by more than people's own standard "
        "deviation of the error:"
    )
    sentences.append(
        "\n".join(
            _failures(calibration, strategy, data) for data in calibration.data for strategy in calibration.strategies
        )
    )
    sentences.append(
        "A strategy that fits completion rates need not work as people do: three rates are fitted with up to four "
        "parameters, so only the test, the errors and the order can count against it. None of these people is evidence."
    )
    return sentences


def _ranking(calibration: Calibration, data: str) -> str:
    ranked = sorted(calibration.strategies, key=lambda strategy: calibration.likeness(strategy, data).gap)
    gaps = ", ".join(f"`{strategy}` {calibration.likeness(strategy, data).gap:.2f}" for strategy in ranked)
    fitted = "fitted" if data == "sinelines" else "not fitted"
    return f"Mean distance from people's completion rates on {NAMES[data]} ({fitted}), nearest first: {gaps}."


def _features(calibration: Calibration, data: str) -> str:
    """Say how near the features matcher comes to people, and what is missing."""
    rows = [calibration.row(EYE, data, model) for model in MODELS_OF[data]]
    told = ", ".join(f"{row.model.upper()} {row.completion:.2f} (people {_people(row).completion:.2f})" for row in rows)
    off = [f"{row.model.upper()} by {_difference(row):+.2f}" for row in rows if _is_off(_difference(row))]
    if off:
        return (
            f"On {NAMES[data]}, the features matcher is not within {WANTED:g} of people with every model: {told}. "
            f"It misses {', '.join(off)}. {LIMITS}{MISSING.get(data, '')}"
        )
    farthest = max(rows, key=lambda row: abs(_difference(row)))
    rate = _people(farthest).completion
    low, high = farthest.completion_low - rate, farthest.completion_high - rate
    within = (
        f"On {NAMES[data]}, the features matcher is within {WANTED:g} of people with every model: {told}. The largest "
        f"difference is {_difference(farthest):+.2f} [{low:+.2f}, {high:+.2f}], with {farthest.model.upper()}."
    )
    if _is_off(low) or _is_off(high):
        within += f" That interval reaches beyond {WANTED:g}, so other seeds can miss it. {LIMITS}"
    return within


def _failures(calibration: Calibration, strategy: str, data: str) -> str:
    off = []
    for model in MODELS_OF[data]:
        row, people = calibration.row(strategy, data, model), PUBLISHED[data][model]
        if _is_off(_difference(row)):
            off.append(f"completion with {model.upper()} is {row.completion:.2f} and not {people.completion:.2f}")
        if abs(row.error_auc - people.error_auc) > people.error_auc_sd:
            off.append(f"error AUC with {model.upper()} is {row.error_auc:.0f} and not {people.error_auc:.0f}")
    return f"- `{strategy}` on {NAMES[data]}: {'; '.join(off) or 'nowhere'}."


def _people(row: SimulatedRow) -> PublishedScores:
    return PUBLISHED[row.data][row.model]


def _difference(row: SimulatedRow) -> float:
    return row.completion - _people(row).completion


def _is_off(difference: float) -> bool:
    # People's rates have two decimals, so a difference can be exactly the wanted one but for floating point.
    return round(abs(difference), 9) > WANTED


def share(held: Likeness) -> str:
    """Return the share of seeds in people's order, as text."""
    return f"{held.n_ordered} of {held.n_seeds}"
