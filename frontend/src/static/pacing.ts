/** Pacing: how far a session has come in time, and how much is left; the same sums as `conduct/pacing.py`. */

const OVERALL_S = 60;
const OF_TASK_S = 20;
const LONGEST = 4;

/** What is expected of a visit, or of the rest of one. */
export interface Planned {
  readonly task: string;
  readonly seconds: number;
}

export class Pacing {
  progress = 0;
  left_s = 0;
  readonly #expected = new Map<string, number>();
  readonly #spent = new Map<string, number>();

  answered({ task, seconds }: Planned, spent_s: number): void {
    this.#expected.set(task, of(this.#expected, task) + seconds);
    this.#spent.set(task, of(this.#spent, task) + Math.min(spent_s, LONGEST * seconds));
  }

  lookAhead(ahead: readonly Planned[]): void {
    const spent = sum(this.#spent.values());
    const overall = (OVERALL_S + spent) / (OVERALL_S + sum(this.#expected.values()));
    const pace = (task: string) =>
      (OF_TASK_S * overall + of(this.#spent, task)) / (OF_TASK_S + of(this.#expected, task));
    this.left_s = sum(ahead.map(({ task, seconds }) => seconds * pace(task)));
    const whole = spent + this.left_s;
    this.progress = Math.max(this.progress, whole > 0 ? spent / whole : 0);
  }
}

function of(times: ReadonlyMap<string, number>, task: string): number {
  return times.get(task) ?? 0;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
