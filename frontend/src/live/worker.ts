/** The other thread: opens one decoder and answers codes, so that a slow model never holds up the page. */

import type { Decoder } from "./decoder";
import { decoderFrom } from "./runtime";

export type Asked = { readonly id: number } & ({ readonly content: Uint8Array } | { readonly code: readonly number[] });
export type Answered = { readonly id: number; readonly values?: Float32Array; readonly fault?: string };

let decoder: Decoder | null = null;

const answer = (told: Answered) => postMessage(told);

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  void work(data).then(
    (values) => answer({ id: data.id, values }),
    (error: unknown) => answer({ id: data.id, fault: String(error) }),
  );
});

async function work(asked: Asked): Promise<Float32Array | undefined> {
  if ("content" in asked) decoder = await decoderFrom(asked.content);
  return "code" in asked ? decoder?.decode(asked.code) : undefined;
}
