/** Messages: the cards that are no trial: tabs, loading, errors, and every kind of end. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import type { Farewell } from "./host";
import type { EndedState } from "./state";

export interface MessageOptions {
  readonly heading: string;
  readonly text?: string;
  readonly more?: (HTMLElement | null)[];
  readonly tone?: "good" | "calm" | "warn" | "loading";
}

/** A card with one message. */
export function message({ heading, text, more = [], tone = "calm" }: MessageOptions): HTMLElement {
  return h(
    "section",
    { class: `card message is-${tone}` },
    h("h1", { tabindex: -1 }, heading),
    text ? h("p", { class: "lead" }, text) : null,
    ...more,
  );
}

/** A card with one thing to press. */
export function question(heading: string, text: string, label: string, press: () => void): HTMLElement {
  const button = h("button", { type: "button", class: "button primary", onclick: press }, label);
  return message({ heading, text, more: [h("div", { class: "actions" }, button)] });
}

export interface EndingOptions {
  readonly farewell?: Farewell | null;
  /** Where the person came from, who has to be told something there too. */
  readonly recruiter?: string | null;
}

/** The last card of a session. */
export function ending(
  ended: EndedState,
  texts: Texts,
  language: string,
  { farewell = null, recruiter = null }: EndingOptions = {},
): HTMLElement {
  const { ends } = texts;
  const isUnfinished = ended.outcome === "declined" || ended.outcome === "withdrew";
  const advice = ended.code ? ends.withCode[recruiter ?? ""] : ends.advice[recruiter ?? ""];
  const words: Record<string, [string, string]> = {
    completed: [ends.completed, ends.completedText],
    screened_out: [
      ends.screened_out,
      ended.reason ? `${reasonIn(ended.reason, texts)} ${ends.screenedBy}` : ends.screenedText,
    ],
    // Somebody who has to go back to the recruiter must not close the window.
    declined: [ends.declined, ended.redirect ? ends.declinedText : `${ends.declinedText} ${ends.close}`],
    excluded: [ends.excluded, ends.excludedText],
    withdrew: ended.is_erased ? [ends.erased, ends.erasedText] : [ends.withdrew, ends.withdrewText],
    abandoned: [ends.abandoned, ends.abandonedText],
  };
  const [heading, text] = words[ended.outcome] ?? [ends.completed, ends.completedText];
  return message({
    heading,
    text: farewell?.text ?? text,
    tone: ended.outcome === "completed" ? "good" : "calm",
    more: [
      payLine(ended, texts, language),
      isUnfinished && advice ? h("p", { class: "advice" }, advice) : null,
      ended.code ? codeBox(ended.code, texts) : null,
      farewell?.element ?? null,
      wayBack(ended.redirect, texts, isUnfinished || ended.outcome === "abandoned"),
    ],
  });
}

/** What a gate says where the study says nothing, which is in English. */
const USUAL_REASON = "The check questions were not answered as needed.";

function reasonIn(reason: string, { ends }: Texts): string {
  return reason === USUAL_REASON ? ends.screenedWhy : reason;
}

function payLine({ pay, outcome }: EndedState, { ends }: Texts, language: string): HTMLElement | null {
  // People who are turned away without pay are told so.
  if (!pay || (pay.base + pay.bonus <= 0 && outcome !== "screened_out")) return null;
  const money = new Intl.NumberFormat(language, { style: "currency", currency: pay.currency });
  const words =
    pay.bonus > 0 ? ends.bonus(money.format(pay.base), money.format(pay.bonus)) : ends.pay(money.format(pay.base));
  return h("p", { class: "pay" }, words);
}

function codeBox(code: string, { ends }: Texts): HTMLElement {
  const copied = h("span", { class: "copied", role: "status" });
  const copy = async () => {
    await navigator.clipboard?.writeText(code).catch(() => undefined);
    getSelection()?.selectAllChildren(shown);
    copied.textContent = ends.copied;
  };
  const shown = h("code", { class: "code" }, code);
  return h(
    "div",
    { class: "code-box" },
    h("p", { class: "eyebrow" }, ends.code),
    h(
      "div",
      { class: "code-line" },
      shown,
      h("button", { type: "button", class: "button", onclick: () => void copy() }, ends.copy),
      copied,
    ),
  );
}

/** The button that leads back to the recruiter; null where there is nowhere to go. */
export function wayBack(redirect: string | null, { ends }: Texts, isEarly = false): HTMLElement | null {
  if (!redirect || !/^https?:\/\//.test(redirect)) return null;
  const link = h("a", { class: "button primary", href: redirect, rel: "noreferrer" }, ends.redirect);
  return h(
    "div",
    {},
    h("p", { class: "hint" }, isEarly ? ends.redirectEarly : ends.redirectText),
    h("div", { class: "actions" }, link),
  );
}
