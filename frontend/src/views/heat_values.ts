/** Heat values: the bytes of a map, enlarged to the size it is drawn at, and the size itself. */

import type { HeatmapLayer, ShownPicture } from "../schema";
import type { Display } from "./display";

/** A grid of bytes, row by row. */
export interface HeatValues {
  readonly rows: number;
  readonly columns: number;
  readonly bytes: Uint8Array;
}

/** Maps are drawn with a longer side between these, sharp on dense screens and light in memory. */
const [LEAST_PX, MOST_PX] = [448, 1024];

export function heatValues({ rows, columns, values }: HeatmapLayer): HeatValues {
  return { rows, columns, bytes: Uint8Array.from(atob(values), (letter) => letter.charCodeAt(0)) };
}

/** Enlarges a map to the shape of its picture; between its places values are interpolated, and never colours. */
export function enlarged(
  values: HeatValues,
  picture: ShownPicture,
  interpolation: Display["interpolation"],
): HeatValues {
  const { rows, columns } = drawnSize(picture);
  const isCoarse = values.rows < picture.height || values.columns < picture.width;
  const isSmooth = interpolation === "smooth" || (interpolation === "auto" && isCoarse);
  const [down, across] = [samples(rows, values.rows, isSmooth), samples(columns, values.columns, isSmooth)];
  const bytes = new Uint8Array(rows * columns);
  const at = (row: number, column: number) => values.bytes[row * values.columns + column] ?? 0;
  for (let row = 0; row < rows; row += 1) {
    const [top, bottom, rest] = down[row] as Sample;
    for (let column = 0; column < columns; column += 1) {
      const [left, right, part] = across[column] as Sample;
      const above = at(top, left) * (1 - part) + at(top, right) * part;
      const below = at(bottom, left) * (1 - part) + at(bottom, right) * part;
      bytes[row * columns + column] = Math.round(above * (1 - rest) + below * rest);
    }
  }
  return { rows, columns, bytes };
}

/** A whole multiple of a small picture, so that each of its pixels has the same number of drawn ones. */
export function drawnSize({ width, height }: ShownPicture): { readonly rows: number; readonly columns: number } {
  const longer = Math.max(width, height);
  const times = longer > MOST_PX ? MOST_PX / longer : Math.ceil(LEAST_PX / longer);
  return { rows: Math.max(1, Math.round(height * times)), columns: Math.max(1, Math.round(width * times)) };
}

/** The two places a drawn pixel lies between, and how far it is from the first. */
type Sample = readonly [number, number, number];

function samples(n: number, nPlaces: number, isSmooth: boolean): Sample[] {
  return Array.from({ length: n }, (_, pixel) => {
    const at = ((pixel + 0.5) * nPlaces) / n;
    const whole = Math.min(Math.floor(at), nPlaces - 1);
    if (!isSmooth) return [whole, whole, 0];
    // A value belongs to the middle of its place; outside the outermost middles it stays as it is.
    const middle = Math.min(Math.max(at - 0.5, 0), nPlaces - 1);
    const first = Math.floor(middle);
    return [first, Math.min(first + 1, nPlaces - 1), middle - first];
  });
}
