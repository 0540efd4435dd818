/** Params: what the Python half of the task sends, read once. */

import type { Dial, Json } from "../schema";
import { type Part, partsOf } from "./code";
import type { Use } from "./kept";

export interface Live {
  /** The content address of the ONNX file. */
  readonly address: string;
  readonly view: string;
  readonly shape: readonly number[];
  readonly limits: readonly [number, number];
  readonly dials: readonly Dial[];
  readonly parts: readonly Part[];
  readonly start: readonly number[];
  /** The target's output, as packed by Python. */
  readonly target: string;
  readonly distance: { readonly name: string; readonly params: Json };
  readonly threshold: number;
  readonly text: string;
  /** Seconds at work after which the question may be skipped; null for never. */
  readonly skipAfter_s: number | null;
  readonly clock: "capped" | "legacy";
  readonly isOverlaid: boolean;
  readonly hasLabels: boolean;
  readonly edge_px: number;
  /** Controls that have to be used once before the way on opens. */
  readonly uses: readonly Use[];
}

interface Card {
  readonly view: string;
  readonly shape: number[];
  readonly limits: [number, number];
  readonly dials: Dial[];
}

export function liveFrom(params: Json): Live {
  const decoder = params["decoder"] as unknown as { readonly address: string; readonly card: Card };
  const distance = params["distance"] as unknown as { readonly name: string; readonly params?: Json };
  const skipAfter = params["skip_after_s"];
  return {
    ...decoder.card,
    address: decoder.address,
    parts: partsOf(decoder.card.dials),
    start: params["start"] as number[],
    target: String(params["target"]),
    distance: { name: distance.name, params: distance.params ?? {} },
    threshold: Number(params["threshold"]),
    text: String(params["text"] ?? ""),
    skipAfter_s: skipAfter === null ? null : Number(skipAfter ?? 30),
    clock: params["clock"] === "legacy" ? "legacy" : "capped",
    isOverlaid: params["overlay"] !== false,
    hasLabels: params["labels"] === true,
    edge_px: Number(params["edge"] ?? 200),
    uses: (params["uses"] as Use[] | undefined) ?? [],
  };
}
