/** Rate matches: a similarity rating on each row, of one explanation or of several options, and then the questions. */

import type { Explanation, RateMatchesParams } from "../schema";
import { draftedForm } from "../shared/page";
import type { Form } from "../shared/questions/form";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { explanationView } from "../views";
import { optionLabel, optionTabs, type Tabs } from "../views/alternatives";
import type { RowColumn } from "../views/match_rows";
import { rowPage, takenQuestion } from "./row_page";

const render: Render<RateMatchesParams> = (shown, element, context, done) => {
  const { params, explanation } = shown;
  let tabs: Tabs | null = null;
  const form = draftedForm(shown.asks, context, params.value_names);
  const draw = (part: Explanation, prefix: string) =>
    explanationView(part, context, { display: params.display, columns: ratings(form, prefix, context) });
  if (explanation?.kind === "alternatives") {
    const names = explanation.options.map((_, index) => optionLabel(index + 1, context, params.display.option_name));
    tabs = optionTabs(
      names,
      (index) => draw(explanation.options[index] as Explanation, `option_${index + 1}_`),
      context,
    );
    countRatings(tabs, form, context);
  }
  return rowPage(
    element,
    context,
    {
      params,
      rows: [tabs ? tabs.element : explanation ? draw(explanation, "") : null],
      form,
      missing: () => openFault(tabs),
    },
    done,
  );
};

/** The column with the ratings; none where the page is only looked at again. */
function ratings(form: Form | null, prefix: string, context: Context): RowColumn[] {
  if (!form) return [];
  return [
    {
      heading: context.texts.views.matches.rating,
      name: "rating",
      cell: (index) => takenQuestion(form, `${prefix}row_${index + 1}`),
    },
  ];
}

/** Says on each tab how many of its rows are rated. */
function countRatings(tabs: Tabs, form: Form | null, context: Context): void {
  if (!form) return;
  const panels = [...tabs.element.querySelectorAll('[role="tabpanel"]')];
  const count = () => {
    for (const [index, panel] of panels.entries()) {
      const [n, of] = [panel.querySelectorAll("input:checked").length, panel.querySelectorAll(".question").length];
      tabs.note(index, context.texts.questions.rated(n, of));
    }
  };
  tabs.element.addEventListener("change", count);
  count();
}

/** Brings the first missing rating into sight; it may be behind another option. */
function openFault(tabs: Tabs | null): void {
  const missing = tabs?.element.querySelector<HTMLElement>(".question.has-fault");
  const panel = missing?.closest('[role="tabpanel"]');
  if (!tabs || !missing || !panel) return;
  tabs.open([...tabs.element.querySelectorAll('[role="tabpanel"]')].indexOf(panel));
  missing.querySelector<HTMLElement>("input")?.focus();
}

export default taskPlugin("rate_matches", "1", render);
