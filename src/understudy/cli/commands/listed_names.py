"""Names and numbers that help texts list, written out so that help needs no catalogue; a test compares them."""

CATEGORIES = (
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
)
CONCEPTS = (
    "average_intensity",
    "intensity_normalization",
    "label_hint",
    "rotation",
    "rotation_and_scaling",
    "scaling",
    "wrong_label",
)
DATASETS = (
    "mnist",
    "fashion-mnist",
    "adult",
    "rt-polarity",
    "oxford-pets",
)
RECIPES = (
    "ross2021/dsprites-ae",
    "ross2021/dsprites-gt",
    "ross2021/dsprites-vae",
    "ross2021/mnist-ae10",
    "ross2021/mnist-ae5",
    "ross2021/mnist-ig5",
    "ross2021/mnist-ss10",
    "ross2021/mnist-ss5",
    "ross2021/mnist-tc10",
    "ross2021/mnist-tc5",
    "ross2021/mnist-vae5",
    "ross2021/practice-disc",
    "ross2021/practice-shape",
    "ross2021/sinelines-ae",
    "ross2021/sinelines-gt",
    "ross2021/sinelines-vae",
    "demo/income-mlp",
    "demo/income-prototypes",
    "demo/reviews-lstm",
    "demo/reviews-prototypes",
    "hase2020/adult-mlp",
    "hase2020/adult-mlp-sgd",
    "hase2020/adult-prototypes",
    "hase2020/polarity-lstm",
    "hase2020/polarity-prototypes",
    "sixt2022/inn-64",
    "sixt2022/cnn-64",
    "sixt2022/observer-64",
    "kim2022/creatures-cnn",
    "kim2022/creatures-bagnet",
    "kim2022/creatures-protopnet",
    "kim2022/creatures-prototree",
    "kim2022/pets-classifier",
    "kim2022/pets-bag-of-crops",
    "kim2022/pets-protopnet",
    "kim2022/pets-prototree",
    "kim2022/photos-classifier",
    "kim2022/photos-bag-of-crops",
    "kim2022/photos-protopnet",
    "kim2022/photos-prototree",
    "kim2022/small-photos-cnn",
    "kim2022/small-photos-bagnet",
    "kim2022/small-photos-protopnet",
    "kim2022/small-photos-prototree",
)
ROLES = (
    "owner",
    "researcher",
    "annotator",
    "viewer",
)
RULE_OPTIONS = (
    "score",
    "a1_less_votes_h7_h8",
    "a2_less_votes_h7_h8",
    "less_confirms_h4",
    "caution",
)
TRAINERS = (
    "convolutional",
    "perceptron",
    "scikit",
)
VERDICTS = (
    "approve",
    "return",
    "reject",
)
N_SPECIES = 16
USUAL_SPECIES = 12
CREATURE_EDGE = 96
RELEVANT_R_SQUARED = 0.1
