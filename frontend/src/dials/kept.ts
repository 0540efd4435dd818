/** Kept: what an earlier page of the same question left behind, or what a replay shows of it. */

import type { ReconstructParams, SavedEvent } from "../schema";
import { isSaved } from "../shared/saved";
import type { Context } from "../shared/task";
import { codeFrom, type Part } from "./code";

/** A kind of control that a practice may ask people to use. */
export type Use = ReconstructParams["uses"][number];

export interface Kept {
  readonly code: readonly number[];
  readonly isOverlaid: boolean;
  readonly isSolved: boolean;
  readonly isSkipOffered: boolean;
  readonly labels: readonly string[];
  readonly uses: ReadonlySet<Use>;
}

/** Reads the saved events of a question that begins with this code. */
export function keptFrom(
  { saved }: Pick<Context, "saved">,
  start: readonly number[],
  parts: readonly Part[],
  isOverlaidAtFirst: boolean,
): Kept {
  const found = saved.flatMap((event) => codeFrom(codeIn(event), start.length) ?? []);
  const code = found.length > 0 ? found.slice(-start.length) : start;
  const labels = parts.map(() => "");
  const uses = new Set<Use>();
  let isOverlaid = isOverlaidAtFirst;
  for (const event of saved) {
    if (isSaved(event, "question_started"))
      (event.payload.labels ?? []).forEach((label, index) => (labels[index] = label));
    else if (isSaved(event, "changed")) uses.add(useOf(parts[event.payload.dial]));
    else if (isSaved(event, "labelled")) {
      labels[event.payload.dial] = event.payload.label;
      uses.add("labels");
    } else if (isSaved(event, "overlay")) {
      isOverlaid = event.payload.is_on;
      uses.add("overlay");
    }
  }
  const has = (wanted: string) => saved.some((event) => event.action === wanted);
  return { code, isOverlaid, isSolved: has("solved"), isSkipOffered: has("skip_offered"), labels, uses };
}

export function useOf(part: Part | undefined): Use {
  return part?.dial.kind === "discrete" ? "options" : "slider";
}

function codeIn(event: SavedEvent): unknown {
  if (!isSaved(event, "draft")) return event.payload["code"];
  const { dials } = event.payload.answers;
  return typeof dials === "object" && dials !== null && "code" in dials ? dials.code : undefined;
}
