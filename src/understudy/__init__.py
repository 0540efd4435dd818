"""understudy measures whether people understand a model, a representation or an explanation.

`import understudy as us` is the public interface: what is listed here, and nothing else, keeps its name and meaning
between versions. Each name is imported when it is first used.
"""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.api.analyses import Analysis, Power, analyze, power
    from understudy.api.explaining import Explanations, explain, probe
    from understudy.api.notebook import play, show
    from understudy.api.runs import Preregistration, Run, open_run, prepare, preregister, rehearse, serve
    from understudy.api.studies import (
        Checked,
        __version__,
        check,
        load,
        ready_studies,
        save,
        study_from_toml,
        toml_from_study,
    )
    from understudy.api.worlds import Importance, WorldPictures, draw_world, importance
    from understudy.datasets.pictures import PictureFolder
    from understudy.errors import UnderstudyError
    from understudy.explainers.recorded_attributions import record_attributions
    from understudy.explainers.recorded_heatmaps import record_heatmaps
    from understudy.models.export_models import export_classifier, export_decoder
    from understudy.models.export_picture_models import export_picture_classifier
    from understudy.protocols.builders import between, factorial, gate, mixed, scale, within
    from understudy.protocols.hase2020.blocks import PredictionProblem
    from understudy.protocols.hase2020.study import Scope, Simulated, simulation_study
    from understudy.schema.findings import Findings
    from understudy.schema.plan import AnalysisPlan, Hypothesis
    from understudy.schema.record import Ref
    from understudy.schema.study import Study
    from understudy.sources.picture_pools import picture_batches

__all__ = [
    "Analysis",
    "AnalysisPlan",
    "Checked",
    "Explanations",
    "Findings",
    "Hypothesis",
    "Importance",
    "PictureFolder",
    "Power",
    "PredictionProblem",
    "Preregistration",
    "Ref",
    "Run",
    "Scope",
    "Simulated",
    "Study",
    "UnderstudyError",
    "WorldPictures",
    "__version__",
    "analyze",
    "between",
    "check",
    "draw_world",
    "explain",
    "export_classifier",
    "export_decoder",
    "export_picture_classifier",
    "factorial",
    "gate",
    "importance",
    "load",
    "mixed",
    "open_run",
    "picture_batches",
    "play",
    "power",
    "prepare",
    "preregister",
    "probe",
    "ready_studies",
    "record_attributions",
    "record_heatmaps",
    "rehearse",
    "save",
    "scale",
    "serve",
    "show",
    "simulation_study",
    "study_from_toml",
    "toml_from_study",
    "within",
]

defer_names(__name__, border="understudy.api.border")
