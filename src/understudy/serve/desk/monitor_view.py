"""The monitor's page, and stop rules that pause recruitment."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from understudy.conduct.attrition import Lost, attrition_of
from understudy.schema import wire
from understudy.schema.log_entries import DeskAction
from understudy.schema.plan import StopRule
from understudy.schema.wire import MonitoredRule
from understudy.serve.arrivals import Kind
from understudy.serve.desk.monitor import (
    MonitorFold,
    Numbers,
    blind_label,
    blind_order,
    cumulated,
    is_unblinded,
    median_s,
)

_ACTOR = "stop rule "


def losses_of(fold: MonitorFold, kind: str, conditions: Sequence[str]) -> list[Lost]:
    """Return how many people ended and left in each condition, erased ones among those who left."""
    numbers = fold.numbers(kind)
    lost = []
    for name in conditions:
        n_erased = fold.erased(kind, name)
        total = numbers.totals[name]
        lost.append(Lost(total["ended"] + n_erased, total["left"] + n_erased))
    return lost


def rule_states(fold: MonitorFold, kind: str) -> tuple[MonitoredRule, ...]:
    """Return where the study is with each of its rules."""
    return tuple(_state(rule, _value(rule, fold, kind)) for rule in fold.study.plan.stop_rules)


def reached_now(states: Sequence[MonitoredRule], steering: Sequence[DeskAction]) -> list[MonitoredRule]:
    """Return the rules that are reached and have not paused recruitment before.

    A researcher who resumes recruitment has decided to go on: the same rule does not stop the study again.
    """
    done = {action.actor for action in steering if action.action == "recruitment_paused"}
    return [state for state in states if state.is_reached and actor_of_rule(state.rule_id) not in done]


def paused_by_rule(steering_of: Callable[[str], Sequence[DeskAction]], study_name: str) -> str | None:
    """Say which rule has paused recruitment; None where it is open, or a researcher has paused it."""
    steering = steering_of(study_name)
    paused = _pause_by_rule(steering)
    if paused is None:
        return None
    platform = (
        "The study is paused at its platform, too."
        if is_platform_paused(steering)
        else "Its platform has not been paused yet; look there, too."
    )
    return " ".join(filter(None, (f"Recruitment is paused by the {paused.actor}.", paused.reason, platform)))


def rule_to_pass_on(steering: Sequence[DeskAction]) -> str | None:
    """Return the name of the rule that has paused recruitment here while the platform does not know; None if there is none."""
    paused = _pause_by_rule(steering)
    return None if paused is None or is_platform_paused(steering) else paused.actor


def is_platform_paused(steering: Sequence[DeskAction]) -> bool:
    """Tell whether the platform was paused since recruitment was last paused or resumed here."""
    said = [action.action for action in steering if action.action != "unblinded"]
    return said[-1:] == ["platform_paused"]


def _pause_by_rule(steering: Sequence[DeskAction]) -> DeskAction | None:
    last = [action for action in steering if action.action.startswith("recruitment_")][-1:]
    is_by_rule = bool(last) and last[0].action == "recruitment_paused" and last[0].actor.startswith(_ACTOR)
    return last[0] if is_by_rule else None


def actor_of_rule(rule_id: str) -> str:
    """Return the name under which a rule is recorded in the log of actions."""
    return f"{_ACTOR}{rule_id}"


def _state(rule: StopRule, value: float | None) -> MonitoredRule:
    return MonitoredRule(
        rule_id=rule.rule_id,
        limit=rule.limit,
        value=value,
        at_least=rule.at_least,
        is_reached=value is not None and value >= rule.at_least,
    )


def _value(rule: StopRule, fold: MonitorFold, kind: str) -> float | None:
    numbers = fold.numbers(kind)
    match rule.watches:
        case "completed":
            return numbers.total("completed")
        case "spent":
            return round(numbers.spent, 2)
        case "failed_checks":
            n_decided = numbers.total("decided")
            return numbers.total("failed") / n_decided if n_decided >= rule.fewest else None
        case "attrition_difference":
            lost = losses_of(fold, kind, [cell.name for cell in fold.study.cells])
            if len(lost) < 2 or min(each.n_ended for each in lost) < rule.fewest:
                return None
            shares = [each.share for each in lost]
            return max(shares) - min(shares)


# The view of a live study: what the dashboard draws and `understudy monitor` prints; no outcome is in it.

_FEWEST_DEVICES = 3
"""A class with fewer people is told together with others, so that it points to nobody."""
_N_DAYS = 60


class Shown(NamedTuple):
    """The conditions in the order of the view, and what each is called there."""

    names: Sequence[str]
    labels: tuple[str, ...]


def monitoring_of(fold: MonitorFold, steering: Sequence[DeskAction], *, is_paused: bool) -> wire.Monitoring:
    """Return the numbers of a live study, its conditions named only once somebody has asked for them."""
    study = fold.study
    is_blind = not is_unblinded(steering)
    kind: Kind = "synthetic" if fold.n_of_kind("synthetic") and not fold.n_of_kind("person") else "person"
    names = blind_order(study) if is_blind else [cell.name for cell in study.cells]
    labels = tuple(blind_label(place) for place in range(len(names))) if is_blind else tuple(names)
    shown, numbers = Shown(names, labels), fold.numbers(kind)
    return wire.Monitoring(
        study=study.name,
        title=study.title,
        is_pilot=study.pilot_of is not None,
        kind=kind,
        read_share=round(fold.read_share, 3),
        is_blind=is_blind,
        is_paused=is_paused,
        conditions=labels,
        n_wanted=sum(study.quota_of(cell) for cell in study.cells),
        n_completed=numbers.total("completed"),
        n_started=numbers.total("started"),
        pages=_shared_pages(fold, _pages(fold, kind, names))
        if is_blind and study.plan.blinded
        else _pages(fold, kind, names),
        days=_days(numbers, names),
        checks=_checks(numbers),
        attrition=_attrition(losses_of(fold, kind, names), shown),
        money=_money(fold, numbers),
        devices=_mix(numbers.devices),
        connections=_mix(numbers.connections),
        rules=rule_states(fold, kind),
        notes=tuple(
            wire.DeskNote(at_ms=action.at_ms, actor=action.actor, action=action.action, reason=action.reason or "")
            for action in steering
        ),
    )


def _pages(fold: MonitorFold, kind: Kind, names: Sequence[str]) -> tuple[wire.MonitoredPage, ...]:
    numbers, n = fold.numbers(kind), len(fold.blocks)
    reached = [cumulated(numbers.furthest[name], n) for name in names]
    met = [fold.met_by[name] for name in names]
    pages = []
    for place, block in enumerate(fold.blocks):
        times = fold.times(kind, place)
        middle = median_s(times)
        pages.append(
            wire.MonitoredPage(
                block=block.block_id,
                purpose=block.purpose,
                # Who went past a page of another condition did not come to it.
                reached=tuple(
                    each[place] if block.block_id in blocks else None for each, blocks in zip(reached, met, strict=True)
                ),
                left=tuple(numbers.left[name][place] for name in names),
                median_s=None if middle is None else round(middle, 1),
                n_answers=sum(times.values()),
            )
        )
    return tuple(pages)


def _shared_pages(fold: MonitorFold, pages: Sequence[wire.MonitoredPage]) -> tuple[wire.MonitoredPage, ...]:
    """Return the pages that all conditions have, with those who left at a page of one condition under the page before it.

    In a blinded study, who came to such a page would tell which letter is which condition.
    """
    shared = frozenset.intersection(*fold.met_by.values())
    kept: list[wire.MonitoredPage] = []
    for page in pages:
        if page.block in shared or not kept:
            kept.append(page)
        else:
            left = tuple(a + b for a, b in zip(kept[-1].left, page.left, strict=True))
            kept[-1] = kept[-1].model_copy(update={"left": left})
    return tuple(kept)


def _days(numbers: Numbers, names: Sequence[str]) -> tuple[wire.MonitoredDay, ...]:
    recent = [day for day in sorted(numbers.days) if any(at["started"] for at in numbers.days[day].values())]
    return tuple(
        wire.MonitoredDay(
            day=day,
            started=tuple(numbers.days[day][name]["started"] for name in names),
            completed=tuple(numbers.days[day][name]["completed"] for name in names),
            left=tuple(numbers.days[day][name]["left"] for name in names),
        )
        for day in recent[-_N_DAYS:]
    )


def _checks(numbers: Numbers) -> tuple[wire.MonitoredCheck, ...]:
    gates = [wire.MonitoredCheck(check_id=name, kind="gate", n_failed=n) for name, n in numbers.gates.items() if n]
    rules = [
        wire.MonitoredCheck(check_id=name, kind="exclusion", n_failed=n) for name, n in numbers.exclusions.items() if n
    ]
    return tuple(sorted((*gates, *rules), key=lambda check: (-check.n_failed, check.check_id)))


def _attrition(lost: Sequence[Lost], shown: Shown) -> wire.MonitoredAttrition:
    found = attrition_of(lost)
    counts = {"ended": tuple(each.n_ended for each in lost), "left": tuple(each.n_left for each in lost)}
    if len(lost) < 2:
        return wire.MonitoredAttrition(
            **counts, method="none", sentence="There is one condition, so nothing to compare."
        )
    if found is None:
        few = "Too few people have come to an end in each condition to say whether conditions lose people differently."
        return wire.MonitoredAttrition(**counts, method="none", sentence=few)
    most, least = shown.labels[found.first], shown.labels[found.second]
    name = "exact test" if found.method == "exact" else "chi-square test"
    pair = " (the pair that differs most)" if len(lost) > 2 else ""
    p = f"p {'< .001' if found.p is not None and found.p < 0.001 else f'= {found.p:.3f}'.replace('0.', '.')}"
    sentence = (
        f"{most} loses {100 * lost[found.first].share:.0f} %, {least} {100 * lost[found.second].share:.0f} %: a difference of "
        f"{100 * found.difference:.0f} points, 95 % interval {100 * found.low:.0f} to {100 * found.high:.0f}{pair}; "
        f"{name} over all conditions {p}."
    )
    return wire.MonitoredAttrition(
        **counts, method=found.method, p=found.p, difference=found.difference, low=found.low, high=found.high,
        sentence=sentence,
    )  # fmt: skip


def _money(fold: MonitorFold, numbers: Numbers) -> wire.MonitoredMoney | None:
    pay = fold.study.pay
    if pay is None:
        return None
    n_done = numbers.total("completed")
    n_wanted = sum(fold.study.quota_of(cell) for cell in fold.study.cells)
    each = numbers.spent / n_done if n_done else None
    return wire.MonitoredMoney(
        currency=pay.currency,
        spent=round(numbers.spent, 2),
        per_completed=None if each is None else round(each, 2),
        forecast=None if each is None else round(numbers.spent + each * max(0, n_wanted - n_done), 2),
    )


def _mix(counts: Counter[str]) -> dict[str, int]:
    told = {name: n for name, n in counts.most_common() if n >= _FEWEST_DEVICES}
    rest = sum(n for n in counts.values() if 0 < n < _FEWEST_DEVICES)
    return told | ({"few": rest} if rest else {})
