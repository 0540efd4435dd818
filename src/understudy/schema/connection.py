"""What the server sees of a request, for `understudy doctor`: whether a proxy passes on what it must."""

from understudy.schema.record import Record


class ConnectionSeen(Record):
    """How a request reached the server."""

    scheme: str
    """`https` if the proxy says so; cookies are marked Secure then."""
    address: str
    """The client's address, by which limits count."""
    is_forwarded: bool
    """Whether a proxy sent `X-Forwarded-For`."""
    at_ms: int
    """The server's time."""
    time_zone: str = ""
    """What TZ names; empty if it is not set."""
    utc_offset_min: int = 0
    """How far the server's local time is ahead of UTC."""
    has_token: bool = False
    """Whether the header `Authorization` arrived, by which the server knows whose answers it gets."""
    n_bytes: int = 0
    """How many bytes of a body arrived."""
