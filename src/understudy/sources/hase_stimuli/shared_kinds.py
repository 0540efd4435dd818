"""Shared kinds: explanations that the released sheets write in the same way for both domains."""

from understudy.schema import EditPath, Importance, Json, PathStep, SimilarCase
from understudy.sources.hase_stimuli.items import LABELS, Domain
from understudy.sources.hase_stimuli.lines import number_after, prototype_head, quoted_label


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
