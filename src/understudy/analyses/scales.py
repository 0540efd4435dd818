"""The scales of outcomes that families of analyses accept."""

from understudy.schema import Scale

NUMBERS: frozenset[Scale] = frozenset({"bounded", "continuous", "count", "time"})
RANKED: frozenset[Scale] = NUMBERS | {"ordinal"}
YES_NO: frozenset[Scale] = frozenset({"binary"})
SHARES: frozenset[Scale] = frozenset({"bounded"})
EITHER_WAY = frozenset({"different"})
"""The only direction of tests without one."""
