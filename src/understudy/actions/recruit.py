"""Recruiting at Prolific: the account, the study there that belongs to a run, and the address people come to."""

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from understudy.actions.access import read_private, write_private
from understudy.actions.run_folder import Run
from understudy.errors import NoAnswer, UnderstudyError
from understudy.recruiters.platform import DECIDING
from understudy.recruiters.prolific import (
    Prolific,
    ProlificDesk,
    cents,
    draft_from,
    internal_name,
    screen_out_amounts,
    status_of,
)
from understudy.recruiters.prolific_api import API, PlatformStudy, ProlificApi
from understudy.registry import create
from understudy.schema import Json, Record, Study
from understudy.serve.access import Keyring
from understudy.serve.settings import PlatformPerson

RECRUITMENT = "recruitment.json"
"""The file of a run with the study's id at its platform, readable by its owner only."""
TOKEN = "UNDERSTUDY_PROLIFIC_TOKEN"  # noqa: S105 - the name of a variable, not a token
ADDRESS = "UNDERSTUDY_PROLIFIC_URL"
_SENDS_NOBODY = ("UNPUBLISHED", "PAUSED", "AWAITING REVIEW", "COMPLETED")


class PlatformFile(Record):
    """What a run remembers about its platform."""

    study_id: str
    webhook_secret: str = ""


def platform_file(folder: Path) -> PlatformFile | None:
    """Read what a run remembers; None before its study was drafted."""
    damaged = f"does not hold the study's id at its platform; delete it and run: understudy recruit draft {folder}"
    return read_private(folder / RECRUITMENT, PlatformFile, damaged=damaged)


def remember(folder: Path, known: PlatformFile) -> None:
    """Write what a run remembers."""
    write_private(folder / RECRUITMENT, known.model_dump_json())


def prolific_of(study: Study) -> Prolific:
    """Return how a study is recruited at Prolific, or raise an error if it is recruited elsewhere."""
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    if not isinstance(recruiter, Prolific):
        named = "no recruiter" if study.recruitment is None else f"the recruiter {study.recruitment.recruiter.name!r}"
        raise UnderstudyError(
            f'{study.name} names {named}, and this command works with Prolific; write recruiter = "prolific" under recruitment.'
        )
    return recruiter


def prolific_api(environment: Mapping[str, str]) -> ProlificApi:
    """Return a client for the account whose token the environment holds."""
    token = environment.get(TOKEN, "").strip()
    if not token:
        raise UnderstudyError(
            f"{TOKEN} is not set. Make a token in Prolific's settings and put it into the environment; anybody who has it can spend your money, so never "
            "write it into a file that others can read."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UnderstudyError(
            f"{TOKEN} has characters that no token of Prolific has, such as a dash or quote from a text editor; copy the token "
            "from Prolific's settings again."
        )
    return ProlificApi(token, address=environment.get(ADDRESS, API))


def wanted_draft(study: Study, address: str, keyring: Keyring) -> Json:
    """Return what is sent to Prolific to create the draft of a study."""
    return draft_from(study, prolific_of(study), address, lambda ending: keyring.outcome_code(study.name, ending))


def most_bonus_cents(study: Study) -> int | None:
    """Return the most that one person's bonuses can add up to; None without a limit."""
    bonuses = study.pay.bonuses if study.pay is not None else ()
    limits = [bonus.at_most for bonus in bonuses if bonus.at_most is not None]
    return cents(sum(limits)) if len(limits) == len(bonuses) else None


def reward_cents(study: Study) -> int:
    """Return what approving a submission pays."""
    return cents(study.pay.base) if study.pay is not None else 0


class Drafted(NamedTuple):
    """A study at Prolific, and whether it was made just now."""

    study: PlatformStudy
    is_new: bool


class ProlificStudy:
    """The study of a run at Prolific."""

    def __init__(self, run: Run, api: ProlificApi) -> None:
        self.run, self.api = run, api
        self.study = run.script.study
        self.prolific = prolific_of(self.study)

    @property
    def study_id(self) -> str:
        """The study's id there, or an error that says how to get one."""
        known = platform_file(self.run.folder)
        if known is None:
            raise UnderstudyError(
                f"{self.study.name} has no draft at Prolific yet; run: understudy recruit draft {self.run.folder} --address https://..."
            )
        return known.study_id

    @property
    def reward_cents(self) -> int:
        """What approving a submission pays."""
        return reward_cents(self.study)

    def draft(self, address: str, keyring: Keyring) -> Drafted:
        """Create the draft, or find the one that was created before, even by a call that got no answer."""
        known = platform_file(self.run.folder)
        found = self.api.study_named(internal_name(self.study)) if known is None else known.study_id
        is_new = found is None
        if found is None:
            try:
                found = self.api.create_study(wanted_draft(self.study, address, keyring)).study_id
            except NoAnswer:
                found = self.api.study_named(internal_name(self.study))
                if found is None:
                    raise
        remember(self.run.folder, PlatformFile(study_id=found) if known is None else known)
        return Drafted(self.api.study(found), is_new)

    def cost_cents(self, n_places: int) -> int:
        """Return what so many places cost, fees and taxes included, before any bonus."""
        return self.api.cost_cents(self.reward_cents, n_places)

    def move(self, action: str, wanted: str) -> PlatformStudy:
        """Publish, pause or start the study, unless it is in the wanted status already."""
        return _moved(self.api, self.api.study(self.study_id), action, wanted)

    def add_places(self, n_more: int) -> PlatformStudy:
        """Ask for more people."""
        now = self.api.study(self.study_id)
        return self.api.set_places(now.study_id, now.n_places + n_more)

    def desk(self) -> ProlificDesk:
        """Return the study as a pay desk."""
        fixed = cents(min(screen_out_amounts(self.study))) if self.prolific.screen_outs else 0
        return ProlificDesk(self.api, self.study_id, reward_cents=self.reward_cents, fixed_cents=fixed)


def _moved(api: ProlificApi, now: PlatformStudy, action: str, wanted: str) -> PlatformStudy:
    if now.status == wanted:
        return now
    try:
        return api.transition_study(now.study_id, action)
    except NoAnswer:
        now = api.study(now.study_id)
        if now.status != wanted:
            raise
        return now


class ProlificPlatform:
    """What a server asks Prolific about its people."""

    def __init__(self, api: ProlificApi, known: PlatformFile) -> None:
        self._api, self._known = api, known

    @property
    def webhook_secret(self) -> str:
        """What signs Prolific's messages."""
        return self._known.webhook_secret

    def person(self, submission_id: str) -> PlatformPerson | None:
        """Return who a submission belongs to."""
        submission, _ = self._api.submission(submission_id)
        # Webhooks are sent for all studies of a workspace, and a person may have returned another one.
        if submission.study_id != self._known.study_id:
            return None
        person = PlatformPerson(submission.participant_id, status_of(submission))
        if person.status not in ("returned", "timed_out"):
            return person
        # Somebody who came a second time is not gone because of the first.
        return next((known for known in self.people() if known.recruiter_id == person.recruiter_id), person)

    def people(self) -> list[PlatformPerson]:
        """Return everybody's status; of several submissions of one person, the one that decides."""
        found = self._api.submissions(self._known.study_id)
        people = [PlatformPerson(submission.participant_id, status_of(submission)) for submission in found]
        people.sort(key=lambda person: DECIDING.index(person.status), reverse=True)
        return [*{person.recruiter_id: person for person in people}.values()]

    def pause(self) -> None:
        """Pause the study, if it is published and not over."""
        now = self._api.study(self._known.study_id)
        if now.status not in _SENDS_NOBODY:
            _moved(self._api, now, "PAUSE", "PAUSED")


def platform_for(run_folder: Path, environment: Mapping[str, str]) -> ProlificPlatform | None:
    """Return the platform that a server of a run hears from; None without a draft or a token."""
    known = platform_file(run_folder)
    if known is None or not environment.get(TOKEN):
        return None
    return ProlificPlatform(prolific_api(environment), known)


# Public addresses: where people and platforms reach a server, told before anything is sent.

_AT_HOME = (".local", ".localhost", ".internal", ".lan", ".home.arpa")
"""Names that only one's own network knows."""


def public_address(text: str) -> str:
    """Return an address that platforms can send people to, or raise an error that says what is wrong with it."""
    fault = _fault(text)
    if fault is not None:
        raise UnderstudyError(f"--address is {text!r}; {fault}.")
    return text.strip().rstrip("/")


def _fault(text: str) -> str | None:
    try:
        parts = urlsplit(text.strip())
        host = (parts.hostname or "") if parts.port is None or parts.port else ""
    except ValueError:
        return "give the whole address, such as https://study.example.org"
    if parts.scheme == "http":
        return "platforms and browsers take https:// addresses only"
    if parts.scheme != "https" or not host:
        return "give the whole address, such as https://study.example.org"
    if not _is_public(host):
        return f"nobody outside can reach {host!r}; give the name under which everybody finds the server"
    if _has_more(parts):
        return f"give it without anything after the name, such as https://{parts.netloc.rpartition('@')[2]}"
    return None


def _has_more(parts: SplitResult) -> bool:
    return parts.path not in ("", "/") or bool(parts.query or parts.fragment or "@" in parts.netloc)


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host.strip(".") and not f".{host}".endswith(_AT_HOME) and not any(map(str.isspace, host))
