"""Participants: simulated people, for rehearsal, power and tests; never evidence about people."""

from understudy.participants.people import Careful, Dropout, Guesser, Learner, Noisy, StraightLiner

__all__ = ["Careful", "Dropout", "Guesser", "Learner", "Noisy", "StraightLiner"]
