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
): Promise<Pick<ShownFeedback, "measures" | "counted">> {
  const names = Array.isArray(params["measures"]) ? params["measures"].map(String) : [];
  const judged = await Promise.all(names.map((name) => verdictsOf(place, place.tallies[name], steps)));
  const results = names.map((name, index) => {
    const numbers = judged[index] ?? [];
    const summary = place.tallies[name]?.summary ?? "";
    return { name, summary, numbers, value: numbers.length > 0 ? summed(summary, numbers) : null };
  });
  return {
    measures: Object.fromEntries(results.map(({ name, value }) => [name, value])),
    counted: Object.fromEntries(
      results
        .filter(({ summary, numbers }) => summary === "sum" && numbers.length > 0)
        .map(({ name, numbers }) => [name, numbers.length]),
    ),
  };
}

async function verdictsOf(
  place: StaticPlace,
  tally: StaticTally | undefined,
  steps: readonly Step[],
): Promise<readonly number[]> {
  if (!tally) return [];
  const mine = steps.filter((step) => tally.blocks.includes(step.block));
  const judged = await Promise.all(mine.map((step) => isRight(place, step.trialId, tally.question, step.response)));
  return judged.filter((verdict) => verdict !== null).map(Number);
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
