/** Tallies: the results a feedback page shows, where the researcher let the folder hold right answers. */

import type { Json, ShownFeedback, StaticPlace, StaticTally } from "../schema";
import { isRight } from "./seals";

/** One trial that was answered. */
export interface Step {
  readonly block: string;
  readonly visit: number;
  readonly trialId: string;
  readonly response: Json;
}

/** Computes what a feedback page names; null for what cannot be known. */
export async function shownResults(
  place: StaticPlace,
  params: Json,
  steps: readonly Step[],
): Promise<ShownFeedback["measures"]> {
  const names = Array.isArray(params["measures"]) ? params["measures"].map(String) : [];
  const values = await Promise.all(names.map((name) => resultOf(place, place.tallies[name], steps)));
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
}

async function resultOf(
  place: StaticPlace,
  tally: StaticTally | undefined,
  steps: readonly Step[],
): Promise<number | null> {
  if (!tally) return null;
  const mine = steps.filter((step) => tally.blocks.includes(step.block));
  const judged = await Promise.all(mine.map((step) => isRight(place, step.trialId, tally.question, step.response)));
  const numbers = judged.filter((verdict) => verdict !== null).map(Number);
  return numbers.length > 0 ? summed(tally.summary, numbers) : null;
}

function summed(summary: string, numbers: readonly number[]): number | null {
  const sum = numbers.reduce((total, number) => total + number, 0);
  const ordered = [...numbers].sort((a, b) => a - b);
  const half = ordered.length / 2;
  switch (summary) {
    case "sum":
      return sum;
    case "mean":
      return sum / numbers.length;
    case "count":
      return numbers.length;
    case "min":
      return ordered[0] ?? null;
    case "max":
      return ordered.at(-1) ?? null;
    case "first":
      return numbers[0] ?? null;
    case "last":
      return numbers.at(-1) ?? null;
    case "gain": {
      const some = Math.floor((numbers.length - 1) / 2);
      const mean = (part: readonly number[]) => part.reduce((total, number) => total + number, 0) / part.length;
      return some > 0 ? mean(numbers.slice(-some)) - mean(numbers.slice(0, some)) : null;
    }
    case "median":
      return ((ordered[Math.ceil(half) - 1] ?? 0) + (ordered[Math.floor(half)] ?? 0)) / 2;
  }
  return null;
}
