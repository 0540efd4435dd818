"""Scenes: parts, a camera, a light and a backdrop, and the renderer that draws them."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.sources.scenes.families import Family, add_family
    from understudy.sources.scenes.renderer import Rendered, render
    from understudy.sources.scenes.scene import AreaLight, Backdrop, Camera, Part, Scene, superellipsoid, turned
    from understudy.sources.scenes.two4two import Two4Two, two4two_scene

__all__ = [
    "AreaLight",
    "Backdrop",
    "Camera",
    "Family",
    "Part",
    "Rendered",
    "Scene",
    "Two4Two",
    "add_family",
    "render",
    "superellipsoid",
    "turned",
    "two4two_scene",
]

defer_names(__name__)
