/** Row page: what the pages about rows share: the item on one side, the rows and then the study's questions on the other. */

import type { Answers, RateMatchesParams } from "../schema";
import { type Child, h } from "../shared/dom";
import { page } from "../shared/page";
import { textBlock } from "../shared/prose";
import type { Form } from "../shared/questions/form";
import type { Context, Rendered } from "../shared/task";
import { headingFor, itemPanel } from "./item_panel";

export interface RowPageOptions {
  readonly params: RateMatchesParams;
  /** The rows, and what belongs to them. */
  readonly rows: Child[];
  readonly form: Form | null;
  /** Called when something is missing, after the form has said what. */
  missing?(): void;
}

export function rowPage(
  element: HTMLElement,
  context: Context,
  { params, rows, form, missing }: RowPageOptions,
  done: (answers: Answers) => void,
): Rendered {
  const { texts } = context;
  const drawn = page(
    element,
    context,
    {
      heading: headingFor(context),
      body: [
        textBlock(params.text),
        h(
          "div",
          { class: "split" },
          h("div", {}, itemPanel(params, context)),
          h(
            "div",
            {},
            h("section", { class: "explanation" }, h("h2", {}, texts.judge.explanation), ...rows),
            form ? h("section", { class: "asked", "aria-label": texts.judge.questions }, form.element) : null,
          ),
        ),
      ],
      isWide: true,
      next: form ? texts.submit : texts.next,
      answers: () => {
        const answers = form ? form.answers() : {};
        if (answers === null) missing?.();
        return answers;
      },
    },
    done,
  );
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
}

/** Takes a question out of the form, to be drawn next to what it is about; null where it is not asked. */
export function takenQuestion(form: Form | null, questionId: string): HTMLElement | null {
  const found = form?.element.querySelector<HTMLElement>(`[data-question="${questionId}"]`) ?? null;
  found?.remove();
  return found;
}
