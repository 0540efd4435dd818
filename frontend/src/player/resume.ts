/** Resume: what an earlier page of the same trial left behind. */

import type { Times } from "./clock";
import type { StepState } from "./state";

/** How long earlier pages had shown the trial, from the times that go with every draft. */
export function keptTimes(step: StepState): Times {
  const number = (value: unknown) => (typeof value === "number" && value >= 0 ? value : 0);
  const times = step.saved.map((one) => ({
    rt_ms: number(one.payload["rt_ms"]),
    active_ms: number(one.payload["active_ms"]),
  }));
  return {
    rt_ms: Math.max(0, ...times.map((one) => one.rt_ms)),
    active_ms: Math.max(0, ...times.map((one) => one.active_ms)),
  };
}
