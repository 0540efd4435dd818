/** One task alone, without a session: to try what participants do. */

import { findFilesBy } from "../live/files";
import { standalone } from "../shared/task";
import { taskNamed } from "../tasks";
import { addressOfBytes, type Bridge, type Shown } from "./bridge";

/** Draws a task; nothing is stored, and the bridge is told the answers. */
export function showTask(root: HTMLElement, shown: Extract<Shown, { kind: "task" }>, bridge: Bridge): void {
  const addresses = new Map(Object.entries(bridge.files).map(([name, bytes]) => [name, addressOfBytes(name, bytes)]));
  const runtime = [...addresses].find(([name]) => name.endsWith(".wasm"))?.[1];
  if (runtime) findFilesBy(() => runtime);
  const context = { ...standalone(bridge.language), media: (name: string) => addresses.get(name) ?? name };
  const { params, asks, explanation } = shown;
  taskNamed(shown.task)?.render({ params, asks, explanation }, root, context, (answers) => bridge.finished?.(answers));
}
