"""Models: what participants reason about."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.models.export_models import export_classifier, export_decoder
    from understudy.models.export_picture_models import export_picture_classifier
    from understudy.models.maps_from_models import gradcam_maps, integrated_gradients_maps, onnx_gradcam_maps
    from understudy.models.own_models import ImportedAnswers, OnnxClassifier
    from understudy.models.pickled_classifier import PickledClassifier
    from understudy.models.trained_models import LinearClassifier, MapModel, TrainedClassifier, TrainedPrototypes

__all__ = [
    "ImportedAnswers",
    "LinearClassifier",
    "MapModel",
    "OnnxClassifier",
    "PickledClassifier",
    "TrainedClassifier",
    "TrainedPrototypes",
    "export_classifier",
    "export_decoder",
    "export_picture_classifier",
    "gradcam_maps",
    "integrated_gradients_maps",
    "onnx_gradcam_maps",
]

ENTRIES = {
    "models": {
        "own_models": ("imported_answers", "onnx_classifier"),
        "trained_models": ("linear_classifier", "map_model", "trained_classifier", "trained_prototypes"),
        "pickled_classifier": ("pickled_classifier",),
    }
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
