"""Scores of heat maps without people: where they point, what they change, and whether they predict people's answers."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.inference.shuffled_head import with_shuffled_head
    from understudy.workflow.maps.map_scores import randomisation_scores, regions_of_pictures, scored_maps
    from understudy.workflow.maps.score_links import draw_score_link, scores_and_answers

__all__ = [
    "draw_score_link",
    "randomisation_scores",
    "regions_of_pictures",
    "scored_maps",
    "scores_and_answers",
    "with_shuffled_head",
]

defer_names(__name__)
