"""The ready studies of this protocol, by name."""

from collections.abc import Callable
from functools import partial

from understudy.protocols.hase2020.original import hase2020_original
from understudy.protocols.hase2020.study import hase2020_tabular, hase2020_text, simulatability_demo
from understudy.schema import Study


def ready_studies() -> dict[str, Callable[[], Study]]:
    """Return the builders of the ready studies."""
    return {
        "hase2020-original": hase2020_original,
        "hase2020-tabular": hase2020_tabular,
        "hase2020-tabular-adult": partial(hase2020_tabular, data="paper"),
        "hase2020-text": hase2020_text,
        "hase2020-text-polarity": partial(hase2020_text, data="paper"),
        "simulatability-demo": simulatability_demo,
    }
