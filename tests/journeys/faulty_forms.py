"""Studies that are not written as a study is."""

from tests.journeys.faulty_pieces import DROP, H1, Faulty, condition, known, quiz

FORMS = (
    Faulty(
        "a field that does not exist",
        {"titel": "A typo"},
        ("titel is not a field that exists here; did you mean title?",),
    ),
    Faulty(
        "a field that does not exist, deep down",
        {"flow.2.task.parms": {}},
        ("flow[2].task.parms is not a field that exists here; did you mean params?",),
    ),
    Faulty(
        "a field that resembles none",
        {"pay": {"base": 1.0, "hourly": 12}},
        (
            (
                "pay.hourly is not a field that exists here; remove it. Fields are: base, bonuses, currency, "
                "expected_minutes."
            ),
        ),
    ),
    Faulty(
        "a field of another kind of block",
        {"flow.1.items": "cases"},
        (
            (
                "flow[1].items is not a field that exists here; remove it. Fields are: block_id, explains_model, feedback, "
                "gate, kind, levels, part, purpose, references, seconds, stops, task, when."
            ),
        ),
    ),
    Faulty(
        "a question of a stranger form",
        {"flow.2.task.params.questions.1.points": 5},
        (
            (
                "Block 'predict': The parameters of tasks entry 'judge' do not fit: questions[1].points is not a "
                "field that exists here; remove it. Fields are: is_required, is_shuffled, kind, options, prompt, question_id."
            ),
        ),
    ),
    Faulty(
        "an option twice",
        {"flow.2.task.params.questions.1.options": ["yes", "no", "yes"]},
        (
            (
                "Block 'predict': The parameters of tasks entry 'judge' do not fit: questions[1].options: 'yes' "
                "appears more than once; answers could not tell them apart."
            ),
        ),
    ),
    Faulty("a missing field", {"seed": DROP}, ("seed is missing; add it.",)),
    Faulty("a missing field of a block", {"flow.2.block_id": DROP}, ("flow[2].block_id is missing; add it.",)),
    Faulty("text for a number", {"seed": "one"}, ("seed is 'one', but must be a whole number.",)),
    Faulty(
        "a fraction for a count", {"assignment.quota": 2.5}, ("assignment.quota is 2.5, but must be a whole number.",)
    ),
    Faulty("yes for a number", {"assignment.quota": True}, ("assignment.quota is true, but must be a whole number.",)),
    Faulty("a negative quota", {"assignment.quota": -3}, ("assignment.quota is -3, but must be at least 1.",)),
    Faulty("no quota at all", {"assignment.quota": 0}, ("assignment.quota is 0, but must be at least 1.",)),
    Faulty("a number for a text", {"title": 7}, ("title is 7, but must be text in quotes.",)),
    Faulty("a text for a list", {"factors.1.levels": "shown"}, ("factors[1].levels is 'shown', but must be a list.",)),
    Faulty("a table for a list", {"flow": {"kind": "screen"}}, ("flow is {'kind': 'screen'}, but must be a list.",)),
    Faulty("an empty flow", {"flow": []}, ("flow has 0 entries, but needs at least 1.",)),
    Faulty("no levels", {"factors.1.levels": []}, ("factors[1].levels has 0 entries, but needs at least 1.",)),
    Faulty(
        "no options",
        {"flow.2.task.params.questions.1.options": ["yes"]},
        (
            (
                "Block 'predict': The parameters of tasks entry 'judge' do not fit: questions[1].options has 1 "
                "entry, but needs at least 2."
            ),
        ),
    ),
    Faulty(
        "an unknown kind of block",
        {"flow.2.kind": "stages"},
        ("flow[2].kind is 'stages', but must be one of screen, stage, loop.",),
    ),
    Faulty("no kind of block", {"flow.2.kind": DROP}, ("flow[2].kind is missing; add one of screen, stage, loop.",)),
    Faulty(
        "an unknown scope",
        {"factors.1.scope": "group"},
        ("factors[1].scope is 'group', but must be 'between', 'within', 'item' or 'question'.",),
    ),
    Faulty(
        "an unknown purpose",
        {"flow.1.purpose": "agreement"},
        (
            (
                "flow[1].purpose is 'agreement', but must be 'consent', 'check', 'instructions', 'video', "
                "'comprehension', 'practice', 'learning', 'main', 'questionnaire', 'feedback' or 'debrief'."
            ),
        ),
    ),
    Faulty(
        "a name with a blank",
        {"name": "two groups"},
        ("name is 'two groups', but must be a name: letters, digits, '_', '-' and '.', a letter first.",),
    ),
    Faulty(
        "a contrast of three levels",
        {f"{H1}.contrast": ["a", "b", "c"]},
        ("plan.hypotheses[1].contrast has 3 entries, but may have at most 2.",),
    ),
    Faulty("an error rate of one", {"plan.alpha": 1}, ("plan.alpha is 1, but must be less than 1.",)),
    Faulty(
        "a number that is not finite",
        {"pay": {"base": float("inf")}},
        ("pay.base is inf, but must be a finite number.",),
    ),
    Faulty(
        "tries of a wrong kind",
        {"flow.+": quiz({"at_least": 1, "tries": "many"}, answers={"q1": "a"})},
        ("flow[4].gate.tries is 'many', but must be a whole number or 'unlimited'.",),
    ),
    Faulty("no outcome", {"plan.outcomes": []}, ("plan.outcomes has 0 entries, but needs at least 1.",)),
    Faulty("a format of the future", {"format": 2}, ("format is 2, but must be 1.",)),
    Faulty(
        "a field that does not exist, of an analysis",
        {f"{H1}.analysis": {"name": "welch_t", "parameters": {}}},
        ("plan.hypotheses[1].analysis.parameters is not a field that exists here; did you mean params?",),
    ),
    Faulty(
        "a check with a missing branch",
        {f"{H1}.analysis": {"check": "levene", "if_holds": "welch_t"}},
        ("plan.hypotheses[1].analysis.if_fails is missing; add it.",),
    ),
    Faulty(
        "a condition quota below zero",
        {"conditions": [{"name": "a", "levels": {"explanation": "shown"}, "quota": -1}, condition("b", "hidden")]},
        ("conditions[1].quota is -1, but must be at least 0.",),
    ),
    Faulty(
        "a binding to a number",
        {"bindings": [{"when": {"explanation": 3}}]},
        ("bindings[1].when.explanation is 3, but must be text in quotes or a list.",),
    ),
    Faulty("no plan", {"plan": DROP}, ("plan is missing; add it.",)),
    Faulty(
        "several faults of form",
        {"titel": "A typo", "seed": -1, "assignment.quota": "ten", "flow.2.kind": "stages"},
        (
            "assignment.quota is 'ten', but must be a whole number.",
            "flow[2].kind is 'stages', but must be one of screen, stage, loop.",
            "seed is -1, but must be at least 0.",
            "titel is not a field that exists here; did you mean title?",
        ),
    ),
    Faulty(
        "several faults of meaning",
        {
            "assignment.policy": "fair",
            "flow.1": DROP,
            "flow.1.items": "case",
            "measures.1.blocks": ["train"],
            f"{H1}.contrast": ["shown", "visible"],
        },
        (
            "The flow does not ask for consent. Start it with a screen of purpose consent.",
            "Stage 'predict' names 'case', which is not a known item set. Known: cases.",
            "Measure 'correct' names 'train', which is not a known block. Known: predict, debrief.",
            f"The assignment policy: 'fair' is not among the designs. Known: {known('designs')}.",
            ("Hypothesis 'H1' contrasts 'visible', which is not a level of 'explanation'. Levels are: shown, hidden."),
        ),
    ),
)
