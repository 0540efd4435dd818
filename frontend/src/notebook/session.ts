/** Session: the player in a cell, from where Python has brought the session to its end. Nothing is kept. */

import { findFilesBy } from "../live/files";
import { Clock } from "../player/clock";
import { Conductor } from "../player/conductor";
import { message } from "../player/messages";
import { Outbox } from "../player/outbox";
import { MemoryShelf } from "../player/shelf";
import { Shell } from "../player/shell";
import { askToStop } from "../player/withdraw";
import { h } from "../shared/dom";
import { textsFor } from "../shared/texts";
import { addressOfBytes, type Bridge, type Shown } from "./bridge";
import { notebookHost } from "./host";

/** Runs the session until its last page. */
export async function playSession(
  root: HTMLElement,
  shown: Extract<Shown, { kind: "session" }>,
  bridge: Bridge,
): Promise<void> {
  const api = notebookHost(bridge, shown.study, shown.token);
  const loading = textsFor(bridge.language);
  const shell = new Shell(root, loading);
  shell.show(message({ heading: loading.loading, tone: "loading" }));
  const state = await api.start({}, bridge.language, false);
  if (!("study" in state)) return;
  const texts = textsFor(state.study.language);
  shell.speak(texts, state.study.language);
  root.prepend(h("p", { class: "ribbon" }, texts.rehearsal));
  if (state.preload.some((name) => name.endsWith(".onnx"))) await fetchRuntime(shown.runtime, bridge);
  const clock = new Clock();
  const overtaken = (next: typeof state | null) => next && conductor.end(next);
  const outbox = new Outbox(api.sessionId, new MemoryShelf(), api, {
    connection: (isThere) => shell.connection(isThere),
    overtaken,
  });
  const parts = { api, outbox, clock, shell, texts, standIn: null, voice: null, recruiter: null };
  const conductor: Conductor = new Conductor(parts, await outbox.open(state));
  clock.listen(document);
  shell.stop.onclick = () =>
    askToStop(texts, {
      mayRestart: state.study.may_restart,
      isPaid: state.study.pay !== null,
      chosen: async (erase) => conductor.end(await api.withdraw(erase)),
    });
  await conductor.run();
}

/** Gets what live models run on, which is too large to come along with every widget. */
async function fetchRuntime(name: string, { fetched }: Bridge): Promise<void> {
  const response = await fetched(`/static/${name}`);
  const address = addressOfBytes(name, await response.arrayBuffer());
  findFilesBy(() => address);
}
