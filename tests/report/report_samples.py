"""Sample studies and findings that reports are made of: every verdict, every kind of analysis, hostile text."""

import numpy as np
import pandas as pd

from tests.report import sample_study
from understudy import schema

HOSTILE = "<script>alert(1)</script>"
study = sample_study.study
DESCRIPTIVE_FILES = (
    "dataset_description.json",
    "documentation/codebook.csv",
    "documentation/codebook.json",
    "documentation/codebook.md",
    "materials/digests.json",
    "materials/plan.json",
    "materials/study.json",
)
"""What an archive holds of every study, between its data and its results."""
GROUPS = ("Explanation", "No explanation")


def span(low: float | None, high: float | None) -> schema.Interval:
    return schema.Interval(low=low, high=high, level=0.95)


def between() -> schema.Finding:
    return schema.Finding(
        hypothesis_id="H1",
        claim="People predict the model better with an explanation.",
        analysis="welch_t",
        estimate=schema.Estimate(
            effect=0.0853,
            effect_name="difference of means",
            interval=span(0.0312, None),
            statistic=2.634,
            statistic_name="t",
            df=(47.318,),
            p_value=0.00571,
            n_sessions=51,
            n_rows=51,
            effect_sizes=(schema.EffectSize(name="Cohen's d", value=0.742, interval=span(0.167, 1.31)),),
            groups=(
                schema.GroupSummary(group=GROUPS[0], n=27, mean=0.7214, sd=0.1132, interval=span(0.677, 0.766)),
                schema.GroupSummary(group=GROUPS[1], n=24, mean=0.6361, sd=0.1168, interval=span(0.587, 0.685)),
            ),
            details={"standard_error": 0.0324},
        ),
        p_adjusted=0.01142,
        alpha=0.05,
        verdict="supported",
        status="registered",
        why=("Its plan and its study are those that were frozen before data came.",),
        checks=(
            schema.CheckResult(check="shapiro_wilk", statistic=0.971, p_value=0.412, holds=True, led_to="welch_t"),
            schema.CheckResult(check="levene", statistic=5.81, p_value=0.0196, holds=False, led_to="welch_t"),
        ),
    )


def paired() -> schema.Finding:
    return schema.Finding(
        hypothesis_id="H2",
        claim="The linear model is easier to predict than the deep one.",
        analysis="paired_t",
        estimate=schema.Estimate(
            effect=0.0123,
            effect_name="mean difference",
            interval=span(-0.0204, 0.045),
            statistic=0.755,
            statistic_name="t",
            df=(50,),
            p_value=0.4537,
            n_sessions=51,
            n_rows=102,
            effect_sizes=(schema.EffectSize(name="Cohen's d", value=0.106, interval=span(-0.17, 0.381)),),
            groups=(
                schema.GroupSummary(group="linear", n=51, mean=0.691, sd=0.121, interval=span(0.657, 0.725)),
                schema.GroupSummary(group="deep", n=51, mean=0.679, sd=0.118, interval=span(0.646, 0.712)),
            ),
        ),
        p_adjusted=0.4537,
        alpha=0.05,
        verdict="not_supported",
        status="registered",
        why=("Its plan and its study are those that were frozen before data came.",),
    )


def anova() -> schema.Finding:
    cells = [f"{a} × {b}" for a in ("saliency", "none") for b in ("easy", "hard")]
    return schema.Finding(
        hypothesis_id="H3",
        claim="The benefit of the explanation depends on how hard an item is.",
        analysis="mixed_anova",
        estimate=schema.Estimate(
            effect=0.0412,
            effect_name="partial eta squared",
            statistic=2.105,
            statistic_name="F",
            df=(1, 49),
            p_value=0.1532,
            n_sessions=51,
            n_rows=102,
            effect_sizes=(schema.EffectSize(name="partial η²", value=0.0412, interval=span(0, 0.178)),),
            groups=tuple(
                schema.GroupSummary(group=cell, n=27 if k < 2 else 24, mean=0.78 - 0.07 * k, sd=0.11)
                for k, cell in enumerate(cells)
            ),
            details={"greenhouse_geisser": 1.0, "mauchly_w": None},
            notes=("With two levels sphericity holds by itself.",),
        ),
        p_adjusted=None,
        alpha=0.05,
        verdict="inconclusive",
        status="exploratory",
        why=("It was marked exploratory in the plan.", "The interval holds effects that would matter and none."),
    )


def mcnemar() -> schema.Finding:
    return schema.Finding(
        hypothesis_id="H4",
        claim=f"More people name visits than {HOSTILE} as what the classifier relies on.",
        analysis="mcnemar",
        estimate=schema.Estimate(
            effect=0.4419,
            effect_name="difference of proportions",
            interval=span(0.211, 0.672),
            statistic=None,
            p_value=0.000004,
            n_sessions=43,
            n_rows=86,
            effect_sizes=(schema.EffectSize(name="odds ratio", value=7.33, interval=span(2.2, None)),),
            groups=(
                schema.GroupSummary(group="visits", n=43, mean=0.8605, interval=span(0.728, 0.934)),
                schema.GroupSummary(group=HOSTILE, n=43, mean=0.4186, interval=span(0.284, 0.567)),
            ),
            notes=("Exact test; 22 of 25 discordant pairs favour visits.",),
        ),
        p_adjusted=0.000008,
        alpha=0.025,
        verdict="supported",
        status="registered",
    )


def correlation() -> schema.Finding:
    return schema.Finding(
        hypothesis_id="H5",
        claim="Trust rises with accuracy.",
        analysis="pearson",
        estimate=schema.Estimate(
            effect=0.312,
            effect_name="r",
            interval=span(0.0398, 0.542),
            statistic=2.299,
            statistic_name="t",
            df=(49,),
            p_value=0.0258,
            n_sessions=51,
            n_rows=51,
            effect_sizes=(schema.EffectSize(name="r", value=0.312, interval=span(0.0398, 0.542)),),
        ),
        p_adjusted=None,
        alpha=0.05,
        verdict="supported",
        status="exploratory",
        why=("It was marked exploratory in the plan.",),
    )


def untested() -> schema.Finding:
    return schema.Finding(
        hypothesis_id="H6",
        claim="The gain is still there a week later.",
        analysis="welch_t",
        estimate=None,
        p_adjusted=None,
        alpha=0.05,
        verdict="not_tested",
        status="registered",
        why=("It requires H2, which is not supported.",),
    )


def flow() -> schema.ParticipantFlow:
    return schema.ParticipantFlow(
        n_recruited=71,
        steps=(
            schema.FlowStep(label="declined", reason="Did not consent.", n_left=2, n_remaining=69),
            schema.FlowStep(
                label="screened out",
                reason="The check questions were not answered as needed.",
                n_left=7,
                n_remaining=62,
            ),
            schema.FlowStep(label="abandoned", reason="Left before the end.", n_left=5, n_remaining=57),
            schema.FlowStep(label="too_fast", reason="Answered in less than two minutes.", n_left=4, n_remaining=53),
            schema.FlowStep(
                label="nonsense",
                reason="Wrote text unrelated to the question.",
                n_left=2,
                n_remaining=51,
                by_condition={"saliency": 27, "none": 24},
            ),
        ),
        n_analysed=51,
    )


def findings(*, is_synthetic: bool = False, with_published: bool = True) -> schema.Findings:
    own = study()
    return schema.Findings(
        title=own.title,
        provenance=schema.Provenance(
            study_name=own.name,
            study_digest=own.digest,
            data_digest="9f2c" * 16,
            seed=7,
            software={"understudy": "0.1.0", "python": "3.11.7", "numpy": "2.4.0", "scipy": "1.17.0"},
            is_synthetic=is_synthetic,
            deviations=("Recruitment stopped at 24 of 25 in condition none.",),
            preregistered_digest=own.digest,
        ),
        flow=flow(),
        findings=(between(), paired(), anova(), mcnemar(), correlation(), untested()),
        descriptions=(
            schema.DescriptionTable(
                description_id="D1",
                outcome="accuracy",
                by=("explanation",),
                groups=(
                    schema.GroupSummary(
                        group="saliency", n=27, mean=0.7214, sd=0.1132, median=0.72, interval=span(0.677, 0.766)
                    ),
                    schema.GroupSummary(
                        group="none", n=24, mean=0.6361, sd=0.1168, median=0.63, interval=span(0.587, 0.685)
                    ),
                    schema.GroupSummary(group="pilot", n=1, mean=0.5),
                ),
            ),
        ),
        published=published() if with_published else (),
    )


def published() -> tuple[schema.PublishedComparison, ...]:
    return (
        schema.PublishedComparison(
            label="Mean accuracy, saliency", published=0.72, recomputed=0.7214, decimals=2, agrees=True
        ),
        schema.PublishedComparison(
            label="F of the interaction",
            published=4.10,
            recomputed=2.105,
            decimals=2,
            agrees=False,
            note="The paper seems to count trials.",
        ),
        schema.PublishedComparison(
            label="Retention", published=0.67, recomputed=None, decimals=2, agrees=False, note="Not in the data."
        ),
    )


def points(seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, float]] = []
    rows += [("H1", f"p{k}", GROUPS[0], rng.normal(0.72, 0.11)) for k in range(27)]
    rows += [("H1", f"p{27 + k}", GROUPS[1], rng.normal(0.636, 0.115)) for k in range(24)]
    for k in range(51):
        own = rng.normal(0.69, 0.1)
        rows += [
            ("H2", f"p{k}", "linear", own + rng.normal(0, 0.05)),
            ("H2", f"p{k}", "deep", own + rng.normal(0, 0.05)),
        ]
        side = "saliency" if k < 27 else "none"
        rows += [("H3", f"p{k}", f"{side} × {level}", rng.normal(0.7, 0.1)) for level in ("easy", "hard")]
        rows += [("H5", f"p{k}", "accuracy", own), ("H5", f"p{k}", "trust", 4 + 6 * (own - 0.69) + rng.normal(0, 1))]
    for k in range(43):
        rows += [
            ("H4", f"p{k}", "visits", float(rng.random() < 0.86)),
            ("H4", f"p{k}", HOSTILE, float(rng.random() < 0.42)),
        ]
    return pd.DataFrame(rows, columns=["hypothesis_id", "participant", "group", "value"])
