"""Prolific: names people by PROLIFIC_PID, and knows one completion code for each way a session can end."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal
from urllib.parse import urlencode

from pydantic import Field

from understudy.recruiters.needs import platform_needs
from understudy.registry import register
from understudy.schema import Gate, Json, Record, Stop, Study, blocks_in
from understudy.schema.recruitment import SentBack

_BACK = "https://app.prolific.com/submissions/complete"
_CURRENCIES = ("GBP", "USD")


@register("recruiters", "prolific")
class Prolific(Record):
    """Sends people whose link carries their Prolific ID; `understudy recruit` and `understudy pay` use its API."""

    id_parameters: ClassVar[tuple[str, ...]] = ("PROLIFIC_PID",)
    has_fixed_codes: ClassVar[bool] = True
    approval: Literal["by_hand", "automatic"] = "by_hand"
    """by_hand: submissions wait until you approve them with `understudy pay`; automatic: Prolific approves everybody
    who comes back with the code of a completed session."""
    screen_outs: int = Field(default=0, ge=0, le=1_000_000)
    """How many people may be screened out at a fixed reward; only some workspaces have that. With 0, people who are
    screened out are asked to return their submission, and what they earned is paid as a bonus."""
    filters: tuple[Json, ...] = ()
    """Who may take part, as Prolific's API describes filters; everybody when empty."""
    allowed_group: str = ""
    """The id of a participant group: only its members may take part, such as the people of part 1."""
    blocked_group: str = ""
    """The id of a participant group whose members may not take part, such as earlier participants."""
    adds_to_group: str = ""
    """The id of a participant group that everybody joins who comes back with any code."""
    project: str = ""
    """The id of the project that the study is created in; your first one when empty."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return what Prolific needs and the study file does not say."""
        return (*platform_needs(study, "Prolific", currencies=_CURRENCIES), *self._own_needs(study))

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the completion address with the code of the ending."""
        return f"{_BACK}?{urlencode({'cc': code})}"

    def _own_needs(self, study: Study) -> Iterator[str]:
        amounts = screen_out_amounts(study)
        if self.screen_outs and len(amounts) != 1:
            told = ", ".join(f"{amount:.2f}" for amount in sorted(amounts)) or "none"
            yield (
                f"Prolific pays one fixed amount to everybody who is screened out, but the gates and stops of this study pay {told}. "
                "Give them the same pay_amount, or write screen_outs = 0 to pay by bonus."
            )
        elif self.screen_outs and study.pay is not None and not 0 < min(amounts) < study.pay.base:
            yield (
                f"Prolific's fixed pay for people who are screened out must be more than 0 and less than pay.base, but is "
                f"{min(amounts):.2f}; change pay_amount, or write screen_outs = 0."
            )


def screen_out_amounts(study: Study) -> set[float]:
    """Return every amount that a person can earn by being screened out."""
    base = study.pay.base if study.pay is not None else 0.0
    rules: list[Gate | Stop] = []
    for block in blocks_in(study.flow):
        rules += [block.gate] if block.gate is not None and block.gate.on_fail == "screen_out" else []
        rules += [stop for stop in block.stops if stop.outcome == "screened_out"]
    return {round(rule.pay_amount if rule.pay_amount is not None else base * rule.pay_share, 2) for rule in rules}
