"""Split-plot analysis of variance: one factor between people crossed with one within."""

from typing import ClassVar, Literal

from understudy.analyses.anova_lines import SphericityCorrection, anova_estimate
from understudy.analyses.kernels.mixed_anova import SumsOfSquares
from understudy.analyses.kernels.mixed_anova import mixed_anova as split_plot
from understudy.analyses.results import notes_of, refuse_direction, summaries_of
from understudy.analyses.rows import compared_levels, factor_of, levels_in, rows_of_levels, text, wide
from understudy.analyses.scales import EITHER_WAY, NUMBERS
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "mixed_anova")
class MixedAnova(Record):
    """Tests the group effect, the effect of a within-person factor, or their interaction."""

    estimand: ClassVar[str] = "differences between the means of cells"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", crossed_with="within", directions=EITHER_WAY)
    effect: Literal["between", "within", "interaction"] = "interaction"
    sphericity: SphericityCorrection = "gg"
    sums_of_squares: SumsOfSquares = "III"
    """Matters for the within effect of unequal groups: III weighs groups equally, I and II by their size."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the F test of the chosen effect, with partial and generalized eta squared."""
        refuse_direction(hypothesis.direction, "An F test")
        within = hypothesis.crossed_with
        if within is None:
            raise ValueError(
                "A mixed ANOVA needs a second factor that varies within people; name it in `crossed_with`."
            )
        between = factor_of(hypothesis)
        rows = rows_of_levels(table, between, compared_levels(table, hypothesis))
        levels = levels_in(rows, within)
        cells = wide(rows, within, levels)
        people = groups_by_person(rows, between)
        labels = [people[unit] for unit in cells.units]
        anova = split_plot(cells.values, labels, sums_of_squares=self.sums_of_squares, level=self.confidence)
        line = {"between": anova.between, "within": anova.within, "interaction": anova.interaction}[self.effect]
        estimate = anova_estimate(
            line,
            None if self.effect == "between" else anova.sphericity,
            correction="none" if self.effect == "between" else self.sphericity,
            level=self.confidence,
        )
        groups = _cells(cells.values, labels, levels)
        return estimate.model_copy(
            update={
                "n_sessions": len(cells.units),
                "n_rows": cells.values.size,
                "groups": summaries_of(groups, self.confidence),
                "notes": notes_of(cells.notes, estimate.notes),
            }
        )


def groups_by_person(table: Table, factor: str) -> dict[str, str]:
    """Return each participant's level of a factor that varies between people."""
    people = text(table, "participant")
    pairs = set(zip(people, text(table, factor), strict=True))
    if len(pairs) > people.nunique():
        raise ValueError(
            f"Some participants have rows at several levels of {factor!r}, which must vary between people."
        )
    return dict(pairs)


def _cells(values: Floats, labels: list[str], levels: tuple[str, ...]) -> dict[str, Floats]:
    return {
        f"{label}, {level}": values[[row_label == label for row_label in labels], column]
        for label in sorted(set(labels))
        for column, level in enumerate(levels)
    }
