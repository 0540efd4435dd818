/** The widget of a notebook: a frame with the participant's page inside, and the messages between it and Python. */

import type { Bridge, Holder, Reply, Request, Shown } from "./bridge";

/** Put in by the build: the whole page, with its style and its script. */
declare const NOTEBOOK_PAGE: string;

interface Traits {
  readonly shown: Shown;
  readonly language: string;
  readonly label: string;
  readonly files: Record<string, DataView>;
}

interface Model {
  get<N extends keyof Traits>(name: N): Traits[N];
  send(content: Request): void;
  on(name: "msg:custom", heard: (reply: Reply, buffers: readonly DataView[]) => void): void;
  off(name: "msg:custom", heard: (reply: Reply, buffers: readonly DataView[]) => void): void;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const frame: HTMLIFrameElement & Holder = document.createElement("iframe");
  const asked = asking(model);
  frame.understudy = {
    shown: model.get("shown"),
    language: model.get("language"),
    files: model.get("files"),
    fetched: asked.fetched,
    resized: (height) => (frame.style.height = `${Math.ceil(height)}px`),
  } satisfies Bridge;
  frame.title = model.get("label");
  // Notebooks style frames in their own ways.
  frame.style.cssText = "display:block;width:100%;height:320px;border:0;border-radius:14px;background:transparent";
  frame.srcdoc = NOTEBOOK_PAGE;
  el.append(frame);
  return () => {
    asked.close();
    frame.remove();
  };
}

/** Turns messages to and from Python into requests and responses. */
function asking(model: Model): { fetched: typeof fetch; close(): void } {
  const waiting = new Map<string, (response: Response) => void>();
  // Several views of one widget hear the same replies.
  const view = Math.random().toString(36).slice(2);
  let n = 0;
  const heard = ({ id, status, type }: Reply, buffers: readonly DataView[]) => {
    const [body] = buffers;
    const content = body ? new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength) : null;
    waiting.get(id)?.(new Response(content, { status, headers: { "Content-Type": type } }));
    waiting.delete(id);
  };
  model.on("msg:custom", heard);
  const fetched: typeof fetch = (input, init) =>
    new Promise((resolve, reject) => {
      n += 1;
      const id = `${view}-${n}`;
      waiting.set(id, resolve);
      init?.signal?.addEventListener("abort", () => {
        waiting.delete(id);
        reject(new Error("Python did not answer."));
      });
      const headers = Object.fromEntries(new Headers(init?.headers));
      const body = typeof init?.body === "string" ? init.body : "";
      model.send({ id, method: init?.method ?? "GET", path: String(input), headers, body });
    });
  return { fetched, close: () => model.off("msg:custom", heard) };
}

export default { render };
