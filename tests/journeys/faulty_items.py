"""Studies whose items or measures cannot be had."""

from tests.journeys.faulty_pieces import (
    DROP,
    N_RIGHT,
    UNKEYED,
    Faulty,
    answers_as_factor,
    faulty_rule,
    loans,
    loop,
    low,
    stage,
)

_FUNCTIONS = "abs, all, any, count, first, last, max, mean, median, min, missing, nunique, round, sd, sum"

ITEMS = (
    Faulty(
        "a repeated item set",
        {"item_sets.+": loans("cases")},
        (
            "Item set 'cases' is declared 2 times; give each its own name.",
            "Item set 'cases' is used by no stage; use it or remove it.",
        ),
    ),
    Faulty(
        "an item set without data",
        {"item_sets.1.dataset": DROP},
        (
            (
                "Item set 'cases' has no dataset, and the bindings do not give one in every condition. Name "
                "one in the set, or bind one."
            ),
        ),
    ),
    Faulty(
        "an item set nobody uses",
        {"item_sets.+": loans("spare")},
        ("Item set 'spare' is used by no stage; use it or remove it.",),
    ),
    Faulty(
        "a set apart from itself",
        {"item_sets.1.apart_from": ["cases"]},
        ("Item set 'cases' cannot be kept apart from itself; name other sets.",),
    ),
    Faulty(
        "a set apart from an unknown one",
        {"item_sets.1.apart_from": ["other"]},
        ("Item set 'cases', apart_from, names 'other', which is not a known item set. Known: cases.",),
    ),
    Faulty(
        "two sets each drawn after the other",
        {
            "item_sets.1.apart_from": ["more"],
            "item_sets.+": loans("more", apart_from=["cases"]),
            "flow.+": stage(block_id="second", items="more", task=UNKEYED, purpose="practice"),
        },
        ("Item sets 'cases', 'more' are each drawn after the other. Break the circle.",),
    ),
    Faulty(
        "three sets in a circle",
        {
            "item_sets.1.apart_from": ["more"],
            "item_sets.+": loans("more", apart_from=["most"]),
            "item_sets.3": loans("most", apart_from=["cases"]),
            "flow.+": stage(block_id="second", items="more", task=UNKEYED, purpose="practice"),
            "flow.5": stage(block_id="third", items="most", task=UNKEYED, purpose="practice"),
        },
        ("Item sets 'cases', 'more', 'most' are each drawn after the other. Break the circle.",),
    ),
    Faulty(
        "rotation over a between-factor",
        {"item_sets.1.rotates_over": "explanation"},
        ("Item set 'cases', rotates_over, names 'explanation', which is not a known within-factor. Known: none.",),
    ),
    Faulty(
        "a rotation that does not come out even",
        {
            "factors.+": {"name": "method", "scope": "within", "levels": ["a", "b", "c", "d", "e"]},
            "flow.2": loop(stage(), over="method"),
            "item_sets.1.rotates_over": "method",
        },
        (
            (
                "Item set 'cases' deals 12 items over 5 levels of 'method', which cannot be split evenly. Use a "
                "multiple of 5."
            ),
        ),
    ),
    Faulty(
        "more items shown than the set has",
        {"flow.2.n_items": 13},
        ("Stage 'predict' shows 13 items of 'cases', which has 12. Show fewer, or enlarge the set.",),
    ),
    Faulty(
        "a subset of all items",
        {"flow.2.subset": "own"},
        ("Stage 'predict' draws a subset (own) of all its items. Say how many with n_items.",),
    ),
    Faulty(
        "groups in a balanced order",
        {"flow.2.together": "answer", "flow.2.order": "balanced"},
        (
            (
                "Stage 'predict' keeps items of one 'answer' together, which no balanced order does. Use order shuffled, "
                "or drop together."
            ),
        ),
    ),
    Faulty(
        "groups by what items do not have",
        {"flow.2.together": "dial"},
        ("Stage 'predict' keeps items of one 'dial' together, which its items do not have. They have: answer.",),
    ),
    Faulty(
        "strata that do not come out even, declared",
        {"factors.+": answers_as_factor("yes", "no"), "item_sets.1.n_items": 11},
        ("Item set 'cases' cannot be balanced: 11 items over 2 strata (answer). Use a multiple of 2.",),
    ),
    Faulty(
        "strata that do not come out even, found in the data",
        {"item_sets.1.n_items": 11},
        ("Item set 'cases' cannot be balanced: 11 items over 2 strata (answer). Use a multiple of 2.",),
    ),
    Faulty(
        "strata that the items do not have",
        {"item_sets.1.strata": ["difficulty"]},
        (("Item set 'cases' is to be balanced over 'difficulty', which its items do not have. They have: answer."),),
    ),
    Faulty(
        "too few items",
        {"item_sets.1.n_items": 26},
        (
            (
                "Item set 'cases' wants 26 items in equal numbers over answer, but its dataset gives too few (24 "
                "looked at, attributes answer). 13 with answer 'no' are needed, but there are only 12. Ask for fewer, or give "
                "more data."
            ),
        ),
    ),
    Faulty(
        "an item factor whose level no item has",
        {"factors.+": answers_as_factor("yes", "perhaps")},
        (
            (
                "Item set 'cases' wants 12 items in equal numbers over answer, but its dataset gives too few (24 "
                "looked at, attributes answer). 6 with answer 'perhaps' are needed, but there are only 0. Ask for fewer, or "
                "give more data."
            ),
        ),
    ),
    Faulty(
        "a repeated measure",
        {"measures.+": {"name": "correct", "measure": "response_time"}},
        ("Measure 'correct' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "a measure named as a factor",
        {"measures.+": {"name": "explanation", "measure": "response_time"}},
        ("Measure 'explanation' has the name of a factor; rename one of them.",),
    ),
    Faulty(
        "a measure of an unknown block",
        {"measures.1.blocks": ["train"]},
        ("Measure 'correct' names 'train', which is not a known block. Known: consent, predict, debrief.",),
    ),
    Faulty(
        "a measure of a question that is not asked",
        {"measures.+": {"name": "sure", "measure": {"name": "answer", "params": {"question": "confidence"}}}},
        (("Measure 'sure' reads the question 'confidence', which its blocks (predict) do not ask. They ask: guess."),),
    ),
    Faulty(
        "a summary of what is one number already",
        {"measures.+": {"name": "minutes_spent", "measure": "session_minutes", "summary": "mean"}},
        ("Measure 'minutes_spent' already has one number per session; leave its summary out.",),
    ),
    Faulty(
        "a repeated exclusion",
        {"measures.+": N_RIGHT, "exclusions": [low("n_right < 2")] * 2},
        ("Exclusion 'low' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "an exclusion on an unknown measure",
        {"exclusions": [low("n_right < 2")]},
        ("Exclusion 'low' names 'n_right', which is not a known session measure. Known: none.",),
    ),
    Faulty(
        "an exclusion on a measure of trials",
        {"exclusions": [low("correct < 2")]},
        (
            (
                "Exclusion 'low' uses 'correct', which is a measure of single trials; give it a summary, such as "
                "mean or sum."
            ),
        ),
    ),
    Faulty(
        "an exclusion without a rule",
        {"exclusions": [{"exclusion_id": "low", "reason": "Low."}]},
        ("Exclusion 'low' has no rule; write one over session measures, or let annotators decide.",),
    ),
    Faulty(
        "annotators with a rule that reads no codes",
        {
            "measures.+": N_RIGHT,
            "exclusions": [{"exclusion_id": "low", "reason": "Low.", "applies": "annotators", "rule": "n_right < 2"}],
        },
        (
            "Exclusion 'low' depends on annotators, but its rule reads no codes. Read a measure of codes, such as "
            "coded, or apply it at_close.",
        ),
    ),
    Faulty(
        "an exclusion that summarises",
        {"measures.+": N_RIGHT, "exclusions": [low("mean(n_right) < 2")]},
        ("Exclusion 'low' calls mean; a session has single numbers: declare a measure with a summary.",),
    ),
    faulty_rule(
        "a rule that imports",
        "__import__('os')",
        f"calls something unknown. Functions are: {_FUNCTIONS}.",
    ),
    faulty_rule(
        "a rule with a function of its own",
        "lambda: 1",
        "uses Lambda, which a rule may not. Use names, numbers, text in quotes, comparisons, and/or/not, "
        f"arithmetic and the functions {_FUNCTIONS}.",
    ),
    faulty_rule(
        "a rule that reaches inside",
        "correct.real > 1",
        "uses Attribute, which a rule may not. Use names, numbers, text in quotes, comparisons, and/or/not, "
        f"arithmetic and the functions {_FUNCTIONS}.",
    ),
    faulty_rule(
        "a rule that is half a sentence",
        "correct <",
        'is not a rule. Write a comparison such as "n_correct < 3 and minutes > 2".',
    ),
    faulty_rule(
        "a rule that compares with nothing",
        "n_right == None",
        "compares with None. Use numbers, text in quotes, true and false; missing(x) asks whether x is missing.",
    ),
    faulty_rule(
        "a rule whose function lacks its argument",
        "missing()",
        "gives missing 0 arguments, but it takes 1. Write it as in missing(x) or round(x, 1).",
    ),
    faulty_rule(
        "a rule that looks into a text",
        "n_right in 'abc'",
        "looks for something in what is not a list. Write x in ['a', 'b'].",
    ),
    faulty_rule(
        "a rule that is empty",
        "",
        'is not a rule. Write a comparison such as "n_correct < 3 and minutes > 2".',
    ),
    Faulty(
        "a bonus on an unknown measure",
        {"pay": {"base": 1, "bonuses": [{"measure": "points", "per_unit": 0.1}]}},
        ("A bonus names 'points', which is not a known session measure. Known: none.",),
    ),
    Faulty(
        "a bonus on a measure of trials",
        {"pay": {"base": 1, "bonuses": [{"measure": "correct", "per_unit": 0.1}]}},
        (("A bonus uses 'correct', which is a measure of single trials; give it a summary, such as mean or sum."),),
    ),
    Faulty(
        "a bonus of nothing",
        {"pay": {"base": 1, "bonuses": [{"measure": "correct", "per_unit": 0}]}},
        ("pay.bonuses[1].per_unit is 0, but must be more than 0.",),
    ),
)
