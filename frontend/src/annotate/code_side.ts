/** The code book next to a text: when to give each code, with examples. */

import type { Code } from "../schema";
import { h } from "../shared/dom";
import { wordsOf } from "./choice";

/** Draws the code book. */
export function codeSide(instruction: string, codes: readonly Code[]): HTMLElement {
  return h(
    "aside",
    { class: "panel code-side", "aria-label": "Code book", tabindex: 0 },
    h("h2", {}, "Code book"),
    instruction ? h("p", { class: "instruction" }, instruction) : null,
    codes.length === 0 ? h("p", { class: "hint" }, "It is still empty. It will be made from your labels.") : null,
    ...codes.map(codeEntry),
  );
}

function codeEntry(code: Code): HTMLElement {
  return h(
    "section",
    { class: "code-entry" },
    h("h3", {}, wordsOf(code)),
    code.definition ? h("p", {}, code.definition) : null,
    ...code.examples.map((example) => h("p", { class: "code-example" }, h("span", {}, "Yes: "), `“${example}”`)),
    ...code.counterexamples.map((example) =>
      h("p", { class: "code-example is-not" }, h("span", {}, "No: "), `“${example}”`),
    ),
  );
}
