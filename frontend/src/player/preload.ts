/** Preload: fetches files a few at a time, tries again, and counts what came and what did not. */

import { decoderAt } from "../live/decoders";

export interface Progress {
  readonly n: number;
  readonly nDone: number;
  readonly failed: readonly string[];
}

export type Load = (address: string) => Promise<void>;

const AT_ONCE = 4;
const TRIES = 3;
const PICTURE = /\.(png|jpe?g|gif|webp|svg|avif)$/i;
const MODEL = /\.onnx$/i;
const FILM = /\.(mp4|webm|ogv|mov|m4v)$/i;

export class Preloader {
  readonly #ready = new Set<string>();

  constructor(
    private readonly load: Load,
    private readonly pause: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  /** The files that still have to come; films come while they play. */
  missing(addresses: readonly string[]): string[] {
    return [...new Set(addresses)].filter((address) => !this.#ready.has(address) && !FILM.test(address));
  }

  /** Fetches all files and returns those that would not come. */
  async fetchAll(
    addresses: readonly string[],
    told: (progress: Progress) => void = () => undefined,
  ): Promise<string[]> {
    const waiting = this.missing(addresses);
    const n = waiting.length;
    const failed: string[] = [];
    let nDone = 0;
    const worker = async () => {
      for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
        if (await this.#fetchOne(address)) nDone += 1;
        else failed.push(address);
        told({ n, nDone, failed });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return failed;
  }

  async #fetchOne(address: string): Promise<boolean> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      try {
        await this.load(address);
        this.#ready.add(address);
        return true;
      } catch {
        if (attempt < TRIES - 1) await this.pause(500 * 2 ** attempt);
      }
    }
    return false;
  }
}

/** Fetches a file into the browser's own store; its address never changes content, so that is enough.
 *
 * A live model is opened as well, with all it runs on, so that its dials answer at once; a picture is decoded, so that
 * one that cannot be read counts as not loaded.
 */
export function loader(urlOf: (address: string) => string): Load {
  return async (address) => {
    if (MODEL.test(address)) return void (await decoderAt(urlOf(address)));
    if (PICTURE.test(address)) {
      const image = new Image();
      image.src = urlOf(address);
      return image.decode();
    }
    const response = await fetch(urlOf(address), { credentials: "same-origin" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    await response.arrayBuffer();
  };
}
