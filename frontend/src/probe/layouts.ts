/** The two layouts: across for wide screens, down for narrow ones; hypotheses first, results last. */

import { type CardPlace, drawCard } from "./cards";
import { type Drawn, d } from "./drawn";
import { curve, drawLinks } from "./links";
import { drawAcross, drawDown, type ResultPlaces, resultMiddle } from "./results";
import { columnAt, drawRows, type RowPlaces, rowsBottom } from "./rows";
import { lit, type Point, type Scene } from "./scene";
import { ANALYSES, type AnalysisId } from "./verdicts";

export type Layout = "horizontal" | "vertical";
export const WIDTHS: Readonly<Record<Layout, number>> = { horizontal: 1280, vertical: 480 };
const PAD = 16;

export interface Laid {
  readonly parts: readonly Drawn[];
  readonly bottom: number;
  readonly rows: RowPlaces;
}

/** Draws everything between the heading and the key. */
export function laidOut(scene: Scene, layout: Layout, top: number): Laid {
  return layout === "horizontal" ? across(scene, top) : down(scene, top);
}

function across(scene: Scene, top: number): Laid {
  const rows: RowPlaces = {
    left: PAD,
    top: top + 84,
    height: 36,
    gap: 8,
    firstColumn: 478,
    columnWidth: 36,
    shares: "beside",
  };
  const [from, to] = [rows.top, rowsBottom(rows)];
  const step = (to - from) / ANALYSES.length;
  const card = (id: AnalysisId): CardPlace => ({
    left: 756,
    top: from + step * ANALYSES.indexOf(id) + 6,
    width: 170,
    height: step - 12,
  });
  const out = (id: AnalysisId, end: number): Point => ({
    x: card(id).left + card(id).width,
    y: card(id).top + card(id).height / 2 + end * 14 - 7,
  });
  const results: ResultPlaces = { left: 1034, top: from, width: 1280 - PAD - 1034, height: to - from };
  const wires = ANALYSES.map((id, column) => {
    const [x, lane, channel, middle] = [
      columnAt(rows, column),
      top + 30 + column * 5,
      746 - column * 8,
      card(id).top + card(id).height / 2,
    ];
    const bends = `M${x} ${rows.top - 23}V${lane + 4}Q${x} ${lane} ${x + 4} ${lane}H${channel - 6}Q${channel} ${lane} ${channel} ${lane + 6}V${middle - 4}Q${channel} ${middle} ${channel + 4} ${middle}H${card(id).left}`;
    return d("path", { class: `wire${lit(scene, "analyses", id)}`, d: bends });
  });
  const heads = [
    heading("Hypotheses", PAD + 2, top + 14),
    ...(scene.repeats ? [heading("Runs", 452, rows.top - 10, "end")] : []),
    heading("What the tests say", columnAt(rows, 0) - 14, top + 14),
    heading("Tests", 756, top + 14),
    heading("Results", 1048, top + 14),
  ];
  const links = drawLinks(
    scene,
    out,
    (id, order) => ({ x: results.left, y: resultMiddle(id, from, to - from) + (order - 1) * 16 }),
    "across",
  );
  const cards = ANALYSES.map((id) => drawCard(scene, id, card(id), true));
  return {
    parts: layered({ heads, wires, rows: drawRows(scene, rows), links, cards, results: drawAcross(scene, results) }),
    bottom: to + 40,
    rows,
  };
}

function down(scene: Scene, top: number): Laid {
  const width = WIDTHS.vertical;
  const rows: RowPlaces = {
    left: 8,
    top: top + 50,
    height: 44,
    gap: 6,
    firstColumn: 312,
    columnWidth: 29,
    shares: "below",
  };
  const bottom = rowsBottom(rows);
  const step = (width - 16) / ANALYSES.length;
  const cardTop = bottom + 62;
  const card = (id: AnalysisId): CardPlace => ({
    left: 8 + step * ANALYSES.indexOf(id) + 3,
    top: cardTop,
    width: step - 6,
    height: 118,
  });
  const middle = (id: AnalysisId) => card(id).left + card(id).width / 2;
  const results: ResultPlaces = { left: 8, top: cardTop + 118 + 116, width: width - 16, height: 210 };
  const wires = ANALYSES.map((id, column) => {
    const from = { x: columnAt(rows, column), y: bottom + 6 };
    return d("path", {
      class: `wire${lit(scene, "analyses", id)}`,
      d: curve(from, { x: middle(id), y: cardTop }, "down"),
    });
  });
  const to = (id: Parameters<typeof resultMiddle>[0], order: number) => ({
    x: resultMiddle(id, 42, width - 50) + (order - 1) * 22,
    y: results.top,
  });
  const links = drawLinks(scene, (id, end) => ({ x: middle(id) + end * 14 - 7, y: cardTop + 118 }), to, "down");
  const heads = [
    heading("Hypotheses", 10, rows.top - 10),
    ...(scene.repeats
      ? [d("text", { class: "small", x: 10, y: top + 18 }, `of ${scene.repeats.n}: training runs that confirm it`)]
      : []),
    heading("What the tests say", columnAt(rows, 5) + 12, top + 18, "end"),
    heading("Tests", 10, cardTop - 12),
    heading("Results", 10, results.top - 14),
  ];
  const cards = ANALYSES.map((id) => drawCard(scene, id, card(id), false));
  return {
    parts: layered({ heads, wires, rows: drawRows(scene, rows), links, cards, results: drawDown(scene, results) }),
    bottom: results.top + 234,
    rows,
  };
}

interface Layers {
  readonly heads: readonly Drawn[];
  readonly wires: readonly Drawn[];
  readonly rows: Drawn;
  readonly links: Drawn;
  readonly cards: readonly Drawn[];
  readonly results: Drawn;
}

/** Puts the layers on top of each other: later ones cover earlier ones, and tabbing goes through them in this order. */
function layered({ heads, wires, rows, links, cards, results }: Layers): Drawn[] {
  return [...heads, d("g", { "aria-hidden": "true" }, ...wires), rows, links, ...cards, results];
}

function heading(text: string, x: number, y: number, end = ""): Drawn {
  return d("text", { class: `heading ${end}`, x, y }, text);
}
