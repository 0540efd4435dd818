/** Content: an item as people see it: a sentence, an edited pair, or a record. */

import type { Json } from "../schema";
import type { Context } from "../shared/task";
import { isPair, pair } from "./pair";
import { recordView } from "./record";
import { isSentence, sentence } from "./sentence";

/** Draws an item; `order` names the fields in the order they are read in. */
export function contentView(content: Json, context: Context, order: readonly string[] = []): HTMLElement {
  if (isSentence(content)) return sentence(content);
  if (isPair(content)) return pair(content, context, order);
  return recordView(content, context, order);
}
