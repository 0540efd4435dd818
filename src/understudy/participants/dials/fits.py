"""The people who turn dials, with the parameters that `understudy calibrate` fitted to Sinelines."""

from understudy.schema import Ref

FITTED = (
    Ref(name="dial_random", params={"habits": {"give_up": 0.04}}),
    Ref(
        name="dial_number_watcher", params={"noise": 0.03, "habits": {"restarts": 0.5, "give_up": 0.04, "pace_s": 3.0}}
    ),
    Ref(name="dial_visual_matcher", params={"noise": 0.2, "habits": {"restarts": 0.0, "give_up": 0.04, "pace_s": 1.5}}),
    Ref(name="dial_learner", params={"noise": 0.2, "memory_noise": 0.5, "habits": {"give_up": 0.04, "pace_s": 1.5}}),
    Ref(
        name="dial_features_matcher",
        params={"noise": 1.0, "habits": {"restarts": 1.0, "give_up": 0.08, "pace_s": 3.0, "hope": 0.3}},
    ),
)
"""Those on the page are the same as in docs/calibration.json; the others keep earlier fits."""
