"""Studies that run and could still not answer their question, each with the sentence that says so."""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.small_studies import consent, debrief, helped_flow, numbered_items, two_group_plain

Plain = dict[str, Any]
DEMAND = {"kind": "rating", "question_id": "demand", "prompt": "How hard was it?", "points": 7}


class Unanswerable(NamedTuple):
    """What is changed in a sound study, and the beginning of the sentence that tells."""

    label: str
    change: Callable[[Plain], None]
    says: str


def sound_plain() -> Plain:
    """Two groups, one of which reads instructions before both predict the same items."""
    return copy.deepcopy(two_group_plain(flow=helped_flow()))


def changed(case: Unanswerable) -> Plain:
    """The sound study with one thing wrong."""
    plain = sound_plain()
    case.change(plain)
    return plain


def hypothesis(plain: Plain, **fields: Any) -> Plain:
    """Add a hypothesis like the first, changed in these fields."""
    added = {**plain["plan"]["hypotheses"][0], **fields}
    plain["plan"]["hypotheses"].append(added)
    return added


def first(plain: Plain, **fields: Any) -> None:
    plain["plan"]["hypotheses"][0].update(fields)


def within(plain: Plain, *levels: str, **more: Any) -> None:
    """Turn the factor into one within people, whose levels follow each other in a loop."""
    plain["factors"] = [{"name": "explanation", "scope": "within", "levels": list(levels), **more}]
    plain["flow"] = [
        consent(),
        {"kind": "loop", "block_id": "turns", "over": "explanation", "blocks": [plain["flow"][1], plain["flow"][2]]},
        debrief(),
    ]
    plain["plan"]["outcomes"] = [{"name": "accuracy", "measure": "correct", "by": ["explanation"]}]
    first(plain, analysis="paired_t")


def bound_to_data(plain: Plain, shown: range, hidden: range) -> None:
    """Give each arm its own list of items, by number."""
    every = numbered_items(40, answer=["yes", "no"])["params"]["items"]
    plain["item_sets"] = [{"name": "cases", "n_items": 8}]
    plain["bindings"] = [
        {
            "when": {"explanation": level},
            "dataset": {"name": "listed", "params": {"items": [copy.deepcopy(every[k]) for k in numbers]}},
        }
        for level, numbers in (("shown", shown), ("hidden", hidden))
    ]


def second_factor(plain: Plain) -> None:
    plain["factors"].append({"name": "colour", "scope": "between", "levels": ["red", "blue"]})


def three_arms(plain: Plain) -> None:
    plain["factors"][0]["levels"] = ["shown", "hidden", "placebo"]


def pre_and_post(plain: Plain, *phases: str) -> None:
    """Measure the same stage in phases, each a block with its level."""
    plain["factors"].append({"name": "phase", "scope": "within", "levels": ["pre", "post"]})
    stage = plain["flow"][2]
    stages = [{**copy.deepcopy(stage), "block_id": f"predict_{phase}", "levels": {"phase": phase}} for phase in phases]
    plain["flow"][2:3] = stages
    plain["plan"]["outcomes"] = [{"name": "accuracy", "measure": "correct", "by": ["phase"]}]
    first(plain, where="phase == 'pre'")
    added = hypothesis(plain, hypothesis_id="H2", factor="phase", contrast=["post", "pre"], analysis="paired_t")
    del added["where"]


def gated(plain: Plain, **gate: Any) -> None:
    plain["flow"][2]["gate"] = {"at_least": 1, **gate}


def excluded(plain: Plain, *rules: str) -> None:
    plain["measures"] = [{"name": "score", "measure": "correct", "summary": "mean"}]
    plain["plan"]["outcomes"] = [{"name": "accuracy", "measure": "score"}]
    plain["exclusions"] = [
        {"exclusion_id": f"e{number}", "rule": rule, "reason": "Too few right."} for number, rule in enumerate(rules)
    ]


def rated(plain: Plain) -> None:
    """Ask for a rating in the arm with help only."""
    asks = {"name": "questionnaire", "params": {"questions": [DEMAND]}}
    screen = {"kind": "screen", "block_id": "rating", "purpose": "questionnaire", "when": {"explanation": "shown"}}
    plain["flow"].insert(3, {**screen, "task": asks})
    demand = {"name": "answer", "params": {"question": "demand", "kind": "ordinal"}}
    plain["measures"].append({"name": "demand", "measure": demand, "blocks": ["rating"]})
    plain["plan"]["outcomes"].append({"name": "demand", "measure": "demand"})
    first(plain, outcome="demand", analysis="rank_sum")


def item_factor(plain: Plain) -> None:
    """Compare items of a level that no item has."""
    del plain["item_sets"][0]["strata"]
    plain["factors"].append({"name": "answer", "scope": "item", "levels": ["yes", "maybe"]})
    plain["plan"]["outcomes"].append({"name": "by_answer", "measure": "correct", "by": ["answer"]})
    hypothesis(
        plain, hypothesis_id="H2", outcome="by_answer", factor="answer", contrast=["yes", "maybe"], analysis="paired_t"
    )


def conditions(plain: Plain, **quotas: int) -> None:
    plain["conditions"] = [
        {"name": name, "levels": {"explanation": name}, "quota": quota} for name, quota in quotas.items()
    ]


def no_help(plain: Plain) -> None:
    del plain["flow"][1]


def everybody_is_helped(plain: Plain) -> None:
    del plain["flow"][1]["when"]


def help_comes_late(plain: Plain) -> None:
    plain["flow"][1], plain["flow"][2] = plain["flow"][2], plain["flow"][1]


def other_arm_only(plain: Plain) -> None:
    three_arms(plain)
    plain["flow"][1]["when"] = {"explanation": "placebo"}


def explained_nowhere(plain: Plain) -> None:
    no_help(plain)
    plain["bindings"] = [{"when": {"explanation": "shown"}, "explainer": "occlusion"}]


def same_everywhere(plain: Plain) -> None:
    no_help(plain)
    bound_to_data(plain, range(8), range(8))


def crossed(plain: Plain) -> None:
    second_factor(plain)


def crossed_and_idle(plain: Plain) -> None:
    second_factor(plain)
    no_help(plain)


def idle_loop(plain: Plain) -> None:
    within(plain, "shown", "hidden")
    del plain["flow"][1]["blocks"][0]


def asks_twice(plain: Plain) -> None:
    hypothesis(plain, hypothesis_id="H2", analysis="rank_sum")


def pairs_without_family(plain: Plain) -> None:
    three_arms(plain)
    second = {**copy.deepcopy(plain["flow"][1]), "block_id": "placebo", "when": {"explanation": "placebo"}}
    second["task"] = {"name": "instructions", "params": {"pages": ["The model was made in May."]}}
    plain["flow"].insert(2, second)
    hypothesis(plain, hypothesis_id="H2", contrast=["shown", "placebo"])
    hypothesis(plain, hypothesis_id="H3", contrast=["placebo", "hidden"])


def same_test(plain: Plain) -> None:
    plain["plan"]["families"] = [{"name": "f"}]
    first(plain, family="f")
    hypothesis(plain, hypothesis_id="H2", claim="Explanations help.", family="f")


def contradiction(plain: Plain) -> None:
    plain["plan"]["families"] = [{"name": "f"}]
    first(plain, family="f")
    hypothesis(plain, hypothesis_id="H2", claim="Explanations harm.", direction="less", family="f")


def expected_contradiction(plain: Plain) -> None:
    plain["plan"]["families"] = [{"name": "f"}]
    first(plain, family="f", direction="different", expects="greater")
    hypothesis(plain, hypothesis_id="H2", expects="less", family="f")


def against(plain: Plain, value: float, direction: str) -> None:
    """Compare the accuracy of everybody with a value."""
    first(plain, against=value, direction=direction, analysis="one_sample_t")
    for name in ("factor", "contrast"):
        del plain["plan"]["hypotheses"][0][name]


def few_people(plain: Plain, quota: int, analysis: str) -> None:
    plain["assignment"].update(quota=quota)
    first(plain, analysis=analysis, direction="different")


def few_pairs(plain: Plain) -> None:
    within(plain, "shown", "hidden")
    few_people(plain, 5, "signed_rank")


def related_to_itself(plain: Plain) -> None:
    plain["plan"]["outcomes"].append({"name": "n_right", "measure": "correct", "summary": "sum"})
    first(plain, other="n_right", analysis="pearson")
    for name in ("factor", "contrast"):
        del plain["plan"]["hypotheses"][0][name]


def missing_file(plain: Plain) -> None:
    plain["flow"][1]["task"] = {"name": "video", "params": {"source": "clips/none.mp4"}}


def missing_table(plain: Plain) -> None:
    plain["item_sets"][0]["dataset"] = {"name": "table_file", "params": {"path": "none.csv"}}


def second_question_in_one_arm(plain: Plain) -> None:
    """The outcome is measured in a stage that only people with help reach."""
    plain["flow"][2]["when"] = {"explanation": "shown"}


_IDLE = "Factor 'explanation' changes nothing: people at 'shown' and 'hidden' see the same pages"
_UNMET = "which nobody sees: no condition with a quota has it."
UNANSWERABLE = (
    Unanswerable("a removed binding leaves two identical arms", no_help, _IDLE),
    Unanswerable("both arms get the help", everybody_is_helped, _IDLE),
    Unanswerable("the help comes after the outcome", help_comes_late, _IDLE),
    Unanswerable("an explainer that no stage shows", explained_nowhere, _IDLE),
    Unanswerable("both arms bound to the same data", same_everywhere, _IDLE),
    Unanswerable("a second factor without effect", crossed, "Factor 'colour' changes nothing: people at 'red' and 'blue'"),
    Unanswerable("two factors without effect", crossed_and_idle, _IDLE),
    Unanswerable("two of three arms identical", other_arm_only, "Conditions 'shown' and 'hidden' are identical"),
    Unanswerable(
        "a loop whose turns are the same",
        idle_loop,
        "Factor 'explanation' changes nothing: its levels come in random order and have the same pages.",
    ),
    Unanswerable(
        "arms that share 5 of 8 items",
        lambda plain: bound_to_data(plain, range(8), range(3, 11)),
        "Hypothesis 'H1' compares 'shown' with 'hidden' of 'explanation', but they share only 5 of 8 items",
    ),
    Unanswerable(
        "arms that share 1 of 8 items",
        lambda plain: bound_to_data(plain, range(8), range(7, 15)),
        "Hypothesis 'H1' compares 'shown' with 'hidden' of 'explanation', but they share only 1 of 8 items",
    ),
    Unanswerable(
        "arms that draw 8 of overlapping pools",
        lambda plain: bound_to_data(plain, range(10), range(2, 12)),
        "Hypothesis 'H1' compares 'shown' with 'hidden' of 'explanation', but they share only",
    ),
    Unanswerable(
        "an arm that wants nobody",
        lambda plain: conditions(plain, shown=10, hidden=0),
        f"Hypothesis 'H1' compares 'hidden' of 'explanation', {_UNMET}",
    ),
    Unanswerable(
        "the other arm wants nobody",
        lambda plain: conditions(plain, shown=0, hidden=10),
        f"Hypothesis 'H1' compares 'shown' of 'explanation', {_UNMET}",
    ),
    Unanswerable(
        "an arm of one person",
        lambda plain: conditions(plain, shown=10, hidden=1),
        "Hypothesis 'H1' compares people between levels of 'explanation', but 'hidden' has a quota of one participant",
    ),
    Unanswerable(
        "one person in every arm",
        lambda plain: plain["assignment"].update(quota=1),
        "Hypothesis 'H1' compares people between levels of 'explanation', but 'shown' has a quota of one participant",
    ),
    Unanswerable(
        "a phase that no block has",
        lambda plain: pre_and_post(plain, "pre"),
        f"Hypothesis 'H2' compares 'post' of 'phase', {_UNMET}",
    ),
    Unanswerable(
        "each person gets one level of a within-factor",
        lambda plain: within(plain, "shown", "hidden", n_drawn=1),
        "Hypothesis 'H1' compares levels of 'explanation' within people, but each person gets one of them",
    ),
    Unanswerable(
        "a filter that leaves one side out",
        lambda plain: first(plain, where="explanation == 'shown'"),
        "Hypothesis 'H1' compares 'hidden' of 'explanation', which its own `where` leaves out",
    ),
    Unanswerable(
        "a filter that leaves both sides out",
        lambda plain: first(plain, where="explanation == 'placebo'"),
        "Hypothesis 'H1' compares 'shown' of 'explanation', which its own `where` leaves out",
    ),
    Unanswerable(
        "an outcome measured in one arm",
        rated,
        "Hypothesis 'H1' compares 'hidden' of 'explanation', where nobody is measured",
    ),
    Unanswerable(
        "a stage that one arm never reaches",
        second_question_in_one_arm,
        "Hypothesis 'H1' compares 'hidden' of 'explanation', where nobody is measured",
    ),
    Unanswerable("a level that no item has", item_factor, "Hypothesis 'H2' compares 'maybe' of 'answer', which no item has."),
    Unanswerable("one effect tested in two ways", asks_twice, "Hypotheses H1, H2 test one outcome several times without a family"),
    Unanswerable("three pairs without a family", pairs_without_family, "Hypotheses H1, H2, H3 test one outcome several times"),
    Unanswerable("the same test twice", same_test, "Hypotheses 'H1' and 'H2' are the same test under two names."),
    Unanswerable("a claim and its reverse", contradiction, "Hypotheses 'H1' and 'H2' claim opposite directions of one effect"),
    Unanswerable("two expectations that contradict", expected_contradiction, "Hypotheses 'H1' and 'H2' claim opposite directions"),
    Unanswerable("a gate that only perfect people pass", gated, "Outcome 'accuracy' cannot vary: only people without a mistake"),
    Unanswerable(
        "a perfect score in as many tries as it takes",
        lambda plain: gated(plain, tries="unlimited"),
        "Outcome 'accuracy' cannot vary: only people without a mistake pass the gate of 'predict'",
    ),
    Unanswerable(
        "exclusions that keep perfect people only",
        lambda plain: excluded(plain, "score < 1"),
        "Outcome 'accuracy' cannot vary: the exclusions read it too, and everybody who is kept has 1.",
    ),
    Unanswerable(
        "exclusions that keep nobody",
        lambda plain: excluded(plain, "score < 0.5", "score >= 0.5"),
        "The exclusions keep nobody: whatever people do, one of 'e0', 'e1' takes them out.",
    ),
    Unanswerable(
        "exclusions from both sides",
        lambda plain: excluded(plain, "score < 0.5", "score > 0.5"),
        "Outcome 'accuracy' cannot vary: the exclusions read it too, and everybody who is kept has 0.5.",
    ),
    Unanswerable(
        "a share compared with more than everything",
        lambda plain: against(plain, 1.5, "less"),
        "Hypothesis 'H1' compares a share with 1.5, but shares are between 0 and 1.",
    ),
    Unanswerable(
        "more than everything right",
        lambda plain: against(plain, 1.0, "greater"),
        "Hypothesis 'H1' can never be supported: no share is greater than 1.",
    ),
    Unanswerable(
        "bounds that no difference of shares can leave",
        lambda plain: first(plain, direction="equivalent", analysis={"name": "tost", "params": {"low": -1.0, "high": 1.0}}),
        "Hypothesis 'H1' cannot fail: shares differ by at most 1, and its bounds are -1 and 1.",
    ),
    Unanswerable(
        "ranks of three and three people",
        lambda plain: few_people(plain, 3, "rank_sum"),
        "Hypothesis 'H1' can never be supported: with so few people, the smallest p-value of 'rank_sum' is 0.1",
    ),
    Unanswerable(
        "signs of five people",
        few_pairs,
        "Hypothesis 'H1' can never be supported: with so few people, the smallest p-value of 'signed_rank' is 0.062",
    ),
    Unanswerable(
        "a rule that no item meets",
        lambda plain: plain["plan"]["outcomes"][0].update(where="answer == 'perhaps'"),
        "Outcome 'accuracy' counts no page: its `where` (answer == 'perhaps') holds for no block and item",
    ),
    Unanswerable(
        "a rule about a block where nothing is measured",
        lambda plain: plain["plan"]["outcomes"][0].update(where="block == 'practice'"),
        "Outcome 'accuracy' counts no page: its `where` (block == 'practice') holds for no block and item",
    ),
    Unanswerable(
        "an outcome related to itself",
        related_to_itself,
        "Hypothesis 'H1' relates 'accuracy' to 'n_right', but both summarise the same answers",
    ),
    Unanswerable("an alpha that chance passes", lambda plain: plain["plan"].update(alpha=0.9), "The plan's alpha is 0.9"),
    Unanswerable("a video that is not there", missing_file, "Block 'help'"),
    Unanswerable("a table that is not there", missing_table, "Item set 'cases'"),
)  # fmt: skip
