/** The widget of a notebook: the same page inside a cell, cut off from the notebook's own styles. */

import { mount, type Shown } from "./shell";
import type { Verdicts } from "./verdicts";

/** Put in by the build: the bundled style sheet. */
declare const PROBE_STYLE: string;

interface Model {
  get(name: "verdicts"): Verdicts;
  set(name: "alpha" | "group", value: number | string | null): void;
  on(name: "change:verdicts", heard: () => void): void;
  off(name: "change:verdicts", heard: () => void): void;
  save_changes(): void;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  const root = el.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  sheet.textContent = PROBE_STYLE;
  root.append(sheet, host);
  let told = "";
  const tell = ({ alpha, group }: Shown) => {
    if (told === `${alpha} ${group}`) return;
    told = `${alpha} ${group}`;
    model.set("alpha", alpha);
    model.set("group", group);
    model.save_changes();
  };
  let leave = mount(model.get("verdicts"), host, tell);
  const again = () => {
    leave();
    leave = mount(model.get("verdicts"), host, tell);
  };
  model.on("change:verdicts", again);
  return () => {
    model.off("change:verdicts", again);
    leave();
  };
}

export default { render };
