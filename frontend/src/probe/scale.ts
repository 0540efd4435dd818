/** The shared axis: a range that holds all intervals, and round ticks. */

import type { Result } from "./verdicts";

export interface Scale {
  readonly ticks: readonly number[];
  /** Returns where a value lies, from 0 to 1. */
  share(value: number): number;
  text(value: number): string;
}

/** Makes the axis of all result sets. */
export function scaleOf(results: readonly Result[], nTicks = 4): Scale {
  const low = Math.min(...results.map((result) => result.low));
  const high = Math.max(...results.map((result) => result.high));
  const room = Math.max((high - low) * 0.08, 1e-6);
  const [from, to] = [low - room, high + room];
  const step = roundStep((to - from) / nTicks);
  const first = Math.ceil(from / step);
  const ticks = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return { ticks, share: (value) => (value - from) / (to - from), text: (value) => value.toFixed(digits) };
}

function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const found = [1, 2, 5].find((factor) => factor * power >= wanted * 0.999);
  return (found ?? 10) * power;
}
