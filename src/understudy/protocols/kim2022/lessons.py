"""Lessons: what people read about each method and each task, in plain words and in ours."""

from pydantic import JsonValue

from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.variants import Method, Task, is_agreement
from understudy.schema import Json, PrototypeTree, Simplification, TreeDecision, json_from_record

_MAPS_END = {
    "gradcam": "Yellow areas were important for recognising the {noun}, and dark areas were not. A bar shows which "
    "colours mean less and which mean more.",
    "bagnet": "Blue areas are evidence for the {noun}: the darker the blue, the stronger the evidence. Brown areas are "
    "evidence against it. The model adds up the whole map. It predicts the {noun} whose map has the most blue and the "
    "least brown.",
}


def method_params(method: Method, photos: Photos) -> Json:
    """Return the pages that explain a method, with a sketch where words are hard to follow; people can open them again."""
    pages: list[JsonValue] = [*_method_pages(method, photos)]
    if method != "prototree":
        return {"pages": pages}
    # The sketch belongs to the last page.
    examples: list[JsonValue] = [{} for _ in pages[:-1]]
    return {"pages": pages, "examples": [*examples, _sketch(photos.noun.capitalize())]}


def _sketch(name: str) -> JsonValue:
    """Return the way of an invented photo through a tree of three decisions."""
    tree = PrototypeTree(
        decisions=(
            TreeDecision(absent=1, present=2, similarity=0.23, number="1"),
            TreeDecision(absent=-1, present=-2, similarity=0.78, number="2a"),
            TreeDecision(absent=-3, present=-4, number="2b"),
        ),
        ends=tuple(f"{name} {number}" for number in range(1, 5)),
        visited=(0, 1, -2),
    )
    way: Json = {
        "Step 1": "similarity 0.23: absent",
        "Step 2a": "similarity 0.78: present",
        "The prediction": f"{name} 2",
    }
    return {
        "caption": "The path of a photo through a small tree.",
        "content": way,
        "explanation": json_from_record(tree),
    }


def _method_pages(method: Method, photos: Photos) -> list[str]:
    opening = (
        f"A computer model looks at {photos.kind} and tells {photos.n_classes:,} {photos.plural} apart. It is not always "
        "right. Please read carefully how it explains its predictions. You will need this later."
    )
    return [opening, *(page.format(noun=photos.noun, plural=photos.plural) for page in _METHOD[method])]


_METHOD: dict[Method, tuple[str, ...]] = {
    "gradcam": (
        "For each {noun}, the model can show a **map** of the photo. The map says where it looked.\n\n"
        + _MAPS_END["gradcam"],
    ),
    "bagnet": (
        "The model cuts the photo into many small regions, and collects evidence from each of them. For each {noun}, it "
        "can show a **map** of that evidence.\n\n" + _MAPS_END["bagnet"],
    ),
    "protopnet": (
        "The model has learned **prototypes**: small regions of photos it has seen before that are typical of a {noun}. "
        "Each {noun} has its own prototypes.",
        "For each prototype, the model finds the region of the new photo that is most similar, and rates how similar the "
        "two are. It predicts the {noun} whose prototypes are most similar to regions of the photo.",
    ),
    "prototree": (
        "The model has learned **prototypes**: small regions of photos it has seen before. It compares them with a new "
        "photo one at a time, following the steps of a decision tree.",
        "At each step, the model finds the region of the photo that is most similar to the prototype, and rates the "
        "similarity between 0 and 1. Above 0.5, the prototype counts as **present**, otherwise as **absent**. The answer "
        "decides which step comes next. After the last step, the model predicts a {noun}.",
        "An example: in step 1 the similarity is 0.23, so the prototype is absent, and the model goes to the left, to step "
        "2a. There the similarity is 0.78, so the prototype is present, and the model goes to the right, where it finds "
        "{noun} 2. It never visits step 2b on the other side.",
    ),
}  # fmt: skip


def task_pages(method: Method, task: Task, photos: Photos) -> list[str]:
    """Return the pages that explain what to do."""
    noun = photos.noun
    if is_agreement(task):
        return [
            f"You will see photos. For each one, you see which {noun} the model predicts, as a number, and its explanation. "
            "Some of the predictions are correct and some are not. We will not tell you which.",
            _AGREEMENT[(method, task)].format(noun=noun, plural=photos.plural),
        ]
    if method == "prototree":
        return [
            "You will see photos and the first steps that the model took. The next two decisions are yours. They lead to "
            "one of four results, so guessing is right one time in four (25%). You receive a bonus for each photo for which "
            "you reach the same result as the model.",
        ]
    label = f" The page tells you which {noun} the photo really shows." if task == "distinction-label" else ""
    asks = (
        f"We will ask you which {noun} the model predicts, and which {noun} is correct. The two can differ, because the "
        "model makes mistakes."
        if method != "protopnet"
        else f"You rate the similarity of each pair, and then say which {noun} is correct."
    )
    return [
        f"For each photo you will see four explanations, one for each of four {photos.plural}, numbered 1 to 4 in random "
        f"order.{label}",
        f"{asks} Guessing is right one time in four (25%). You receive a bonus for each photo whose correct {noun} you "
        "choose.",
    ]


_AGREEMENT: dict[tuple[Method, Task], str] = {
    ("gradcam", "agreement"): "Say how confident you are that the prediction is correct.",
    ("gradcam", "agreement-examples"): "You also see three photos of the predicted {noun}. Say how confident you are that "
    "the prediction is correct.",
    ("bagnet", "agreement"): "Say how confident you are that the prediction is correct.",
    ("bagnet", "agreement-examples"): "You also see three photos of the predicted {noun}. Say how confident you are that "
    "the prediction is correct.",
    ("protopnet", "agreement"): "All prototypes on a page belong to the predicted {noun}, and their photos show it. They "
    "are in random order. Rate how similar the two regions of each pair are. Then say how confident you are that the "
    "prediction is correct.",
    ("prototree", "agreement"): "The steps go from the top to the bottom of the tree. Rate how similar the two regions of "
    "each step are. Then say how confident you are that the prediction is correct.",
    ("prototree", "tree-aware"): "Each step shows the similarity that the model found, and whether it decided that the "
    "prototype is present or absent. If a step is wrong, everything below it is on a wrong path. Choose the first step that "
    "you disagree with. Then say how confident you are that the prediction is correct.",
}  # fmt: skip


def simplification_of(method: Method, task: Task, *, shows_tree: bool = True) -> Simplification:
    """Return what a page shows of a method's explanations, what it leaves out, and what it puts in another order."""
    is_distinction = task.startswith("distinction")
    if method in ("gradcam", "bagnet"):
        scale = "one scale for the four maps of a photo" if is_distinction else "a scale of its own for each map"
        return Simplification(
            shown=("the map over the whole photo", "a colour bar", scale),
            hidden=("names of classes", "scores of classes"),
            reordered=("the four classes, at random",) if is_distinction else (),
        )
    if method == "protopnet":
        classes = "four classes" if is_distinction else "the predicted class"
        return Simplification(
            shown=(f"one row for each prototype of {classes}: region, prototype and its photo",),
            hidden=("activation maps", "similarities", "weights", "totals of classes", "names of classes"),
            reordered=("the rows, at random", *(("the four classes, at random",) if is_distinction else ())),
        )
    shown = {
        "agreement": ("the path as a list of steps",),
        "tree-aware": ("the path as a list of steps", "similarities and decisions"),
        "distinction": ("the path as a list of steps, with decisions", "two decisions at the last fork as questions"),
    }[task]
    scores = () if task == "tree-aware" else ("similarities",)
    decisions = {"agreement": ("decisions",), "distinction": ("decisions after the two that are asked",)}.get(task, ())
    return Simplification(
        shown=(*shown, *(("the whole tree, in a drawing that can be opened",) if shows_tree else ())),
        hidden=(
            *(() if shows_tree else ("the rest of the tree",)),
            "activation maps",
            "decisions whose answers all lead to the same class",
            *scores,
            *decisions,
            "names of classes",
        ),
        reordered=("the tree, drawn from top to bottom",),
    )
