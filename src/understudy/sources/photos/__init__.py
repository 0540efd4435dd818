"""Photos with annotations: boxes, masks and points of parts, of data that a user has."""

from understudy.sources.photos.annotations import (
    Box,
    Framing,
    PartPoint,
    check_classes,
    region_of_boxes,
    region_of_mask,
)
from understudy.sources.photos.layouts import PhotoTables, tables_from_cub, tables_from_imagenet, write_tables
from understudy.sources.photos.pets import Pet, PetPool, pets_from_folder
from understudy.sources.photos.splits import stratified_split

__all__ = [
    "Box",
    "Framing",
    "PartPoint",
    "Pet",
    "PetPool",
    "PhotoTables",
    "check_classes",
    "pets_from_folder",
    "region_of_boxes",
    "region_of_mask",
    "stratified_split",
    "tables_from_cub",
    "tables_from_imagenet",
    "write_tables",
]
