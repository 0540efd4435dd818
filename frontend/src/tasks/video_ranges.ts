/** Which stretches of a film ran on the screen, and what share of it they are. */

export type Range = [start: number, end: number];

/** Joins stretches that touch or overlap. */
export function merged(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start <= last[1] + 0.05) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** The share of a film that the stretches cover, from 0 to 1; 0 while its length is unknown. */
export function shareOf(ranges: readonly Range[], duration_s: number): number {
  if (!Number.isFinite(duration_s) || duration_s <= 0) return 0;
  const seconds = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  const share = seconds / duration_s;
  return share > 0.985 ? 1 : share;
}
