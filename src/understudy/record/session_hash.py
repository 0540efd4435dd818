"""Marks: how a log recognises a session that it has forgotten."""

import hashlib


def session_hash(session_id: str) -> str:
    """Return the one-way mark of a session; whoever holds the id can recognise it, nobody can read the id out of it."""
    return f"sha256:{hashlib.sha256(session_id.encode()).hexdigest()}"


def tombstone_ids(session_id: str) -> tuple[str, str]:
    """Return the forms in which a tombstone may name a session; early logs kept the id itself."""
    return session_hash(session_id), session_id
