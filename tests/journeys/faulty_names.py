"""Studies that name what is not there, and designs that do not add up."""

from tests.journeys.faulty_pieces import H1, PHASE, Faulty, answers_as_factor, condition, known, loop, stage

NAMES = (
    Faulty(
        "an unknown task",
        {"flow.2.task.name": "juge"},
        (f"Block 'predict': 'juge' is not among the tasks. Did you mean 'judge'? Known: {known('tasks')}.",),
    ),
    Faulty(
        "an unknown design",
        {"assignment.policy": "fair"},
        (f"The assignment policy: 'fair' is not among the designs. Known: {known('designs')}.",),
    ),
    Faulty(
        "an unknown ordering",
        {"factors.+": PHASE | {"order": "latin"}, "flow.2": loop(stage())},
        (f"Factor 'phase', order: 'latin' is not among the orderings. Known: {known('orderings')}.",),
    ),
    Faulty(
        "an unknown measure",
        {"measures.1.measure": "accuracy"},
        (f"Measure 'correct': 'accuracy' is not among the measures. Known: {known('measures')}.",),
    ),
    Faulty(
        "an unknown analysis",
        {f"{H1}.analysis": "t_test"},
        (
            f"Hypothesis 'H1': 't_test' is not among the analyses. Did you mean 'independent_t', 'welch_t', 'paired_t' or 'one_sample_t'? Known: {known('analyses')}.",
        ),
    ),
    Faulty(
        "an unknown check",
        {f"{H1}.analysis": {"check": "bartlett", "if_holds": "independent_t", "if_fails": "welch_t"}},
        (f"Hypothesis 'H1': 'bartlett' is not among the checks. Known: {known('checks')}.",),
    ),
    Faulty(
        "an unknown dataset",
        {"item_sets.1.dataset": "imagenet"},
        (f"Item set 'cases': 'imagenet' is not among the datasets. Known: {known('datasets')}.",),
    ),
    Faulty(
        "an unknown model inside a dataset",
        {"item_sets.1.dataset": {"name": "counterfactuals", "params": {"source": "income_cases", "model": "resnet"}}},
        (f"Item set 'cases', model: 'resnet' is not among the models. Known: {known('models')}.",),
    ),
    Faulty(
        "a missing file inside a dataset",
        {
            "item_sets.1.dataset": {
                "name": "counterfactuals",
                "params": {
                    "source": "income_cases",
                    "model": {"name": "pickled_classifier", "params": {"path": "mine.joblib"}},
                },
            }
        },
        (
            (
                "Item set 'cases', model, needs the file 'mine.joblib', which is not next to the study. "
                "Put it there, or correct the path."
            ),
        ),
    ),
    Faulty(
        "an unknown model",
        {"bindings": [{"model": "resnet"}]},
        (f"Binding 1: 'resnet' is not among the models. Known: {known('models')}.",),
    ),
    Faulty(
        "an unknown explainer",
        {"bindings": [{"explainer": "hunch"}]},
        (f"Binding 1: 'hunch' is not among the explainers. Known: {known('explainers')}.",),
    ),
    Faulty(
        "parameters a task does not have",
        {"flow.1.task.params": {"texts": "Please."}},
        (
            (
                "Block 'consent': The parameters of tasks entry 'consent' do not fit: text is missing; add it. "
                "texts is not a field that exists here; did you mean text?"
            ),
        ),
    ),
    Faulty(
        "parameters of a wrong type",
        {"flow.2.task.params.questions": "guess"},
        (
            (
                "Block 'predict': The parameters of tasks entry 'judge' do not fit: questions is 'guess', but must "
                "be a list."
            ),
        ),
    ),
    Faulty(
        "a question of unknown kind",
        {"flow.2.task.params.questions.1.kind": "likert"},
        (
            (
                "Block 'predict': The parameters of tasks entry 'judge' do not fit: questions[1].kind is 'likert', "
                "but must be one of choice, multiple_choice, rating, matrix, slider, number, text, ranking, dials."
            ),
        ),
    ),
    Faulty(
        "a missing parameter",
        {"measures.1.measure": {"name": "chosen", "params": {"question": "guess"}}},
        (("Measure 'correct': The parameters of measures entry 'chosen' do not fit: option is missing; add it."),),
    ),
    Faulty(
        "an analysis parameter that does not exist",
        {f"{H1}.analysis": {"name": "welch_t", "params": {"tails": 2}}},
        (
            (
                "Hypothesis 'H1': The parameters of analyses entry 'welch_t' do not fit: tails is not a field that "
                "exists here; remove it. Fields are: confidence."
            ),
        ),
    ),
    Faulty(
        "a missing asset",
        {
            "flow.+": {
                "kind": "screen",
                "block_id": "film",
                "purpose": "video",
                "task": {"name": "video", "params": {"asset": "film.mp4"}},
            }
        },
        (
            (
                "Block 'film' needs the file 'film.mp4', which is not next to the study. Put it there, or correct "
                "the path."
            ),
        ),
    ),
    Faulty(
        "a missing table of items",
        {
            "item_sets.1.dataset": {
                "name": "table_file",
                "params": {"path": "items.csv", "shown": ["name"], "attributes": ["answer"]},
            }
        },
        (
            (
                "Item set 'cases' needs the file 'items.csv', which is not next to the study. Put it there, or "
                "correct the path."
            ),
        ),
    ),
    Faulty(
        "a policy whose target is no condition",
        {"assignment.policy": {"name": "then_target", "params": {"target": "loud", "after": 3}}},
        ("The assignment policy then_target names 'loud', which is not a known condition. Known: shown, hidden.",),
    ),
    Faulty(
        "a repeated factor",
        {"factors.+": {"name": "explanation", "scope": "item", "levels": ["shown", "hidden"]}, "plan.hypotheses": []},
        ("Factor 'explanation' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "a repeated level",
        {"factors.1.levels": ["shown", "hidden", "shown"]},
        ("In factor 'explanation', level 'shown' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "an unknown factor in when",
        {"flow.2.when": {"explaination": "shown"}},
        ("Block 'predict' names 'explaination', which is not a known factor. Known: explanation.",),
    ),
    Faulty(
        "an unknown level in when",
        {"flow.2.when": {"explanation": "visible"}},
        ("Block 'predict' names 'visible', which is not a known level of 'explanation'. Known: shown, hidden.",),
    ),
    Faulty(
        "an item factor in when",
        {"factors.+": answers_as_factor("yes", "no"), "flow.2.when": {"answer": "yes"}},
        (
            (
                "Block 'predict' depends on 'answer', which varies over items; only between- and within-factors "
                "decide here."
            ),
        ),
    ),
    Faulty(
        "an unknown factor in a binding",
        {
            "bindings": [
                {
                    "when": {"method": "shown"},
                    "model": {"name": "linear_classifier", "params": {"weights": [1.0], "labels": ["no", "yes"]}},
                }
            ]
        },
        ("Binding 1 names 'method', which is not a known factor. Known: explanation.",),
    ),
    Faulty(
        "an unknown level in a binding",
        {"bindings": [{"when": {"explanation": ["shown", "visible"]}, "dataset": "loan_cases"}]},
        ("Binding 1 names 'visible', which is not a known level of 'explanation'. Known: shown, hidden.",),
    ),
    Faulty(
        "an unknown factor in a condition",
        {"conditions": [{"name": "a", "levels": {"explanation": "shown", "tone": "kind"}}, condition("b", "hidden")]},
        ("Condition 'a' names 'tone', which is not a known between-factor. Known: explanation.",),
    ),
    Faulty(
        "an unknown level in a condition",
        {"conditions": [condition("a", "shown"), condition("b", "visible")]},
        (
            "Condition 'b' names 'visible', which is not a known level of 'explanation'. Known: shown, hidden.",
            "Factor 'explanation' has levels that no condition uses: hidden. Use or remove them.",
        ),
    ),
    Faulty(
        "a condition without levels",
        {"conditions": [condition("a", "shown"), {"name": "b", "levels": {}}, condition("c", "hidden")]},
        ("Condition 'b' does not set explanation; give a level of every between-factor.",),
    ),
    Faulty(
        "a repeated condition",
        {"conditions": [condition("a", "shown"), condition("a", "hidden")]},
        ("Condition 'a' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "two conditions alike",
        {"conditions": [condition("a", "shown"), condition("b", "shown"), condition("c", "hidden")]},
        ("Conditions 'a' and 'b' have the same levels; keep one of them.",),
    ),
    Faulty(
        "a level without a condition",
        {"conditions": [condition("a", "shown")]},
        ("Factor 'explanation' has levels that no condition uses: hidden. Use or remove them.",),
    ),
    Faulty(
        "an order of a between-factor",
        {"factors.1.order": "latin_square"},
        ("Factor 'explanation' is between; only a within-factor has an order or n_drawn.",),
    ),
    Faulty(
        "a within-factor that never varies",
        {"factors.+": PHASE},
        (
            (
                "Within-factor 'phase' never varies: no loop uses it and no block has one of its levels. Add "
                "a loop, give blocks its levels, or remove it."
            ),
        ),
    ),
    Faulty(
        "more levels drawn than there are",
        {"factors.+": PHASE | {"n_drawn": 3}, "flow.2": loop(stage())},
        ("Factor 'phase' draws 3 of its 2 levels; draw at most all.",),
    ),
)
