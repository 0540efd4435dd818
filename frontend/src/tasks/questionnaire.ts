/** Questionnaire: questions on one page. */

import type { FormParams } from "../schema";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { type Context, type Render, taskPlugin } from "../shared/task";

/** What a page of questions shows above them, after its text. */
interface Above {
  readonly heading: string;
  readonly body: readonly HTMLElement[];
}

/** Returns a page of questions below what is told. */
export function formRender(above: (context: Context) => Above): Render<FormParams> {
  return (shown, element, context, done) => {
    const form = draftedForm(shown.asks, context);
    const { heading, body } = above(context);
    const drawn = page(element, context, { heading, body: [textBlock(shown.params.text), ...body], form }, done);
    return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
  };
}

function headingFor({ texts, purpose }: Context): string {
  if (purpose === "comprehension") return texts.questionnaire.comprehension;
  return purpose === "practice" ? texts.questionnaire.practice : texts.questionnaire.heading;
}

export const formPage = formRender((context) => ({ heading: headingFor(context), body: [] }));

export default taskPlugin("questionnaire", "1", formPage);
