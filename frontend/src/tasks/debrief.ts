/** Debrief: what the study was about, and the reminder that data can be taken back. */

import { h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";

const render: Render = (shown, element, context, done) => {
  const { texts } = context;
  const contact = String(shown.params["contact"] ?? "");
  return page(
    element,
    context,
    {
      heading: texts.debrief.heading,
      body: [
        h("div", { class: "prose" }, ...prose(String(shown.params["text"] ?? ""))),
        contact ? h("p", { class: "contact" }, `${texts.debrief.contact} ${contact}`) : null,
        h("p", { class: "hint" }, texts.debrief.withdraw),
      ],
      next: texts.debrief.next,
    },
    done,
  );
};

export default taskPlugin("debrief", "1", render);
