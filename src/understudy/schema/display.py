"""Display: how a study draws its explanations, which the explanation itself does not say."""

from typing import Literal

from pydantic import Field

from understudy.schema.record import Record


class Display(Record):
    """How heat maps are drawn, and what the options of an item are called."""

    layout: Literal["beside", "overlay"] = "beside"
    """Whether the map is drawn on its own, next to the picture, or over the picture."""
    opacity: float = Field(default=0.6, ge=0, le=1)
    """How far the map covers the picture, in the layout overlay."""
    lets_change_opacity: bool = False
    """Whether the participant may change that."""
    interpolation: Literal["auto", "smooth", "blocky"] = "auto"
    """Whether values between the cells of the map are interpolated; auto does so for maps coarser than the picture."""
    option_name: str = ""
    """What alternatives, and maps without a label, are called; {option} is the number. The page has words of its own."""
