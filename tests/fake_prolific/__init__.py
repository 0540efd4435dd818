"""A stand-in for Prolific: its API by its own description, its money, its people, and its bad days."""

from tests.fake_prolific.description import Description, description_or_skip
from tests.fake_prolific.faults import Fault, Faults
from tests.fake_prolific.platform import TOKEN, Answer, FakeProlific
from tests.fake_prolific.transport import api_of, served

__all__ = [
    "TOKEN",
    "Answer",
    "Description",
    "FakeProlific",
    "Fault",
    "Faults",
    "api_of",
    "description_or_skip",
    "served",
]
