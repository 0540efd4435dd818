"""Ready studies, written with the public API."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.protocols.bias_discovery import Discovered, Terms, bias_discovery_study
    from understudy.protocols.hase2020.blocks import PredictionProblem
    from understudy.protocols.hase2020.original import hase2020_original
    from understudy.protocols.hase2020.plan import simulatability_plan
    from understudy.protocols.hase2020.printed import published_tables
    from understudy.protocols.hase2020.study import (
        Scope,
        Simulated,
        hase2020_tabular,
        hase2020_text,
        simulatability_demo,
        simulation_study,
    )
    from understudy.protocols.kim2022.photos import Photos, creatures, trained_photos
    from understudy.protocols.kim2022.study import Kim2022, kim2022
    from understudy.protocols.loan_demo import loan_demo
    from understudy.protocols.ready import ready_names, ready_study
    from understudy.protocols.ross2021.digits import ross2021_mnist, ross2021_thinkaloud, training_advice
    from understudy.protocols.ross2021.printed import published_results
    from understudy.protocols.ross2021.synthetic import ross2021_synthetic
    from understudy.protocols.sixt2022.plans import REGISTERED_1
    from understudy.protocols.sixt2022.study import Sixt2022, sixt2022_comparison, sixt2022_validation

__all__ = [
    "REGISTERED_1",
    "Discovered",
    "Kim2022",
    "Photos",
    "PredictionProblem",
    "Scope",
    "Simulated",
    "Sixt2022",
    "Terms",
    "bias_discovery_study",
    "creatures",
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
    "trained_photos",
    "training_advice",
]

defer_names(__name__)
