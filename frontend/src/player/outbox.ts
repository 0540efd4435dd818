/** Outbox: every event is kept on this computer first, sent in order, and forgotten only when acknowledged. */

import { Refused, Unreachable } from "./api";
import type { Shelf } from "./shelf";
import type { EventsReply, PageEvent, State, Unnumbered } from "./state";

export interface Sender {
  send(events: readonly PageEvent[], isLeaving: boolean): Promise<EventsReply>;
  state(): Promise<State>;
}

/** How a delivery ended: with the state after it, or with the reason why the server would not take the answer. */
export type Delivery = { readonly state: State } | { readonly refusal: string };

export interface Notices {
  /** The connection went, or came back. */
  connection(isThere: boolean): void;
  /** The session moved on elsewhere, or is not known any more: this page shows a step that is over. `isLost`: the
   * server no longer has what it acknowledged. */
  overtaken(state: State | null, isLost: boolean): void;
}

const BATCH = 200;
const BATCH_BYTES = 200_000;
const FLUSH_EVERY_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 200;

export class Outbox {
  #pending: PageEvent[] = [];
  #next = 1;
  #writes: Promise<unknown> = Promise.resolve();
  #sending: Promise<void> | null = null;
  #failures = 0;
  #retryAt = 0;
  #latest: State | null = null;
  #refusal: string | null = null;
  #isClosed = false;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    private readonly sessionId: string,
    private readonly shelf: Shelf,
    private readonly sender: Sender,
    private readonly notices: Notices,
  ) {}

  /** Takes up what an earlier page left behind, and starts to send. Returns the state after that, if any was sent.
   *
   * This takes as long as the connection is away: a page drawn from the state before would not show what people did.
   */
  async open(state: State): Promise<State> {
    const left = await this.shelf.all(this.sessionId);
    this.#pending = left.filter((event) => event.seq >= state.next_seq);
    this.#next = Math.max(state.next_seq, (this.#pending.at(-1)?.seq ?? 0) + 1);
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
    if (left.length > 0) this.#replaceShelved();
    if (this.#pending.length === 0) return state;
    await this.#emptied();
    return this.sender.state().catch(() => this.#latest ?? state);
  }

  /** How many events wait to be acknowledged. */
  get nPending(): number {
    return this.#pending.length;
  }

  /** Keeps an event; it is sent with the next flush. */
  add(event: Unnumbered): void {
    if (this.#isClosed) return;
    const numbered: PageEvent = { ...event, seq: this.#next };
    this.#next += 1;
    this.#pending.push(numbered);
    this.#isWritten(this.shelf.put(this.sessionId, numbered));
  }

  /** Keeps an answer and returns when the server has it, however long the connection is away. */
  async deliver(event: Unnumbered): Promise<Delivery> {
    this.#refusal = null;
    this.add(event);
    this.#retryAt = 0;
    await this.#emptied();
    if (this.#refusal !== null) return { refusal: this.#refusal };
    return this.#isClosed || this.#latest === null ? { refusal: "" } : { state: this.#latest };
  }

  /** Sends what waits. Calls while a send is under way wait for it. */
  async flush(isUrgent = false): Promise<void> {
    if (this.#sending) return this.#sending;
    if (this.#isClosed || this.#pending.length === 0) return;
    if (!isUrgent && performance.now() < this.#retryAt) return;
    this.#sending = this.#sendAll().finally(() => (this.#sending = null));
    return this.#sending;
  }

  /** Sends what waits while the page goes away; nothing is awaited, and what is lost is still on the shelf. */
  leave(): void {
    if (this.#isClosed || this.#pending.length === 0) return;
    this.shelf.keepNow(this.sessionId, this.#pending);
    this.sender.send(firstBatch(this.#pending), true).catch(() => undefined);
  }

  /** Tries at once, as when the connection comes back. */
  hurry(): void {
    this.#retryAt = 0;
    void this.flush(true);
  }

  /** Stops sending; what waits stays on the shelf for the tab that goes on. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Stops sending for good: after the end of a session, nothing of it stays on this computer. */
  forget(): void {
    this.close();
    this.#pending = [];
    this.#replaceShelved();
  }

  /** Returns when nothing waits any more, an answer was refused, or another tab goes on. */
  async #emptied(): Promise<void> {
    for (;;) {
      await this.flush();
      if (this.#refusal !== null || this.#pending.length === 0 || this.#isClosed) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  async #sendAll(): Promise<void> {
    await this.#writes;
    while (this.#pending.length > 0 && !this.#isClosed) {
      const batch = firstBatch(this.#pending);
      try {
        const answer = await this.sender.send(batch, false);
        this.#latest = answer.state;
        await this.#forgetUpTo(answer.acknowledged_seq);
        this.#isReached(true);
      } catch (error) {
        if (error instanceof Unreachable) return this.#isReached(false);
        if (!(error instanceof Refused)) throw error;
        if (!(await this.#recovered(error, batch))) return;
      }
    }
  }

  /** Brings pending events in line with the server after a refusal; false when it cannot be asked. */
  async #recovered(error: Refused, batch: readonly PageEvent[]): Promise<boolean> {
    let state = error.body.state;
    try {
      state ??= await this.sender.state();
    } catch (again) {
      if (again instanceof Refused && again.status === 401) this.notices.overtaken(null, again.body.is_lost === true);
      else this.#isReached(false);
      return false;
    }
    this.#latest = state;
    const answer = batch.find((event) => event.type === "response_given");
    if (error.status === 422 && answer) this.#refusal = error.body.error ?? "";
    const kept = this.#pending.filter((event) => belongs(event, state) && !(error.status === 422 && event === answer));
    // What the server will not take however it is numbered must not hold up the rest.
    if (kept.length === this.#pending.length && isUnmendable(error)) kept.splice(0, batch.length);
    const shown = batch[0]?.step;
    await this.#renumber(kept, state.next_seq);
    const isLost = error.body.is_lost === true;
    if (isLost || state.ended || (state.step && shown !== undefined && state.step.number !== shown))
      this.notices.overtaken(state, isLost);
    return true;
  }

  async #renumber(events: readonly PageEvent[], from: number): Promise<void> {
    this.#pending = events.map((event, index) => ({ ...event, seq: from + index }));
    this.#next = from + events.length;
    this.#replaceShelved();
    await this.#writes;
  }

  async #forgetUpTo(seq: number): Promise<void> {
    this.#pending = this.#pending.filter((event) => event.seq > seq);
    this.#replaceShelved();
    await this.#writes;
  }

  #replaceShelved(): void {
    this.#isWritten(this.shelf.replace(this.sessionId, [...this.#pending]));
  }

  #isWritten(write: Promise<void>): void {
    this.#writes = Promise.all([this.#writes, write.catch(() => undefined)]);
  }

  #isReached(isThere: boolean): void {
    this.#failures = isThere ? 0 : this.#failures + 1;
    const wait = Math.min(LONGEST_WAIT_MS, FLUSH_EVERY_MS * 2 ** (this.#failures - 1));
    this.#retryAt = isThere ? 0 : performance.now() + wait;
    this.notices.connection(isThere);
  }
}

function isUnmendable({ status }: Refused): boolean {
  return status === 422 || status === 413;
}

function belongs(event: PageEvent, state: State): boolean {
  const { step } = state;
  if (step === null || event.step !== step.number || event.trial_id !== step.trial.trial_id) return false;
  return !(event.type === "trial_shown" && step.shown_seq);
}

function firstBatch(events: readonly PageEvent[]): PageEvent[] {
  let bytes = 0;
  const batch: PageEvent[] = [];
  for (const event of events.slice(0, BATCH)) {
    bytes += JSON.stringify(event).length;
    if (batch.length > 0 && bytes > BATCH_BYTES) break;
    batch.push(event);
  }
  return batch;
}
