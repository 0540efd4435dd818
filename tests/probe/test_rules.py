"""The rules, over all 729 outcome patterns, beside a separate reading of the printed table."""

import pytest

from tests.probe.spec_rules import ANALYSES, CAUTIOUS, PATTERNS, TABLE, holds, indicators, lines, realisable, word
from understudy.probe import HYPOTHESES, OPPOSED, judged
from understudy.probe.hypotheses import Judgement, cells_of
from understudy.schema import RuleOptions


def judgements(pattern: str, options: RuleOptions | None = None) -> dict[str, Judgement]:
    outcomes = dict(zip(ANALYSES, pattern, strict=True))
    return judged(outcomes, options or RuleOptions())  # type: ignore[arg-type, return-value]


def states(pattern: str) -> tuple[str, ...]:
    return tuple(judgement.state for judgement in judgements(pattern).values())


def confirmed(pattern: str) -> set[str]:
    return {name for name, judgement in judgements(pattern).items() if judgement.state == "confirmed"}


def patterns_confirming(names: str) -> set[str]:
    return {pattern for pattern in realisable() if confirmed(pattern) == set(names.split())}


def test_every_pattern_gives_the_indicators_of_the_printed_table() -> None:
    found = {
        pattern: {name: judgement.indicator for name, judgement in judgements(pattern).items()} for pattern in PATTERNS
    }
    assert len(found) == 729
    assert found == {pattern: indicators(pattern) for pattern in PATTERNS}


def test_every_state_is_the_sign_of_its_indicator() -> None:
    assert all(
        states(pattern) == tuple(word(indicator) for indicator in indicators(pattern).values()) for pattern in PATTERNS
    )


def test_four_means_can_give_543_patterns() -> None:
    assert len(realisable()) == 543


def test_no_opposed_pair_is_ever_confirmed_together_where_the_pattern_can_happen() -> None:
    both = [(pattern, pair) for pattern in realisable() for pair in OPPOSED if set(pair) <= confirmed(pattern)]
    assert both == []


def test_there_are_94_distinct_vectors_of_verdicts() -> None:
    assert len({states(pattern) for pattern in realisable()}) == 94


def test_h3_is_never_confirmed_and_h4_never_rejected() -> None:
    found = {(judgements(pattern)["H3"].state, judgements(pattern)["H4"].state) for pattern in PATTERNS}
    assert found == {("unproven", "unproven"), ("rejected", "confirmed")}


@pytest.mark.parametrize(
    ("names", "n"),
    [("H1 H3 H6 H7 H9 H12", 0), ("H1 H4 H6 H7 H9 H12", 8), ("H9", 3), ("H1 H4 H5 H7 H9", 8)],
)
def test_the_reported_sets_come_from_so_many_patterns(names: str, n: int) -> None:
    assert len(patterns_confirming(names)) == n


def test_the_rotation_set_forces_what_the_table_says() -> None:
    forced = patterns_confirming("H1 H4 H6 H7 H9 H12")
    assert {(one[0], one[2], one[5]) for one in forced} == {(">", ">", "<")}
    assert {one[1] for one in forced} == {">", "~"}
    assert all("<" in (one[3], one[4]) for one in forced)


def test_the_average_intensity_set_rests_on_a3_alone() -> None:
    assert "~~>~~~" in patterns_confirming("H9")
    assert {(one[0], one[1], one[2], one[5]) for one in patterns_confirming("H9")} == {("~", "~", ">", "~")}


def test_a_caution_stands_exactly_where_the_table_has_one() -> None:
    for pattern in PATTERNS:
        found = judgements(pattern)
        marked = {caution.analysis for each in found.values() for caution in each.cautions}
        assert marked == cautious_analyses(pattern)


def cautious_analyses(pattern: str) -> set[str]:
    after = {step: partial(pattern, step) for step in (3, 4)}
    return {
        line.analysis
        for line in lines()
        if (line.analysis, line.outcome, line.condition) in CAUTIOUS
        and pattern[ANALYSES.index(line.analysis)] == line.outcome
        and holds(line, after[line.step])
    }


def partial(pattern: str, step: int) -> dict[str, int]:
    earlier = "\n".join(row for row in TABLE.strip().splitlines() if int(row.split("|")[1]) < step)
    return indicators(pattern, earlier)


def test_votes_and_mutings_account_for_every_significant_analysis_that_bears() -> None:
    for pattern in PATTERNS:
        for name, judgement in judgements(pattern).items():
            bearing = {
                line.analysis
                for line in lines()
                if name in line.confirms + line.rejects and pattern[ANALYSES.index(line.analysis)] == line.outcome
            }
            spoken = [vote.analysis for vote in judgement.votes] + [muted.analysis for muted in judgement.muted]
            assert sorted(spoken) == sorted(bearing)


def test_a_muted_analysis_says_what_explains_it() -> None:
    [muted] = judgements("~>~~~<")["H1"].muted
    assert muted.reason == "H6 is confirmed and may by itself explain A2 (PP > MP)."


def test_an_unmet_condition_is_said() -> None:
    [muted] = judgements("~~>~~~")["H7"].muted
    assert muted.reason == "A3 (PP > PD) would confirm H7 only with H1 confirmed, and H1 is unproven."


# Options


def changed(**options: object) -> dict[str, dict[str, tuple[int, int]]]:
    """Return what an option changes: pattern -> hypothesis -> printed and changed indicator."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for pattern in PATTERNS:
        before, after = judgements(pattern), judgements(pattern, RuleOptions.model_validate(options))
        moved = {name: (before[name].indicator, after[name].indicator) for name in before}
        moved = {name: both for name, both in moved.items() if both[0] != both[1]}
        if moved:
            found[pattern] = moved
    return found


def test_a1_less_can_be_made_to_vote_on_the_effect_of_the_information() -> None:
    moved = changed(a1_less_votes_h7_h8=True)
    assert set(moved) == {pattern for pattern in PATTERNS if pattern[0] == "<"}
    assert moved["<~~~~~"] == {"H7": (0, -1), "H8": (0, 1)}


def test_a1_less_leaves_the_three_reported_sets_alone_either_way() -> None:
    sets = ("H1 H4 H6 H7 H9 H12", "H9", "H1 H4 H5 H7 H9")
    moved = changed(a1_less_votes_h7_h8=True)
    assert not any(pattern in moved for one in sets for pattern in patterns_confirming(one))


def test_a2_less_can_be_kept_from_voting_on_the_effect_of_the_information() -> None:
    moved = changed(a2_less_votes_h7_h8=False)
    assert set(moved) == {pattern for pattern in PATTERNS if pattern[1] == "<" and pattern[5] != ">"}
    assert moved["~<~~~~"] == {"H7": (-1, 0), "H8": (1, 0)}


def test_harm_can_be_kept_from_confirming_h4() -> None:
    moved = changed(less_confirms_h4=False)
    assert moved["<<~~~~"] == {"H4": (2, 0)}
    assert {name for value in moved.values() for name in value} == {"H4"}


def test_cautions_can_all_be_flags_only() -> None:
    moved = changed(caution="flag")
    assert moved[">~<~~~"] == {"H9": (-1, 0), "H10": (1, 0)}
    flagged = judgements(">~<~~~", RuleOptions(caution="flag"))
    assert {name for name, one in flagged.items() if one.cautions} == {"H9", "H10"}


def test_cautions_can_all_vote() -> None:
    moved = changed(caution="vote")
    assert moved["~>~~~<"]["H1"] == (0, 1)
    assert judgements("~>~~~<", RuleOptions(caution="vote"))["H1"].cautions


# The matrix


def test_cells_say_what_each_analysis_said() -> None:
    cells = cells_of(judged(dict(zip(ANALYSES, ">~>~~<", strict=True))), RuleOptions())  # type: ignore[arg-type]
    row = dict(zip(HYPOTHESES, cells, strict=True))
    assert row["H1"] == ("supports", "unproven", "conditional", None, None, None)
    assert row["H5"] == (None, "conditional", None, None, "conditional", "rejects")
    assert row["H9"] == (None, None, "supports", None, None, None)


def test_the_matrix_is_twelve_by_six() -> None:
    cells = cells_of(judged(dict.fromkeys(ANALYSES, "~")), RuleOptions())  # type: ignore[arg-type]
    assert (len(cells), {len(row) for row in cells}) == (12, {6})
