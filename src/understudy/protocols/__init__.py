"""Ready studies, written with the public API."""

import os
from collections.abc import Callable

from understudy.errors import UnknownName
from understudy.protocols.bias_discovery import Discovered, Terms, bias_discovery_study
from understudy.protocols.hase2020.demo import simulatability_demo
from understudy.protocols.hase2020.original import hase2020_original
from understudy.protocols.hase2020.own_models import hase2020_tabular, hase2020_text
from understudy.protocols.hase2020.plan import simulatability_plan
from understudy.protocols.hase2020.printed import published_tables
from understudy.protocols.hase2020.simulation_blocks import PredictionProblem
from understudy.protocols.hase2020.study import Scope, Simulated, simulation_study
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.ready import ready_studies
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.loan_demo import loan_demo
from understudy.protocols.ross2021.decoders import decoder_folder, training_advice
from understudy.protocols.ross2021.mnist import ross2021_mnist
from understudy.protocols.ross2021.printed import published_results
from understudy.protocols.ross2021.synthetic import ross2021_synthetic
from understudy.protocols.ross2021.thinkaloud import ross2021_thinkaloud
from understudy.protocols.sixt2022.study import Sixt2022, sixt2022_comparison, sixt2022_validation
from understudy.schema import Study

__all__ = [
    "Discovered",
    "Kim2022",
    "Photos",
    "PredictionProblem",
    "Scope",
    "Simulated",
    "Sixt2022",
    "Terms",
    "bias_discovery_study",
    "hase2020_original",
    "hase2020_tabular",
    "hase2020_text",
    "kim2022",
    "loan_demo",
    "published_results",
    "published_tables",
    "ready_names",
    "ready_study",
    "ross2021_mnist",
    "ross2021_synthetic",
    "ross2021_thinkaloud",
    "simulatability_demo",
    "simulatability_plan",
    "simulation_study",
    "sixt2022_comparison",
    "sixt2022_validation",
    "training_advice",
]

_READY: dict[str, Callable[[], Study]] = {
    "hase2020-original": hase2020_original,
    "hase2020-tabular": hase2020_tabular,
    "hase2020-tabular-adult": lambda: hase2020_tabular(data="paper"),
    "hase2020-text": hase2020_text,
    "hase2020-text-polarity": lambda: hase2020_text(data="paper"),
    **ready_studies(),
    "loan-demo": loan_demo,
    "ross2021-mnist": lambda: ross2021_mnist(folder=decoder_folder(os.environ)),
    "ross2021-synthetic": ross2021_synthetic,
    "ross2021-thinkaloud": lambda: ross2021_thinkaloud(folder=decoder_folder(os.environ)),
    "simulatability-demo": simulatability_demo,
    "sixt2022-comparison": sixt2022_comparison,
    "sixt2022-validation": sixt2022_validation,
}


def ready_names() -> tuple[str, ...]:
    """Return the names of the ready studies."""
    return tuple(sorted(_READY))


def ready_study(name: str) -> Study:
    """Build a ready study by its name."""
    if name not in _READY:
        raise UnknownName(
            f"{name!r} is not a ready study. Choose from: {', '.join(ready_names())}; or give a study file."
        )
    return _READY[name]()
