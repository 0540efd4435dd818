/** Distances: how alike two outputs are; the same names, parameters and numbers as their Python halves. */

import type { Json } from "../schema";
import type { Agreement, Values } from "./agreement";
import { toleranceBand } from "./bands";
import { binaryJaccard, softDice } from "./overlaps";
import { structure } from "./structure";

type Make = (target: Values, params: Json) => Agreement;

const DISTANCES: Readonly<Record<string, Make>> = {
  binary_jaccard: binaryJaccard,
  soft_dice: softDice,
  ssim: structure,
  tolerance_band: toleranceBand,
};

/** Makes the agreement with one target; an unknown name is an error and no guess. */
export function agreementWith(target: Values, distance: { readonly name: string; readonly params: Json }): Agreement {
  const make = DISTANCES[distance.name];
  if (!make) throw new Error(`unknown distance ${distance.name}`);
  return make(target, distance.params);
}

/** The sum of squared differences over all values. */
export function squaredError(shown: Values, target: Values): number {
  let sum = 0;
  for (let index = 0; index < target.length; index += 1) sum += ((shown[index] ?? 0) - (target[index] ?? 0)) ** 2;
  return sum;
}
