"""What families of analyses have in common: the scales of outcomes they accept, and what they assume."""

from understudy.schema import Ref, Scale

NUMBERS: frozenset[Scale] = frozenset({"bounded", "continuous", "count", "time"})
RANKED: frozenset[Scale] = NUMBERS | {"ordinal"}
YES_NO: frozenset[Scale] = frozenset({"binary"})
SHARES: frozenset[Scale] = frozenset({"bounded"})
EITHER_WAY = frozenset({"different"})
"""The only direction of tests without one."""
NORMAL_GROUPS = Ref(name="shapiro_wilk", params={"of": "groups"})
NORMAL_RESIDUALS = Ref(name="shapiro_wilk", params={"of": "residuals"})
EQUAL_VARIANCES = Ref(name="levene")
SPHERICITY = Ref(name="mauchly")
