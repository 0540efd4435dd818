"""Access: tokens, limits of requests, admission, and the way back to a recruiter."""

import asyncio
import base64
import hmac
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from understudy.registry import create, offers
from understudy.roles import SendsBack
from understudy.schema import Study
from understudy.schema.study import Access, SentBack
from understudy.serve.wire import WireNames

_LONGEST_NUMBER = 9


def new_session_id() -> str:
    """Return 16 random bytes that nobody can guess, safe in an address."""
    return secrets.token_urlsafe(16)


def new_participant_id() -> str:
    """Return a pseudonym for somebody without a recruiter's id."""
    return f"p-{secrets.token_hex(12)}"


class Pass(NamedTuple):
    """What a token opens: a session, whole or from some event on."""

    session_id: str
    since: int | None = None
    """The number of the first page event that the holder may know of, for people who went on with an id alone; None for the
    browser that began, and for people who proved that the session is theirs."""


class Keyring:
    """Signs and verifies. Pseudonyms, codes and links use different keys, so none can be used as another."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._of_people = _signed(secret, "people")
        self._of_codes = _signed(secret, "codes")
        self._of_names = _signed(secret, "names")
        self._of_links = _signed(secret, "links")
        self._of_departed = _signed(secret, "departed")
        self._of_guests = _signed(secret, "guests")
        self._of_knocks = _signed(secret, "knocks")

    def token_of(self, session_id: str) -> str:
        """Return the token that opens a session."""
        mac = base64.urlsafe_b64encode(_signed(self._secret, session_id)).rstrip(b"=").decode()
        return f"{session_id}.{mac}"

    def session_of(self, token: str) -> str | None:
        """Return the session a token opens, None for a forged one."""
        # Compared as a whole and in constant time, so that a forged token cannot be corrected byte by byte.
        session_id, dot, _ = token.partition(".")
        is_ours = hmac.compare_digest(self.token_of(session_id).encode(), token.encode("utf-8", "replace"))
        return session_id if dot and is_ours else None

    def guest_token(self, session_id: str, since: int) -> str:
        """Return the token of somebody who continues with a session and has nothing but an id."""
        mac = base64.urlsafe_b64encode(_signed(self._of_guests, f"{since} {session_id}")).rstrip(b"=").decode()
        return f"{session_id}.{since}.{mac}"

    def pass_of(self, token: str) -> Pass | None:
        """Return what a token opens, None for a forged one."""
        session_id, _, rest = token.partition(".")
        since, dot, _ = rest.partition(".")
        if dot and len(since) <= _LONGEST_NUMBER and since.isascii() and since.isdecimal():
            is_ours = is_same_text(token, self.guest_token(session_id, int(since)))
            return Pass(session_id, int(since)) if is_ours else None
        whole = self.session_of(token)
        return None if whole is None else Pass(whole)

    def finisher_mark(self, token: str) -> str:
        """Return what is kept of somebody who finished a session that they went on with by an id alone."""
        return _signed(self._of_guests, f"finished {token}").hex()

    def session_for(self, study_name: str, participant_id: str, knock: str) -> str:
        """Return the session id of somebody whose page chose a secret: if the answer gets lost, it can ask again."""
        mac = _signed(self._of_knocks, f"{study_name}\n{participant_id}\n{knock}")
        return base64.urlsafe_b64encode(mac[:16]).rstrip(b"=").decode()

    @property
    def fingerprint(self) -> str:
        """What all processes with the same secret have in common, and which does not tell the secret."""
        return _signed(self._secret, "fingerprint").hex()

    def participant_id(self, recruiter_id: str) -> str:
        """Return the pseudonym of a recruiter's participant, always the same."""
        return f"p-{_signed(self._of_people, recruiter_id).hex()[:24]}"

    def departure_mark(self, study_name: str, participant_id: str) -> str:
        """Return what remains of somebody who erased their data, to recognise them if they come again."""
        return _signed(self._of_departed, f"{study_name}\n{participant_id}").hex()

    def completion_code(self, session_id: str, outcome: str) -> str:
        """Return the eight characters that prove how a session ended."""
        return base64.b32encode(_signed(self._of_codes, f"{session_id} {outcome}"))[:8].decode()

    def outcome_code(self, study_name: str, outcome: str) -> str:
        """Return the code that everybody shows who ends a study in one way, for recruiters with fixed codes."""
        return base64.b32encode(_signed(self._of_codes, f"{study_name}\n{outcome}"))[:8].decode()

    def link_signature(self, study_name: str, recruiter_id: str) -> str:
        """Return what proves that a link with this id was made for this study."""
        return _signed(self._of_links, f"{study_name}\n{recruiter_id}").hex()[:32]

    def is_link(self, study_name: str, recruiter_id: str, signature: str) -> bool:
        """Tell whether a link was made here."""
        return is_same_text(signature, self.link_signature(study_name, recruiter_id))

    def wire_names(self, session_id: str, blocks: Collection[str]) -> WireNames:
        """Return what blocks and trials are called on the page of one session."""
        return WireNames(self._of_names, session_id, blocks)


def is_same_text(guess: str, wanted: str) -> bool:
    """Compare two secrets in a time that tells nothing about where they differ."""
    return hmac.compare_digest(guess.encode("utf-8", "replace"), wanted.encode())


def _signed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode("utf-8", "replace"), "sha256")


# Limits: how many requests and how many wrong guesses are allowed.

_N_KEPT = 20_000
"""Keys remembered; the longest unused goes first."""
N_GUESSES, N_GUESSES_FOR_NAME = 5, 20
"""Wrong guesses from one address, and for one researcher's name from all addresses together."""
CLOSED_S = 60.0
"""How long nobody is admitted after that."""


class _Bucket(NamedTuple):
    tokens: float
    at_s: float


class RateLimit:
    """Allows each key a number of requests per second, with bursts (a token bucket)."""

    def __init__(self, rate: float, burst: float, seconds: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._seconds = seconds
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Count one request of a key and tell whether it may pass."""
        now = self._seconds()
        # Removed and put back at the end, so that the dictionary is in the order of last use.
        bucket = self._buckets.pop(key, _Bucket(self._burst, now))
        tokens = min(self._burst, bucket.tokens + max(0.0, now - bucket.at_s) * self._rate)
        may_pass = tokens >= 1.0
        self._buckets[key] = _Bucket(tokens - 1.0 if may_pass else tokens, now)
        if len(self._buckets) > _N_KEPT:
            self._buckets.popitem(last=False)
        return may_pass


def hourly_limit(per_hour: float | None, seconds: Callable[[], float]) -> RateLimit | None:
    """Return a limit for all who come together; five minutes' worth may come at once, as a class or a batch of links."""
    return None if per_hour is None else RateLimit(per_hour / 3600, max(1.0, per_hour / 12), seconds)


class LockOut:
    """Locks out an address for a while after too many wrong guesses.

    A guess is counted before it is judged, and forgotten if it was right. Counted afterwards, any number of guesses sent at
    one moment would all be judged.
    """

    def __init__(self, seconds: Callable[[], float], *, n_guesses: int = N_GUESSES, closed_s: float = CLOSED_S) -> None:
        self._seconds = seconds
        self._n_guesses = n_guesses
        self._closed_s = closed_s
        self._guesses: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def is_closed(self, address: str) -> bool:
        """Tell whether an address must wait."""
        n_guesses, until_s = self._guesses.get(address, (0, 0.0))
        if n_guesses < self._n_guesses:
            return False
        if self._seconds() < until_s:
            return True
        del self._guesses[address]
        return False

    def admits(self, address: str) -> bool:
        """Count a guess that is about to be judged; false if the address must wait instead."""
        if self.is_closed(address):
            return False
        n_guesses, _ = self._guesses.pop(address, (0, 0.0))
        self._guesses[address] = (n_guesses + 1, self._seconds() + self._closed_s)
        if len(self._guesses) > _N_KEPT:
            self._guesses.popitem(last=False)
        return True

    def forget(self, address: str) -> None:
        """Forget the guesses of an address, since the last one was right."""
        self._guesses.pop(address, None)


class PasswordQueue:
    """Checks few passwords at once and lets few wait: Argon2 takes 64 MiB each time."""

    def __init__(self, *, n_at_once: int = 2, n_in_line: int = 8) -> None:
        self._n_in_line = n_in_line
        self._n_here = 0
        self._checking = asyncio.Semaphore(n_at_once)

    @property
    def is_full(self) -> bool:
        """Tell whether nobody else may wait."""
        return self._n_here >= self._n_in_line

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait in line, and check during the block."""
        self._n_here += 1
        try:
            async with self._checking:
                yield
        finally:
            self._n_here -= 1


# Admission: whether a link may start a session of a study, and whether it proves whose id it has.

SIGNATURE = "signature"
"""The parameter of a link that proves its id."""


class Admission:
    """Judges links by the study's access rules."""

    def __init__(self, access: Access, keyring: Keyring, *, study_name: str, listed: Path) -> None:
        self._access = access
        self._keyring = keyring
        self._study_name = study_name
        self._listed = listed

    def allows(self, fields: Mapping[str, str], recruiter_id: str | None) -> bool:
        """Tell whether a link is genuine as far as the study asks."""
        if recruiter_id is None:
            return not self._access.needs_id
        if self._access.links == "signed":
            return self._keyring.is_link(self._study_name, recruiter_id, fields.get(SIGNATURE, ""))
        return self._access.links != "listed" or recruiter_id in allowed_ids(self._listed)

    def proves(self, fields: Mapping[str, str], recruiter_id: str | None) -> bool:
        """Tell whether a link proves that its id was given to the person who uses it; an id alone proves nothing."""
        signature = fields.get(SIGNATURE, "")
        return bool(recruiter_id and signature and self._keyring.is_link(self._study_name, recruiter_id, signature))


def allowed_ids(path: Path) -> frozenset[str]:
    """Read a list of ids, one on each line; it is read anew for each arrival, so that it can grow."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return frozenset()
    return frozenset(line.strip() for line in lines if line.strip())


# Ways back: the code that people show at the end, and the address by which they return to their recruiter.

_WITHOUT_CODE = frozenset({"declined", "abandoned", "full"})
"""Endings that are not paid, so that a person's own code would prove nothing; a recruiter's fixed codes exist for all."""


class WaysBack:
    """The codes and addresses of one study."""

    def __init__(
        self,
        study: Study,
        keyring: Keyring,
        completion_url: str | None = None,
        fields_of: Callable[[str], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self._study_name, self._keyring, self._completion_url = study.name, keyring, completion_url
        self._fields_of = fields_of
        named = study.recruitment.recruiter if study.recruitment is not None else None
        self._recruiter: SendsBack | None = None
        if named is not None and offers("recruiters", named.name, SendsBack):
            self._recruiter = create("recruiters", named)

    @property
    def has_fixed_codes(self) -> bool:
        """Whether each ending has one code, the same for everybody."""
        return self._recruiter is not None and self._recruiter.has_fixed_codes

    def code(self, session_id: str, ending: SentBack | None) -> str | None:
        """Return the code that somebody shows to be paid; None while the session continues, or where there is none."""
        if ending is None:
            return None
        if self.has_fixed_codes:
            return self._keyring.outcome_code(self._study_name, ending)
        return None if ending in _WITHOUT_CODE else self._keyring.completion_code(session_id, ending)

    def address(self, participant_id: str, ending: SentBack, code: str | None) -> str | None:
        """Return where a participant goes at the end; None where there is nowhere to go."""
        return self._address(ending, code, lambda: self._fields_of(participant_id))

    def address_without_session(self, fields: Mapping[str, str]) -> str | None:
        """Return where somebody goes who was not let in."""
        return self._address("full", self.code("", "full"), lambda: fields)

    def _address(self, ending: SentBack, code: str | None, fields: Callable[[], Mapping[str, str]]) -> str | None:
        if self._completion_url is not None:
            if code is None:
                return None
            return self._completion_url.replace("{code}", quote(code)).replace("{outcome}", quote(ending))
        return None if self._recruiter is None else self._recruiter.way_back(ending, code or "", fields())
