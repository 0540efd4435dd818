"""Researchers: named people with a password and a role; passwords are kept as Argon2 hashes only."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from understudy.errors import UnderstudyError
from understudy.schema.wire import Permission, Role
from understudy.serve.desk_file import DeskFile

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

_SET_ROLE = "UPDATE researchers SET role = ? WHERE name = ?"
_SET_HASH = "UPDATE researchers SET password_hash = ? WHERE name = ?"


class Actor(NamedTuple):
    """Who is at the desk."""

    name: str
    role: Role

    def may(self, permission: Permission) -> bool:
        """Tell whether the role allows something."""
        return permission in PERMISSIONS[self.role]


class Researchers:
    """The accounts in a desk file."""

    def __init__(self, file: DeskFile) -> None:
        self._file = file
        self._hasher = PasswordHasher()
        self._nobody = ""

    def all(self) -> tuple[Actor, ...]:
        """Return everybody with an account, in the order of names."""
        with self._file.opened() as database:
            rows = database.execute("SELECT name, role FROM researchers ORDER BY name").fetchall()
        return tuple(Actor(name, role) for name, role in rows)

    def find(self, name: str) -> Actor | None:
        """Return the researcher of a name; None when there is none."""
        return next((actor for actor in self.all() if actor.name == name), None)

    def add(self, name: str, role: str, password: str) -> None:
        """Make an account; the first one has to be an owner's, so that somebody can read the audit log."""
        _check_name(name)
        _check_role(role)
        _check_password(password, name)
        if self.find(name) is not None:
            raise UnderstudyError(f"There is a researcher {name!r} already; change the role or password instead.")
        if role != "owner" and not any(actor.role == "owner" for actor in self.all()):
            raise UnderstudyError("The first researcher has to be an owner; add --role owner.")
        with self._file.opened() as database:
            database.execute("INSERT INTO researchers VALUES (?, ?, ?)", (name, role, self._hasher.hash(password)))

    def set_role(self, name: str, role: str) -> None:
        """Give somebody another role; it counts from their next click."""
        _check_role(role)
        self._require(name)
        if role != "owner":
            self._require_other_owner(name)
        self._change(_SET_ROLE, role, name)

    def set_password(self, name: str, password: str) -> None:
        """Replace a password, and sign the researcher out everywhere."""
        self._require(name)
        _check_password(password, name)
        self._change(_SET_HASH, self._hasher.hash(password), name)
        self._sign_out(name)

    def remove(self, name: str) -> None:
        """Delete an account and sign the researcher out everywhere; what they did stays in the logs."""
        self._require(name)
        self._require_other_owner(name)
        with self._file.opened() as database:
            database.execute("DELETE FROM researchers WHERE name = ?", (name,))
        self._sign_out(name)

    def verified(self, name: str, password: str) -> Actor | None:
        """Return the researcher if the password is right; it takes equally long for names that do not exist."""
        with self._file.opened() as database:
            row = database.execute("SELECT role, password_hash FROM researchers WHERE name = ?", (name,)).fetchone()
        self._nobody = self._nobody or self._hasher.hash("the password of nobody")
        try:
            self._hasher.verify(row[1] if row else self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return Actor(name, row[0]) if row else None

    def _require(self, name: str) -> None:
        if self.find(name) is None:
            known = ", ".join(actor.name for actor in self.all()) or "nobody yet"
            raise UnderstudyError(f"There is no researcher {name!r}. Known are: {known}.")

    def _require_other_owner(self, name: str) -> None:
        others = [actor for actor in self.all() if actor.name != name]
        if others and not any(actor.role == "owner" for actor in others):
            raise UnderstudyError(f"{name!r} is the only owner; make somebody else an owner first.")

    def _change(self, statement: str, value: str, name: str) -> None:
        with self._file.opened() as database:
            database.execute(statement, (value, name))

    def _sign_out(self, name: str) -> None:
        with self._file.opened() as database:
            database.execute("DELETE FROM sign_ins WHERE name = ?", (name,))


def _check_name(name: str) -> None:
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
