"""Studies whose flow cannot be walked."""

from tests.journeys.faulty_pieces import DROP, PHASE, Faulty, loop, quiz, stage, without_items
from tests.small_studies import RIGHT_OR_WRONG

FLOWS = (
    Faulty(
        "a repeated block",
        {"flow.3.block_id": "predict"},
        ("Block 'predict' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "a loop over a between-factor",
        {"flow.2": loop(stage(), over="explanation")},
        ("Loop 'rounds' names 'explanation', which is not a known within-factor. Known: none.",),
    ),
    Faulty(
        "a loop within a loop over the same factor",
        {"factors.+": PHASE, "flow.2": loop(loop(stage(), block_id="inner"))},
        ("Loop 'inner' loops over 'phase' inside a loop over it; loop over another factor.",),
    ),
    Faulty(
        "an empty loop",
        {"factors.+": PHASE, "flow.2": loop()},
        ("flow[2].blocks has 0 entries, but needs at least 1.",),
    ),
    Faulty(
        "nobody asked for consent",
        {"flow.1": DROP},
        ("The flow does not ask for consent. Start it with a screen of purpose consent.",),
    ),
    Faulty(
        "consent asked late",
        {
            "flow": [
                stage(),
                {
                    "kind": "screen",
                    "block_id": "consent",
                    "purpose": "consent",
                    "task": {"name": "consent", "params": {"text": "Please."}},
                },
            ]
        },
        ("The flow begins with 'predict'; consent comes first (a device check may come before it).",),
    ),
    Faulty(
        "no main stage",
        {"flow.2.purpose": "practice", "plan.hypotheses": []},
        ("The flow has no main stage, so nothing would be measured. Add a stage with items.",),
    ),
    Faulty(
        "a stage with neither items nor repeats",
        {"flow.2.items": DROP},
        (
            (
                "Stage 'predict' has neither items nor repeats; give exactly one: an item set, or the earlier "
                "stage whose items come again."
            ),
        ),
    ),
    Faulty(
        "a stage with both items and repeats",
        {"flow.3": stage(block_id="again", repeats="predict")},
        (
            (
                "Stage 'again' has both items and repeats; give exactly one: an item set, or the earlier stage "
                "whose items come again."
            ),
        ),
    ),
    Faulty(
        "a stage that repeats itself",
        {"flow.2.items": DROP, "flow.2.repeats": "predict"},
        ("Stage 'predict' repeats itself, which has no beginning. Name an earlier stage: none.",),
    ),
    Faulty(
        "a stage that repeats a later one",
        {"flow.2.items": DROP, "flow.2.repeats": "later", "flow.+": stage(block_id="later")},
        ("Stage 'predict' repeats 'later', which does not come before it. Earlier stages are: none.",),
    ),
    Faulty(
        "a stage that repeats nothing known",
        {"flow.2.items": DROP, "flow.2.repeats": "earlier"},
        ("Stage 'predict' names 'earlier', which is not a known earlier stage. Known: none.",),
    ),
    Faulty(
        "stages that repeat each other",
        {"flow.2.items": DROP, "flow.2.repeats": "later", "flow.+": without_items(block_id="later", repeats="predict")},
        ("Stage 'predict' repeats 'later', which does not come before it. Earlier stages are: none.",),
    ),
    Faulty(
        "an unknown item set",
        {"flow.2.items": "case"},
        ("Stage 'predict' names 'case', which is not a known item set. Known: cases.",),
    ),
    Faulty(
        "a look back at a later block",
        {"flow.2.references": [{"block": "debrief"}]},
        ("Block 'predict', references, names 'debrief', which is not a known earlier block. Known: consent.",),
    ),
    Faulty(
        "a gate without a key",
        {"flow.+": quiz({"at_least": 1})},
        ("Block 'quiz' has a gate on share correct, but its task has no key. Give it one, or name a measure.",),
    ),
    Faulty(
        "a gate that re-studies an unknown block",
        {"flow.+": quiz({"at_least": 1, "tries": 2, "restudy": ["tutorial"]}, answers={"q1": "a"})},
        (
            (
                "Block 'quiz', gate.restudy, names 'tutorial', which is not a known earlier block. Known: consent, "
                "predict, debrief."
            ),
        ),
    ),
    Faulty(
        "a gate that re-studies a later block",
        {"flow.2.gate": {"at_least": 0.5, "restudy": ["debrief"]}},
        ("Block 'predict', gate.restudy, names 'debrief', which is not a known earlier block. Known: consent.",),
    ),
    Faulty(
        "a gate on more than everything",
        {"flow.+": quiz({"at_least": 3}, answers={"q1": "a"})},
        ("Block 'quiz' asks for 3.0 as a share correct; a share is between 0 and 1.",),
    ),
    Faulty(
        "a gate on an unknown measure",
        {"flow.2.gate": {"at_least": 1, "measure": "speed"}},
        ("Block 'predict', gate, names 'speed', which is not a known measure of trials. Known: correct.",),
    ),
    Faulty(
        "a stop on a question that is not asked",
        {"flow.2.stops": [{"rule": "age < 18", "reason": "Too young."}]},
        ("Block 'predict' stops on 'age', which it does not ask. It asks: guess.",),
    ),
    Faulty(
        "a stop with a summary",
        {"flow.2.stops": [{"rule": "mean(guess) < 1", "reason": "Low."}]},
        (
            (
                "Block 'predict' stops on mean of its answers; a stop looks at single answers: use abs, missing, "
                "round only."
            ),
        ),
    ),
    Faulty(
        "a key for a question that is not asked",
        {"flow.2.task.params.keys": {"answer": "answer"}},
        (
            (
                "Block 'predict': The parameters of tasks entry 'judge' do not fit: the key is for 'answer', which "
                "is not asked. Asked are: guess."
            ),
        ),
    ),
    Faulty(
        "a key in a quiz for a question that is not asked",
        {"flow.+": quiz(answers={"q2": "a"})},
        (
            (
                "Block 'quiz': The parameters of tasks entry 'questionnaire' do not fit: the key answers 'q2', "
                "which is not asked. Asked are: q1."
            ),
        ),
    ),
    Faulty(
        "a key that is no option",
        {"flow.+": quiz(answers={"q1": "c"})},
        (
            (
                "Block 'quiz': The parameters of tasks entry 'questionnaire' do not fit: the key says 'c' for "
                "'q1', which is not a possible answer to it."
            ),
        ),
    ),
    Faulty(
        "a key that no item holds",
        {"flow.2.task.params.keys": {"guess": "prediction"}},
        ("A judge task needs the attribute 'prediction', which its items do not have. They have: answer.",),
    ),
    Faulty(
        "an item's key that is no option",
        {"flow.2.task.params.questions.1.options": ["ja", "nein"]},
        (
            (
                "An item's 'answer' is 'yes', which is not a possible answer to 'guess', so nobody could be right. "
                "Correct the question or the items."
            ),
        ),
    ),
    Faulty(
        "a repeated question",
        {"flow.2.task.params.questions.+": RIGHT_OR_WRONG},
        ("In block 'predict', question 'guess' is declared 2 times; give each its own name.",),
    ),
    Faulty(
        "a level of a factor in a block that is not within",
        {"flow.2.levels": {"explanation": "shown"}},
        ("Block 'predict', levels, names 'explanation', which is not a known within-factor. Known: none.",),
    ),
    Faulty(
        "an unknown level in a block's levels",
        {"factors.+": PHASE, "flow.2.levels": {"phase": "during"}},
        ("Block 'predict', levels, names 'during', which is not a known level of 'phase'. Known: pre, post.",),
    ),
)
