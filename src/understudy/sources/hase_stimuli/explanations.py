"""Explanations: the released text of each method, parsed into the kinds that views draw."""

from collections.abc import Callable

from understudy.errors import MaterialsError
from understudy.schema import Explanation, Json, Several
from understudy.sources.hase_stimuli.items import LABELS, Domain, Item
from understudy.sources.hase_stimuli.tabular import (
    tabular_attribution,
    tabular_case,
    tabular_omission,
    tabular_path,
    tabular_rule,
)
from understudy.sources.hase_stimuli.text import text_attribution, text_case, text_omission, text_path, text_rule

Parse = Callable[[str, Json], Explanation]
_RULER = "\n----\n"
_PARSERS: dict[tuple[str, Domain], Parse] = {
    ("LIME", "text"): text_attribution,
    ("LIME", "tabular"): tabular_attribution,
    ("Anchor", "text"): text_rule,
    ("Anchor", "tabular"): tabular_rule,
    ("prototype", "text"): text_case,
    ("prototype", "tabular"): tabular_case,
    ("decision_boundary", "text"): text_path,
    ("decision_boundary", "tabular"): tabular_path,
    ("omission", "text"): text_omission,
    ("omission", "tabular"): tabular_omission,
}


def explanation_from_texts(texts: tuple[str, ...], item: Item, method: str) -> Explanation:
    """Parse what a sheet says about an item: one text, or the two of the composite method."""
    domain: Domain = "text" if "tokens" in _explained(item) else "tabular"
    try:
        if method == "composite":
            return _composite(texts, _explained(item), domain)
        return _PARSERS[method, domain](texts[0], _explained(item))
    except (ValueError, IndexError, KeyError) as error:
        raise MaterialsError(
            f"The {method} explanation of {domain} item {item.item_id} cannot be read ({error}). "
            f"Use the released sheets unchanged; classes are {' and '.join(LABELS[domain])}."
        ) from None


def _explained(item: Item) -> Json:
    """Return what the explanation is about: the original, where there is an edited version too."""
    original = item.content.get("original")
    return original if isinstance(original, dict) else item.content


def _composite(texts: tuple[str, ...], content: Json, domain: Domain) -> Explanation:
    weights, rule = texts[0].split(_RULER, 1)
    edits, case = texts[1].split(_RULER, 1)
    parts = (
        _PARSERS["LIME", domain](weights, content),
        _PARSERS["Anchor", domain](rule, content),
        _PARSERS["decision_boundary", domain](edits, content),
        _PARSERS["prototype", domain](case, content),
    )
    return Several(parts=parts)
