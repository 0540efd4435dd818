/** Feedback: how the participant did, in the numbers the server computed. */

import type { FeedbackParams } from "../schema";
import { h, words } from "../shared/dom";
import { page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";

const render: Render<FeedbackParams> = (shown, element, context, done) => {
  const { texts, language } = context;
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const told = (name: string, value: number) => {
    const of = context.feedback.counted[name];
    return of === undefined ? number.format(value) : texts.feedback.of(number.format(value), number.format(of));
  };
  const tiles = Object.entries(context.feedback.measures).map(([name, value]) =>
    h(
      "div",
      { class: "tile" },
      h("dt", {}, words(name)),
      h("dd", {}, typeof value === "number" ? told(name, value) : texts.feedback.none),
    ),
  );
  const { text } = shown.params;
  return page(
    element,
    context,
    {
      heading: texts.feedback.heading,
      body: [textBlock(text), tiles.length > 0 ? h("dl", { class: "tiles" }, ...tiles) : null],
    },
    done,
  );
};

export default taskPlugin("feedback", "1", render);
