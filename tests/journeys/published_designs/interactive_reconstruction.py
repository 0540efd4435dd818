"""Interactive reconstruction: four studies."""

from tests.journeys.published_designs.parts import (
    BAND,
    CONFIDENCE,
    SEQ,
    SOLVED,
    UNDERSTANDING,
    hypothesis,
    questions,
    stage,
    study,
    text,
)
from tests.small_studies import numbered_items
from understudy.schema import Study


def ir1() -> Study:
    """IR-1: think-aloud, each person two of six task-dataset pairs and two of six models, drawn for coverage."""
    pairs = [f"{t}-{d}" for t in ("reconstruction", "exemplars", "traversals") for d in ("dsprites", "sinelines")]
    models = [f"{m}-{d}" for d in ("dsprites", "sinelines") for m in ("ae", "vae", "gt")]
    return study(
        "ir-1",
        factors=[
            {"name": "pair", "scope": "within", "levels": pairs, "n_drawn": 2, "order": "urn_order"},
            {"name": "model", "scope": "within", "levels": models, "n_drawn": 2, "order": "urn_order"},
        ],
        assignment={"quota": 3},
        item_sets=[{"name": "questions", "n_items": 5, "dataset": numbered_items(5, target=["solved"])}],
        flow=[
            text("tutorial"),
            {
                "kind": "loop",
                "block_id": "pairs",
                "over": "pair",
                "blocks": [
                    {
                        "kind": "loop",
                        "block_id": "models",
                        "over": "model",
                        "blocks": [stage("work", "questions", SOLVED, keys={"solved": "target"}), questions("load", SEQ)],
                    }
                ],
            },
        ],
        measures=[{"name": "solved", "measure": "correct"}],
        plan={"outcomes": [{"name": "completion", "measure": "solved", "by": ["model"]}],
              "descriptions": [{"description_id": "completion", "outcome": "completion", "by": ["model"]}]},
    )  # fmt: skip


def ir2() -> Study:
    """IR-2: crowd, dataset x task between, model within, SEQ after each model, practice gates and exclusions."""
    single = ("exemplars", "traversals")
    return study(
        "ir-2",
        factors=[
            {"name": "dataset", "scope": "between", "levels": ["dsprites", "sinelines"]},
            {"name": "task", "scope": "between", "levels": ["reconstruction", *single]},
            {"name": "model", "scope": "within", "levels": ["ae", "vae", "gt"]},
        ],
        bindings=[
            {"when": {"dataset": d, "model": m}, "dataset": numbered_items(10, prefix=f"{d} {m}", target=["solved"], regime=["low", "medium", "high"])}
            for d in ("dsprites", "sinelines")
            for m in ("ae", "vae", "gt")
        ],
        assignment={"quota": 15},
        item_sets=[
            {"name": "five", "n_items": 5},
            {"name": "ten", "n_items": 10},
            {"name": "easy", "n_items": 1, "dataset": numbered_items(1, prefix="easy", target=["solved"], regime=["low"])},
        ],
        flow=[
            text("tutorial"),
            stage("practice_solve", "easy", SOLVED, keys={"solved": "target"}, purpose="practice", when={"task": "reconstruction"},
                  gate={"at_least": 1, "tries": "unlimited"}, feedback="continuous"),
            stage("practice_band", "easy", BAND, keys={"band": "regime"}, purpose="practice", when={"task": single}, feedback="per_trial"),
            {
                "kind": "loop",
                "block_id": "models",
                "over": "model",
                "blocks": [
                    stage("reconstruct", "five", SOLVED, keys={"solved": "target"}, when={"task": "reconstruction"}, feedback="continuous"),
                    stage("classify", "ten", BAND, CONFIDENCE, UNDERSTANDING, keys={"band": "regime"}, when={"task": single}, feedback="per_trial"),
                    questions("seq", SEQ),
                ],
            },
        ],
        measures=[
            {"name": "right", "measure": "correct"},
            {"name": "seconds", "measure": "response_time"},
            {"name": "difficulty", "measure": {"name": "answer", "params": {"question": "difficulty"}}, "blocks": ["seq"]},
            {"name": "practice_right", "measure": "correct", "summary": "mean", "blocks": ["practice_band"]},
        ],
        exclusions=[{"exclusion_id": "practice", "rule": "practice_right < 1", "reason": "Answered the practice wrongly."}],
        pay={"base": 6, "expected_minutes": 18},
        plan={
            "outcomes": [{"name": "completion", "measure": "right", "by": ["model"]}, {"name": "time", "measure": "seconds", "by": ["model"]},
                         {"name": "seq", "measure": "difficulty", "by": ["model"]}],
            "alpha": 0.05,
            "families": [{"name": "all", "correction": "bonferroni", "n_tests": 435}],
            "hypotheses": [
                hypothesis("any_model", "completion", "rm_anova", factor="model", where="task == 'reconstruction'", family="all"),
                hypothesis("gt_over_ae", "completion", "paired_t", factor="model", contrast=["gt", "ae"], where="task == 'reconstruction'", family="all"),
                hypothesis("seq", "seq", "signed_rank", factor="model", contrast=["gt", "ae"], family="all"),
            ],
        },
    )  # fmt: skip


def ir3() -> Study:
    """IR-3: think-aloud, latent size by odd and even number, three models within, seven questions or ten minutes."""
    tlx = {
        "kind": "matrix",
        "question_id": "load",
        "prompt": "How was it?",
        "rows": ["mental", "effort", "frustration"],
        "points": 21,
    }
    names = {"kind": "text", "question_id": "labels", "prompt": "What did each dial do?"}
    return study(
        "ir-3",
        factors=[
            {"name": "d_z", "scope": "between", "levels": ["5", "10"]},
            {"name": "model", "scope": "within", "levels": ["ae", "tc", "ss"]},
        ],
        assignment={"policy": "parity", "quota": 5},
        item_sets=[{"name": "questions", "n_items": 7, "dataset": numbered_items(7, target=["solved"])}],
        flow=[
            text("tutorial"),
            {"kind": "loop", "block_id": "models", "over": "model",
             "blocks": [stage("work", "questions", SOLVED, keys={"solved": "target"}, minutes=10), questions("after", tlx, UNDERSTANDING, names)]},
        ],
        measures=[
            {"name": "solved", "measure": "correct"},
            {"name": "effort", "measure": {"name": "answer", "params": {"question": "load", "row": "effort"}}, "blocks": ["after"]},
        ],
        plan={
            "outcomes": [{"name": "completion", "measure": "solved", "by": ["model"]}],
            "hypotheses": [hypothesis("model", "completion", "rm_anova", factor="model"),
                           hypothesis("both", "completion", {"name": "mixed_anova", "params": {"effect": "interaction"}}, factor="d_z", crossed_with="model")],
        },
    )  # fmt: skip


def ir4() -> Study:
    """IR-4: crowd, seven models between, seven questions, excluded below one solved."""
    models = ["AE5", "VAE5", "IG5", "TC5", "SS5", "AE10", "SS10"]
    return study(
        "ir-4",
        factors=[{"name": "model", "scope": "between", "levels": models}],
        assignment={"quota": 15},
        item_sets=[{"name": "questions", "n_items": 7, "dataset": numbered_items(7, target=["solved"])}],
        flow=[text("tutorial"), stage("work", "questions", SOLVED, keys={"solved": "target"}), questions("seq", SEQ)],
        measures=[{"name": "solved", "measure": "correct"}, {"name": "n_solved", "measure": "correct", "summary": "sum"}],
        exclusions=[{"exclusion_id": "none_solved", "rule": "n_solved < 1", "reason": "Solved none of the seven questions."}],
        pay={"base": 3.75, "expected_minutes": 15},
        plan={
            "outcomes": [{"name": "completion", "measure": "solved"}],
            "hypotheses": [hypothesis("any", "completion", "oneway_anova", factor="model"),
                           hypothesis("ss_over_ae", "completion", "independent_t", factor="model", contrast=["SS5", "AE5"])],
        },
    )  # fmt: skip
