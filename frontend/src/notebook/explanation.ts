/** Explanations in a cell, drawn by the views that participants see. */

import { h } from "../shared/dom";
import { standalone } from "../shared/task";
import type { Drawing } from "../views";
import { explanationView } from "../views";
import { addressOfBytes, type Bridge, type Shown } from "./bridge";

/** Draws explanations one below the other. */
export function showExplanations(
  root: HTMLElement,
  shown: Extract<Shown, { kind: "explanation" }>,
  { files, language }: Bridge,
): void {
  const addresses = new Map(Object.entries(files).map(([name, bytes]) => [name, addressOfBytes(name, bytes)]));
  const context = { ...standalone(language), media: (name: string) => addresses.get(name) ?? name };
  const drawing = shown.drawing as unknown as Drawing;
  root.replaceChildren(
    ...shown.explanations.map((explanation) =>
      h("section", { class: "card is-wide explanation" }, explanationView(explanation, context, drawing)),
    ),
  );
}
