"""Tree path: the comparisons that lead a model down a decision tree, one after the other."""

from typing import Literal

from pydantic import model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.picture import ShownPicture
from understudy.schema.explanations.prototype_matches import PrototypeMatch
from understudy.schema.record import Record


class TreeStep(PrototypeMatch):
    """One decision: is the prototype present in the photo?"""

    is_present: bool | None = None
    """What the model decided; None if the page must not say."""
    number: str = ""
    """What the step is called in a drawing of the whole tree, such as 3b; by default its position on the path."""


class TreeFork(Record):
    """Two decisions that are left to the person: the first one, and the next one for either answer."""

    first: TreeStep
    if_absent: TreeStep
    if_present: TreeStep


class TreePath(Explanation):
    """The steps from the root of the tree, and where people decide, the fork that they end in."""

    kind: Literal["tree_path"] = "tree_path"
    picture: ShownPicture
    steps: tuple[TreeStep, ...] = ()
    fork: TreeFork | None = None

    @model_validator(mode="after")
    def _leads_somewhere(self) -> "TreePath":
        if not self.steps and self.fork is None:
            raise ValueError("a tree path has neither a step nor a fork. Give at least one of them.")
        return self
