"""Every row of the table of published designs, written as a study."""

from typing import Any

from studies import consent, debrief, numbered_items

from understudy.schema import Study

SEQ = {"kind": "rating", "question_id": "difficulty", "prompt": "How hard was this?", "points": 7}
UNDERSTANDING = {
    "kind": "rating",
    "question_id": "understanding",
    "prompt": "How well do you understand it?",
    "points": 5,
}
CONFIDENCE = {"kind": "rating", "question_id": "confidence", "prompt": "How sure are you?", "points": 5}
SOLVED = {"kind": "choice", "question_id": "solved", "prompt": "Did it match?", "options": ["solved", "skipped"]}
BAND = {"kind": "choice", "question_id": "band", "prompt": "Low, medium or high?", "options": ["low", "medium", "high"]}
RELEVANT = {
    "kind": "choice",
    "question_id": "relevant",
    "prompt": "Does the model use this?",
    "options": ["relevant", "irrelevant"],
}
WHY = {"kind": "text", "question_id": "why", "prompt": "Please say why.", "min_chars": 10}
LABEL = {"kind": "choice", "question_id": "output", "prompt": "What does the model answer?", "options": ["A", "B"]}


def screen(block_id: str, purpose: str, task: str, **params: Any) -> dict[str, Any]:
    return {"kind": "screen", "block_id": block_id, "purpose": purpose, "task": {"name": task, "params": params}}


def text(block_id: str, purpose: str = "instructions") -> dict[str, Any]:
    return screen(block_id, purpose, "instructions", pages=["Please read this page."])


def questions(block_id: str, *asked: dict[str, Any], purpose: str = "questionnaire", **params: Any) -> dict[str, Any]:
    return screen(block_id, purpose, "questionnaire", questions=list(asked), **params)


def stage(
    block_id: str, items: str | None, *asked: dict[str, Any], keys: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    block: dict[str, Any] = {
        "kind": "stage",
        "block_id": block_id,
        "task": {
            "name": "judge",
            "params": {"questions": list(asked), "keys": keys or {}, "reveals": more.pop("reveals", [])},
        },
        **more,
    }
    return block if items is None else {**block, "items": items}


def study(name: str, **parts: Any) -> Study:
    plain = {"name": name, "title": name.replace("-", " "), "seed": 11, **parts}
    plain["flow"] = [consent(), *parts["flow"], debrief()]
    return Study.model_validate(plain)


def hypothesis(name: str, outcome: str, analysis: Any, **more: Any) -> dict[str, Any]:
    return {"hypothesis_id": name, "claim": f"{outcome} differs.", "outcome": outcome, "analysis": analysis, **more}


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


ATTRIBUTES = ["legs", "color", "background", "shape", "posture"]


def two4two_flow(videos: int) -> list[dict[str, Any]]:
    quiz = {"kind": "choice", "question_id": "quiz", "prompt": "Which is true?", "options": ["this", "that"]}
    device = screen("device", "check", "device_check", min_width_px=600)
    device["stops"] = [{"rule": "width_px < 600", "reason": "The window is too small for the pictures."}]
    flow: list[dict[str, Any]] = [device]
    for k in range(1, videos + 1):
        film = screen(f"video_{k}", "video", "video", asset="film.webm", transcript="What the film says.")
        film["stops"] = [
            {"rule": "watched_share < 1", "reason": "The film was not watched to its end.", "pay_share": 0.1 * k}
        ]
        check = questions(f"test_{k}", quiz, purpose="comprehension", answers={"quiz": "this"})
        check["gate"] = {"at_least": 1, "tries": 2, "restudy": [f"video_{k}", f"summary_{k}"], "pay_share": 0.2 * k}
        flow += [film, text(f"summary_{k}"), check]
    return flow


def two4two_items() -> dict[str, Any]:
    truth = {
        "legs": "relevant",
        "color": "relevant",
        "background": "irrelevant",
        "shape": "relevant",
        "posture": "irrelevant",
    }
    return {"name": "listed", "params": {"items": [
        {"content": {"attribute": a}, "attributes": {"attribute": a, "truth": truth[a]}} for a in ATTRIBUTES]}}  # fmt: skip


def t42_1() -> Study:
    """T42-1: baseline only, five attributes judged on one display, exact McNemar tests."""
    return study(
        "t42-1",
        factors=[{"name": "attribute", "scope": "item", "levels": ATTRIBUTES}],
        assignment={"quota": 50},
        item_sets=[{"name": "attributes", "n_items": 5, "strata": ["attribute"], "dataset": two4two_items()}],
        flow=[*two4two_flow(3), stage("judge", "attributes", RELEVANT, WHY, keys={"relevant": "truth"})],
        measures=[
            {"name": "says_relevant", "measure": {"name": "chosen", "params": {"question": "relevant", "option": "relevant"}}},
            {"name": "n_right", "measure": "correct", "summary": "sum"},
            {"name": "fastest", "measure": "response_time", "summary": "sum"},
        ],
        exclusions=[{"exclusion_id": "too_fast", "applies": "live", "rule": "fastest < 3", "reason": "Answered in under thirty seconds."},
                    {"exclusion_id": "off_topic", "applies": "annotators", "reason": "Two annotators found the texts unusable."}],
        pay={"currency": "GBP", "base": 6, "bonuses": [{"measure": "n_right", "per_unit": 0.4, "at_most": 2}]},
        plan={
            "outcomes": [{"name": "relevant", "measure": "says_relevant", "summary": "max", "by": ["attribute"]}],
            "alpha": 0.025,
            "hypotheses": [hypothesis("legs_color", "relevant", "mcnemar", factor="attribute", contrast=["legs", "color"]),
                           hypothesis("legs_shape", "relevant", "mcnemar", factor="attribute", contrast=["legs", "shape"])],
        },
    )  # fmt: skip


def t42_2() -> Study:
    """T42-2: three explanations between, decision tree from Shapiro-Wilk, rank-sum tests with Bonferroni."""
    tree = {
        "check": "shapiro_wilk",
        "if_holds": {"check": {"name": "levene"}, "if_holds": "oneway_anova", "if_fails": "welch_anova"},
        "if_fails": "kruskal_wallis",
    }
    pair = {"check": "shapiro_wilk", "if_holds": "welch_t", "if_fails": "rank_sum"}
    tests = [hypothesis("any", "accuracy", tree, factor="explanation")]
    tests += [
        hypothesis(
            f"{level}_vs_base",
            "accuracy",
            pair,
            factor="explanation",
            contrast=[level, "baseline"],
            family="pairs",
            requires="any",
        )
        for level in ("inn", "concepts")
    ]
    tests += [
        hypothesis(f"{level}_{a}", "by_attribute", "rank_sum", factor="explanation", contrast=[level, "baseline"], where=f"attribute == '{a}'",
                   family="exploratory", is_confirmatory=False)
        for level in ("inn", "concepts")
        for a in ("legs", "color", "background", "shape")
    ]  # fmt: skip
    expertise = {
        "kind": "choice",
        "question_id": "expertise",
        "prompt": "Do you work with machine learning?",
        "options": ["no", "a little", "yes"],
    }
    plain = t42_1().model_dump(mode="json", exclude_defaults=True)
    return study(
        "t42-2",
        factors=[{"name": "explanation", "scope": "between", "levels": ["baseline", "inn", "concepts"]},
                 {"name": "attribute", "scope": "item", "levels": ATTRIBUTES}],
        assignment={"quota": 20},
        item_sets=plain["item_sets"],
        flow=[*two4two_flow(3), stage("judge", "attributes", RELEVANT, WHY, keys={"relevant": "truth"}), questions("expertise", expertise)],
        measures=[*plain["measures"], {"name": "right", "measure": "correct"}],
        exclusions=plain["exclusions"],
        pay={"currency": "GBP", "base": 4.5, "bonuses": [{"measure": "n_right", "per_unit": 0.4, "at_most": 2}]},
        plan={
            "outcomes": [{"name": "accuracy", "measure": "right"}, {"name": "by_attribute", "measure": "right", "by": ["attribute"]}],
            "families": [{"name": "pairs", "correction": "bonferroni"}, {"name": "exploratory", "correction": "holm"}],
            "hypotheses": tests,
        },
    )  # fmt: skip


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


def sim() -> Study:
    """SIM: domain x method between, learn and predict twice, the very items again, everyone later to one arm."""
    methods = ["lime", "anchor", "prototype", "boundary", "composite"]
    cells = {"label": ["A", "B"], "prediction": ["A", "B"]}
    rating = {"kind": "rating", "question_id": "rating", "prompt": "Does this show why?", "points": 7}
    quiz = {"kind": "choice", "question_id": "quiz", "prompt": "Which is true?", "options": ["this", "that"]}
    screening = questions("screening", quiz, purpose="comprehension", answers={"quiz": "this"})
    screening["gate"] = {"at_least": 1, "tries": 1, "reason": "The screening test was not passed."}
    shown = {"reveals": ["label", "prediction"], "purpose": "learning"}
    asked = {"keys": {"output": "prediction"}}
    return study(
        "sim",
        factors=[
            {"name": "domain", "scope": "between", "levels": ["text", "tabular"]},
            {"name": "method", "scope": "between", "levels": methods},
            {"name": "phase", "scope": "within", "levels": ["pre", "post"], "order": "fixed_order"},
            {"name": "test", "scope": "within", "levels": ["forward", "counterfactual"], "order": "fixed_order"},
        ],
        bindings=[{"when": {"domain": d}, "dataset": numbered_items(128, prefix=d, **cells)} for d in ("text", "tabular")],
        conditions=[
            {"name": f"{d}-{m}", "levels": {"domain": d, "method": m}, "quota": 7 if m == "composite" else 3}
            for d in ("text", "tabular") for m in methods
        ],
        assignment={"policy": {"name": "then_target", "params": {"target": "text-composite", "after": 3}}, "quota": 3},
        item_sets=[
            {"name": "learning", "n_items": 16, "strata": ["label", "prediction"]},
            {"name": "forward", "n_items": 32, "strata": ["label", "prediction"], "apart_from": ["learning"]},
            {"name": "edits", "n_items": 32, "strata": ["label", "prediction"], "apart_from": ["learning", "forward"]},
        ],
        flow=[
            screening,
            stage("learn_plain", "learning", order="given", **shown),
            stage("pre", "forward", LABEL, levels={"phase": "pre", "test": "forward"}, n_items=16, order="shared", **asked),
            stage("learn_explained", None, rating, repeats="learn_plain", **shown),
            stage("post", None, LABEL, levels={"phase": "post", "test": "forward"}, repeats="pre", order="shared", **asked),
            stage("cf_pre", "edits", LABEL, levels={"phase": "pre", "test": "counterfactual"}, n_items=16, order="balanced", **asked),
            stage("cf_post", None, LABEL, rating, levels={"phase": "post", "test": "counterfactual"}, repeats="cf_pre", **asked),
        ],
        measures=[{"name": "right", "measure": "correct"},
                  {"name": "minutes_spent", "measure": "session_minutes"},
                  {"name": "rating", "measure": {"name": "answer", "params": {"question": "rating"}}, "blocks": ["cf_post"]}],
        exclusions=[{"exclusion_id": "too_fast", "rule": "minutes_spent < 1", "reason": "Finished impossibly fast."}],
        plan={
            "outcomes": [{"name": "correctness", "measure": "right", "summary": "none"},
                         {"name": "accuracy", "measure": "right", "by": ["phase"]}],
            "hypotheses": [
                hypothesis("change", "correctness", {"name": "two_way_bootstrap", "params": {"n_resamples": 500}}, factor="phase", contrast=["post", "pre"]),
                hypothesis("first", "correctness", "logistic_mixed", factor="method", where="phase == 'pre'"),
                hypothesis("paired", "accuracy", "paired_t", factor="phase", contrast=["post", "pre"]),
            ],
        },
    )  # fmt: skip


def hml() -> Study:
    """HML: two models answer two data sets; objects are items, tests are paired by object."""
    objects = {
        "name": "listed",
        "params": {"items": [{"content": {"object": k}, "attributes": {"label": "AB"[k % 2]}} for k in range(60)]},
    }
    plain = {
        "name": "hml",
        "title": "Does the concept help the model?",
        "seed": 5,
        "participants": "models",
        "factors": [
            {"name": "training", "scope": "between", "levels": ["M", "M_plus"]},
            {"name": "data", "scope": "within", "levels": ["D", "D_plus"], "order": "fixed_order"},
        ],
        "assignment": {"quota": 1, "policy": "parity"},
        "item_sets": [{"name": "objects", "n_items": 60, "dataset": objects}],
        "flow": [{"kind": "loop", "block_id": "data_sets", "over": "data",
                  "blocks": [stage("test", "objects", LABEL, keys={"output": "label"}, order="given")]}],
        "measures": [{"name": "right", "measure": "correct"}],
        "plan": {"outcomes": [{"name": "correctness", "measure": "right", "summary": "none"}],
                 "hypotheses": [hypothesis("A6", "correctness", {"name": "paired_t", "params": {"paired_by": "item"}}, factor="data",
                                           contrast=["D_plus", "D"], where="training == 'M'")]},
    }  # fmt: skip
    return Study.model_validate(plain)


def all_designs() -> list[Study]:
    """Every row, the nineteen HIVE studies included."""
    return [ir1(), ir2(), ir3(), ir4(), t42_1(), t42_2(), *hive_all(), sim(), hml()]
