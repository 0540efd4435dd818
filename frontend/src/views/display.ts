/** Display: how a study wants its heat maps drawn; the explanation itself says nothing about that. */

import type { Json, JsonValue } from "../schema";

export interface Display {
  /** Whether the map is drawn on its own, next to the picture, or over the picture. */
  readonly layout: "beside" | "overlay";
  /** How far the map covers the picture, from 0 to 1; only where it lies over it. */
  readonly opacity: number;
  readonly lets_change_opacity: boolean;
  /** Whether values between the places of the map are interpolated; `auto` does so for maps coarser than the picture. */
  readonly interpolation: "auto" | "smooth" | "blocky";
  /** What options, and maps without a label, are called; {option} is the number, and empty leaves it to the page. */
  readonly option_name: string;
}

const DEFAULTS: Display = {
  layout: "beside",
  opacity: 0.6,
  lets_change_opacity: false,
  interpolation: "auto",
  option_name: "",
};

/** Reads the display options of a trial; what is absent or unknown has its default. */
export function displayFrom(value: JsonValue | undefined): Display {
  const given: Json = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const { layout, opacity, lets_change_opacity, interpolation, option_name } = given;
  return {
    layout: layout === "overlay" ? "overlay" : DEFAULTS.layout,
    opacity: typeof opacity === "number" ? Math.min(1, Math.max(0, opacity)) : DEFAULTS.opacity,
    lets_change_opacity: lets_change_opacity === true,
    interpolation: interpolation === "smooth" || interpolation === "blocky" ? interpolation : DEFAULTS.interpolation,
    option_name: typeof option_name === "string" ? option_name : DEFAULTS.option_name,
  };
}
