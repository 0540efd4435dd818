"""Sentences: what an audit found, in words."""

from collections.abc import Sequence

from understudy.prepare.shortcuts.audit import Audit, BestRule, Shortcut
from understudy.prepare.shortcuts.luck import POWER


def audit_sentences(audit: Audit) -> list[str]:
    """Return the best rule of each question, what could have been seen, and each rule that beats chance."""
    if not audit.n_rules:
        return []
    tried = f"{_counted(audit.n_rules, 'simple rule')} tried on {_counted(audit.n_questions, 'question')} with known answers"
    lines = [f"Shortcuts: {tried}."]
    visible: dict[str, list[str]] = {}
    for best in audit.best:
        visible.setdefault(power_sentence(best), []).append(best_rule_sentence(best))
    # Questions of as many items share the sentence about what would have been noticed.
    for power, found in visible.items():
        lines += [f"  {sentence}" for sentence in (*found, power)]
    if audit.shortcuts:
        lines.append(f"  Rules that beat chance without understanding, each tested alone: {len(audit.shortcuts)}.")
        lines += [f"  - {shortcut_sentence(shortcut)}" for shortcut in audit.shortcuts]
        lines.append(
            "  Balance the items over the features that give answers away, or expect people to find the shortcut."
        )
    return lines


def shortcut_sentence(shortcut: Shortcut) -> str:
    """Say what a rule is right on, and how often luck does as well."""
    return (
        f"{_right_on(shortcut)}, chance {shortcut.chance:.0%}; on shuffled answers it does as well in "
        f"{shortcut.p_value:.1%} of cases, and some rule does in {shortcut.p_any:.0%})."
    )


def best_rule_sentence(best: BestRule) -> str:
    """Say how good the best rule of a question is, next to what is best by luck."""
    by_luck = "Guessing is" if best.is_constant else "On shuffled answers the best is"
    verdict = "may be luck" if best.is_luck else "is more than luck"
    return (
        f"{_right_on(best.found)}), the best of {_counted(best.n_rules, 'rule')}. {by_luck} right on "
        f"{best.luck.at_most:.0%} or less in {100 * best.luck.share:.3g}% of cases, so this {verdict}."
    )


def power_sentence(best: BestRule) -> str:
    """Say how good a shortcut must be to be noticed on so many items."""
    items = f"{best.found.n_items} items"
    if best.visible_from is None:
        return f"With {items}, no shortcut could be distinguished from luck, not even one that is always right. Use more items."
    return (
        f"With {items}, a shortcut that is right on at least {best.visible_from:.0%} of such items is noticed {POWER:.0%} of "
        "the time; weaker ones may go unnoticed."
    )


def _right_on(shortcut: Shortcut) -> str:
    place = f" ({shortcut.place})" if shortcut.place else ""
    return (
        f"In {_listed(shortcut.blocks)}{place}, the rule “{shortcut.rule}” is right on {shortcut.accuracy:.0%} of "
        f"{shortcut.n_items} items ({shortcut.low:.0%} to {shortcut.high:.0%} with 95% confidence"
    )


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
