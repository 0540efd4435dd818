"""Admission: whether a link may start a session of a study, and whether it proves whose id it has."""

from collections.abc import Mapping
from pathlib import Path

from understudy.schema.access import Access
from understudy.serve.tokens import Keyring

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
