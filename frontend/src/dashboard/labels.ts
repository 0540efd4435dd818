/** Labels: what researchers say about a session after reading it, each under their own name. */

import { h } from "../shared/dom";
import { type Desk, Refused, type SessionRecord } from "./desk";

const WHOLE_SESSION = "judgement";
const USUAL = ["include", "unsure", "exclude"];

export interface Labels {
  readonly element: HTMLElement;
  renew(record: SessionRecord): void;
}

/** Draws the labels given so far and the form for another; `give` stores one. */
export function labels(
  record: SessionRecord,
  desk: Desk,
  give: (about: string, label: string) => Promise<void>,
): Labels {
  const list = h("ul", { class: "labels" });
  const renew = ({ events }: SessionRecord) => {
    const given = events.filter((event) => event.type === "annotation_given");
    list.hidden = given.length === 0;
    list.replaceChildren(
      ...given.map((event) =>
        h("li", {}, h("strong", {}, event.code), ` – ${aboutWords(event.question_id)}, by ${event.annotator}`),
      ),
    );
  };
  renew(record);
  const element = h(
    "section",
    { class: "panel", "aria-labelledby": "labels-heading" },
    h("h2", { id: "labels-heading" }, "Labels"),
    list,
    desk.may("label") ? form(questionsIn(record), give) : null,
  );
  element.hidden = !desk.may("label") && list.hidden;
  return { element, renew };
}

function form(
  questions: ReadonlyMap<string, string>,
  give: (about: string, label: string) => Promise<void>,
): HTMLElement {
  const about = h(
    "select",
    { class: "select" },
    h("option", { value: WHOLE_SESSION }, aboutWords(WHOLE_SESSION)),
    ...[...questions].map(([question, prompt]) => h("option", { value: question }, prompt)),
  );
  const field = h("input", { class: "entry", list: "usual-labels", maxlength: 100, required: true });
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      await give(about.value, field.value.trim());
      field.value = "";
      fault.hidden = true;
    } catch (error) {
      fault.hidden = false;
      fault.textContent = error instanceof Refused ? error.message : "The server cannot be reached.";
    }
  };
  return h(
    "form",
    { class: "label-form", novalidate: true, onsubmit: (event) => void send(event) },
    h("label", { class: "filter" }, "About", about),
    h("label", { class: "filter" }, "Label", field),
    h("datalist", { id: "usual-labels" }, ...USUAL.map((label) => h("option", { value: label }))),
    h("button", { type: "submit", class: "button small" }, "Add label"),
    fault,
  );
}

function aboutWords(question: string): string {
  return question === WHOLE_SESSION ? "the whole session" : question;
}

/** The questions of the session by id, in the words that the participant read. */
function questionsIn({ steps }: SessionRecord): Map<string, string> {
  const asked = steps.flatMap((step) => step.trial.asks).filter((question) => question.prompt !== "");
  return new Map(asked.map((question) => [question.question_id, question.prompt]));
}
