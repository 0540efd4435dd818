"""Stop rules: compares the limits of the plan with the numbers so far, and pauses recruitment once for each rule."""

from collections.abc import Callable, Sequence

from understudy.conduct.attrition import Lost
from understudy.schema.desk_action import DeskAction
from understudy.schema.stop_rule import StopRule
from understudy.schema.wire import MonitoredRule
from understudy.serve.monitor.fold import MonitorFold

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
