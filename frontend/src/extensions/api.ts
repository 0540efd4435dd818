/** The helpers that browser modules of extensions get, so that they import nothing and need no build. */

import { freshId, h, svg, words } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { prose } from "../shared/prose";
import { explanationView } from "../views";
import { contentView } from "../views/content";
import type { Understudy } from "./understudy-extension";

export const VERSION = 1;

const HELPERS: Understudy = {
  version: VERSION,
  h,
  svg,
  freshId,
  words,
  prose,
  page,
  form: draftedForm,
  explanation: (explanation, context: Parameters<typeof explanationView>[1]) =>
    explanationView(explanation as Parameters<typeof explanationView>[0], context),
  item: (content, context: Parameters<typeof contentView>[1]) => contentView(content, context),
};

/** The helpers; a wrong name is refused by its name, where JavaScript would only say that undefined is not a function. */
export const understudy: Understudy = new Proxy(Object.freeze(HELPERS), {
  get(helpers, name) {
    if (typeof name === "string" && !(name in helpers))
      throw new Error(`understudy has no helper ${name}; it has: ${Object.keys(helpers).join(", ")}`);
    return Reflect.get(helpers, name);
  },
});
