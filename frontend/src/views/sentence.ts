/** Sentence: an item that is a line of words. */

import type { Json } from "../schema";
import { h } from "../shared/dom";
import { joined } from "./words";

/** Tells whether a content is a sentence in single words. */
export function isSentence(content: Json): boolean {
  return Array.isArray(content["tokens"]) && Object.keys(content).length === 1;
}

/** Returns the words of a sentence. */
export function tokensOf(content: Json): readonly string[] {
  return (content["tokens"] as readonly string[] | undefined) ?? [];
}

export function sentence(content: Json): HTMLElement {
  return h("p", { class: "sentence is-item" }, joined(tokensOf(content)));
}
