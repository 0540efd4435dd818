/** Check steps: what a model decided on its way down a tree, and the first step that somebody disagrees with. */

import type { CheckStepsParams } from "../schema";
import { draftedForm } from "../shared/page";
import { type Render, taskPlugin } from "../shared/task";
import { explanationView } from "../views";
import { rowPage } from "./row_page";

const render: Render<CheckStepsParams> = (shown, element, context, done) => {
  const { params, explanation } = shown;
  const { display, step_name: stepName, decision_names: decisionNames } = params;
  const form = draftedForm(shown.asks, context, params.value_names);
  const rows = explanation ? [explanationView(explanation, context, { display, stepName, decisionNames })] : [];
  return rowPage(element, context, { params, rows, form }, done);
};

export default taskPlugin("check_steps", "1", render);
