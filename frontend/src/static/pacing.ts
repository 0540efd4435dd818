/** Pacing: how far a session has come in time, and how much is left; the same sums as `conduct/pacing.py`. */

const OVERALL_S = 120;
const OF_TASK_S = 20;
const N_KNOWN = 3;
const SKIMMED = 0.5;
const ALIKE = 0.75;
const LONGEST = 4;
const PROMISED = 8;
const STEADY = 0.07;
const STEADY_OF_PAGE = 1.5;

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
  #factor: number | null = null;
  #whole_s = 0;
  #expected_s = 0;
  #page_s = 0;

  /** `announced_s` is what people were promised; null where nothing was. */
  constructor(private readonly announced_s: number | null = null) {}

  answered({ task, seconds }: Planned, spent_s: number): void {
    const seen = this.#seen.get(task) ?? NOTHING;
    this.#page_s = seconds;
    this.#seen.set(task, {
      nPages: seen.nPages + 1,
      expected_s: seen.expected_s + seconds,
      spent_s: seen.spent_s + Math.min(spent_s, LONGEST * seconds),
    });
  }

  lookAhead(ahead: readonly Planned[]): void {
    const own = this.#atOwnPace(ahead);
    const spent = sum([...this.#seen.values()].map((seen) => seen.spent_s));
    this.progress = Math.max(this.progress, spent + own > 0 ? spent / (spent + own) : 0);
    const expected = sum(ahead.map(({ seconds }) => seconds));
    if (this.#factor === null) this.#whole_s = expected;
    const promise = this.announced_s && this.#whole_s ? this.announced_s / this.#whole_s : 1;
    let left = own * (1 + (promise - 1) * (1 - this.progress) ** PROMISED);
    if (this.#factor !== null && this.#expected_s) {
      const steady = (this.left_s * expected) / this.#expected_s;
      const most = STEADY + (STEADY_OF_PAGE * this.#page_s) / this.#whole_s;
      left = Math.min(Math.max(left, (1 - most) * steady), (1 + most) * steady);
    }
    this.#expected_s = expected;
    this.left_s = left;
    this.#factor = own ? left / own : 1;
  }

  /** How many seconds visits are expected to take, so that the parts of what is left add up to it. */
  timeFor(ahead: readonly Planned[]): number {
    return this.#atOwnPace(ahead) * (this.#factor ?? 1);
  }

  #atOwnPace(ahead: readonly Planned[]): number {
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
