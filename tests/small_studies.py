"""Small studies that tests build on."""

from typing import Any

from understudy.schema import Study

RIGHT_OR_WRONG = {
    "kind": "choice",
    "question_id": "guess",
    "prompt": "What will the model say?",
    "options": ["yes", "no"],
}


def consent() -> dict[str, Any]:
    declined = {"rule": "consent != 'I agree'", "outcome": "declined", "reason": "Did not agree to take part."}
    return {**_screen("consent", "This study takes five minutes."), "stops": [declined]}


def debrief() -> dict[str, Any]:
    return _screen("debrief", "Thank you for taking part.")


def _screen(name: str, text: str) -> dict[str, Any]:
    return {"kind": "screen", "block_id": name, "purpose": name, "task": {"name": name, "params": {"text": text}}}


def numbered_items(n: int, *, prefix: str = "case", **attributes: list[Any]) -> dict[str, Any]:
    """A listed dataset of n items whose attributes repeat their values in turn."""
    return {
        "name": "listed",
        "params": {
            "items": [
                {
                    "content": {"name": f"{prefix} {k}"},
                    "attributes": {
                        name: values[k // _stride(attributes, name) % len(values)]
                        for name, values in attributes.items()
                    },
                }
                for k in range(n)
            ]
        },
    }


def _stride(attributes: dict[str, list[Any]], name: str) -> int:
    stride = 1
    for other, values in attributes.items():
        if other == name:
            return stride
        stride *= len(values)
    return stride


def two_group_plain(**changes: Any) -> dict[str, Any]:
    """Two groups, twelve keyed items each, one t-test, as plain values."""
    plain: dict[str, Any] = {
        "name": "two-groups",
        "title": "Do explanations help people predict the model?",
        "seed": 1,
        "factors": [{"name": "explanation", "scope": "between", "levels": ["shown", "hidden"]}],
        "assignment": {"quota": 10},
        "item_sets": [
            {"name": "cases", "n_items": 12, "strata": ["answer"], "dataset": numbered_items(24, answer=["yes", "no"])}
        ],
        "flow": [
            consent(),
            {
                "kind": "stage",
                "block_id": "predict",
                "items": "cases",
                "task": {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG], "keys": {"guess": "answer"}}},
            },
            debrief(),
        ],
        "measures": [{"name": "correct", "measure": "correct"}],
        "plan": {
            "outcomes": [{"name": "accuracy", "measure": "correct"}],
            "hypotheses": [
                {
                    "hypothesis_id": "H1",
                    "claim": "People who see explanations predict better.",
                    "outcome": "accuracy",
                    "factor": "explanation",
                    "contrast": ["shown", "hidden"],
                    "direction": "greater",
                    "analysis": "welch_t",
                }
            ],
        },
    }
    return {**plain, **changes}


def helped_flow() -> list[dict[str, Any]]:
    """The flow of the two groups, one of which reads something first: the groups alone would meet the same pages."""
    pages = {"pages": ["The model looks at the name."]}
    help_page = {
        **_screen("instructions", ""), "block_id": "help", "when": {"explanation": "shown"},
        "task": {"name": "instructions", "params": pages},
    }  # fmt: skip
    consented, predict, debriefed = two_group_plain()["flow"]
    return [consented, help_page, predict, debriefed]


def two_groups(**changes: Any) -> Study:
    return Study.model_validate(two_group_plain(**changes))
