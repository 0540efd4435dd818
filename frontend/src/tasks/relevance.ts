/** Relevance: the explanation of a model stays in sight while people say which attributes it relies on, and why. */

import type { JudgedAttribute, RelevanceParams } from "../schema";
import { h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { explanationView } from "../views";

const render: Render<RelevanceParams> = (shown, element, context, done) => {
  const { relevance } = context.texts;
  const { text, attributes, display } = shown.params;
  const form = draftedForm(shown.asks, context);
  if (form) {
    form.element.prepend(...attributes.map((attribute) => group(attribute, form.element)));
    logPastes(form.element, context);
  }
  const explanation = shown.explanation
    ? h(
        "section",
        { class: "explanation", "aria-label": relevance.explanation },
        h("h2", {}, relevance.explanation),
        explanationView(shown.explanation, context, { display }),
      )
    : null;
  const asked = form ? h("section", { class: "asked", "aria-label": relevance.questions }, form.element) : null;
  const drawn = page(
    element,
    context,
    {
      heading: relevance.heading,
      body: [textBlock(text), h("div", { class: "relevance" }, explanation, asked)],
      isWide: true,
      next: form ? context.texts.submit : context.texts.next,
      answers: () => (form ? form.answers() : {}),
    },
    done,
  );
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

/** Takes the questions about one attribute together, with what the attribute means below the first. */
function group({ attribute_id, name, meaning }: JudgedAttribute, questions: HTMLElement): HTMLElement {
  const own = [...questions.children].filter(
    (question): question is HTMLElement =>
      question instanceof HTMLElement &&
      [attribute_id, `${attribute_id}_why`].includes(question.dataset["question"] ?? ""),
  );
  if (meaning) own[0]?.querySelector(".prompt")?.after(h("p", { class: "hint" }, meaning));
  return h("div", { class: "attribute", role: "group", "aria-label": name }, ...own);
}

/** Notes that text came from elsewhere and how long it was, but not the text. */
function logPastes(questions: HTMLElement, context: Context): void {
  const note = (event: Event, data: DataTransfer | null) => {
    const question = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-question]") : null;
    const questionId = question?.dataset["question"];
    const inserted = data?.getData("text") ?? "";
    if (questionId && inserted) context.log("pasted", { question_id: questionId, n_chars: inserted.length });
  };
  questions.addEventListener("paste", (event) => note(event, event.clipboardData));
  questions.addEventListener("drop", (event) => note(event, event.dataTransfer));
}

export default taskPlugin("relevance", "1", render);
