"""Shared kinds: explanations that the released sheets write in the same way for both domains."""

from typing import TypedDict

from understudy.schema import EditPath, Importance, Json, PathStep, SimilarCase
from understudy.sources.hase_stimuli.items import LABELS, Domain
from understudy.sources.hase_stimuli.lines import number_after, prototype_head, quoted_label

_PROBABLE = 0.5
"""LIME weighs probabilities, and the model is undecided here."""


class Evidence(TypedDict, total=False):
    """What an attribution says about all its weights together."""

    toward: str
    against: str
    baseline: float
    total: float
    even: float


def lime_evidence(text: str, domain: Domain, baseline: str) -> Evidence:
    """Parse the baseline and the total below the weights of LIME."""
    sums: Evidence = {"baseline": number_after(text, baseline), "total": number_after(text, "Total evidence")}
    return {**_sides(domain), **sums, "even": _PROBABLE}


def omission_evidence(text: str, domain: Domain, margin: str) -> Evidence:
    """Parse the margin from which words or values are left out."""
    return {**_sides(domain), "total": number_after(text, margin), "even": 0.0}


def _sides(domain: Domain) -> Evidence:
    against, toward = LABELS[domain]
    return {"toward": toward, "against": against}


def similar_case(text: str, domain: Domain, content: Json, *, case: Json, importance: Importance) -> SimilarCase:
    """Parse the head of a prototype: its label, and how similar it is."""
    label, similarity = prototype_head(text, domain)
    return SimilarCase(
        case=case,
        input=content,
        label=label,
        similarity=similarity,
        importance=importance,
        toward=LABELS[domain][1],
        against=LABELS[domain][0],
    )


def edit_path(head: str, domain: Domain, content: Json, *, steps: tuple[PathStep, ...]) -> EditPath:
    """Parse the head of a path: where it leads, and the evidence at its start."""
    return EditPath(
        input=content,
        toward=quoted_label(head, domain),
        margin=number_after(head, "Original evidence margin") if "margin" in head else None,
        labels=LABELS[domain],
        steps=steps,
    )
