/** Figures as the dashboard writes them. */

import type { Cell, StudyCounts } from "./desk";

/** Writes a time span as minutes and seconds. */
export function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function minutes(value: number | null): string {
  return value === null ? "–" : `${value.toFixed(1)} min`;
}

export function payPerHour(study: StudyCounts): string {
  if (study.pay_per_hour === null || study.currency === null) return "–";
  return `${study.pay_per_hour.toFixed(2)} ${study.currency}`;
}

/** Counts everybody who went before the end, whichever way. */
export function nLeft(cell: Cell): number {
  return cell.screened_out + cell.declined + cell.withdrew + cell.abandoned + cell.erased;
}

/** True where one figure would have to speak for people and simulated people at once. */
export function isMixed(study: StudyCounts): boolean {
  return Object.values(study.kinds).filter((n) => n > 0).length > 1;
}
