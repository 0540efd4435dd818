/** Consent: what taking part means, and two equal ways to answer. */

import type { ConsentParams, ConsentResponse } from "../schema";
import { h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";

const render: Render<ConsentParams> = (shown, element, context, done) => {
  const { texts } = context;
  const { text, contact } = shown.params;
  const agreed: ConsentResponse = { consent: "I agree" };
  const declined: ConsentResponse = { consent: "I do not agree" };
  const decline = h(
    "button",
    { type: "button", class: "button", onclick: () => void drawn.send(declined) },
    texts.consent.decline,
  );
  const drawn = page(
    element,
    context,
    {
      heading: context.title || texts.consent.heading,
      eyebrow: context.title ? texts.consent.heading : undefined,
      body: [
        h("div", { class: "prose" }, ...prose(text)),
        contact ? h("p", { class: "contact" }, `${texts.consent.contact} ${contact}`) : null,
        context.isReference ? null : h("p", { class: "ask" }, texts.consent.ask),
      ],
      extra: [decline],
      next: texts.consent.agree,
      answers: () => agreed,
    },
    done,
  );
  return {
    fill: (answers, hands) => {
      if (answers["consent"] === declined.consent) hands.click(decline);
    },
    press: drawn.press,
  };
};

export default taskPlugin("consent", "1", render);
