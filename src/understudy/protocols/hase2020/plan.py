"""The analysis plan of Hase & Bansal (2020): Change by method, ratings, and checks of both.

A study that uses it declares the factors `method` (between), `phase` (within: before, after), `test` (within: forward,
counterfactual) and `model_is` (item: right, wrong), sets phase and test in the `levels` of its four stages, and measures
`correct` (in those stages) and `rating` (wherever an explanation is rated, with kind "bounded"). A study with several
domains declares them as the levels of a factor `domain` (between).
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from understudy.protocols.pages import with_plain_words
from understudy.schema import AnalysisPlan, Description, Family, Hypothesis, Json, Outcome, Ref

Domain: TypeAlias = Literal["text", "tabular", "own"]
METHODS = ("lime", "anchor", "prototype", "decision_boundary", "composite")
METHOD_WORDS: Final = {
    "lime": "LIME",
    "anchor": "anchors",
    "prototype": "prototypes",
    "decision_boundary": "decision boundaries",
    "composite": "composite explanations",
}
"""What claims call the methods of the paper; a method of your own keeps its name."""
CONTROL = "control"
PHASES = ("after", "before")
"""Change is the first minus the second."""
TESTS = ("forward", "counterfactual")


class Share(NamedTuple):
    """A subset of the answers that is analysed separately."""

    name: str
    where: str | None
    words: str


class Asked(NamedTuple):
    """What a plan tests in each share."""

    methods: Sequence[str]
    control: str | None
    published_resamples: int | None

    @property
    def has_several(self) -> bool:
        """Whether there is more than one method to compare and correct for."""
        return len(self.methods) > 1


def simulatability_plan(
    methods: Sequence[str] = METHODS,
    *,
    domains: Sequence[Domain] = ("own",),
    tests: Sequence[str] = TESTS,
    control: str | None = CONTROL,
    by_model: bool = True,
    published_resamples: int | None = 2000,
    correction: Literal["holm", "none"] = "holm",
) -> AnalysisPlan:
    """Build the plan; `domains` decide which of the paper's tables it is compared with.

    `control` is the arm without explanations, None where there is none; `by_model` asks for
    the item factor `model_is`. The paper drew 25,000 resamples for its own way
    of computing Change; None leaves that way out. The paper corrected for nothing.
    """
    asked = Asked(tuple(methods), control, published_resamples)
    shares = tuple(shares_of(domains, tests))
    hypotheses = [hypothesis for share in shares for hypothesis in _changes(share, asked)]
    hypotheses += [hypothesis for share in shares for hypothesis in _starts(share, asked)]
    for share in _domain_shares(domains):
        hypotheses += [*_ratings_by_model(share)] if by_model else []
        hypotheses += [*_rating_gains(share)] if "counterfactual" in tests else []
    return AnalysisPlan(
        outcomes=_outcomes(tests),
        hypotheses=with_plain_words(hypotheses, _plain_words(shares, asked)),
        descriptions=tuple(_descriptions(domains, by_model=by_model)),
        families=tuple(Family(name=name, correction=correction) for name in _family_names(shares, asked)),
        partial_sessions="kept",
    )


def with_pace(plan: AnalysisPlan) -> AnalysisPlan:
    """Return the plan with a description of the time for predictions, from the measure `seconds`."""
    pace = Outcome(name="pace", measure="seconds", by=("phase",))
    described = Description(description_id="pace", outcome="pace", by=("method", "phase"))
    return plan.model_copy(update={"outcomes": (*plan.outcomes, pace), "descriptions": (*plan.descriptions, described)})


def shares_of(domains: Sequence[str], tests: Sequence[str] = TESTS) -> Iterator[Share]:
    """Yield each domain (the paper's Table 1; `all` where there is one), and each test (its Table 2)."""
    of_tests = [Share(test, f"test == '{test}'", f"in the {test} test") for test in tests]
    if len(domains) > 1:
        yield from (Share(domain, f"domain == '{domain}'", f"with the {domain} model") for domain in domains)
    elif len(tests) > 1:
        yield Share("all", None, "in both tests")
    yield from of_tests


def _domain_shares(domains: Sequence[str]) -> Iterator[Share]:
    for domain in domains:
        yield Share(domain, f"domain == '{domain}'" if len(domains) > 1 else None, "")


def _plain_words(shares: Sequence[Share], asked: Asked) -> dict[str, str]:
    """Return what people who took part read about the main claims; names of methods would tell them nothing."""
    words = {
        f"change_{share.name}": f"After they have seen explanations, people predict {_PREDICTED[share.name]} better."
        for share in shares
        if share.name in _PREDICTED
    }
    if asked.control and len(asked.methods) == 1:
        words[f"over_control_all_{asked.methods[0]}"] = (
            "Seeing explanations helps people more than seeing the same cases again."
        )
    return words


_PREDICTED: Final = {
    "all": "the model",
    "text": "the model that reads sentences",
    "tabular": "the model that reads facts about people",
    "forward": "the model's answers to new cases",
    "counterfactual": "the model's answers to edited cases",
}
"""Share of the answers -> what people predict in it."""


def _outcomes(tests: Sequence[str]) -> tuple[Outcome, ...]:
    rated = Outcome(name="answers_after_rating", measure="correct", summary=None, where="phase == 'after' and test == 'counterfactual'")  # fmt: skip
    return (
        Outcome(name="answers", measure="correct", summary=None),
        Outcome(name="paired_answers", measure="correct", summary=None, complete_over="phase"),
        *((rated,) if "counterfactual" in tests else ()),
        Outcome(name="ratings", measure="rating", summary=None),
    )


def _where(share: Share, *more: str) -> str | None:
    return " and ".join([*([share.where] if share.where else []), *more]) or None


def _explained(control: str | None) -> tuple[str, ...]:
    return (f"method != '{control}'",) if control else ()


def _changes(share: Share, asked: Asked) -> Iterator[Hypothesis]:
    control, explained = asked.control, _explained(asked.control)
    yield _change(
        f"change_{share.name}", f"People predict better after explanations than before, {share.words}.", {},
        where=_where(share, *explained), is_confirmatory=False, expects="greater",
    )  # fmt: skip
    for method in (*asked.methods, *([control] if control else [])):
        name = METHOD_WORDS.get(method, method.replace("_", " "))
        method_params: Json = {"between": "method", "level": method}
        # Practice alone may help or harm, so the control arm claims no direction.
        is_control = method == control
        claim = "Without explanations, predictions change" if is_control else f"With {name}, predictions get better"
        yield _change(
            f"change_{share.name}_{method}", f"{claim} from the first to the second phase, {share.words}.", method_params,
            where=_where(share), is_confirmatory=not is_control, expects=None if is_control else "greater",
            family=f"change_{share.name}" if not is_control and asked.has_several else None,
        )  # fmt: skip
        if control and method != control:
            yield _change(
                f"over_control_{share.name}_{method}", f"Predictions improve more with {name} than without "
                f"explanations, {share.words}.", method_params | {"reference": control}, where=_where(share), expects="greater",
                family=f"over_control_{share.name}" if asked.has_several else None,
            )  # fmt: skip
        if asked.published_resamples is not None and method != control and asked.has_several:
            published: Json = method_params | {"method": "published", "n_resamples": asked.published_resamples}
            yield _change(
                f"published_{share.name}_{method}", f"With {name}, predictions get better, {share.words}, computed as in "
                "the paper.", published, where=_where(share, *explained), is_confirmatory=False, expects="greater",
            )  # fmt: skip


def _change(
    hypothesis_id: str,
    claim: str,
    params: Json,
    *,
    where: str | None,
    family: str | None = None,
    is_confirmatory: bool = True,
    expects: Literal["greater"] | None = None,
) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=hypothesis_id, claim=claim, outcome="answers", factor="phase", contrast=PHASES, where=where,
        analysis=Ref(name="change", params=params), family=family, is_confirmatory=is_confirmatory,
        expects=expects,
    )  # fmt: skip


def _starts(share: Share, asked: Asked) -> Iterator[Hypothesis]:
    if asked.has_several or asked.control:
        yield Hypothesis(
            hypothesis_id=f"first_phase_{share.name}", claim="Methods differ before any explanation was seen.",
            outcome="paired_answers", factor="method", where=_where(share, "phase == 'before'"),
            analysis=Ref(name="logistic_groups"), is_confirmatory=False,
        )  # fmt: skip
    yield Hypothesis(
        hypothesis_id=f"to_the_mean_{share.name}", claim="Change depends on where people started.", outcome="answers",
        factor="phase", contrast=PHASES, where=_where(share, *_explained(asked.control)),
        analysis=Ref(name="regression_to_mean", params={"between": "method"}), is_confirmatory=False,
    )  # fmt: skip


def _ratings_by_model(share: Share) -> Iterator[Hypothesis]:
    yield Hypothesis(
        hypothesis_id=f"ratings_by_model_{share.name}", outcome="ratings", factor="model_is",
        claim="Explanations of right and of wrong predictions are rated differently.", contrast=("right", "wrong"),
        where=share.where, analysis=Ref(name="participant_bootstrap"), is_confirmatory=False,
    )  # fmt: skip


def _rating_gains(share: Share) -> Iterator[Hypothesis]:
    kinds: dict[str, tuple[str, Json]] = {
        "absolute": ("A rating one point higher goes with more right predictions.", {}),
        "within": ("A rating above a person's own mean goes with more right predictions.", {"rating": "within"}),
        "published": (
            "A rating above the mean of its method and item goes with more right predictions, computed as in the paper.",
            {"rating": "within", "method": "published", "between": "method"},
        ),
    }
    for kind, (claim, params) in kinds.items():
        yield Hypothesis(
            hypothesis_id=f"rating_gain_{kind}_{share.name}", claim=claim, outcome="answers_after_rating",
            other="ratings", where=share.where, analysis=Ref(name="rating_gain", params=params), is_confirmatory=False,
            expects="greater",
        )  # fmt: skip


def _descriptions(domains: Sequence[str], *, by_model: bool) -> Iterator[Description]:
    crossed: Literal["participants_and_items"] = "participants_and_items"
    apart = ("domain",) if len(domains) > 1 else ()
    cells = (*apart, "test", "method", "phase")
    yield Description(description_id="accuracy", outcome="paired_answers", by=cells, interval=crossed)
    for share in _domain_shares(domains):
        rated = {"outcome": "ratings", "where": share.where, "interval": crossed}
        yield Description.model_validate({"description_id": f"ratings_{share.name}", "by": ("method",), **rated})
        if by_model:
            yield Description.model_validate(
                {"description_id": f"ratings_by_model_{share.name}", "by": ("model_is",), **rated}
            )


def _family_names(shares: Sequence[Share], asked: Asked) -> Iterator[str]:
    if asked.has_several:
        for share in shares:
            yield f"change_{share.name}"
            if asked.control:
                yield f"over_control_{share.name}"
