"""Hashes of session ids, by which the log recognises a session it has erased."""

import hashlib


def session_hash(session_id: str) -> str:
    """Return the one-way hash of a session id; the id can be checked against it but not read from it."""
    return f"sha256:{hashlib.sha256(session_id.encode()).hexdigest()}"


def tombstone_ids(session_id: str) -> tuple[str, str]:
    """Return every id under which a tombstone may store a session; early logs stored the session id itself."""
    return session_hash(session_id), session_id
