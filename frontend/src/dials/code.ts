/** Codes: where every dial of a live model stands, as the one row of numbers that the decoder takes. */

import type { Dial } from "../schema";

/** Steps from one end of a slider to the other; Python puts starts and targets on the same ones. */
export const N_STEPS = 500;

export interface Part {
  readonly dial: Dial;
  /** The place of its first number in a code. */
  readonly first: number;
  /** How many numbers belong to it. */
  readonly n: number;
}

const DEFAULTS: Dial = { name: "", kind: "continuous", low: 0, high: 1, options: [], group: "" };

/** Lays the dials out along a code; somebody's own jsPsych page may leave defaults out. */
export function partsOf(dials: readonly Partial<Dial>[]): Part[] {
  let first = 0;
  return dials.map((partial) => {
    const dial: Dial = { ...DEFAULTS, ...partial };
    const n = dial.kind === "discrete" ? dial.options.length : 1;
    first += n;
    return { dial, first: first - n, n };
  });
}

/** The length of a dial's range; a choice counts as one width. */
export function widthOf({ kind, low, high }: Dial): number {
  return kind === "discrete" ? 1 : high - low;
}

/** The value at a step, by the very arithmetic that Python uses. */
export function valueAt(dial: Dial, step: number): number {
  return Math.min(dial.high, Math.max(dial.low, dial.low + step * (widthOf(dial) / N_STEPS)));
}

/** The step nearest to a value. */
export function stepAt(dial: Dial, value: number): number {
  const step = Math.round((value - dial.low) / (widthOf(dial) / N_STEPS));
  return Math.min(N_STEPS, Math.max(0, step));
}

/** The numbers of one option: 1 for the chosen one. */
export function oneHot(n: number, chosen: number): number[] {
  return Array.from({ length: n }, (_, index) => (index === chosen ? 1 : 0));
}

/** Reads a code from what was saved; null for anything else. */
export function codeFrom(value: unknown, n: number): number[] | null {
  if (!Array.isArray(value) || value.length !== n) return null;
  return value.every((number): number is number => typeof number === "number") ? [...value] : null;
}

/** Reads what Python wrote as base64 of little-endian 32-bit floats. */
export function floatsFromText(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}
