"""The people who turn dials, with the parameters that `understudy calibrate` fitted on the Sinelines."""

from understudy.schema import Json, Ref


def _fitted(name: str, *, habits: Json, **params: float) -> Ref:
    return Ref(name=name, params={"habits": habits, **params})


FITTED = (
    _fitted("dial_random", habits={"give_up": 0.04}),
    _fitted("dial_number_watcher", habits={"restarts": 0.5, "give_up": 0.04, "pace_s": 1.5}, noise=0.0),
    _fitted("dial_visual_matcher", habits={"restarts": 1.0, "give_up": 0.08, "pace_s": 1.5}, noise=0.05),
    _fitted("dial_learner", habits={"give_up": 0.04, "pace_s": 3.0}, noise=0.2, memory_noise=0.5),
)
