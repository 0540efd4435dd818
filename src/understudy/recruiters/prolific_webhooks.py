"""Prolific's webhooks: whether a message is genuine and fresh, and which submission it is about."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping

from understudy.errors import RecruiterError

SIGNATURE = "x-prolific-request-signature"
TIMESTAMP = "x-prolific-request-timestamp"
EVENT_ID = "x-event-id"
OLDEST_S = 15 * 60
"""How far the platform's clock and ours may differ, delivery included; a recorded message cannot be sent again later."""


def signature_of(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a message: base64 of the HMAC-SHA256 over timestamp and raw body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def require_genuine(secret: str, headers: Mapping[str, str], body: bytes, now_s: float) -> None:
    """Raise RecruiterError for a message that Prolific did not sign, or signed too long ago."""
    timestamp, given = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not hmac.compare_digest(given.encode(), signature_of(secret, timestamp, body).encode()):
        raise RecruiterError("The message is not signed with the webhook secret of this server.")
    if not timestamp.isdigit() or abs(now_s - int(timestamp)) > OLDEST_S:
        raise RecruiterError("The message is signed for another time; check the clock of this server.")


def submission_in(body: bytes) -> str | None:
    """Return the submission that a message is about; None for messages about something else."""
    try:
        told = json.loads(body)
    except ValueError:
        raise RecruiterError("The message is not JSON.") from None
    if not isinstance(told, dict) or not str(told.get("event_type", "")).startswith("submission."):
        return None
    return str(told["resource_id"]) if told.get("resource_id") else None
