/** Questionnaire: questions on one page. */

import type { FormParams } from "../schema";
import { h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Context, type Render, taskPlugin } from "../shared/task";

const render: Render<FormParams> = (shown, element, context, done) => {
  const form = draftedForm(shown.asks, context);
  const { text } = shown.params;
  const drawn = page(
    element,
    context,
    { heading: headingFor(context), body: [text ? h("div", { class: "prose" }, ...prose(text)) : null], form },
    done,
  );
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

function headingFor({ texts, purpose }: Context): string {
  if (purpose === "comprehension") return texts.questionnaire.comprehension;
  return purpose === "practice" ? texts.questionnaire.practice : texts.questionnaire.heading;
}

export { render as formPage };

export default taskPlugin("questionnaire", "1", render);
