"""People who take part in a paid study: what each leaves in the log, and what each does at the fake Prolific."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from tests.fake_prolific import FakeProlific, api_of
from tests.paid_studies import BASE, PARTIAL, paid_study
from understudy.actions.pay import PayBook
from understudy.conduct.pay import OwedPay
from understudy.record import Log
from understudy.recruiters.prolific import Prolific, ProlificDesk, cents, draft_from
from understudy.schema import Assignment, Ending, Event, PaySettled, SessionEnded, SessionStarted, Study, TrialShown
from understudy.schema.events import EarnedBonus
from understudy.schema.study import SentBack

Life: TypeAlias = Literal[
    "completed", "excluded", "screened_out", "declined", "withdrew", "returned", "timed_out", "late", "returned_late"
]
"""returned, timed_out: in the middle; late: completed here after the platform's time was over; returned_late: completed
here and then returned the submission."""
LIVES: tuple[Life, ...] = (
    "completed", "completed", "completed", "completed", "excluded", "screened_out", "declined", "withdrew", "returned",
    "timed_out", "late", "returned_late",
)  # fmt: skip
_ENDINGS: dict[Life, Ending] = {
    "completed": "completed", "excluded": "excluded", "screened_out": "screened_out", "declined": "declined",
    "withdrew": "withdrew", "returned": "withdrew", "timed_out": "abandoned", "late": "completed",
    "returned_late": "completed",
}  # fmt: skip
STARTED_MS = 1_700_000_000_000


class Hands:
    """A clock that is moved by hand."""

    def __init__(self, ms: int = STARTED_MS) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


def code_of(ending: SentBack) -> str:
    """The completion codes of the tests."""
    return f"CODE-{ending}"


def published(fake: FakeProlific, study: Study | None = None, prolific: Prolific | None = None) -> str:
    """Create and publish a study at the fake platform."""
    draft = draft_from(study or paid_study(), prolific or Prolific(), "https://study.example", code_of)
    study_id = api_of(fake).create_study({**draft, "total_available_places": 1000}).study_id
    api_of(fake).transition_study(study_id, "PUBLISH")
    return study_id


class Person(NamedTuple):
    """Somebody with a life in the study."""

    name: str
    life: Life
    bonus: float = 0.0
    minutes: float = 12.0

    @property
    def submission_id(self) -> str:
        """What the platform calls their part."""
        return f"sub-{self.name}"

    @property
    def earned_cents(self) -> int:
        """What they are owed in the end."""
        base = {"screened_out": PARTIAL, "excluded": BASE}.get(self.life, BASE if self.finished else 0.0)
        return cents(base) + cents(self.bonus if self.finished else 0.0)

    @property
    def finished(self) -> bool:
        """Whether they did all that was asked."""
        return self.life in ("completed", "late", "returned_late")

    def events(self) -> Sequence[Event]:
        """What their session leaves in the log."""
        session_id, end_ms = f"session-{self.name}", STARTED_MS + round(self.minutes * 60_000)
        condition = "shown" if sum(self.name.encode()) % 2 else "hidden"
        started = SessionStarted(
            session_id=session_id, seq=1, at_ms=STARTED_MS, study_name="two-groups", study_digest="d" * 64,
            participant_id=f"p-{self.name}", participant_kind="person",
            assignment=Assignment(arrival=0, condition=condition, levels={"explanation": condition}, seed=1),
        )  # fmt: skip
        shown = [
            TrialShown(session_id=session_id, seq=seq, at_ms=at_ms, step=seq - 1, trial_id="t")
            for seq, at_ms in enumerate((STARTED_MS, end_ms), start=1)
        ]
        ended = SessionEnded(session_id=session_id, seq=2, at_ms=end_ms, outcome=_ENDINGS[self.life])
        if self.life in ("withdrew", "returned", "timed_out"):
            return [started, *shown, ended]
        bonus = self.bonus if self.finished else 0.0
        earned = (EarnedBonus(measure="n_right", score=bonus * 20, amount=bonus),) if bonus else ()
        base = (self.earned_cents - cents(bonus)) / 100
        settled = PaySettled(
            session_id=session_id, seq=3, at_ms=end_ms, currency="GBP", base=base, bonus=bonus, earned=earned
        )
        return [started, *shown, ended, settled]

    def live(self, fake: FakeProlific, study_id: str) -> None:
        """Take a place at the platform and leave it."""
        assert fake.enter(study_id, self.name) is not None
        if self.life in ("returned", "timed_out", "late"):
            fake.leave(self.submission_id, "RETURNED" if self.life == "returned" else "TIMED-OUT")
            return
        fake.come_back(self.submission_id, code_of(_ENDINGS[self.life]))
        if self.life == "returned_late":
            fake.leave(self.submission_id, "RETURNED")

    def give_back(self, fake: FakeProlific) -> None:
        """Return the submission, if the platform asked for it."""
        submission = fake.submissions[self.submission_id]
        if submission["return_requested"] and submission["status"] == "AWAITING REVIEW":
            fake.leave(self.submission_id, "RETURNED")


def crowd(n: int, seed: int) -> list[Person]:
    """Many people with all kinds of lives and bonuses of whole cents."""
    rng = np.random.default_rng(seed)
    return [
        Person(
            f"{number:03d}",
            LIVES[rng.integers(len(LIVES))],
            round(float(rng.integers(0, 51)) / 100, 2),
            8 + 8 * rng.random(),
        )
        for number in range(n)
    ]


def book_of(log: Log, clock: Hands) -> PayBook:
    """The pay book of the tests' study, whose people are called by the numbers in their pseudonyms."""
    return PayBook(
        log, paid_study(), fields_of=lambda participant: {"PROLIFIC_PID": participant.removeprefix("p-")}, now_ms=clock,
        actor="ada",
    )  # fmt: skip


def desk_of(fake: FakeProlific, study_id: str, *, fixed_cents: int = 0) -> ProlificDesk:
    """The fake platform as a pay desk."""
    return ProlificDesk(api_of(fake), study_id, reward_cents=cents(BASE), fixed_cents=fixed_cents)


def unequal(people: Sequence[Person], fake: FakeProlific, log: Log) -> list[str]:
    """Everybody whom the log, the platform and the ledger do not agree about, to the cent."""
    book = book_of(log, Hands())
    owed = {person.participant_id.removeprefix("p-"): person for person in book.owed()}
    wrong = []
    for person in people:
        earned: OwedPay | None = owed.get(person.name)
        in_log = 0 if earned is None else earned.total_cents
        in_ledger = 0 if earned is None else book.account(earned.session_id).paid_cents
        paid = fake.paid_cents(person.submission_id)
        if not person.earned_cents == in_log == in_ledger == paid:
            wrong.append(f"{person}: earned {person.earned_cents}, log {in_log}, ledger {in_ledger}, paid {paid}")
    return wrong


def log_in(folder: Path) -> Path:
    """Where the log of a test is."""
    return folder / "events.sqlite"
