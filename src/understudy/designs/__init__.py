"""Designs: assign arrivals to conditions, and order the levels that each person sees."""

from understudy.designs.balanced import Balanced
from understudy.designs.orders import AllOrders, FixedOrder, LatinSquare, RandomOrder, UrnOrder
from understudy.designs.parity import Parity
from understudy.designs.permuted_blocks import PermutedBlocks
from understudy.designs.simple_random import SimpleRandom
from understudy.designs.then_target import ThenTarget
from understudy.designs.urn import Urn

__all__ = [
    "AllOrders",
    "Balanced",
    "FixedOrder",
    "LatinSquare",
    "Parity",
    "PermutedBlocks",
    "RandomOrder",
    "SimpleRandom",
    "ThenTarget",
    "Urn",
    "UrnOrder",
]
