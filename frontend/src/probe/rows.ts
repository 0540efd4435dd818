/** Rows: one hypothesis each, with its state, its claim, how often runs confirm it, and its cells of the matrix. */

import { type Drawn, d } from "./drawn";
import { cellIcon, stateIcon } from "./icons";
import { evenLines } from "./lines_of_text";
import { dependsOn } from "./rules";
import { handled, lit, type Scene } from "./scene";
import { indicatorText } from "./trace";
import { ANALYSES, type AnalysisId, HYPOTHESES, type HypothesisId } from "./verdicts";

export interface RowPlaces {
  readonly left: number;
  readonly top: number;
  readonly height: number;
  /** Room between two pairs. */
  readonly gap: number;
  readonly firstColumn: number;
  readonly columnWidth: number;
  readonly shares: "beside" | "below";
}

const SIZE = 12.5;
const PITCHES = [14.5, 14.5, 13.5];
const NAME_AT = 30;
const STATEMENT_AT = 64;
const SHARE_WIDTH = 52;

/** Returns where a row begins. */
export function rowTop(places: RowPlaces, row: number): number {
  return places.top + row * places.height + Math.floor(row / 2) * places.gap;
}

/** Returns where all rows end. */
export function rowsBottom(places: RowPlaces): number {
  return rowTop(places, HYPOTHESES.length - 1) + places.height;
}

/** Returns the middle of a column. */
export function columnAt(places: RowPlaces, column: number): number {
  return places.firstColumn + column * places.columnWidth;
}

/** Draws all rows, under the names of the analyses. */
export function drawRows(scene: Scene, places: RowPlaces): Drawn {
  const heads = ANALYSES.map((id, column) =>
    d(
      "text",
      { class: `name middle${lit(scene, "analyses", id)}`, x: columnAt(places, column), y: places.top - 10 },
      id,
    ),
  );
  return d(
    "g",
    { class: "rows" },
    ...heads,
    ...rules(places),
    ...HYPOTHESES.map((id, row) => drawRow(scene, places, id, row)),
  );
}

function rules(places: RowPlaces): Drawn[] {
  const right = columnAt(places, ANALYSES.length - 1) + places.columnWidth / 2;
  return [0, 2, 4, 6, 8, 10].map((row) => {
    const y = rowTop(places, row) - places.gap / 2;
    return d("path", { class: "rule", d: `M${places.left} ${y}H${right}` });
  });
}

function drawRow(scene: Scene, places: RowPlaces, id: HypothesisId, row: number): Drawn {
  const { rulings, part, states } = scene.reading;
  const statement = part.hypotheses.find((hypothesis) => hypothesis.id === id)?.statement ?? id;
  const right = columnAt(places, ANALYSES.length - 1) + places.columnWidth / 2;
  const middle = rowTop(places, row) + places.height / 2;
  const share = scene.repeats?.shares[id];
  const isBelow = share !== undefined && places.shares === "below";
  const label = `${id}, ${states[id]}, votes ${indicatorText(rulings[id].indicator)}: ${statement}`;
  const room =
    places.firstColumn -
    places.columnWidth / 2 -
    places.left -
    STATEMENT_AT -
    (scene.repeats && places.shares === "beside" ? SHARE_WIDTH : 0) -
    6;
  const box = { x: places.left, y: rowTop(places, row), width: right - places.left, height: places.height };
  const drawn = d(
    "g",
    { class: `row is-${states[id]}${lit(scene, "hypotheses", id)}`, "data-row": id },
    d("rect", { class: "band", rx: 6, ...box }),
    d("g", { transform: `translate(${places.left + 14} ${middle})` }, stateIcon(states[id])),
    d("text", { class: "name", x: places.left + NAME_AT, y: middle + (isBelow ? -2 : 4) }, id),
    ...lines(evenLines(statement, room, SIZE), places.left + STATEMENT_AT, middle),
    share === undefined
      ? null
      : isBelow
        ? shareText(scene, share, { x: places.left + NAME_AT, y: middle + 12 })
        : drawShare(scene, share, places.firstColumn - places.columnWidth / 2 - 8, middle),
    ...ANALYSES.map((analysis, column) =>
      drawCell(scene, id, analysis, {
        x: columnAt(places, column),
        y: middle,
        row,
        column,
        width: places.columnWidth - 4,
        height: places.height - 4,
      }),
    ),
  );
  return handled(scene, { kind: "hypothesis", id, label, isFirst: row === 0, box }, drawn);
}

function lines(texts: readonly string[], x: number, middle: number): Drawn[] {
  const pitch = PITCHES[texts.length - 1] ?? 12;
  const first = middle + 4 - ((texts.length - 1) * pitch) / 2;
  return texts.map((text, line) => d("text", { class: "statement", x, y: first + line * pitch }, text));
}

function drawShare(scene: Scene, share: number, right: number, middle: number): Drawn {
  const width = 40;
  return d(
    "g",
    { class: "runs" },
    shareText(scene, share, { x: right, y: middle }, "end"),
    d("rect", { class: "slot", x: right - width, y: middle + 5, width, height: 4, rx: 2 }),
    d("rect", { class: "share", x: right - width, y: middle + 5, width: width * share, height: 4, rx: 2 }),
  );
}

function shareText(scene: Scene, share: number, at: { readonly x: number; readonly y: number }, end = ""): Drawn {
  const n = scene.repeats?.n ?? 0;
  return d("text", { class: `small ${end}`, ...at }, `${Math.round(share * n)} of ${n}`);
}

interface CellPlace {
  readonly x: number;
  readonly y: number;
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly height: number;
}

function drawCell(scene: Scene, id: HypothesisId, analysis: AnalysisId, at: CellPlace): Drawn {
  const { cells, rulings } = scene.reading;
  const cell = cells[at.row]?.[at.column] ?? null;
  if (cell === null) return d("g", { class: "cell is-empty" });
  const isSilenced = rulings[id].muted.some((entry) => entry.analysis === analysis);
  const isActive =
    dependsOn(analysis, id) &&
    HYPOTHESES.some((other) =>
      rulings[other].muted.some((entry) => entry.analysis === analysis && entry.because === id),
    );
  const isOut = scene.chain !== null && !(scene.chain.analyses.has(analysis) && scene.chain.hypotheses.has(id));
  return d(
    "g",
    {
      class: `cell is-${cell}${isOut ? " is-dim" : ""}`,
      transform: `translate(${at.x} ${at.y})`,
      "data-cell": `${id} ${analysis}`,
    },
    cellIcon(cell, { isSilenced, isActive }),
  );
}
