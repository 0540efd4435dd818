/** Chunks: a few seconds of voice each, sent in order and tried again while the connection is away, in bounded memory. */

import { Refused, Unreachable } from "./api";

export interface Chunk {
  readonly block: string;
  /** When its part began; it tells one part from another. */
  readonly started_ms: number;
  /** Its number within the part, from 1. */
  readonly number: number;
  readonly content: Blob;
}

export interface ChunkNotices {
  /** The server will not take a part any further, and says why. */
  refused(chunk: Chunk, reason: string): void;
  /** Nothing waits any more. */
  emptied(): void;
}

/** About half an hour of speech; beyond it, memory would grow with the length of an outage. */
const MOST_BYTES = 8 * 1024 * 1024;
const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

export class Chunks {
  #waiting: Chunk[] = [];
  #isSending = false;
  #failures = 0;

  constructor(
    private readonly send: (chunk: Chunk) => Promise<void>,
    private readonly notices: ChunkNotices,
    private readonly wait: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    private readonly most = MOST_BYTES,
  ) {}

  /** Takes a chunk to send; false when there is no room for it. */
  add(chunk: Chunk): boolean {
    const held = this.#waiting.reduce((sum, queued) => sum + queued.content.size, 0);
    if (held + chunk.content.size > this.most) return false;
    this.#waiting.push(chunk);
    void this.#sendAll();
    return true;
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      try {
        await this.send(first);
        this.#failures = 0;
        this.#waiting.shift();
      } catch (error) {
        if (error instanceof Unreachable) await this.wait(this.#pause());
        else this.#give(first, error instanceof Refused ? error.message : String(error));
      }
    }
    this.#isSending = false;
    this.notices.emptied();
  }

  #pause(): number {
    this.#failures += 1;
    return Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** (this.#failures - 1));
  }

  /** Gives a whole part up: what follows a missing chunk cannot be played. */
  #give(refused: Chunk, reason: string): void {
    this.#waiting = this.#waiting.filter((chunk) => chunk.started_ms !== refused.started_ms);
    this.notices.refused(refused, reason);
  }
}
