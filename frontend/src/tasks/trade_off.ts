/** Trade-off: how accurate a model without explanations would have to be, at three levels of risk, and why. */

import type { Question, TradeOffParams } from "../schema";
import { h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { allSaved } from "../shared/saved";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { resultList } from "./result_list";

const render: Render<TradeOffParams> = (shown, element, context, done) => {
  const { texts, language } = context;
  const { text, accuracy } = shown.params;
  const starts = startsOf(shown.params, shown.asks, context);
  const { percent } = texts.tradeOff;
  const asks = shown.asks.map((question) =>
    question.kind === "slider"
      ? { ...question, low_label: percent(String(question.low)), high_label: percent(String(question.high)) }
      : question,
  );
  const form = draftedForm(asks, context, {}, { starts, withUnit: percent });
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const drawn = page(
    element,
    context,
    {
      heading: texts.tradeOff.heading,
      body: [
        textBlock(text),
        h(
          "div",
          { class: "trade-off" },
          resultList(context),
          h(
            "p",
            { class: "revealed" },
            h("span", {}, texts.tradeOff.accuracy),
            h("strong", {}, share.format(accuracy / 100)),
          ),
        ),
        h("p", { class: "ask" }, texts.tradeOff.ask),
      ],
      form,
      answers: () => {
        const answers = form ? form.answers() : {};
        if (answers) logUntouched(answers, starts, context);
        return answers;
      },
    },
    done,
  );
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

/** Where each slider starts; what was drawn for this person is logged, and the same after a reload. */
function startsOf(params: TradeOffParams, asks: readonly Question[], context: Context): Record<string, number> {
  const { start, low, high, accuracy } = params;
  if (start === "blank" || context.isReference) return {};
  const kept = new Map(allSaved(context.saved, "slider_started").map(({ question_id, value }) => [question_id, value]));
  const starts: Record<string, number> = {};
  for (const { kind, question_id } of asks) {
    if (kind !== "slider") continue;
    const fresh = start === "accuracy" ? Math.round(accuracy) : low + Math.floor(Math.random() * (high - low + 1));
    starts[question_id] = kept.get(question_id) ?? fresh;
    if (!kept.has(question_id)) context.log("slider_started", { question_id, value: starts[question_id] });
  }
  return starts;
}

/** A slider that nobody touched is no answer, and the log says so. */
function logUntouched(answers: object, starts: Readonly<Record<string, number>>, context: Context): void {
  for (const [question_id, value] of Object.entries(starts))
    if (!(question_id in answers)) context.log("slider_untouched", { question_id, value });
}

export default taskPlugin("trade_off", "1", render);
