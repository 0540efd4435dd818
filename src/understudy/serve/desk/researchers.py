"""Researchers: names, passwords and roles, and what guards sign-ins against guessing."""

import hashlib
import re
import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from understudy.errors import UnderstudyError
from understudy.record import Account, Desk, DeskRows
from understudy.schema.wire import Permission, Role
from understudy.serve.access import CLOSED_S, N_GUESSES, N_GUESSES_FOR_NAME

ROLES: tuple[Role, ...] = ("owner", "researcher", "annotator", "viewer")
_WORK: tuple[Permission, ...] = ("look", "label", "exclude", "recruit", "export", "code", "settle")
PERMISSIONS: Mapping[Role, tuple[Permission, ...]] = MappingProxyType({
    "owner": (*_WORK, "audit"),
    "researcher": _WORK,
    # Annotators stay blind: they see texts, and nothing else of a study.
    "annotator": ("code",),
    "viewer": ("look",),
})  # fmt: skip
UNNAMED = "admin token"
"""What the audit log calls somebody who came with the token."""
_NAME = re.compile(r"[a-z][a-z0-9._-]{1,39}")
_RESERVED = frozenset({"rule", "researcher"})
"""What events say in place of a name."""
_SHORTEST, _LONGEST, _FEWEST_CHARACTERS = 12, 200, 6


class Actor(NamedTuple):
    """Who is at the desk."""

    name: str
    role: Role

    def may(self, permission: Permission) -> bool:
        """Tell whether the role allows something."""
        return permission in PERMISSIONS[self.role]


class Researchers:
    """The accounts at a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._hasher = PasswordHasher()
        self._nobody = ""

    def all(self) -> tuple[Actor, ...]:
        """Return everybody with an account, in the order of names."""
        with self._desk.reading() as rows:
            return tuple(actor_in(account) for account in rows.accounts().values())

    def find(self, name: str) -> Actor | None:
        """Return the researcher of a name; None when there is none."""
        return next((actor for actor in self.all() if actor.name == name), None)

    def require_new(self, name: str, role: str) -> None:
        """Refuse an account that cannot be made, before anybody is asked for a password."""
        check_name(name)
        _check_role(role)
        with self._desk.reading() as rows:
            _require_addable(rows.accounts(), name, role)

    def add(self, name: str, role: str, password: str) -> None:
        """Make an account; the first one has to be an owner's, so that somebody can read the audit log."""
        self.require_new(name, role)
        _check_password(password, name)
        hashed = self._hasher.hash(password)
        with self._desk.writing() as rows:
            _require_addable(rows.accounts(), name, role)
            rows.add(Account(name, role, hashed))

    def set_role(self, name: str, role: str) -> None:
        """Give somebody another role; it counts from their next click."""
        _check_role(role)
        with self._desk.writing() as rows:
            account = _required(rows, name)
            if role != "owner":
                _require_other_owner(rows, name)
            rows.change(account._replace(role=role))

    def set_password(self, name: str, password: str) -> None:
        """Replace a password, and sign the researcher out everywhere."""
        with self._desk.reading() as rows:
            _required(rows, name)
        _check_password(password, name)
        hashed = self._hasher.hash(password)
        with self._desk.writing() as rows:
            rows.change(_required(rows, name)._replace(password_hash=hashed))
            rows.forget_passes_of(name)

    def remove(self, name: str) -> None:
        """Delete an account and sign the researcher out everywhere; what they did stays in the logs."""
        with self._desk.writing() as rows:
            _required(rows, name)
            _require_other_owner(rows, name)
            rows.remove(name)
            rows.forget_passes_of(name)

    def verified(self, name: str, password: str) -> Actor | None:
        """Return the researcher if the password is right; it takes equally long for names that do not exist."""
        with self._desk.reading() as rows:
            account = rows.accounts().get(name)
        self._nobody = self._nobody or self._hasher.hash("the password of nobody")
        try:
            self._hasher.verify(account.password_hash if account else self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return actor_in(account) if account else None


def actor_in(account: Account) -> Actor:
    """Return who an account is of; a role that this version does not know may only look."""
    known: dict[str, Role] = {role: role for role in ROLES}
    return Actor(account.name, known.get(account.role, "viewer"))


def _require_addable(known: Mapping[str, Account], name: str, role: str) -> None:
    if name in known:
        raise UnderstudyError(f"There is a researcher {name!r} already; change the role or password instead.")
    if role != "owner" and not _owners(known):
        raise UnderstudyError(
            "The first researcher has to be an owner: add yourself first, with --role owner, and then everybody else."
        )


def _owners(accounts: Mapping[str, Account]) -> set[str]:
    return {account.name for account in accounts.values() if account.role == "owner"}


def _required(rows: DeskRows, name: str) -> Account:
    accounts = rows.accounts()
    if name not in accounts:
        known = ", ".join(accounts) or "nobody yet"
        raise UnderstudyError(f"There is no researcher {name!r}. Known: {known}.")
    return accounts[name]


def _require_other_owner(rows: DeskRows, name: str) -> None:
    others = {other: account for other, account in rows.accounts().items() if other != name}
    if others and not _owners(others):
        raise UnderstudyError(f"{name!r} is the only owner; make somebody else an owner first.")


def check_name(name: str) -> None:
    """Refuse what cannot be anybody's name."""
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise UnderstudyError(
            f"{name!r} cannot be a researcher's name; use 2 to 40 small letters, digits, dots and hyphens, starting with "
            "a letter, and none of: " + ", ".join(sorted(_RESERVED)) + "."
        )


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise UnderstudyError(f"{role!r} is not a role. Choose from: {', '.join(ROLES)}.")


def _check_password(password: str, name: str) -> None:
    is_long = _SHORTEST <= len(password) <= _LONGEST
    if not is_long or len(set(password)) < _FEWEST_CHARACTERS or name in password.lower():
        raise UnderstudyError(
            f"The password is too easy to guess: it needs {_SHORTEST} to {_LONGEST} characters, {_FEWEST_CHARACTERS} of them "
            "different, and must not contain the name. Four random words make a good one."
        )


# Sign-ins: how many guesses are judged, and a random pass for each, known to the server only by its hash.

PASS_MS = 12 * 3600 * 1000


class SignIns:
    """Who is signed in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def enter(self, name: str, now_ms: int) -> str:
        """Return a new pass for half a day."""
        token = secrets.token_urlsafe(32)
        with self._desk.writing() as rows:
            rows.forget_passes_until(now_ms)
            rows.enter_pass(_hash(token), name, now_ms + PASS_MS)
        return token

    def admits(self, address: str, name: str, now_ms: int) -> bool:
        """Count a guess before it is judged, in all processes with the same accounts; false if too many were wrong."""
        by_address, for_name = _sources(address, name)
        most_from = {by_address: N_GUESSES, for_name: N_GUESSES_FOR_NAME}
        with self._desk.writing() as rows:
            return rows.admits_guess(most_from, now_ms, now_ms + int(CLOSED_S * 1000))

    def forget_guesses(self, address: str, name: str) -> None:
        """Forget the guesses of somebody who knew the password."""
        with self._desk.writing() as rows:
            rows.forget_guesses(_sources(address, name))

    def actor_of(self, token: str, now_ms: int) -> Actor | None:
        """Return who holds a pass; the role is looked up each time, so that a change counts at once."""
        with self._desk.reading() as rows:
            name = rows.holder_of(_hash(token), now_ms)
            accounts = rows.accounts() if name is not None else {}
        if name == UNNAMED:
            # A pass made with the token ends when there are names: from then on, acts must have a real author.
            return None if accounts else Actor(UNNAMED, "owner")
        return actor_in(accounts[name]) if name in accounts else None

    def leave(self, token: str) -> None:
        """Forget a pass, wherever copies of its cookie are."""
        with self._desk.writing() as rows:
            rows.forget_pass(_hash(token))


def _sources(address: str, name: str) -> tuple[str, str]:
    # Hashed: nobody's address or mistyped password is stored. Rows are deleted a minute after the last guess.
    return _hash(f"address {address}"), _hash(f"name {name}")


def _hash(token: str) -> str:
    # Fast hashing is enough: a pass has 256 random bits, so that nobody can guess it.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
