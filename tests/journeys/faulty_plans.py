"""Studies whose plan does not fit what they measure."""

from tests.journeys.faulty_pieces import DROP, H1, RATED, SAME, Faulty

PLANS = (
    Faulty(
        "a repeated hypothesis",
        {"plan.hypotheses.+": SAME},
        ("Hypothesis 'H1' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "a t-test on an ordinal outcome",
        {
            "flow.2.task.params.questions.+": RATED,
            "measures.+": {"name": "sure", "measure": {"name": "answer", "params": {"question": "sure"}}},
            "plan.outcomes.1.measure": "sure",
        },
        (
            (
                "Hypothesis 'H1' uses 'welch_t', which takes bounded, continuous, count or time outcomes; "
                "'accuracy' is ordinal. Choose another analysis."
            ),
        ),
    ),
    Faulty(
        "a paired test on a between-factor",
        {f"{H1}.analysis": "paired_t"},
        (
            (
                "Hypothesis 'H1' uses 'paired_t', which needs a factor that varies within people; 'explanation' "
                "varies between people."
            ),
        ),
    ),
    Faulty(
        "three levels without a contrast",
        {"factors.1.levels": ["shown", "hidden", "faint"], f"{H1}.contrast": DROP},
        (
            (
                "Hypothesis 'H1' uses 'welch_t', which compares two levels, but 'explanation' has 3: shown, "
                "hidden, faint. Name two of them in `contrast`."
            ),
        ),
    ),
    Faulty(
        "a mean against nothing",
        {f"{H1}.analysis": "one_sample_t", f"{H1}.factor": DROP, f"{H1}.contrast": DROP},
        ("Hypothesis 'H1' uses 'one_sample_t', which compares a mean with a value; give the value in `against`.",),
    ),
    Faulty(
        "an unknown measure in the plan",
        {"plan.outcomes.1.measure": "acuracy"},
        ("Outcome 'accuracy' takes measure 'acuracy', which is not declared. Measures are: correct.",),
    ),
    Faulty(
        "an unknown outcome",
        {f"{H1}.outcome": "speed"},
        ("Hypothesis 'H1' takes outcome 'speed', which is not declared. Outcomes are: accuracy.",),
    ),
    Faulty(
        "an unknown level in a contrast",
        {f"{H1}.contrast": ["shown", "visible"]},
        (("Hypothesis 'H1' contrasts 'visible', which is not a level of 'explanation'. Levels are: shown, hidden."),),
    ),
    Faulty(
        "an unknown factor in a hypothesis",
        {f"{H1}.factor": "explaination"},
        ("Hypothesis 'H1' compares 'explaination', which is not a factor. Factors are: explanation.",),
    ),
    Faulty(
        "a level against itself",
        {f"{H1}.contrast": ["shown", "shown"]},
        ("Hypothesis 'H1' contrasts 'shown' with itself; name two different levels.",),
    ),
    Faulty(
        "equivalence by a t-test",
        {f"{H1}.direction": "equivalent"},
        (
            (
                "Hypothesis 'H1' uses 'welch_t', which can show different, greater or less, but not 'equivalent'. "
                "Change `direction` or the analysis."
            ),
        ),
    ),
    Faulty(
        "a hypothesis that requires itself",
        {f"{H1}.requires": "H1"},
        (
            (
                "The hypotheses H1 depend on each other: a hypothesis cannot require itself, a hypothesis that "
                "requires it, or one that is corrected in the same family. Break the circle."
            ),
        ),
    ),
    Faulty(
        "a hypothesis that requires an unknown one",
        {f"{H1}.requires": "H0"},
        ("Hypothesis 'H1' requires 'H0', which is not a hypothesis. Hypotheses are: H1.",),
    ),
    Faulty(
        "an unknown family",
        {f"{H1}.family": "main"},
        ("Hypothesis 'H1' belongs to family 'main', which is not declared. Families are: none.",),
    ),
    Faulty(
        "a family without hypotheses",
        {"plan.families": [{"name": "main"}]},
        ("Family 'main' has no hypothesis; remove it, or name it in a hypothesis.",),
    ),
    Faulty(
        "rows that are not there",
        {"plan.outcomes.1.where": "phase == 'post'"},
        (
            (
                "Outcome 'accuracy': `where` names 'phase', which does not exist. Known: answer, block, "
                "condition, correct, explanation, is_synthetic, item, participant, position, rt_ms, session, trial."
            ),
        ),
    ),
)
