/** Gives the tests a page to draw on; the runner loads it first. */

import { Window } from "happy-dom";

const view = new Window({ url: "http://localhost/s/test" });
const NAMES = [
  "window",
  "document",
  "location",
  "Node",
  "Element",
  "HTMLElement",
  "Event",
  "MouseEvent",
  "getSelection",
] as const;
for (const name of NAMES) {
  const value = (view as unknown as Record<string, unknown>)[name];
  Object.defineProperty(globalThis, name, {
    value: name === "window" ? view : value,
    configurable: true,
    writable: true,
  });
}
