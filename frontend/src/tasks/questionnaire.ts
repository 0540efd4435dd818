/** Questionnaire: questions on one page. */

import type { FormParams, Question } from "../schema";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { SHORT_TEXT } from "../shared/questions/text";
import { type Context, type Render, taskPlugin } from "../shared/task";

/** So many small questions go into two columns where there is room. */
const MANY = 4;

function isSmall(question: Question): boolean {
  if (question.kind === "text") return question.max_chars <= SHORT_TEXT;
  return ["choice", "multiple_choice", "rating", "number"].includes(question.kind);
}

/** What a page of questions shows above them, after its text. */
interface Above {
  readonly heading: string;
  readonly body: readonly HTMLElement[];
}

/** Returns a page of questions below what is told. */
export function formRender(above: (context: Context) => Above): Render<FormParams> {
  return (shown, element, context, done) => {
    const form = draftedForm(shown.asks, context);
    const isTest = ["comprehension", "practice"].includes(context.purpose);
    if (!isTest && shown.asks.length >= MANY && shown.asks.every(isSmall)) form?.element.classList.add("side-by-side");
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
