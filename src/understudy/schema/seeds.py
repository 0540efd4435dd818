"""Seeds: every random choice has a name, and its seed follows from the study's seed and that name."""

import hashlib


def seed_from(seed: int, *names: str | int) -> int:
    """Derive the seed of one named choice; the same names always give the same seed.

    >>> seed_from(1, "order", 3) == seed_from(1, "order", 3) != seed_from(1, "order", 4)
    True
    """
    # A separator that names do not contain, so that ("ab", "c") and ("a", "bc") differ.
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
