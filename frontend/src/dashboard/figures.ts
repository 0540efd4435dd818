/** Figures as the dashboard writes them. */

import type { Cell, StudyCounts } from "./desk";

/** Writes a time span as minutes and seconds. */
export function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Fewer completed sessions than this say nothing about the next ones: one person who hurried would earn 900 an hour. */
export const FEWEST = 5;

/** What is shown in place of a figure that describes many people. */
export const TOO_FEW = `shown after ${FEWEST} people`;

export function minutes(value: number | null): string {
  if (value === null) return "–";
  return value < 1 ? `${Math.round(60 * value)} s` : `${value.toFixed(1)} min`;
}

/** Writes a figure that describes many people, or that there are too few of them yet. */
export function typical(study: StudyCounts, figure: string): string {
  const completed = study.cells.reduce((total, cell) => total + cell.completed, 0);
  return completed < FEWEST ? TOO_FEW : figure;
}

export function payPerHour(study: StudyCounts): string {
  if (study.pay_per_hour === null || study.currency === null) return "–";
  return `${study.pay_per_hour.toFixed(2)} ${study.currency}`;
}

/** Says how long ago something was, as coarsely as people say it. */
export function sinceWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Counts everybody who went before the end, whichever way. */
export function nLeft(cell: Cell): number {
  return cell.screened_out + cell.declined + cell.withdrew + cell.abandoned + cell.erased;
}

/** True where one figure would have to speak for people and simulated people at once. */
export function isMixed(study: StudyCounts): boolean {
  return Object.values(study.kinds).filter((n) => n > 0).length > 1;
}
