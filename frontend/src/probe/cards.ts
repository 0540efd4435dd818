/** Cards: one analysis each, with the glyph of its p-value, the number, and which side is higher. */

import { chanceText } from "./chances";
import { curveGlyph } from "./curve";
import { type Drawn, d } from "./drawn";
import { analysisOf } from "./reading";
import { handled, lit, type Scene } from "./scene";
import { comparisonOf } from "./trace";
import { ANALYSES, type AnalysisId, type Outcome } from "./verdicts";
import { RESULT_WORDS } from "./words";

export interface CardPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
const SIGNS: Readonly<Record<Outcome, string>> = { ">": ">", "<": "<", "~": "≈" };

/** Draws a card: wide ones hold the number beside the glyph, narrow ones below it. */
export function drawCard(scene: Scene, id: AnalysisId, card: CardPlace, isWide: boolean): Drawn {
  const analysis = analysisOf(scene.reading.part, id);
  const outcome = scene.reading.outcomes[id];
  const label = `${id}: ${comparisonOf(scene.reading, id)}`;
  const inside = isWide ? wide : narrow;
  const names = [RESULT_WORDS[analysis.left].short, RESULT_WORDS[analysis.right].short] as const;
  const drawn = d(
    "g",
    {
      class: `analysis ${outcome === "~" ? "is-alike" : "is-different"}${lit(scene, "analyses", id)}`,
      transform: `translate(${card.left} ${card.top})`,
    },
    d("rect", { class: "card", width: card.width, height: card.height, rx: 8 }),
    ...inside({ id, names, sign: SIGNS[outcome], p: analysis.p_adjusted, alpha: scene.reading.alpha }, card),
  );
  const box = { x: card.left, y: card.top, width: card.width, height: card.height };
  return handled(scene, { kind: "analysis", id, label, isFirst: id === ANALYSES[0], box }, drawn);
}

interface Content {
  readonly id: AnalysisId;
  readonly names: readonly [string, string];
  readonly sign: string;
  readonly p: number;
  readonly alpha: number;
}

function wide({ id, names, sign, p, alpha }: Content, { width, height }: CardPlace): Drawn[] {
  return [
    d("text", { class: "name", x: 10, y: 18 }, id),
    d("text", { class: "sign end", x: width - 10, y: 18 }, `${names[0]} ${sign} ${names[1]}`),
    d("g", { transform: `translate(10 ${height - 9})` }, curveGlyph(p, alpha, 78, height - 38)),
    d("text", { class: "small end", x: width - 10, y: height - 25 }, "p"),
    d("text", { class: "number end", x: width - 10, y: height - 10 }, chanceText(p)),
  ];
}

function narrow({ id, names, sign, p, alpha }: Content, { width, height }: CardPlace): Drawn[] {
  const middle = width / 2;
  return [
    d("text", { class: "name middle", x: middle, y: 16 }, id),
    d("g", { transform: `translate(${middle - 27} 50)` }, curveGlyph(p, alpha, 54, 24)),
    d("text", { class: "number middle", x: middle, y: 70 }, chanceText(p)),
    d("text", { class: "small middle", x: middle, y: 85 }, names[0]),
    d("text", { class: "sign middle", x: middle, y: 97 }, sign),
    d("text", { class: "small middle", x: middle, y: height - 7 }, names[1]),
  ];
}
