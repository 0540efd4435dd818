/** Structural similarity of two pictures, over square windows that move pixel by pixel. */

import type { Json } from "../schema";
import { type Agreement, numberIn, type Values } from "./agreement";

export function structure(target: Values, params: Json): Agreement {
  const [rows, columns] = (params["shape"] as [number, number] | undefined) ?? [0, 0];
  const window = numberIn(params, "window", 7);
  const span = numberIn(params, "span", 1);
  const [first, second] = [(0.01 * span) ** 2, (0.03 * span) ** 2];
  const means = (at: (index: number) => number) => windowed(at, rows, columns, window);
  const wanted = (index: number) => target[index] ?? 0;
  const [mean2, square2] = [means(wanted), means((index) => wanted(index) ** 2)];
  return (shown) => {
    const own = (index: number) => shown[index] ?? 0;
    const [mean1, square1, shared] = [
      means(own),
      means((index) => own(index) ** 2),
      means((index) => own(index) * wanted(index)),
    ];
    let sum = 0;
    for (let index = 0; index < mean1.length; index += 1) {
      const [m1, m2] = [mean1[index] ?? 0, mean2[index] ?? 0];
      const [v1, v2] = [(square1[index] ?? 0) - m1 * m1, (square2[index] ?? 0) - m2 * m2];
      const similar = (2 * m1 * m2 + first) * (2 * ((shared[index] ?? 0) - m1 * m2) + second);
      sum += similar / ((m1 * m1 + m2 * m2 + first) * (v1 + v2 + second));
    }
    return Math.min(1, Math.max(0, sum / mean1.length));
  };
}

/** The means of all windows that lie inside the picture, by sums over everything above and to the left. */
function windowed(at: (index: number) => number, rows: number, columns: number, window: number): Float64Array {
  const wide = columns + 1;
  const summed = new Float64Array((rows + 1) * wide);
  for (let row = 0; row < rows; row += 1) {
    let line = 0;
    for (let column = 0; column < columns; column += 1) {
      line += at(row * columns + column);
      summed[(row + 1) * wide + column + 1] = (summed[row * wide + column + 1] ?? 0) + line;
    }
  }
  const [high, across] = [rows - window + 1, columns - window + 1];
  const means = new Float64Array(high * across);
  for (let row = 0; row < high; row += 1) {
    for (let column = 0; column < across; column += 1) {
      const [above, below] = [row * wide + column, (row + window) * wide + column];
      const inside =
        (summed[below + window] ?? 0) - (summed[above + window] ?? 0) - (summed[below] ?? 0) + (summed[above] ?? 0);
      means[row * across + column] = inside / (window * window);
    }
  }
  return means;
}
