/** Judge: an item, what is revealed of it, its explanation, and questions about it. */

import type { Json, JudgeParams } from "../schema";
import { h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";
import { explanationView } from "../views";
import { isPair } from "../views/pair";
import { headingFor, itemPanel } from "./item_panel";

const render: Render<JudgeParams> = (shown, element, context, done) => {
  const { texts } = context;
  const { text, content, order, display, revealed, value_names: valueNames } = shown.params;
  const form = draftedForm(shown.asks, context, valueNames);
  const item = itemPanel(shown.params, context);
  const explanation = shown.explanation
    ? h(
        "section",
        { class: "explanation" },
        h("h2", {}, isPair(content) ? texts.judge.explanationOfOriginal : texts.judge.explanation),
        explanationView(shown.explanation, context, {
          order,
          valueNames,
          answer: revealed["prediction"],
          display,
          shownFiles: filesIn(content),
        }),
      )
    : null;
  const asked = form ? h("section", { class: "asked", "aria-label": texts.judge.questions }, form.element) : null;
  const drawn = page(
    element,
    context,
    {
      heading: headingFor(context),
      body: [
        textBlock(text),
        h(
          "div",
          { class: explanation || asked ? "split" : "single" },
          h("div", {}, item),
          h("div", {}, explanation, asked),
        ),
      ],
      isWide: Boolean(explanation || asked),
      next: form ? texts.submit : texts.next,
      answers: () => (form ? form.answers() : {}),
    },
    done,
  );
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

/** Every text of the item; a view asks only for the files it knows. */
function filesIn(content: Json): ReadonlySet<string> {
  return new Set(Object.values(content).flatMap((value) => (typeof value === "string" ? [value] : [])));
}

export default taskPlugin("judge", "1", render);
