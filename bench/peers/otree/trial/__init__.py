"""Twenty trials: a choice, the moves made on the page, and a live page that stores moves one row each."""

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, ExtraModel, Page, models, widgets

doc = __doc__


class C(BaseConstants):
    """What oTree asks of every app."""

    NAME_IN_URL = "trial"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 20


class Subsession(BaseSubsession):
    """One round."""


class Group(BaseGroup):
    """Nobody plays together."""


class Player(BasePlayer):
    """One person's answer in one round."""

    guess = models.StringField(
        label="What will the model say?", choices=["yes", "no"], widget=widgets.RadioSelectHorizontal
    )
    events = models.LongStringField(blank=True)


class Move(ExtraModel):
    """One move on a live page."""

    player = models.Link(Player)
    payload = models.LongStringField()


class Trial(Page):
    """The page of every round."""

    form_model = "player"
    form_fields = ["guess", "events"]

    @staticmethod
    def live_method(player, data):
        """Store each move in a row of its own and acknowledge the last."""
        for move in data:
            Move.create(player=player, payload=str(move))
        return {player.id_in_group: {"acknowledged_seq": data[-1]["seq"]}}


page_sequence = [Trial]
