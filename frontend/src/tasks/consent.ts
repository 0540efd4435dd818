/** Consent: what taking part means, the facts in one list, and two equal ways to answer. */

import type { ConsentParams, ConsentResponse } from "../schema";
import { type Child, h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Context, type Render, taskPlugin } from "../shared/task";

const FACTS = ["institution", "ethics", "duration", "pay", "storage", "withdrawal", "contact"] as const;

const render: Render<ConsentParams> = (shown, element, context, done) => {
  const { texts } = context;
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
        h("div", { class: "prose" }, ...prose(shown.params.text)),
        facts(shown.params, context),
        context.isReference ? null : h("p", { class: "ask" }, texts.consent.ask),
      ],
      extra: [decline],
      next: texts.consent.agree,
      answers: () => agreed,
    },
    done,
  );
  // Neither answer is the one to press without reading.
  drawn.card.classList.add("has-equal-answers");
  return {
    fill: (answers, hands) => {
      if (answers["consent"] === declined.consent) hands.click(decline);
    },
    press: drawn.press,
  };
};

/** The facts that the study gives; minutes and pay are those that the study is paid by, so that they cannot disagree. */
function facts(params: ConsentParams, context: Context): Child {
  const given = { ...params, duration: params.duration || duration(context), pay: params.pay || pay(context) };
  const names = context.texts.consent.facts;
  const rows = FACTS.filter((name) => given[name] !== "").map((name) =>
    h("div", {}, h("dt", {}, names[name]), h("dd", {}, given[name])),
  );
  return rows.length > 0 ? h("dl", { class: "consent-facts" }, ...rows) : null;
}

function duration({ announced, language, texts }: Context): string {
  const minutes = announced?.minutes;
  return minutes ? texts.consent.minutes(new Intl.NumberFormat(language).format(minutes)) : "";
}

function pay({ announced, language, texts }: Context): string {
  if (!announced?.pay) return "";
  const { currency, base, has_bonus, bonus_up_to } = announced.pay;
  const money = new Intl.NumberFormat(language, { style: "currency", currency });
  const { consent } = texts;
  const bonus = bonus_up_to === null ? consent.bonus : consent.bonusUpTo(money.format(bonus_up_to));
  return [consent.base(money.format(base)), has_bonus ? bonus : ""].join(" ").trim();
}

export default taskPlugin("consent", "1", render);
