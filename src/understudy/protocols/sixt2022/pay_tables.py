"""What people are paid who do not finish, in pounds: both tables that were registered."""

from typing import NamedTuple


class PayTable(NamedTuple):
    """Base pay, bonus, and what is paid at each of the three tutorials to people who are turned away there."""

    base: float
    per_answer: float
    test_failed: tuple[float, float, float]
    """After the second failed try of the first, second and third test."""
    film_left: tuple[float, float, float]
    """For a first, second and third film that was not watched to its end."""


REGISTERED_1 = PayTable(6.00, 0.40, (0.00, 0.50, 1.75), (0.00, 1.00, 2.00))
"""As registered for the first study."""
REGISTERED_2 = PayTable(4.50, 0.40, (0.50, 1.75, 3.50), (0.00, 1.00, 2.00))
"""As registered for the second study."""
PAID_1 = REGISTERED_1._replace(test_failed=REGISTERED_2.test_failed)
"""What the first study in fact paid: its base pay, and the more generous amounts of the second."""
PAID_2 = REGISTERED_2
