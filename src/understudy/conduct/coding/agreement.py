"""Agreement: kappa of pairs, Krippendorff's alpha and confusion of annotators, as they go.

Point estimates only, in plain Python, because the server of participants loads no statistics; the report adds intervals
from `analyses`, and tests hold both, and R, to the same numbers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from understudy.measures.codes import UnitCodes
from understudy.schema.annotation import CodingScheme

Labels = Mapping[str, str]
"""Annotator -> what they say about one text."""


class PairTable(NamedTuple):
    """How two annotators labelled the texts that both coded."""

    first: str
    second: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """One row for each label of the first annotator, one column for each of the second."""

    @property
    def n(self) -> int:
        """Texts that both coded."""
        return sum(map(sum, self.counts))

    @property
    def n_same(self) -> int:
        """Texts with the same label."""
        return sum(row[place] for place, row in enumerate(self.counts))

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960); None if there is nothing to compare or only one label is in use."""
        n = self.n
        columns = zip(*self.counts, strict=True)
        chance = sum(sum(row) * sum(column) for row, column in zip(self.counts, columns, strict=True))
        if n == 0 or chance == n * n:
            return None
        by_chance: float = chance / (n * n)
        kappa: float = (self.n_same / n - by_chance) / (1 - by_chance)
        return kappa


class AgreementTable(NamedTuple):
    """Agreement about one thing: the codes, their groups, or whether a text has one code."""

    about: str
    """Empty for the codes themselves, `groups` for their groups, otherwise the code."""
    alpha: float | None
    n_texts: int
    """Texts that at least two people coded."""
    pairs: tuple[PairTable, ...]


def agreement_tables(
    scheme: CodingScheme, codes: Sequence[str], units: Iterable[UnitCodes]
) -> tuple[AgreementTable, ...]:
    """Return the agreement about codes; with groups about these first, with several codes about each of them."""
    given = [{name: event.codes or () for name, event in unit.given.items()} for unit in units]
    if scheme.choose == "several":
        about = [
            (code, [{name: "yes" if code in said else "no" for name, said in unit.items()} for unit in given])
            for code in codes
        ]
        return tuple(_table(code, ("yes", "no"), labels) for code, labels in about)
    single = [{name: said[0] for name, said in unit.items() if said} for unit in given]
    tables = [_table("", tuple(codes), single)]
    if scheme.groups:
        grouped = [{name: scheme.group_of(code) for name, code in unit.items()} for unit in single]
        tables.insert(0, _table("groups", tuple(scheme.groups), grouped))
    return tuple(tables)


def _table(about: str, labels: tuple[str, ...], units: Sequence[Labels]) -> AgreementTable:
    names = sorted({name for unit in units for name in unit})
    pairs = (_pair(first, second, labels, units) for first, second in combinations(names, 2))
    n_texts = sum(len(unit) > 1 for unit in units)
    return AgreementTable(about, nominal_alpha(units), n_texts, tuple(pair for pair in pairs if pair.n))


def _pair(first: str, second: str, labels: tuple[str, ...], units: Sequence[Labels]) -> PairTable:
    both = Counter((unit[first], unit[second]) for unit in units if first in unit and second in unit)
    # Codes that left the code book may still have been given.
    used = (*labels, *sorted({label for pair in both for label in pair} - set(labels)))
    return PairTable(first, second, used, tuple(tuple(both[row, column] for column in used) for row in used))


def nominal_alpha(units: Iterable[Labels]) -> float | None:
    """Return Krippendorff's alpha for labels without an order (Krippendorff 2011); None where it cannot be computed.

    >>> round(nominal_alpha([{"a": "x", "b": "x"}, {"a": "y", "b": "y"}, {"a": "x", "b": "y"}, {"a": "y", "b": "y"}]), 4)
    0.5333
    """
    totals: Counter[str] = Counter()
    disagreements = 0.0
    for unit in units:
        counts = Counter(unit.values())
        m = counts.total()
        if m < 2:
            continue
        totals.update(counts)
        # Each pair of labels of a text counts 1 / (m - 1), so that a text counts as often as it has labels.
        disagreements += (m**2 - sum(count**2 for count in counts.values())) / (m - 1)
    n = totals.total()
    expected = n**2 - sum(count**2 for count in totals.values())
    return 1 - (n - 1) * disagreements / expected if expected else None


def is_disputed(scheme: CodingScheme, unit: UnitCodes) -> bool:
    """Tell whether annotators disagree about a text in a way that needs a decision; codes of one group agree."""
    said = {tuple(sorted(map(scheme.group_of, event.codes or ()))) for event in unit.given.values()}
    return len(said) > 1
