"""Recruiters: where participants come from, and how each place names them in a link. The first that fits is taken."""

# The order of these imports is the order in which a link is looked through.
from understudy.recruiters.prolific import Prolific  # isort: skip
from understudy.recruiters.mturk import MechanicalTurk  # isort: skip
from understudy.recruiters.panels import CloudResearch  # isort: skip
from understudy.recruiters.panels import Sona  # isort: skip
from understudy.recruiters.link import PlainLink  # isort: skip
from understudy.recruiters.lookup import (
    id_parameters,
    recruiter_id_of,
    recruiter_of_parameter,
    takes_signed_links,
    without_unseen,
)

__all__ = [
    "CloudResearch",
    "MechanicalTurk",
    "PlainLink",
    "Prolific",
    "Sona",
    "id_parameters",
    "recruiter_id_of",
    "recruiter_of_parameter",
    "takes_signed_links",
    "without_unseen",
]
