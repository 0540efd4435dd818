/** What the landing page says about those who have taken part so far. */

export interface Counts {
  readonly completed: number;
  readonly active: number;
  readonly wanted: number;
}

/** Returns how much of the study is filled, from 0 to 1. */
export function shareOf(counts: Counts): number {
  return counts.wanted > 0 ? Math.min(1, counts.completed / counts.wanted) : 0;
}

/** Says how many are under way; once all places are filled, that it is done. */
export function activeLine(counts: Counts): string {
  if (counts.completed >= counts.wanted) return "all places filled";
  return counts.active === 0 ? "" : `${counts.active} under way`;
}

/** Reads an answer of the server; null for anything that is not one. */
export function simulatedOf(answer: unknown): Counts | null {
  const found = (answer as { simulated?: Partial<Counts> } | null)?.simulated;
  if (typeof found?.completed !== "number" || typeof found.active !== "number" || typeof found.wanted !== "number")
    return null;
  return { completed: found.completed, active: found.active, wanted: found.wanted };
}
