/** A scene: what every part of the drawing needs to know. */

import { type Drawn, d } from "./drawn";
import type { Reading } from "./reading";
import type { Chain, Highlight } from "./trace";
import type { AnalysisId, HypothesisId, Repeats, ResultId } from "./verdicts";

export interface Scene {
  readonly reading: Reading;
  readonly chain: Chain | null;
  readonly pinned: Highlight | null;
  readonly repeats: Repeats | null;
  /** Whether hands can reach the picture: only then it has names of buttons and a place in the order of keys. */
  readonly isLive: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Marks what belongs to the chain, and steps back with what does not. */
export function lit(
  scene: Scene,
  kind: "hypotheses" | "analyses" | "results",
  id: HypothesisId | AnalysisId | ResultId,
): string {
  if (scene.chain === null) return "";
  return (scene.chain[kind] as ReadonlySet<string>).has(id) ? " is-lit" : " is-out";
}

export interface Handle {
  readonly kind: Highlight["kind"];
  readonly id: string;
  readonly label: string;
  /** Whether the tab key comes here first; arrow keys go on. */
  readonly isFirst: boolean;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** Lays a button over a part of the picture, or gives the part a name where nobody can press it. */
export function handled(scene: Scene, { kind, id, label, isFirst, box }: Handle, part: Drawn): Drawn {
  if (!scene.isLive) return { ...part, attributes: { ...part.attributes, role: "group", "aria-label": label } };
  const isPinned = scene.pinned?.kind === kind && scene.pinned.id === id;
  const marks = {
    role: "button",
    "aria-label": label,
    "aria-pressed": String(isPinned),
    tabindex: isFirst ? 0 : -1,
    "data-kind": kind,
    "data-id": id,
  };
  const shown = { ...part, attributes: { ...part.attributes, "aria-hidden": "true" } };
  return d("g", {}, shown, d("rect", { class: "hit", rx: 7, ...box, ...marks }));
}
