/** Moments: a session's events on one line of time, and what the participant saw and had entered at each. */

import type { StepState } from "../player/state";
import type { Json, Question, SavedEvent } from "../schema";
import { lastSaved } from "../shared/saved";
import type { SessionEvent, SessionRecord } from "./desk";

/** Longer pauses are shortened when a session is played. */
export const LONGEST_PAUSE_MS = 3000;

export interface Moment {
  readonly event: SessionEvent;
  /** Time since the first event of the page; the server's events stand where they were stored. */
  readonly elapsed_ms: number;
  /** The step on the screen. */
  readonly step: number;
}

/** Puts the events on one line of time: clocks of page and server differ, so only the page's own moves it on. */
export function momentsOf(events: readonly SessionEvent[]): Moment[] {
  let elapsed = 0;
  let last: number | null = null;
  let step = 0;
  return events.map((event) => {
    if (event.stream === "page") {
      if (last !== null) elapsed += Math.max(0, event.at_ms - last);
      last = event.at_ms;
    }
    step = "step" in event ? event.step : step;
    return { event, elapsed_ms: elapsed, step };
  });
}

export interface Screen {
  readonly step: StepState;
  readonly saved: readonly SavedEvent[];
  /** The committed answer, once there is one. */
  readonly response: Json | null;
  readonly rt_ms: number | null;
  /** Whether earlier material was opened over the screen. */
  readonly isLookingBack: boolean;
  /** The digest of the screen as the participant's page computed it with the answer; null before it, and in old logs. */
  readonly digest: string | null;
}

/** Returns the screen at a moment: what was saved of its step so far goes the way a reload would bring it back. */
export function screenAt(record: SessionRecord, moments: readonly Moment[], index: number): Screen | null {
  const number = moments[index]?.step ?? 0;
  const step = record.steps.find((candidate) => candidate.number === number);
  if (!step) return null;
  const past = moments
    .slice(0, index + 1)
    .flatMap(({ event }) => ("step" in event && event.step === number ? [event] : []));
  const saved: SavedEvent[] = past.flatMap((event) =>
    event.type === "interacted" ? [{ action: event.action, payload: event.payload, at_ms: event.at_ms }] : [],
  );
  const given = past.find((event) => event.type === "response_given");
  const response = given?.response ?? null;
  if (response) saved.push({ action: "draft", payload: { answers: response }, at_ms: 0 });
  saved.push(...step.trial.asks.flatMap(plainOrder));
  const looks = saved.filter((event) => event.action.startsWith("reference_"));
  const told = given ? lastSaved(saved, "screen_state")?.sha256 : null;
  return {
    step,
    saved,
    response,
    rt_ms: given?.rt_ms ?? null,
    isLookingBack: response === null && looks.at(-1)?.action === "reference_opened",
    digest: told ?? null,
  };
}

/** Where the page did not say in which order it showed options, they stand as written and not by chance. */
function plainOrder(question: Question): SavedEvent[] {
  if (!("options" in question)) return [];
  const payload = { question_id: question.question_id, order: [...question.options] };
  return [{ action: "options_shown", payload, at_ms: 0 }];
}

/** How long to wait before the next event when playing. */
export function pauseAfter(moments: readonly Moment[], index: number, speed: number): number {
  const [now, next] = [moments[index], moments[index + 1]];
  if (!now || !next) return 0;
  return Math.min(LONGEST_PAUSE_MS, next.elapsed_ms - now.elapsed_ms) / speed;
}

/** Says what an event is, in a few words. */
export function eventWords(event: SessionEvent): string {
  const name = event.type === "interacted" ? event.action : event.type;
  return name.replaceAll("_", " ");
}
