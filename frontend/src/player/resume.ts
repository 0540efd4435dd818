/** Resume: what an earlier page of the same trial left behind. */

import { allSaved } from "../shared/saved";
import type { Times } from "./clock";
import type { StepState } from "./state";

/** How long earlier pages had shown the trial, from the times that go with every draft. */
export function keptTimes(step: StepState): Times {
  const drafts = allSaved(step.saved, "draft");
  return {
    rt_ms: Math.max(0, ...drafts.map((draft) => draft.rt_ms ?? 0)),
    active_ms: Math.max(0, ...drafts.map((draft) => draft.active_ms ?? 0)),
  };
}
