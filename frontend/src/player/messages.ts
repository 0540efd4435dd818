/** Messages: the cards that are no trial: tabs, loading, errors, and every kind of end. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import type { Farewell } from "./host";
import type { EndedState, StudyBegun, StudyRefused } from "./state";

export type Refused = StudyRefused["refused"] | "full";

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
  /** Whether the study pays people. */
  readonly isPaid?: boolean;
  /** Fetches everything that is stored about the person; absent where that is not possible. */
  readonly copy?: (() => Promise<Blob>) | undefined;
}

/** The last card of a session. */
export function ending(
  ended: EndedState,
  texts: Texts,
  language: string,
  { farewell = null, recruiter = null, isPaid = false, copy }: EndingOptions = {},
): HTMLElement {
  const { ends } = texts;
  const isUnfinished = ["declined", "withdrew", "abandoned"].includes(ended.outcome);
  const words: Record<string, [string, string]> = {
    completed: [ends.completed, ends.completedText],
    screened_out: [
      ends.screened_out,
      ended.reason ? `${reasonIn(ended.reason, texts)} ${ends.screenedBy}` : ends.screenedText,
    ],
    declined: [ends.declined, ends.declinedText],
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
      payLine(ended, isPaid, texts, language),
      ended.code ? codeBox(ended.code, codeGoes(ended, recruiter, texts), texts) : null,
      farewell?.element ?? null,
      // Somebody who has a code to enter, answers to save or a button to press must not close the window.
      ended.code || farewell?.element ? null : whatNow(ended.redirect, recruiter, texts),
      wayBack(ended.redirect, texts, isUnfinished),
      copy && !ended.is_erased ? copyOffer(copy, texts) : null,
    ],
  });
}

/** What is left to do for somebody without a code: at the recruiter, or nothing at all. */
function whatNow(redirect: string | null, recruiter: string | null, { ends }: Texts): HTMLElement | null {
  const advice = ends.advice[recruiter ?? ""];
  if (advice) return h("p", { class: "advice" }, advice);
  return redirect ? null : h("p", { class: "hint" }, ends.close);
}

/** Offers what is stored about the person as a file. */
function copyOffer(copy: () => Promise<Blob>, { ends }: Texts): HTMLElement {
  const said = h("span", { class: "hint", role: "status" });
  const save = async () => {
    said.textContent = "";
    try {
      const address = URL.createObjectURL(await copy());
      h("a", { href: address, download: "my-data.zip" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch {
      said.textContent = ends.copyFailed;
    }
  };
  const button = h("button", { type: "button", class: "button quiet", onclick: () => void save() }, ends.copyData);
  return h("div", { class: "own-data" }, button, said);
}

/** What a gate says where the study says nothing, which is in English. */
const USUAL_REASON = "The check questions were not answered as needed.";

function reasonIn(reason: string, { ends }: Texts): string {
  return reason === USUAL_REASON ? ends.screenedWhy : reason;
}

/** What is paid; also that nothing is, to people who were told about pay. */
function payLine(ended: EndedState, isPaid: boolean, texts: Texts, language: string): HTMLElement | null {
  const words = payWords(ended, isPaid, texts, language);
  return words ? h("p", { class: "pay" }, words) : null;
}

function payWords({ pay, outcome, is_erased }: EndedState, isPaid: boolean, { ends }: Texts, language: string): string {
  if (pay && pay.base + pay.bonus > 0) {
    const written = new Intl.NumberFormat(language, { style: "currency", currency: pay.currency });
    const money = (amount: number) => written.format(amount);
    return pay.bonus > 0
      ? ends.bonus(money(pay.base), money(pay.bonus), money(pay.base + pay.bonus))
      : ends.pay(money(pay.base));
  }
  if (!isPaid) return "";
  if (is_erased) return ends.unpaid.erased;
  return outcome === "withdrew" ? ends.unpaid.partly : outcome === "completed" ? "" : ends.unpaid.ended;
}

/** Where somebody shows the code: a button that takes it along, the recruiter, or whoever invited them. */
function codeGoes({ redirect }: EndedState, recruiter: string | null, { ends }: Texts): string {
  if (redirect) return ends.codeGoes.along;
  return ends.codeGoes[recruiter ?? ""] ?? ends.codeGoes.other;
}

function codeBox(code: string, where: string, { ends }: Texts): HTMLElement {
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
    h("p", { class: "hint" }, where),
  );
}

/** The card for somebody who is not let in: why, what is paid, and what to do now. */
export function refusal(
  {
    kind,
    isPaid,
    redirect,
    recruiter,
    contact = "",
  }: { kind: Refused; isPaid: boolean; redirect: string | null; recruiter: string | null; contact?: string },
  texts: Texts,
): HTMLElement {
  const { ends } = texts;
  const [heading, text, pay] = ends.refusals[kind];
  const back = wayBack(redirect, texts, true);
  // Between what somebody can try and what they do if that is not for them.
  const otherwise =
    kind === "paused" || kind === "early"
      ? ends.notLater
      : kind === "link" || kind === "uninvited"
        ? ends.otherwise
        : null;
  // The recruiter's advice is for people who did not take part; those who did have their answer above.
  const next = back ?? whatNow(null, kind === "known" ? null : recruiter, texts);
  return message({
    heading,
    text,
    more: [
      contact ? h("p", {}, ends.contact(contact)) : null,
      isPaid ? h("p", { class: "pay" }, ends.unpaid[pay]) : null,
      otherwise && !next?.classList.contains("hint") ? h("p", { class: "hint" }, otherwise) : null,
      next,
    ],
  });
}

/** Asks whether to go on with a session that began in another browser, and says from when and where. */
export function goingOn({ began_ms, page, progress }: StudyBegun, { ends }: Texts, press: () => void): HTMLElement {
  const { heading, text, notYou, button, locale } = ends.goesOn;
  const when = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short" }).format(began_ms);
  return message({
    heading,
    text: text(when, page, Math.round(progress * 100)),
    more: [
      h("p", {}, notYou),
      h("div", { class: "actions" }, h("button", { type: "button", class: "button primary", onclick: press }, button)),
    ],
  });
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
