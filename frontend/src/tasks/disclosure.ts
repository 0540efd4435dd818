/** Disclosure: how somebody did in an earlier part, as the server computed it, and questions about it. */

import type { FormParams } from "../schema";
import { h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";
import { resultList } from "./result_list";

const render: Render<FormParams> = (shown, element, context, done) => {
  const form = draftedForm(shown.asks, context);
  const { text } = shown.params;
  const drawn = page(
    element,
    context,
    {
      heading: context.texts.result.heading,
      body: [
        text ? h("div", { class: "prose" }, ...prose(text)) : null,
        resultList(context) ?? h("p", { class: "hint" }, context.texts.result.none),
      ],
      form,
    },
    done,
  );
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

export default taskPlugin("disclosure", "1", render);
