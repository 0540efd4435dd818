/** Kept: what an earlier page of the same question left behind, or what a replay shows of it. */

import type { Json, JsonValue } from "../schema";
import type { Context } from "../shared/task";
import { codeFrom, type Part } from "./code";

/** A kind of control that a practice may ask people to use. */
export type Use = "slider" | "options" | "overlay" | "labels";

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
  const found = saved.flatMap(
    ({ action, payload }) => codeFrom(action === "draft" ? drafted(payload) : payload["code"], start.length) ?? [],
  );
  const code = found.length > 0 ? found.slice(-start.length) : start;
  const labels = parts.map(() => "");
  const uses = new Set<Use>();
  let isOverlaid = isOverlaidAtFirst;
  for (const { action, payload } of saved) {
    if (action === "question_started" && Array.isArray(payload["labels"]))
      payload["labels"].forEach((one, place) => (labels[place] = String(one)));
    if (action === "changed") uses.add(useOf(parts[Number(payload["dial"])]));
    if (action === "labelled") {
      labels[Number(payload["dial"])] = String(payload["label"]);
      uses.add("labels");
    }
    if (action === "overlay") {
      isOverlaid = payload["is_on"] === true;
      uses.add("overlay");
    }
  }
  const has = (wanted: string) => saved.some((one) => one.action === wanted);
  return { code, isOverlaid, isSolved: has("solved"), isSkipOffered: has("skip_offered"), labels, uses };
}

export function useOf(part: Part | undefined): Use {
  return part?.dial.kind === "discrete" ? "options" : "slider";
}

function drafted(payload: Json): JsonValue | undefined {
  const answers = payload["answers"];
  const dials = answers && typeof answers === "object" && !Array.isArray(answers) ? answers["dials"] : undefined;
  return dials && typeof dials === "object" && !Array.isArray(dials) ? dials["code"] : undefined;
}
