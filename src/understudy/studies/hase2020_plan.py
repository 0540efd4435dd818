"""The analysis plan of Hase & Bansal (2020): Change by method, ratings, and what they could hide.

A study that uses it declares the factors `method` (between), `phase` (within: before, after), `test` (within: forward,
counterfactual) and `model_is` (item: right, wrong), sets phase and test in the `levels` of its four stages, and measures
`correct` (in those stages) and `rating` (wherever an explanation is rated, with kind "bounded").
"""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from understudy.schema import AnalysisPlan, Description, Family, Hypothesis, Json, Outcome, Ref

Domain: TypeAlias = Literal["text", "tabular", "own"]
METHODS = ("lime", "anchor", "prototype", "decision_boundary", "composite")
CONTROL = "control"
PHASES = ("after", "before")
"""Change is the first less the second."""
TESTS = ("forward", "counterfactual")
SCOPES = ("all", *TESTS)
"""All answers of a domain (the paper's Table 1), and those of each test (its Table 2)."""


def simulatability_plan(
    methods: Sequence[str] = METHODS,
    *,
    domain: Domain = "own",
    tests: Sequence[str] = TESTS,
    control: str | None = CONTROL,
    by_model: bool = True,
    published_resamples: int | None = 2000,
) -> AnalysisPlan:
    """Build the plan; `domain` decides which printed tables stand beside it.

    `control` is the arm without explanations, None where there is none; `by_model` asks for
    the item factor `model_is`. The paper drew 25,000 resamples for its own way
    of computing Change; None leaves that way out, as in simulations of power.
    """
    scopes = ("all", *tests) if len(tests) > 1 else tuple(tests)
    hypotheses = [one for scope in scopes for one in _changes(scope, methods, control, published_resamples)]
    hypotheses += [one for scope in scopes for one in _starts(scope, control)]
    hypotheses += [*_ratings_by_model(), *_rating_gains(tests)] if by_model else _rating_gains(tests)
    return AnalysisPlan(
        outcomes=_outcomes(tests),
        hypotheses=tuple(hypotheses),
        descriptions=tuple(_descriptions(domain, by_model=by_model)),
        families=tuple(_families(scopes, methods, control)),
        partial_sessions="kept",
    )


def _outcomes(tests: Sequence[str]) -> tuple[Outcome, ...]:
    rated = Outcome(name="answers_after_rating", measure="correct", summary=None, where="phase == 'after' and test == 'counterfactual'")  # fmt: skip
    return (
        Outcome(name="answers", measure="correct", summary=None),
        *((rated,) if "counterfactual" in tests else ()),
        Outcome(name="ratings", measure="rating", summary=None),
    )


def _where(scope: str, *more: str) -> str | None:
    parts = [*([] if scope == "all" else [f"test == '{scope}'"]), *more]
    return " and ".join(parts) or None


def _changes(scope: str, methods: Sequence[str], control: str | None, resamples: int | None) -> Iterator[Hypothesis]:
    words = "in both tests" if scope == "all" else f"in the {scope} test"
    explained = [f"method != '{control}'"] if control else []
    yield _change(
        f"change_{scope}", f"People predict otherwise after explanations, {words}.", {},
        where=_where(scope, *explained), is_confirmatory=False,
    )  # fmt: skip
    arms = [*methods, *([control] if control else [])]
    for method in arms:
        name = _spoken(method)
        own: Json = {"between": "method", "level": method}
        yield _change(
            f"change_{scope}_{method}", f"Predictions change between the phases with {name}, {words}.", own,
            where=_where(scope), family=f"change_{scope}" if method != control and len(methods) > 1 else None,
            is_confirmatory=method != control,
        )  # fmt: skip
        if control and method != control:
            yield _change(
                f"over_control_{scope}_{method}", f"Predictions change more with {name} than without explanations, "
                f"{words}.", own | {"reference": control}, where=_where(scope),
                family=f"over_control_{scope}" if len(methods) > 1 else None,
            )  # fmt: skip
        if resamples is not None and method != control and len(methods) > 1:
            published: Json = own | {"method": "published", "n_resamples": resamples}
            yield _change(
                f"published_{scope}_{method}", f"Predictions change with {name}, {words}, as the paper computed it.",
                published, where=_where(scope, *explained), is_confirmatory=False,
            )  # fmt: skip


def _change(
    hypothesis_id: str,
    claim: str,
    params: Json,
    *,
    where: str | None,
    family: str | None = None,
    is_confirmatory: bool = True,
) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=hypothesis_id, claim=claim, outcome="answers", factor="phase", contrast=PHASES, where=where,
        analysis=Ref(name="change", params=params), family=family, is_confirmatory=is_confirmatory,
    )  # fmt: skip


def _starts(scope: str, control: str | None) -> Iterator[Hypothesis]:
    yield Hypothesis(
        hypothesis_id=f"first_phase_{scope}", claim="Methods differ before any explanation was seen.",
        outcome="answers", factor="method", where=_where(scope, "phase == 'before'"),
        analysis=Ref(name="logistic_groups"), is_confirmatory=False,
    )  # fmt: skip
    explained = [f"method != '{control}'"] if control else []
    yield Hypothesis(
        hypothesis_id=f"to_the_mean_{scope}", claim="Change depends on where people started.", outcome="answers",
        factor="phase", contrast=PHASES, where=_where(scope, *explained),
        analysis=Ref(name="regression_to_mean", params={"between": "method"}), is_confirmatory=False,
    )  # fmt: skip


def _ratings_by_model() -> Iterator[Hypothesis]:
    yield Hypothesis(
        hypothesis_id="ratings_by_model", claim="Explanations of right and of wrong predictions are rated differently.",
        outcome="ratings", factor="model_is", contrast=("right", "wrong"), analysis=Ref(name="participant_bootstrap"),
        is_confirmatory=False,
    )  # fmt: skip


def _rating_gains(tests: Sequence[str]) -> Iterator[Hypothesis]:
    if "counterfactual" not in tests:
        return
    kinds: dict[str, tuple[str, Json]] = {
        "absolute": ("A rating one point higher goes with more right predictions.", {}),
        "within": ("A rating above a person's own mean goes with more right predictions.", {"rating": "within"}),
        "published": (
            "A rating above the mean of its method and item goes with more right predictions, as the paper computed it.",
            {"rating": "within", "method": "published", "between": "method"},
        ),
    }
    for kind, (claim, params) in kinds.items():
        yield Hypothesis(
            hypothesis_id=f"rating_gain_{kind}", claim=claim, outcome="answers_after_rating", other="ratings",
            analysis=Ref(name="rating_gain", params=params), is_confirmatory=False,
        )  # fmt: skip


def _descriptions(domain: Domain, *, by_model: bool) -> Iterator[Description]:
    crossed: Literal["participants_and_items"] = "participants_and_items"
    yield Description(description_id="accuracy", outcome="answers", by=("test", "method", "phase"), interval=crossed)
    yield Description(description_id=f"ratings_{domain}", outcome="ratings", by=("method",), interval=crossed)
    if by_model:
        yield Description(description_id="ratings_by_model", outcome="ratings", by=("model_is",), interval=crossed)


def _families(scopes: Sequence[str], methods: Sequence[str], control: str | None) -> Iterator[Family]:
    if len(methods) < 2:
        return
    for scope in scopes:
        yield Family(name=f"change_{scope}")
        if control:
            yield Family(name=f"over_control_{scope}")


def _spoken(method: str) -> str:
    return method.replace("_", " ")
