"""Models: what participants reason about."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.models.imported_answers import ImportedAnswers
    from understudy.models.linear_classifier import LinearClassifier
    from understudy.models.map_model import MapModel
    from understudy.models.onnx_classifier import OnnxClassifier
    from understudy.models.onnx_gradcam import onnx_gradcam_maps
    from understudy.models.pickled_classifier import PickledClassifier
    from understudy.models.torch_gradcam import gradcam_maps
    from understudy.models.torch_gradients import integrated_gradients_maps
    from understudy.models.trained_classifier import TrainedClassifier, TrainedPrototypes
    from understudy.models.user_classifiers import export_classifier
    from understudy.models.user_decoders import export_decoder
    from understudy.models.user_picture_classifiers import export_picture_classifier

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
        "imported_answers": ("imported_answers",),
        "linear_classifier": ("linear_classifier",),
        "map_model": ("map_model",),
        "onnx_classifier": ("onnx_classifier",),
        "pickled_classifier": ("pickled_classifier",),
        "trained_classifier": ("trained_classifier", "trained_prototypes"),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
