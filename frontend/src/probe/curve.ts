/** The glyph of a p-value: a normal curve whose orange tails coarsely show the chance, with the threshold marked. */

import { curveHeight, tailStart } from "./chances";
import { type Drawn, d } from "./drawn";

const REACH = 3.1;
/** However small the chance, a sliver of the tail can be seen. */
const FURTHEST = 2.55;
const N_POINTS = 36;
/** The curve never lies flat on its foot, so that its far tails can be seen. */
const LEAST = 2;

/** Draws the curve with its foot at y = 0, from x = 0 to the width. */
export function curveGlyph(p: number, alpha: number, width: number, height: number): Drawn {
  const start = Math.min(FURTHEST, tailStart(p));
  const at = (z: number) => ((z + REACH) / (2 * REACH)) * width;
  const top = (z: number) => -LEAST - curveHeight(z) * (height - LEAST);
  const mark = Math.min(REACH - 0.15, tailStart(alpha));
  const area = (from: number, to: number) => {
    const zs = Array.from({ length: N_POINTS + 1 }, (_, index) => from + ((to - from) * index) / N_POINTS);
    const points = zs.map((z) => `${round(at(z))} ${round(top(z))}`);
    return { whole: `M${round(at(from))} 0L${points.join("L")}L${round(at(to))} 0Z`, line: `M${points.join("L")}` };
  };
  const tails = [area(-REACH, -start), area(start, REACH)].map((tail) => tail.whole).join("");
  const tick = (z: number) => `M${round(at(z))} 3.5V${round(top(z) - 4)}`;
  return d(
    "g",
    { class: "glyph", "aria-hidden": "true" },
    d("path", { class: "curve", d: area(-REACH, REACH).whole }),
    d("path", { class: "tail", d: tails }),
    d("path", { class: "outline", d: area(-REACH, REACH).line }),
    d("path", { class: "mark", d: tick(-mark) + tick(mark) }),
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
