/** Decoders: fetched, opened and kept, each once for a page. */

import { type Decoder, Undecodable } from "./decoder";
import { decoderElsewhere } from "./elsewhere";

/** A decode that takes longer than this would be felt on the page's own thread. */
export const QUICK_MS = 6;

const TRIES = 4;

const opened = new Map<string, Promise<Decoder>>();

/** Returns the decoder under an address; one that failed is tried again at the next call. */
export function decoderAt(url: string): Promise<Decoder> {
  const known = opened.get(url);
  if (known) return known;
  const opening = open(url);
  opened.set(url, opening);
  opening.catch(() => opened.delete(url));
  return opening;
}

/** Forgets a decoder that gave nothing usable, so that the next call opens it anew. */
export function forget(url: string): void {
  void opened.get(url)?.then(
    (decoder) => decoder.close(),
    () => undefined,
  );
  opened.delete(url);
}

async function open(url: string): Promise<Decoder> {
  const [content, runtime] = await Promise.all([fetched(url), import("./runtime")]).catch((error: unknown) => {
    throw new Undecodable(String(error));
  });
  const here = await runtime.decoderFrom(content).catch((error: unknown) => {
    throw new Undecodable(String(error));
  });
  const { nInputs } = here;
  if (nInputs === null || (await takes_ms(here, nInputs)) <= QUICK_MS) return here;
  return decoderElsewhere(content, nInputs).then(
    (there) => {
      here.close();
      return there;
    },
    // Without workers, a slow picture is better than none.
    () => here,
  );
}

/** How long one decode takes at best: the first ones also get memory, and are compiled. */
async function takes_ms(decoder: Decoder, nInputs: number): Promise<number> {
  const code = new Array<number>(nInputs).fill(0);
  let best = Infinity;
  for (let attempt = 0; attempt < TRIES && best > QUICK_MS; attempt += 1) {
    const start = performance.now();
    await decoder.decode(code);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

async function fetched(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) throw new Undecodable(`status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
