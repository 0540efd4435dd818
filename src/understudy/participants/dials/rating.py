"""Rated difficulty: somebody who turned dials finds a model as hard as the questions went."""

from dataclasses import replace

import numpy as np

from understudy.roles import Participant, Reaction, Rng, Scene
from understudy.schema import Dials, Impression, Rating, Trial

QUESTION = "difficulty"
"""The single ease question, from very easy to very hard."""
RELIEF = 4.0
"""How many points of seven fewer for solving every question than for solving none.

The line through the published means of the Sinelines (completion .83, .63, .34; difficulty 4.00, 4.07, 5.87) falls by
3.99 points from 7.04; no other data entered.
"""
RATING_DOUBT = 1.4
"""Standard deviation of a rating: what the published 1.7 points on the Sinelines leave beyond people's completion."""


class DialMind:
    """A person during one session, who remembers how the questions of the present model went."""

    def __init__(self, person: Participant) -> None:
        self._person = person
        self._solved: list[bool] = []

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer as the person does, but rate difficulty by the questions solved."""
        reaction = self._person.respond(trial, impression, rng, scene)
        if reaction is None:
            return None
        dials = next((question.question_id for question in trial.asks if isinstance(question, Dials)), None)
        answer = reaction.response.get(dials) if dials is not None else None
        if isinstance(answer, dict) and "outcome" in answer:
            if impression.n_in_stage == 0:
                self._solved = []
            self._solved.append(answer["outcome"] == "solved")
        rating = next((question for question in trial.asks if question.question_id == QUESTION), None)
        if not isinstance(rating, Rating) or not self._solved:
            return reaction
        return replace(reaction, response={**reaction.response, QUESTION: _rated(rating, self._solved, rng)})


def _rated(rating: Rating, solved: list[bool], rng: Rng) -> int:
    points = rating.points - RELIEF * (rating.points / 7) * float(np.mean(solved))
    return int(np.clip(round(points + RATING_DOUBT * float(rng.standard_normal())), 1, rating.points))
