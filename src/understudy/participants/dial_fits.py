"""The people who turn dials, with the parameters that `understudy calibrate` fitted on the Sinelines."""

from understudy.schema import Ref

FITTED = (
    Ref(name="dial_random"),
    Ref(name="dial_number_watcher"),
    Ref(name="dial_visual_matcher"),
    Ref(name="dial_learner"),
)
