"""States: what a page is told about its session, and nothing that could give an answer away."""

from collections.abc import Mapping
from urllib.parse import quote

from understudy.serve.live import Live
from understudy.serve.public import PublicStudy, dumps
from understudy.serve.tokens import Keyring

_WITHOUT_CODE = frozenset({"declined", "abandoned"})


class States:
    """Writes `State` for participants."""

    def __init__(self, keyring: Keyring, completion_urls: Mapping[str, str]) -> None:
        self._keyring = keyring
        self._completion_urls = completion_urls

    def state_of(self, public: PublicStudy, live: Live, *, is_preview: bool = False, with_saved: bool = True) -> str:
        """Write where a session stands."""
        return (
            f'{{"study":{public.heading},"next_seq":{live.next_seq},'
            f'"step":{live.step_json(public, with_saved=with_saved)},"preload":{live.preload_json(public)},'
            f'"ended":{self._ended(public, live)},"skin":{{"is_preview":{dumps(is_preview)}}}}}'
        )

    def erased_state(self, public: PublicStudy) -> str:
        """Write what is left to say to somebody who took everything back."""
        ended = {"outcome": "withdrew", "is_erased": True, "reason": "", "pay": None, "code": None, "redirect": None}
        return (
            f'{{"study":{public.heading},"next_seq":1,"step":null,"preload":[],"ended":{dumps(ended)},'
            '"skin":{"is_preview":false}}'
        )

    def code_of(self, session_id: str, outcome: str | None) -> str | None:
        """Return the code a participant shows to be paid, None for an end that is not paid."""
        if outcome is None or outcome in _WITHOUT_CODE:
            return None
        return self._keyring.completion_code(session_id, outcome)

    def _ended(self, public: PublicStudy, live: Live) -> str:
        outcome = live.session.outcome
        if outcome is None:
            return "null"
        ending, pay = live.ending, live.pay
        code = self.code_of(live.session.session_id, outcome)
        return dumps(
            {
                "outcome": outcome,
                "is_erased": False,
                "reason": ending.reason if ending else "",
                "pay": {"currency": pay.currency, "base": pay.base, "bonus": pay.bonus} if pay else None,
                "code": code,
                "redirect": self._redirect(live.session.script.study.name, outcome, code),
            }
        )

    def _redirect(self, study_name: str, outcome: str, code: str | None) -> str | None:
        address = self._completion_urls.get(study_name)
        if address is None or code is None:
            return None
        return address.replace("{code}", quote(code)).replace("{outcome}", quote(outcome))
