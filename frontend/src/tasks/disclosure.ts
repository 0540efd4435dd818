/** Disclosure: how somebody did in an earlier part, as the server computed it, and questions about it. */

import { h } from "../shared/dom";
import { taskPlugin } from "../shared/task";
import { formRender } from "./questionnaire";
import { resultList } from "./result_list";

const render = formRender((context) => ({
  heading: context.texts.result.heading,
  body: [resultList(context) ?? h("p", { class: "hint" }, context.texts.result.none)],
}));

export default taskPlugin("disclosure", "1", render);
