/** Agreement: what every distance returns, and how it reads its parameters. */

import type { Json } from "../schema";

export type Values = ArrayLike<number>;
/** Returns the agreement with a target, 1 for a perfect match. */
export type Agreement = (shown: Values) => number;

/** Returns a parameter, or what Python takes when a study leaves it out. */
export function numberIn(params: Json, name: string, otherwise: number): number {
  const value = params[name];
  return typeof value === "number" ? value : otherwise;
}
