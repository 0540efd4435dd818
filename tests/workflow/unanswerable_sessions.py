"""Studies whose exclusions, stops, gates or filters leave nothing to analyse, each with the sentence that says so."""

from tests.small_studies import consent
from tests.workflow.unanswerable_studies import Plain, Unanswerable, first, hypothesis


def timed(plain: Plain, *rules: str) -> None:
    """Exclude by rules over seconds and the number of right answers."""
    sums = [{"name": "n_right", "measure": "correct", "summary": "sum"}]
    plain["measures"] += [*sums, {"name": "seconds", "measure": "response_time", "summary": "mean"}]
    plain["exclusions"] = [
        {"exclusion_id": f"e{number}", "rule": rule, "reason": "Left out."} for number, rule in enumerate(rules)
    ]


def waits_for_a_mean(plain: Plain) -> None:
    added = hypothesis(plain, hypothesis_id="H2", analysis="mean", direction="different")
    for name in ("factor", "contrast"):
        del added[name]
    first(plain, requires="H2")


def one_item(plain: Plain) -> None:
    del plain["item_sets"][0]["strata"]
    plain["item_sets"][0]["n_items"] = 1
    plain["plan"]["outcomes"] = [{"name": "accuracy", "measure": "correct", "summary": "none"}]
    first(plain, analysis={"name": "logistic_mixed", "params": {"random": "maximal"}})


def consented(plain: Plain, stopped: str) -> None:
    stop = {"rule": f"consent == '{stopped}'", "outcome": "declined", "reason": "Did not agree."}
    plain["flow"][0] = {**consent(), "block_id": "consent", "stops": [stop]}


def stopped_by_all(plain: Plain) -> None:
    age = {"kind": "choice", "question_id": "adult", "prompt": "Are you 18 or older?", "options": ["yes", "no"]}
    stops = [{"rule": f"adult == '{answer}'", "reason": "Not in the sample."} for answer in ("yes", "no")]
    screen = {"kind": "screen", "block_id": "screening", "purpose": "questionnaire", "stops": stops}
    plain["flow"].insert(1, {**screen, "task": {"name": "questionnaire", "params": {"questions": [age]}}})


LEFT_WITHOUT_ANSWERS = (
    Unanswerable(
        "an exclusion that holds for every time",
        lambda plain: timed(plain, "seconds >= 0"),
        "The exclusions keep nobody: whatever people do, 'e0' takes them out.",
    ),
    Unanswerable(
        "exclusions of two measures that keep nobody",
        lambda plain: timed(plain, "n_right < 4 and seconds >= 0", "n_right >= 4"),
        "The exclusions keep nobody: whatever people do, one of 'e0', 'e1' takes them out.",
    ),
    Unanswerable(
        "an exclusion by the sum that fixes the share",
        lambda plain: timed(plain, "n_right < 12"),
        "Outcome 'accuracy' cannot vary: the exclusions read it too, and everybody who is kept has 12 as 'n_right'.",
    ),
    Unanswerable(
        "an outcome that counts right answers only",
        lambda plain: plain["plan"]["outcomes"][0].update(where="correct == 1"),
        "Outcome 'accuracy' cannot vary: its `where` (correct == 1) keeps answers with 1 only.",
    ),
    Unanswerable(
        "an outcome that leaves one side out",
        lambda plain: plain["plan"]["outcomes"][0].update(where="explanation == 'shown'"),
        "Hypothesis 'H1' compares 'hidden' of 'explanation', which outcome 'accuracy' leaves out",
    ),
    Unanswerable(
        "a claim that waits for an estimate without a test",
        waits_for_a_mean,
        "Hypothesis 'H1' is never tested: it requires 'H2', whose analysis 'mean' has no test",
    ),
    Unanswerable("a model of items with one item", one_item, "Hypothesis 'H1' uses 'logistic_mixed', which takes items as a sample"),
    Unanswerable(
        "a consent page that turns away who agrees",
        lambda plain: consented(plain, "I agree"),
        "Block 'consent' ends the session of people who agree to take part.",
    ),
    Unanswerable(
        "a consent page that keeps everybody",
        lambda plain: consented(plain, "I refuse"),
        "Block 'consent' lets people continue who do not agree to take part.",
    ),
    Unanswerable("a question that nobody survives", stopped_by_all, "Block 'screening' lets nobody continue"),
)  # fmt: skip
