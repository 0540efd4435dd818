/** Sets the plain text of a study: blank lines part paragraphs, "- " starts a list, "# " a heading, ** bold. */

import { h } from "./dom";

/** Returns the blocks of a text as elements. */
export function prose(text: string): HTMLElement[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .map(blockOf);
}

/** Returns a text as one element; null where there is none. */
export function textBlock(text: string): HTMLElement | null {
  return text ? h("div", { class: "prose" }, ...prose(text)) : null;
}

function blockOf(block: string): HTMLElement {
  const lines = block.split("\n").map((line) => line.trim());
  if (lines.every((line) => line.startsWith("- "))) {
    return h("ul", {}, ...lines.map((line) => h("li", {}, ...inline(line.slice(2)))));
  }
  if (lines.length === 1 && block.startsWith("# ")) return h("h2", {}, ...inline(block.slice(2)));
  return h("p", {}, ...inline(lines.join(" ")));
}

function inline(text: string): (Node | string)[] {
  return text.split(/\*\*(.+?)\*\*/).map((part, index) => (index % 2 === 1 ? h("strong", {}, part) : part));
}
