"""Two4Two: two studies."""

from typing import Any

from tests.journeys.published_designs.parts import RELEVANT, WHY, hypothesis, questions, screen, stage, study, text
from understudy.schema import Study

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
