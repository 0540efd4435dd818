"""The numbers of Kim et al. (2022): Tables 1, 2 and A1 to A4, and what the text says about similarity. 50 people a study."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from understudy.protocols.kim2022.variants import Method, PaperStudy, Task

N_PEOPLE = 50
Data: TypeAlias = Literal["CUB", "ImageNet"]


FACTS: Mapping[str, tuple[float, str]] = MappingProxyType({
    "people": (50, "section 5.1"),
    "studies": (19, "section 5.1"),
    "agreement_chance": (50, "Table 1"),
    "options": (4, "section 3.1"),
    "decisions_of_people": (2, "section 3.2"),
    "distinction_chance": (25, "Table 2"),
    "agreement_overall_p": (0.10, "section 5.4"),
    "sets": (10, "supplement"),
    "people_a_set": (5, "supplement"),
})  # fmt: skip
"""Other numbers that pages quote, each with its place."""


class Share(NamedTuple):
    """The mean and standard deviation of people's per cent right, and whether the mean differs from chance."""

    mean: float
    sd: float
    is_significant: bool = True
    rating: float | None = None
    """The mean rating from 1 to 4, for agreement."""


def _of(data: Data, method: Method, task: Task) -> PaperStudy:
    return PaperStudy(data, method, task)


AGREEMENT: Mapping[PaperStudy, tuple[Share, Share]] = MappingProxyType({
    _of("CUB", "gradcam", "agreement"): (Share(72.4, 21.5, rating=2.9), Share(32.8, 24.3, rating=2.8)),
    _of("CUB", "bagnet", "agreement"): (Share(75.6, 23.4, rating=3.0), Share(42.4, 28.7, False, 2.7)),
    _of("CUB", "protopnet", "agreement"): (Share(73.2, 24.9, rating=3.0), Share(46.4, 35.9, False, 2.4)),
    _of("CUB", "prototree", "agreement"): (Share(66.0, 33.8, rating=2.8), Share(37.2, 34.4, rating=2.7)),
    _of("ImageNet", "gradcam", "agreement"): (Share(70.8, 26.6, rating=2.9), Share(44.8, 31.6, False, 2.7)),
    _of("ImageNet", "bagnet", "agreement"): (Share(66.0, 27.2, rating=2.8), Share(35.6, 26.9, rating=2.7)),
})  # fmt: skip
"""Table 1: right and wrong predictions, against 50 per cent."""

WITH_EXAMPLES: Mapping[PaperStudy, tuple[Share, Share]] = MappingProxyType({
    _of("CUB", "gradcam", "agreement-examples"): (Share(83.2, 15.7, rating=3.3), Share(36.8, 22.8, rating=2.8)),
    _of("CUB", "bagnet", "agreement-examples"): (Share(83.6, 17.3, rating=3.3), Share(44.4, 30.5, rating=2.6)),
    _of("ImageNet", "gradcam", "agreement-examples"): (Share(78.4, 25.6, rating=3.2), Share(43.6, 32.4, rating=2.6)),
    _of("ImageNet", "bagnet", "agreement-examples"): (Share(77.2, 23.3, rating=3.2), Share(42.8, 32.7, rating=2.6)),
})  # fmt: skip
"""Table A1: the same with three photos of the class; the table marks no significance."""


class Chosen(NamedTuple):
    """Table 2 of one study, against 25 per cent; None for photos that people were not shown."""

    distinction_right: Share
    distinction_wrong: Share | None = None
    output_right: Share | None = None
    output_wrong: Share | None = None


DISTINCTION: Mapping[PaperStudy, Chosen] = MappingProxyType({
    _of("CUB", "gradcam", "distinction"): Chosen(
        Share(71.2, 33.3), Share(26.4, 19.8, False), Share(69.2, 32.3), Share(53.6, 27.0)
    ),
    _of("CUB", "bagnet", "distinction"): Chosen(
        Share(45.6, 28.0), Share(32.0, 20.8), Share(50.4, 32.8), Share(30.0, 24.1, False)
    ),
    _of("CUB", "protopnet", "distinction"): Chosen(Share(54.5, 30.3)),
    _of("CUB", "prototree", "distinction"): Chosen(Share(33.8, 15.9)),
    _of("ImageNet", "gradcam", "distinction"): Chosen(
        Share(51.2, 24.7), Share(30.0, 22.4, False), Share(48.0, 28.3), Share(35.6, 24.1)
    ),
    _of("ImageNet", "gradcam", "distinction-label"): Chosen(
        Share(49.2, 30.8), Share(27.2, 20.3, False), Share(48.0, 35.6), Share(33.2, 25.2)
    ),
    _of("ImageNet", "bagnet", "distinction"): Chosen(
        Share(38.4, 28.0), Share(26.0, 18.4, False), Share(46.8, 29.0), Share(34.0, 24.1)
    ),
    _of("ImageNet", "bagnet", "distinction-label"): Chosen(
        Share(34.8, 27.7), Share(27.2, 18.7, False), Share(42.8, 27.4), Share(32.8, 25.5)
    ),
})  # fmt: skip

OVERALL: Mapping[PaperStudy, Share] = MappingProxyType({
    _of("CUB", "prototree", "agreement"): Share(53.6, 15.2, False),
    _of("CUB", "prototree", "tree-aware"): Share(52.8, 19.9, False),
})  # fmt: skip
"""Right and wrong predictions together, against 50 per cent, from the text."""
WARM_UP = 86.5
"""Per cent of the exercises about fruit that were right."""


class Three(NamedTuple):
    """Three means with their standard deviations."""

    means: tuple[float, float, float]
    sds: tuple[float, float, float]


def _three(text: str) -> Three:
    numbers = [float(number) for number in text.split()]
    return Three((numbers[0], numbers[2], numbers[4]), (numbers[1], numbers[3], numbers[5]))


UNDERSTANDING: Mapping[PaperStudy, Three] = MappingProxyType({
    _of("CUB", "gradcam", "agreement"): _three("3.7 0.9 3.8 0.9 3.3 1.1"),
    _of("CUB", "gradcam", "agreement-examples"): _three("3.7 1.0 3.9 0.7 3.4 1.0"),
    _of("CUB", "gradcam", "distinction"): _three("3.4 1.0 3.5 1.2 3.6 0.8"),
    _of("CUB", "bagnet", "agreement"): _three("3.5 1.0 3.7 0.8 3.3 1.1"),
    _of("CUB", "bagnet", "agreement-examples"): _three("3.7 0.8 3.9 0.8 3.6 1.0"),
    _of("CUB", "bagnet", "distinction"): _three("3.8 0.7 4.0 0.8 3.9 0.8"),
    _of("CUB", "protopnet", "agreement"): _three("3.9 0.8 4.0 0.8 3.7 0.8"),
    _of("CUB", "protopnet", "distinction"): _three("4.1 0.8 3.9 0.8 3.7 1.1"),
    _of("CUB", "prototree", "agreement"): _three("3.7 0.8 3.7 1.0 3.4 0.8"),
    _of("CUB", "prototree", "tree-aware"): _three("3.7 0.7 3.5 0.9 3.2 1.1"),
    _of("CUB", "prototree", "distinction"): _three("3.4 1.0 3.6 1.1 3.3 1.2"),
    _of("ImageNet", "gradcam", "agreement"): _three("3.7 0.9 3.9 0.9 3.0 1.0"),
    _of("ImageNet", "gradcam", "agreement-examples"): _three("3.4 0.8 3.7 0.8 3.5 0.9"),
    _of("ImageNet", "gradcam", "distinction"): _three("3.9 0.9 3.7 1.0 3.7 1.0"),
    _of("ImageNet", "gradcam", "distinction-label"): _three("3.9 0.9 3.8 1.0 3.8 0.9"),
    _of("ImageNet", "bagnet", "agreement"): _three("3.7 0.8 3.9 0.7 3.4 1.0"),
    _of("ImageNet", "bagnet", "agreement-examples"): _three("3.8 0.9 3.9 0.9 3.3 1.0"),
    _of("ImageNet", "bagnet", "distinction"): _three("3.9 0.8 3.9 0.8 3.8 1.0"),
    _of("ImageNet", "bagnet", "distinction-label"): _three("3.8 0.9 4.0 0.8 3.8 0.8"),
})  # fmt: skip
"""Table A3: self-rated understanding after the introduction, the task and the results."""

EXTRA: Mapping[PaperStudy, Three] = MappingProxyType({
    _of("CUB", "gradcam", "agreement"): _three("5.6 6.9 6.2 5.7 7.7 7.0"),
    _of("CUB", "gradcam", "agreement-examples"): _three("4.2 6.1 5.7 5.7 7.7 7.5"),
    _of("CUB", "gradcam", "distinction"): _three("2.9 6.9 4.5 5.2 8.1 6.9"),
    _of("CUB", "bagnet", "agreement"): _three("6.8 7.9 7.8 8.1 12.3 9.2"),
    _of("CUB", "bagnet", "agreement-examples"): _three("6.1 7.1 8.1 6.3 10.7 9.2"),
    _of("CUB", "bagnet", "distinction"): _three("7.0 8.1 8.8 7.4 8.4 8.4"),
    _of("CUB", "protopnet", "agreement"): _three("5.8 6.6 7.8 4.9 9.4 6.6"),
    _of("CUB", "protopnet", "distinction"): _three("4.1 7.9 6.1 6.4 9.7 7.1"),
    _of("CUB", "prototree", "agreement"): _three("3.8 6.5 4.2 6.3 5.1 6.5"),
    _of("CUB", "prototree", "tree-aware"): _three("3.7 5.5 5.8 5.1 6.7 6.6"),
    _of("CUB", "prototree", "distinction"): _three("5.1 5.7 6.4 5.8 9.2 6.2"),
    _of("ImageNet", "gradcam", "agreement"): _three("6.3 7.6 8.1 8.6 11.8 10.7"),
    _of("ImageNet", "gradcam", "agreement-examples"): _three("4.8 6.8 8.6 7.6 11.4 10.8"),
    _of("ImageNet", "gradcam", "distinction"): _three("5.3 7.3 9.8 6.7 12.4 8.6"),
    _of("ImageNet", "gradcam", "distinction-label"): _three("7.6 7.7 9.3 7.9 13.2 9.0"),
    _of("ImageNet", "bagnet", "agreement"): _three("9.9 7.5 14.1 9.5 17.5 11.1"),
    _of("ImageNet", "bagnet", "agreement-examples"): _three("9.7 8.5 13.2 10.4 17.6 13.0"),
    _of("ImageNet", "bagnet", "distinction"): _three("7.9 9.3 9.6 9.2 11.2 11.2"),
    _of("ImageNet", "bagnet", "distinction-label"): _three("11.4 9.2 12.4 10.4 16.6 11.6"),
})  # fmt: skip
"""Table A4: points of accuracy required on top at low, medium and high risk."""


class Similarity(NamedTuple):
    """How people's ratings of prototypes go with the model and with their belief."""

    believed: float
    doubted: float
    r: float
    p: float | None = None


SIMILARITY: Mapping[PaperStudy, Similarity] = MappingProxyType({
    _of("CUB", "protopnet", "agreement"): Similarity(2.9, 2.0, -0.52, 0.12),
    _of("CUB", "protopnet", "distinction"): Similarity(2.9, 2.1, -0.25, 0.49),
    _of("CUB", "prototree", "agreement"): Similarity(2.4, 2.0, 0.06),
})  # fmt: skip
"""Mean ratings of classes judged correct and incorrect; Spearman over ranks for ProtoPNet, Pearson for ProtoTree."""


class Localisation(NamedTuple):
    """One row of Table A2: mean and standard deviation of three scores of GradCAM maps."""

    evaluated_on: str
    prediction: Literal["right", "wrong"]
    map_of: Literal["label", "prediction", "second"]
    pointing: tuple[float, float]
    energy: tuple[float, float]
    iou: tuple[float, float]


LOCALISATION: tuple[Localisation, ...] = tuple(
    Localisation(where, prediction, map_of, (n[0], n[1]), (n[2], n[3]), (n[4], n[5]))  # type: ignore[arg-type]
    for where, prediction, map_of, n in (
        ("CUB, segmentation", "right", "label", (0.92, 0.27, 0.12, 0.07, 0.38, 0.15)),
        ("CUB, segmentation", "right", "second", (0.74, 0.44, 0.09, 0.06, 0.24, 0.15)),
        ("CUB, segmentation", "wrong", "label", (0.73, 0.45, 0.08, 0.06, 0.23, 0.16)),
        ("CUB, segmentation", "wrong", "prediction", (0.83, 0.37, 0.09, 0.06, 0.29, 0.15)),
        ("CUB, segmentation", "wrong", "second", (0.80, 0.40, 0.09, 0.06, 0.26, 0.15)),
        ("ImageNet, best box", "right", "label", (0.95, 0.22, 0.27, 0.13, 0.60, 0.28)),
        ("ImageNet, best box", "right", "second", (0.93, 0.26, 0.26, 0.13, 0.60, 0.27)),
        ("ImageNet, best box", "wrong", "label", (0.91, 0.29, 0.23, 0.14, 0.52, 0.31)),
        ("ImageNet, best box", "wrong", "prediction", (0.82, 0.38, 0.22, 0.15, 0.52, 0.33)),
        ("ImageNet, best box", "wrong", "second", (0.84, 0.37, 0.23, 0.15, 0.52, 0.33)),
        ("ImageNet, all boxes", "right", "label", (0.95, 0.22, 0.29, 0.13, 0.65, 0.26)),
        ("ImageNet, all boxes", "right", "second", (0.93, 0.26, 0.28, 0.13, 0.64, 0.26)),
        ("ImageNet, all boxes", "wrong", "label", (0.91, 0.29, 0.24, 0.14, 0.56, 0.30)),
        ("ImageNet, all boxes", "wrong", "prediction", (0.82, 0.38, 0.24, 0.15, 0.56, 0.32)),
        ("ImageNet, all boxes", "wrong", "second", (0.84, 0.37, 0.24, 0.15, 0.56, 0.32)),
    )
)
