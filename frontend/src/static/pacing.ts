/** Pacing: how far a session has come in time, and how much is left; the same sums as `conduct/pacing.py`. */

const OVERALL_S = 120;
const OF_TASK_S = 20;
const N_KNOWN = 3;
const SKIMMED = 0.5;
const ALIKE = 0.75;
const LONGEST = 4;

/** What is expected of a visit, or of the rest of one. */
export interface Planned {
  readonly task: string;
  readonly seconds: number;
  readonly nPages: number;
}

interface Seen {
  readonly nPages: number;
  readonly expected_s: number;
  readonly spent_s: number;
}

const NOTHING: Seen = { nPages: 0, expected_s: 0, spent_s: 0 };

export class Pacing {
  progress = 0;
  left_s = 0;
  readonly #seen = new Map<string, Seen>();

  answered({ task, seconds }: Planned, spent_s: number): void {
    const seen = this.#seen.get(task) ?? NOTHING;
    this.#seen.set(task, {
      nPages: seen.nPages + 1,
      expected_s: seen.expected_s + seconds,
      spent_s: seen.spent_s + Math.min(spent_s, LONGEST * seconds),
    });
  }

  lookAhead(ahead: readonly Planned[]): void {
    const spent = sum([...this.#seen.values()].map((seen) => seen.spent_s));
    this.left_s = this.timeFor(ahead);
    const whole = spent + this.left_s;
    this.progress = Math.max(this.progress, whole > 0 ? spent / whole : 0);
  }

  /** How many seconds visits are expected to take at this person's pace. */
  timeFor(ahead: readonly Planned[]): number {
    const all = [...this.#seen.values()];
    const spent = sum(all.map((seen) => seen.spent_s));
    const overall = (OVERALL_S + spent) / (OVERALL_S + sum(all.map((seen) => seen.expected_s)));
    return sum(ahead.map((planned) => this.#corrected(planned, overall)));
  }

  #corrected({ task, seconds, nPages }: Planned, overall: number): number {
    const seen = this.#seen.get(task) ?? NOTHING;
    if (seen.expected_s === 0 || seconds === 0) return seconds * Math.max(SKIMMED, overall);
    const pace = (OF_TASK_S * overall + seen.spent_s) / (OF_TASK_S + seen.expected_s);
    const alike = (ALIKE * seen.nPages) / (seen.nPages + N_KNOWN);
    return seconds * pace * (seen.expected_s / seen.nPages / (seconds / nPages)) ** alike;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
