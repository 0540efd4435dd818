/** Debrief: what the study was about, and the reminder that data can be taken back. */

import type { DebriefParams } from "../schema";
import { h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";

const render: Render<DebriefParams> = (shown, element, context, done) => {
  const { texts } = context;
  const { text, contact } = shown.params;
  return page(
    element,
    context,
    {
      heading: texts.debrief.heading,
      body: [
        h("div", { class: "prose" }, ...prose(text)),
        contact ? h("p", { class: "contact" }, `${texts.debrief.contact} ${contact}`) : null,
        h("p", { class: "hint" }, texts.debrief.withdraw(texts.menu.stop, texts.debrief.next)),
      ],
      next: texts.debrief.next,
    },
    done,
  );
};

export default taskPlugin("debrief", "1", render);
