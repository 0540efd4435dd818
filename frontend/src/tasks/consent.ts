/** Consent: what taking part means, and two equal ways to answer. */

import { h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";

const render: Render = (shown, element, context, done) => {
  const { texts } = context;
  const question = shown.asks[0];
  const [agrees, declines] = question?.kind === "choice" ? question.options : [];
  const contact = String(shown.params["contact"] ?? "");
  const decline = h(
    "button",
    { type: "button", class: "button", onclick: () => void drawn.send({ consent: declines ?? "I do not agree" }) },
    texts.consent.decline,
  );
  const drawn = page(
    element,
    context,
    {
      heading: context.title || texts.consent.heading,
      eyebrow: context.title ? texts.consent.heading : undefined,
      body: [
        h("div", { class: "prose" }, ...prose(String(shown.params["text"] ?? ""))),
        contact ? h("p", { class: "contact" }, `${texts.consent.contact} ${contact}`) : null,
        context.isReference ? null : h("p", { class: "ask" }, texts.consent.ask),
      ],
      extra: [decline],
      next: texts.consent.agree,
      answers: () => ({ consent: agrees ?? "I agree" }),
    },
    done,
  );
  return {
    fill: (answers, hands) => {
      if (answers["consent"] === declines) hands.click(decline);
    },
    press: drawn.press,
  };
};

export default taskPlugin("consent", "1", render);
