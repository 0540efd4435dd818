/** Journal: what happens in one question, logged as snapshots that are neither too many nor too late. */

import type { DialSnapshot, Interactions, QuestionStarted } from "../schema";
import { isSaved } from "../shared/saved";
import type { Context } from "../shared/task";
import type { Move } from "./board";

/** While one dial keeps its direction, snapshots are at least so far apart. */
export const SNAPSHOT_EVERY_MS = 100;
/** The original's clock leaves out pauses from this length. */
const LEGACY_PAUSE_MS = 3000;

/** What the screen shows. */
export type Reading = Omit<DialSnapshot, "t_ms">;

/** What measures need to know about the dials. */
export type Facts = Omit<QuestionStarted, keyof DialSnapshot>;

/** Actions of a question, each with the moment it happened. */
type Timed = { [A in keyof Interactions]: Interactions[A] extends { t_ms: number } ? A : never }[keyof Interactions];

export class Journal {
  readonly #base: number;
  #began: number;
  #last_ms: number;
  #legacy_ms = 0;
  #move: Move | null = null;
  #held: { readonly reading: Reading; readonly move: Move } | null = null;

  constructor(
    private readonly context: Pick<Context, "log" | "saved">,
    private readonly now: () => number = () => performance.now(),
  ) {
    const times = context.saved.flatMap((event) =>
      isSaved(event, "question_started") || isSaved(event, "changed") ? [event.payload.t_ms] : [],
    );
    const all = context.saved.map(({ payload }) => Number(payload["t_ms"] ?? 0));
    this.#base = Math.max(0, ...all);
    this.#began = now();
    this.#last_ms = Math.max(0, ...times);
    times.slice(1).forEach((time, index) => this.#count(time - (times[index] ?? 0)));
  }

  /** Time since the question appeared, without the time while no page showed it. */
  t_ms(): number {
    return Math.round(10 * (this.#base + this.now() - this.#began)) / 10;
  }

  /** Time at work as the original counted it, as of the last snapshot. */
  get legacy_ms(): number {
    return this.#legacy_ms;
  }

  started(reading: Reading, facts: Facts): void {
    if (this.context.saved.some((event) => event.action === "question_started")) return;
    this.#began = this.now();
    this.log("question_started", { ...plain(reading), ...facts }, 0);
  }

  /** Logs the moment of the match, which is that of the change before it. */
  solved(reading: Reading): void {
    this.log("solved", plain(reading), this.#last_ms);
  }

  /** Takes a change that is on the screen now; returns whether a snapshot was logged. */
  changed(reading: Reading, move: Move, isUrgent: boolean): boolean {
    const before = this.#move;
    const isOther = before === null || before.dial !== move.dial || before.dir !== move.dir;
    this.#move = move;
    this.#held = { reading, move };
    if (!isUrgent && !isOther && this.t_ms() - this.#last_ms < SNAPSHOT_EVERY_MS) return false;
    return this.release();
  }

  /** Logs the last change where that is still to be done. */
  release(): boolean {
    const held = this.#held;
    if (held === null) return false;
    this.#held = null;
    const t_ms = this.t_ms();
    this.#count(t_ms - this.#last_ms);
    this.#last_ms = t_ms;
    this.log("changed", { ...plain(held.reading), dial: held.move.dial, dir: held.move.dir }, t_ms);
    return true;
  }

  log<A extends Timed>(action: A, payload: Omit<Interactions[A], "t_ms">, t_ms = this.t_ms()): void {
    this.context.log<string>(action, { t_ms, ...payload });
  }

  #count(gap: number): void {
    if (gap < LEGACY_PAUSE_MS) this.#legacy_ms += gap;
  }
}

export function plain({ code, agreement, sq_err }: Reading): Reading {
  return { code: [...code], agreement, sq_err };
}
