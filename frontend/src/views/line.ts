/** Line: one value after the other, with the zero line, and a band around the target where points may be off. */

import type { Values } from "../distances/agreement";
import { svg } from "../shared/dom";
import type { Picture, PictureKind } from "./picture";

/** Coordinates run to this; the page stretches them. */
const SIZE = 200;

export function line({ shape, limits, role, tolerance }: PictureKind): Picture {
  const n = shape[0] ?? 2;
  const [low, high] = limits;
  const across = (index: number) => ((SIZE * index) / Math.max(1, n - 1)).toFixed(1);
  const up = (value: number) => (SIZE * (1 - (value - low) / (high - low))).toFixed(1);
  const through = (values: Values, by = 0) =>
    Array.from(values, (value, index) => `${across(index)} ${up(value + by)}`);
  const chart = svg("svg", {
    viewBox: `0 0 ${SIZE} ${SIZE}`,
    preserveAspectRatio: "none",
    class: `chart is-${role}`,
    "aria-hidden": "true",
  });
  const zero = svg("path", { class: "zero", d: `M0 ${up(0)}H${SIZE}` });
  const band = svg("path", { class: "band" });
  const edges = svg("path", { class: "edges" });
  const curve = svg("path", { class: tolerance === undefined ? "curve" : "curve is-banded" });
  chart.append(zero, ...(tolerance === undefined ? [] : [band, edges]), curve);
  return {
    element: chart,
    draw(values) {
      curve.setAttribute("d", `M${through(values).join("L")}`);
      if (tolerance === undefined) return;
      const [above, below] = [through(values, tolerance), through(values, -tolerance)];
      band.setAttribute("d", `M${above.join("L")}L${[...below].reverse().join("L")}Z`);
      edges.setAttribute("d", `M${above.join("L")}M${below.join("L")}`);
    },
    content: () => curve.getAttribute("d") ?? "",
  };
}
