/** Elsewhere: a decoder in a worker, called like one that is here. */

import { type Decoder, Undecodable } from "./decoder";
import type { Answered, Asked } from "./worker";

type Settled = { readonly resolve: (values: Float32Array) => void; readonly reject: (error: Error) => void };
type Call = { content: Uint8Array } | { code: readonly number[] };

/** Opens a decoder in a thread of its own. */
export async function decoderElsewhere(content: Uint8Array, nInputs: number): Promise<Decoder> {
  if (!DECODER_WORKER) throw new Undecodable("this page has no script for another thread");
  const worker = new Worker(new URL(DECODER_WORKER, import.meta.url), { type: "module" });
  const waiting = new Map<number, Settled>();
  let n = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Answered>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.fault === undefined) resolve?.(data.values ?? new Float32Array());
    else reject?.(new Undecodable(data.fault));
  });
  worker.addEventListener("error", () => {
    for (const { reject } of waiting.values()) reject(new Undecodable("the worker failed"));
    waiting.clear();
  });
  const call = (asked: Call) =>
    new Promise<Float32Array>((resolve, reject) => {
      n += 1;
      waiting.set(n, { resolve, reject });
      worker.postMessage({ ...asked, id: n } satisfies Asked);
    });
  await call({ content });
  return { nInputs, decode: (code) => call({ code }), close: () => worker.terminate() };
}
