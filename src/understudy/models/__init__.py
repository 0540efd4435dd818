"""Models: what participants reason about."""

from understudy.models.imported_answers import ImportedAnswers
from understudy.models.linear_classifier import LinearClassifier
from understudy.models.map_model import MapModel
from understudy.models.onnx_classifier import OnnxClassifier
from understudy.models.pickled_classifier import PickledClassifier
from understudy.models.torch_gradcam import gradcam_maps
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
]
