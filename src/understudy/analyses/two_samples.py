"""Two samples: the values of two levels, of the same people in pairs or of different people."""

from dataclasses import dataclass

from understudy.analyses.results import columns_by_name, summaries_of
from understudy.analyses.rows import groups_of, level_pair, varies_within
from understudy.roles import Floats, Table
from understudy.schema import GroupSummary, Hypothesis


@dataclass(frozen=True)
class TwoSamples:
    """The values of both levels; pairs have them in the same order of people."""

    levels: tuple[str, str]
    first: Floats
    second: Floats
    is_paired: bool
    notes: tuple[str, ...] = ()

    @property
    def n_people(self) -> int:
        """Count the people."""
        return self.first.size if self.is_paired else self.first.size + self.second.size

    @property
    def n_rows(self) -> int:
        """Count the values."""
        return self.first.size + self.second.size

    def summaries(self, level: float) -> tuple[GroupSummary, ...]:
        """Describe both levels."""
        return summaries_of({self.levels[0]: self.first, self.levels[1]: self.second}, level)


def two_samples(table: Table, hypothesis: Hypothesis, *, least: int = 1) -> TwoSamples:
    """Return pairs where the factor varies within people, and two groups of at least `least` people elsewhere."""
    pair = level_pair(table, hypothesis)
    if varies_within(pair.rows, pair.factor):
        pairs = pair.wide()
        columns = columns_by_name(pair.levels, pairs.values)
        return TwoSamples(
            pair.levels, columns[pair.levels[0]], columns[pair.levels[1]], is_paired=True, notes=pairs.notes
        )
    groups = groups_of(table, hypothesis, least=least)
    return TwoSamples(pair.levels, groups[pair.levels[0]], groups[pair.levels[1]], is_paired=False)
