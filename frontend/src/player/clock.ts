/** Clock: how long a trial was on the screen, and how long somebody was at work on it. */

export interface Times {
  readonly rt_ms: number;
  readonly active_ms: number;
}

/** Without input for longer than this, the participant counts as away. */
export const IDLE_AFTER_MS = 3000;
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchmove", "input"];

export class Clock {
  #shown = 0;
  #kept: Times = { rt_ms: 0, active_ms: 0 };
  #active = 0;
  #lastSign = 0;
  #isHidden = false;
  readonly #epoch: number;

  constructor(
    private readonly now: () => number = () => performance.now(),
    wall: () => number = () => Date.now(),
  ) {
    this.#epoch = wall() - this.now();
  }

  /** Milliseconds since 1970 that never run backwards, whatever is done to the computer's clock. */
  at_ms(): number {
    return Math.round(this.#epoch + this.now());
  }

  /** Starts a trial, or goes on with one that an earlier page had shown for so long. */
  begin(kept: Times = { rt_ms: 0, active_ms: 0 }): void {
    this.#kept = kept;
    this.#shown = this.#lastSign = this.now();
    this.#active = 0;
  }

  /** Takes note of a sign of life. */
  touch(): void {
    if (this.#isHidden) return;
    this.#active += this.#sinceLastSign();
    this.#lastSign = this.now();
  }

  hide(): void {
    this.touch();
    this.#isHidden = true;
  }

  show(): void {
    this.#isHidden = false;
    this.#lastSign = this.now();
  }

  times(): Times {
    const open = this.#isHidden ? 0 : this.#sinceLastSign();
    return {
      rt_ms: Math.max(0, this.#kept.rt_ms + this.now() - this.#shown),
      active_ms: Math.max(0, this.#kept.active_ms + this.#active + open),
    };
  }

  /** Listens to a page for signs of life. */
  listen(target: EventTarget): void {
    for (const sign of SIGNS) target.addEventListener(sign, () => this.touch(), { passive: true, capture: true });
  }

  #sinceLastSign(): number {
    return Math.min(this.now() - this.#lastSign, IDLE_AFTER_MS);
  }
}
