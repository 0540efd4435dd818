"""Stop rules: when recruitment pauses by itself; they look at people and money, never at outcomes."""

from typing import Literal, TypeAlias

from pydantic import Field

from understudy.schema.record import Name, Record

Watched: TypeAlias = Literal["completed", "spent", "attrition_difference", "failed_checks"]


class StopRule(Record):
    """One limit at which nobody new may start until a researcher resumes recruitment."""

    rule_id: Name
    watches: Watched
    """completed: people who completed the study and are not excluded; spent: pay settled so far, without fees of the
    platform; attrition_difference: the largest difference between two conditions in the share that left early;
    failed_checks: the share of people who ended and were screened out at a gate or excluded by a rule."""
    at_least: float = Field(gt=0)
    """From this number of people, amount of money, or share between 0 and 1 on, recruitment pauses."""
    fewest: int = Field(default=20, ge=1, le=1_000_000)
    """How many people must have come to an end before a share counts, in each condition for a difference."""

    @property
    def is_share(self) -> bool:
        """Whether the rule is about a share of people."""
        return self.watches in ("attrition_difference", "failed_checks")

    @property
    def limit(self) -> str:
        """The limit in words."""
        at = f"{100 * self.at_least:.0f} %" if self.is_share else f"{self.at_least:g}"
        return {
            "completed": f"{at} {'person has' if self.at_least == 1 else 'people have'} completed the study",
            "spent": f"{at} has been spent on pay",
            "attrition_difference": f"conditions differ by {at} in the share that leaves early",
            "failed_checks": f"{at} of the people failed a check",
        }[self.watches]


def faults_of(rules: tuple[StopRule, ...]) -> list[str]:
    """Return a sentence for each fault of some rules."""
    ids = [rule.rule_id for rule in rules]
    twice = sorted({rule_id for rule_id in ids if ids.count(rule_id) > 1})
    return [
        *(f"Two stop rules are called {rule_id!r}; give each its own rule_id." for rule_id in twice),
        *(
            f"The stop rule {rule.rule_id!r} has at_least {rule.at_least:g}, but {rule.watches} is a share; give a "
            "number between 0 and 1."
            for rule in rules
            if rule.is_share and rule.at_least > 1
        ),
    ]
