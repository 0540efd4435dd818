/** Tolerance bands: the share of points that lie near enough. */

import type { Json } from "../schema";
import { type Agreement, numberIn, type Values } from "./agreement";

export const TOLERANCE = 0.5;

export function toleranceBand(target: Values, params: Json): Agreement {
  const tolerance = numberIn(params, "tolerance", TOLERANCE);
  return (shown) => {
    let n = 0;
    for (let index = 0; index < target.length; index += 1) {
      if (Math.abs((shown[index] ?? 0) - (target[index] ?? 0)) < tolerance) n += 1;
    }
    return n / target.length;
  };
}
