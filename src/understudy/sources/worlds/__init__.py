"""Worlds: attributes with known causes, from which tables and pictures are drawn."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.sources.scenes.many import ManyOptions
    from understudy.sources.worlds.auditing import Audit, Joint, RangeReport, audit, best_accuracy, joint, ranges
    from understudy.sources.worlds.given import Given
    from understudy.sources.worlds.laws import Between, ByRange, Computed, Law, Line, Mixture, PerClass, Piece, Share
    from understudy.sources.worlds.moving import MovedRow, Staging, attribute_rows, direction_of, moved_rows
    from understudy.sources.worlds.named_worlds import (
        checked,
        world_about,
        world_from_toml,
        world_named,
        world_names,
    )
    from understudy.sources.worlds.plain_laws import Beta, Choice, Constant, TruncatedNormal, Uniform
    from understudy.sources.worlds.rendering import WorldPool, render_row, render_table, table_from_folder
    from understudy.sources.worlds.sampling import Mode, clones, clones_at, redrawn, sample, unbiased
    from understudy.sources.worlds.sixt2022_world import AS_IN_CODE, Sixt2022Options, sixt2022
    from understudy.sources.worlds.tutorial_lint import possible_rows, tutorial_faults
    from understudy.sources.worlds.world import (
        Attribute,
        World,
        toml_from_world,
        world_faults,
    )

__all__ = [
    "AS_IN_CODE",
    "Attribute",
    "Audit",
    "Beta",
    "Between",
    "ByRange",
    "Choice",
    "Computed",
    "Constant",
    "Given",
    "Joint",
    "Law",
    "Line",
    "ManyOptions",
    "Mixture",
    "Mode",
    "MovedRow",
    "PerClass",
    "Piece",
    "RangeReport",
    "Share",
    "Sixt2022Options",
    "Staging",
    "TruncatedNormal",
    "Uniform",
    "World",
    "WorldPool",
    "attribute_rows",
    "audit",
    "best_accuracy",
    "checked",
    "clones",
    "clones_at",
    "direction_of",
    "joint",
    "moved_rows",
    "possible_rows",
    "ranges",
    "redrawn",
    "render_row",
    "render_table",
    "sample",
    "sixt2022",
    "table_from_folder",
    "toml_from_world",
    "tutorial_faults",
    "unbiased",
    "world_about",
    "world_faults",
    "world_from_toml",
    "world_named",
    "world_names",
]

defer_names(__name__)
