"""Legends: whether a model and a dataset number features, values and words in the same way."""

from understudy.errors import MaterialsError
from understudy.roles import HasLegend, Model, Variables, Vocabulary
from understudy.schema import digest_of


def digest_of_legend(legend: Variables | Vocabulary | None) -> str:
    """Return the digest of what codes or token ids mean; empty without a legend."""
    if legend is None:
        return ""
    if isinstance(legend, Variables):
        return digest_of({"features": [*legend.features], "values": [[*names] for names in legend.values]})
    return digest_of({"words": [*legend.words]})


def require_same_legend(model: Model, legend: Variables | Vocabulary | None, *, of: str) -> None:
    """Refuse cases that are numbered differently from those a model was exported for, because it would confuse them."""
    made_for = model.legend_digest if isinstance(model, HasLegend) else ""
    if made_for and legend is not None and made_for != digest_of_legend(legend):
        raise MaterialsError(
            f"The model was exported for cases with other features, values or words than {of} now. Export it again with "
            "the legend of the file as it is, or read all cases from the file that it was exported for."
        )
