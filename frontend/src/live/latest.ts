/** Latest: one piece of work at a time; of what is asked meanwhile, only the newest is kept. */

export class Latest<In, Out> {
  #waiting: { readonly input: In } | null = null;
  #isBusy = false;
  #isClosed = false;

  constructor(
    private readonly work: (input: In) => Promise<Out>,
    private readonly done: (input: In, output: Out) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Asks for work; an earlier wish that has not begun is dropped. */
  ask(input: In): void {
    this.#waiting = { input };
    if (!this.#isBusy) void this.#run();
  }

  /** Whether everything asked is done. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#waiting === null;
  }

  /** Whether something newer is asked than what is being done. */
  get hasWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Drops what waits. */
  drop(): void {
    this.#waiting = null;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = null;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#waiting; next !== null; next = this.#waiting) {
      this.#waiting = null;
      try {
        const output = await this.work(next.input);
        if (!this.#isClosed) this.done(next.input, output);
      } catch (error) {
        if (!this.#isClosed) this.failed(error);
      }
    }
    this.#isBusy = false;
  }
}
