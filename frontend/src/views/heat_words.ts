/** Heat words: what a heat map shows, in a sentence for people who cannot see it: where, never whether that is right. */

import type { Heatmap, HeatmapLayer } from "../schema";
import type { Context } from "../shared/task";
import { heatValues } from "./heat_values";
import { percent } from "./numbers";

/** Differences below this share of the scale cannot be seen. */
const FLAT = 0.02;

/** Says where the map of a layer is strongest, and how much of the picture is nearly as strong. */
export function heatWords({ limits, is_signed }: Heatmap, layer: HeatmapLayer, context: Context): string {
  const { heatmap } = context.texts.views;
  const title = layer.label ? heatmap.of(layer.label) : heatmap.title;
  const [low, high] = limits;
  const { rows, columns, bytes } = heatValues(layer);
  const values = Array.from(bytes, (byte) => low + (byte / 255) * (high - low));
  const isFlat = spread(values) < FLAT * (high - low);
  if (isFlat) return `${title}: ${heatmap.flat}`;
  const strengths = (sign: 1 | -1) => values.map((value) => Math.max(0, is_signed ? sign * value : value - low));
  const peak = (sign: 1 | -1) => {
    const found = strengths(sign);
    const most = Math.max(0, ...extremes(found));
    if (most < FLAT * (high - low)) return null;
    const share = found.filter((strength) => strength >= most / 2).length / found.length;
    return { zone: heatmap.zones[strongestZone(found, rows, columns)] ?? "", share: percent(share, context) };
  };
  const [up, down] = [peak(1), is_signed ? peak(-1) : null];
  if (!is_signed) return up ? `${title}: ${heatmap.strongest(up.zone, up.share)}` : `${title}: ${heatmap.flat}`;
  const told = [up && heatmap.strongestFor(up.zone, up.share), down && heatmap.strongestAgainst(down.zone, down.share)];
  return `${title}: ${told.filter((part) => part !== null).join("; ")}.`;
}

/** The place of a three by three division with the largest mean, counted row by row. */
function strongestZone(strengths: readonly number[], rows: number, columns: number): number {
  const sums = new Array<number>(9).fill(0);
  const counts = new Array<number>(9).fill(0);
  strengths.forEach((strength, index) => {
    const third = (at: number, n: number) => Math.floor((3 * (at + 0.5)) / n);
    const zone = 3 * third(Math.floor(index / columns), rows) + third(index % columns, columns);
    sums[zone] = (sums[zone] ?? 0) + strength;
    counts[zone] = (counts[zone] ?? 0) + 1;
  });
  const means = sums.map((sum, zone) => sum / Math.max(1, counts[zone] ?? 0));
  return means.indexOf(Math.max(...means));
}

function spread(values: readonly number[]): number {
  const [least, most] = extremes(values);
  return most - least;
}

/** A map may have more places than a function may have arguments. */
function extremes(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}
