"""The page about false positives and coverage: its tables, and a sentence for each row outside of the limits."""

from typing import Any

from error_rates import aligned_ranks, bootstrap, mixed, signal_detection

HEADING = "# False positives and coverage of mixed models and other analyses"
MIXED = """Simulated studies in which people and items truly differ in the effect: 60 people, 20 items, one answer each. People:
SD 1 for intercepts, 0.7 for slopes, correlation 0.3. Items: SD 0.7 for intercepts, 0.5 for slopes, correlation 0.2.
Linear answers have noise of SD 1.5; yes/no answers and ratings of five have logistic noise.
The factor varies within people and items, between people, or between items; a slope exists wherever it varies within.

False positives: the share of studies without an effect in which p < .05 (two-sided). Coverage: the share of 95 % intervals
that hold the true effect, 0.5 (linear) or 0.6 in log-odds; for intercepts alone, that hold 0. Simplified: the share of
studies in which the maximal structure could not be estimated and was reduced by the stated rule. `maximal` is the
plan of the ready studies; ML is what R's `glmer` and `clmm` give: maximum likelihood with z tests."""
OTHERS = """## Other analyses

- **d'** (`signal_detection`): 60 people whose d' has a mean of 1.5 and SD 0.5, whose criterion has SD 0.4, and whose
  change between levels within people has SD 0.3; the true difference for coverage is 0.4.
- **Aligned ranks** (`aligned_rank_anova`): 60 people, two factors with two levels. Where a main effect is tested, the other
  factor changes values by one SD of their noise; where the interaction is tested, both do. Ratings come from a normal
  value with four thresholds; near the top, that value is one SD higher and the other effects are two SDs. It has no
  interval of its effect.
- **Bootstraps** (`participant_bootstrap`, `two_way_bootstrap`): 10,000 resamples of normal differences with SD 1; the true
  difference for coverage is 0.5. Where items differ, 60 people answer each of 20 items at both levels, with the SDs of the
  mixed models above; the effect of interest is that over all items, not over these 20."""
SEEDS = (
    mixed.SEEDS
    | {"d'": signal_detection.SEED, "aligned ranks": aligned_ranks.SEED}
    | {"participant bootstrap": bootstrap.SEED, "two-way bootstrap": bootstrap.SEED}
)
NO_SLOPES = (
    "Findings of such plans, and `understudy check`, say that the factor varies within people or items without slopes, that "
    'p-values are then too small, and to use random = "maximal".'
)
MAXIMUM_LIKELIHOOD = (
    'Findings of models with method = "ML" say that variances over few people or items are estimated as too small; the '
    "default, REML, keeps the alpha."
)
FEW_PEOPLE = (
    "Findings from fewer than about 50 people say how often resampling them rejects a true null hypothesis, and that a "
    "t-test or a mixed model keeps the alpha."
)
FIXED_ITEMS = (
    "Findings say that the result applies to these items only, with the interval and p-value over people and items next to it "
    "where those differ."
)
TWO_WAY = "Conservative by design (Owen 2007): it counts the noise of single answers twice; findings say so."
CORRECTED = "Findings say what share of rates was 0 or 1 and was corrected, which moves d' towards 0."
FEW_VALUES = (
    "Findings say that aligned ranks of few distinct values (ratings) can find effects that another factor has, and to use "
    "`ordinal_mixed`."
)
CHANCE = "With this many studies, chance alone moves the share by {margin:.1f} points."


def page(rows: list[dict[str, Any]]) -> str:
    """Return the page: what was simulated, two tables, and a sentence for each row outside of the limits."""
    of_mixed = [row for row in rows if row["analysis"] in mixed.MODELS]
    of_others = [row for row in rows if row["analysis"] not in mixed.MODELS]
    seeds = ", ".join(f"{name} {seed:,}" for name, seed in SEEDS.items())
    parts = [HEADING, f"{MIXED}\nFirst seeds: {seeds}. `docs/mixed_coverage.py` makes every number again."]
    parts += [_table(of_mixed, "model | factor | random effects", has_steps=True), OTHERS]
    parts += [_table(of_others, "analysis | factor | data", has_steps=False)]
    outside = [f"- {_name(row)}: {_shares(row)}. {warning(row)}" for row in rows if _is_outside(row)]
    parts += ["## Outside .035 to .065, or 93.5 to 96.5 %", "\n".join(outside) or "None."]
    return "\n\n".join(parts) + "\n"


def warning(row: dict[str, Any]) -> str:
    """Return why a row is outside of the limits, and what its users are told."""
    analysis, data = row["analysis"], row["data"]
    if analysis in mixed.MODELS:
        known = NO_SLOPES if data.startswith("intercepts") else MAXIMUM_LIKELIHOOD if data.endswith("ML") else ""
    elif analysis == "participant bootstrap":
        known = FIXED_ITEMS if data == "items differ" else FEW_PEOPLE
    else:
        known = {"two-way bootstrap": TWO_WAY, "d'": CORRECTED}.get(analysis, FEW_VALUES if "ratings" in data else "")
    return known or CHANCE.format(margin=100 * 1.96 * (0.05 * 0.95 / row["n"]) ** 0.5)


def _table(rows: list[dict[str, Any]], names: str, *, has_steps: bool) -> str:
    heads = f"| {names} | studies | false positives | coverage |" + (" simplified |" if has_steps else "")
    lines = [heads, "|---" * (heads.count("|") - 1) + "|"]
    for row in rows:
        shown = f"{row['analysis']} | {row['study']} | {row['data']} | {row['n']:,} | {row['false_positives']:.3f}"
        covered = "none" if row["coverage"] is None else f"{100 * row['coverage']:.1f} %"
        lines.append(f"| {shown} | {covered} |" + (f" {100 * row['simplified']:.0f} % |" if has_steps else ""))
    return "\n".join(lines)


def _is_outside(row: dict[str, Any]) -> bool:
    covered = row["coverage"]
    return not (0.035 <= row["false_positives"] <= 0.065 and (covered is None or 0.935 <= covered <= 0.965))


def _name(row: dict[str, Any]) -> str:
    return f"{row['analysis']}, {row['study']}, {row['data']}"


def _shares(row: dict[str, Any]) -> str:
    covered = "" if row["coverage"] is None else f" and {100 * row['coverage']:.1f} %"
    return f"{row['false_positives']:.3f}{covered}"
