/** Deposit: where the data of a finished session go: to JATOS, to an address, or into a file. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import type { Jatos } from "./jatos";

export interface Result {
  readonly text: string;
  readonly fileName: string;
  readonly outcome: string;
}

export interface Ways {
  readonly jatos: Jatos | null;
  readonly post: string | null;
  /** Where the participant goes afterwards; null when there is nowhere to go. */
  readonly redirect: string | null;
}

/** What is known about handing in: whether it was done before, and who hears of it. */
export interface HandingIn {
  readonly wasDone: boolean;
  done(): void;
}

const TRIES = 3;
const PAUSE_MS = 1000;

/** Draws the place where data are handed in, starts at once where that needs nobody, and tells when it is done. */
export function deposit(result: Result, ways: Ways, texts: Texts, handingIn: HandingIn): HTMLElement {
  let isDone = handingIn.wasDone;
  const said = h("p", { class: "hint", role: "status" });
  const actions = h("div", { class: "actions" });
  const finish = () => {
    removeEventListener("beforeunload", warn);
    handingIn.done();
    // JATOS has an end page, and a way back, of its own.
    if (ways.jatos) ways.jatos.endStudy(true, result.outcome);
    else actions.replaceChildren(...(ways.post ? [] : [save()]), ...wayBack(ways.redirect, texts));
  };
  const save = () => button(texts.still.save, ways.redirect && isDone ? "" : "primary", () => saved());
  const saved = () => {
    download(result);
    said.textContent = texts.still.saved;
    isDone = true;
    finish();
  };
  const send = async () => {
    said.textContent = texts.still.sending;
    actions.replaceChildren();
    if (await sent(result, ways)) {
      said.textContent = texts.still.sent;
      finish();
    } else {
      said.textContent = texts.still.failed;
      actions.replaceChildren(
        button(texts.retry, "primary", () => void send()),
        button(texts.still.save, "", saved),
      );
    }
  };
  if (isDone) {
    said.textContent = ways.post || ways.jatos ? texts.still.sent : texts.still.saved;
    finish();
  } else {
    addEventListener("beforeunload", warn);
    if (ways.jatos || ways.post) void send();
    else {
      said.textContent = texts.still.file;
      actions.append(save());
    }
  }
  return h("div", { class: "deposit" }, said, actions);
}

async function sent(result: Result, { jatos, post }: Ways): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    try {
      if (jatos) {
        await jatos.submitResultData(result.text);
        return true;
      }
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(post ?? "", { method: "POST", headers, body: result.text, credentials: "omit" });
      if (answer.ok) return true;
    } catch {
      // Tried again below.
    }
    if (attempt < TRIES - 1) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** attempt));
  }
  return false;
}

function download({ text, fileName }: Result): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = h("a", { href: address, download: fileName });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function warn(event: Event): void {
  event.preventDefault();
}

function button(label: string, kind: string, press: () => void): HTMLElement {
  return h("button", { type: "button", class: `button ${kind}`, onclick: press }, label);
}

function wayBack(redirect: string | null, { ends }: Texts): HTMLElement[] {
  return redirect === null
    ? []
    : [h("a", { class: "button primary", href: redirect, rel: "noreferrer" }, ends.redirect)];
}
