/** What a page knows about its step, whether somebody answers it or a replay shows it. */

import type { Context } from "../shared/task";
import type { StepState } from "./state";

type StepFacts = Pick<Context, "purpose" | "position" | "nPositions" | "tryNumber" | "feedback" | "gate">;

export function stepFacts(step: StepState): StepFacts {
  return {
    purpose: step.purpose,
    position: step.position + 1,
    nPositions: step.n_positions,
    tryNumber: step.try_number,
    feedback: step.feedback,
    gate: step.gate,
  };
}
