"""HIVE: nineteen studies of one shape."""

from tests.journeys.published_designs.parts import UNDERSTANDING, WHY, hypothesis, questions, screen, stage, study, text
from tests.small_studies import numbered_items
from understudy.schema import Study


def hive(method: str, task: str) -> Study:
    """HIVE: one method and task per study; agreement is balanced on correctness, distinction has four options."""
    asks_four = task != "agreement"
    asked = (
        {"kind": "choice", "question_id": "choice", "prompt": "Which class?", "options": ["1", "2", "3", "4"]}
        if asks_four
        else {"kind": "rating", "question_id": "belief", "prompt": "Is the prediction right?", "points": 4}
    )
    keys = {"choice": "true_class"} if asks_four else {}
    risk = {
        "kind": "number",
        "question_id": "needed",
        "prompt": "Accuracy you would need, low risk",
        "low": 0,
        "high": 100,
        "unit": "%",
    }
    outcome = {"name": "accuracy", "measure": "right", "by": ["prediction_is"]}
    measure = {
        "name": "right",
        "measure": "correct" if asks_four else {"name": "answer", "params": {"question": "belief"}},
    }
    analysis = "one_sample_t" if asks_four else "signed_rank"
    test = {"against": 0.25} if asks_four else {"factor": "prediction_is", "contrast": ["right", "wrong"]}
    return study(
        f"hive-{method}-{task}",
        factors=[{"name": "prediction_is", "scope": "item", "levels": ["right", "wrong"]}],
        assignment={"quota": 50},
        item_sets=[{"name": "images", "n_items": 10, "strata": ["prediction_is"],
                    "dataset": numbered_items(20, prediction_is=["right", "wrong"], true_class=["1", "2", "3", "4"])}],
        flow=[
            text("method"),
            questions("understanding_1", UNDERSTANDING),
            text("preview"),
            stage("task", "images", asked, keys=keys, references=[{"block": "method", "access": "always"}], feedback="after_stage"),
            questions("understanding_2", UNDERSTANDING),
            screen("results", "feedback", "feedback", text="Thank you."),
            questions("understanding_3", UNDERSTANDING),
            questions("trade_off", risk, WHY),
        ],
        measures=[measure],
        plan={"outcomes": [outcome if not asks_four else {"name": "accuracy", "measure": "right"}],
              "hypotheses": [hypothesis("chance", "accuracy", analysis, **test)]},
    )  # fmt: skip


def hive_all() -> list[Study]:
    """The nineteen studies: which methods met which tasks on which data is data, not structure."""
    variants = [
        *[
            (m, t)
            for m in ("gradcam-cub", "gradcam-imagenet", "bagnet-cub", "bagnet-imagenet")
            for t in ("agreement", "distinction", "output")
        ],
        *[(m, "agreement") for m in ("protopnet-cub", "prototree-cub")],
        *[
            (m, "distinction")
            for m in ("protopnet-cub", "prototree-cub", "gradcam-label", "bagnet-label", "prototree-label")
        ],
    ]
    return [hive(method, task) for method, task in variants]
