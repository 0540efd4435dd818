/** Bridge: how a page in a cell reaches Python, since it has no server of its own. */

import type { Answers, Explanation, Json, Question } from "../schema";

/** What a cell shows: explanations, one task, or a study to take part in. */
export type Shown =
  | { readonly kind: "explanation"; readonly explanations: readonly Explanation[]; readonly drawing: Json }
  | {
      readonly kind: "task";
      readonly task: string;
      readonly params: Json;
      readonly asks: readonly Question[];
      readonly explanation: Explanation | null;
    }
  | { readonly kind: "session"; readonly study: string; readonly token: string; readonly runtime: string };

export interface Bridge {
  readonly shown: Shown;
  readonly language: string;
  /** Public file -> its content, where it came along with what is shown. */
  readonly files: Readonly<Record<string, DataView>>;
  /** Asks the study's server, which runs in Python without a port. */
  readonly fetched: typeof fetch;
  /** Takes note of how high the page is. */
  resized(height: number): void;
  /** Hears what was answered to a task that is shown alone. */
  finished?(answers: Answers): void;
}

/** Holds what the page is to find: the frame around it, or its own window where nothing is around it. */
export interface Holder {
  understudy?: Bridge;
}

/** What Python is asked. */
export interface Request {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What Python answers; the body comes along as bytes. */
export interface Reply {
  readonly id: string;
  readonly status: number;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = { svg: "image/svg+xml", wasm: "application/wasm" };

/** Returns an address under which the page finds bytes. */
export function addressOfBytes(name: string, bytes: DataView | ArrayBuffer): string {
  const type = TYPES[name.split(".").at(-1) ?? ""];
  // Bytes come from the notebook's own page, whose classes are others than those of the frame: `instanceof` fails here.
  const content = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return URL.createObjectURL(new Blob([content], type ? { type } : {}));
}
