/** Loading: the screen shown while a trial's own files come; it always ends, with or without them. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import { message } from "./messages";
import { LATE_AFTER_MS } from "./painting";
import type { Preloader } from "./preload";
import type { Shell } from "./shell";

/** Resolves when everything is there, or when the participant goes on without it. */
export async function loading(
  shell: Shell,
  texts: Texts,
  preloader: Preloader,
  addresses: readonly string[],
): Promise<void> {
  const bar = h(
    "div",
    {
      class: "bar-line",
      role: "progressbar",
      "aria-label": texts.preload.heading,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    h("span", {}),
  );
  const notice = h(
    "div",
    { class: "loading" },
    message({ heading: texts.preload.heading, text: texts.preload.text, tone: "loading", more: [bar] }),
  );
  const late = setTimeout(() => shell.between(notice), LATE_AFTER_MS);
  for (;;) {
    const failed = await preloader.fetchAll(addresses, ({ n, nDone }) => {
      bar.style.setProperty("--share", String(nDone / n));
      bar.setAttribute("aria-valuenow", String(Math.round((100 * nDone) / n)));
    });
    if (failed.length === 0) break;
    clearTimeout(late);
    shell.between(notice);
    if (await goesOn(notice, texts, failed.length)) break;
  }
  clearTimeout(late);
  notice.remove();
}

function goesOn(notice: HTMLElement, texts: Texts, nFailed: number): Promise<boolean> {
  return new Promise((resolve) => {
    const line = h("p", { class: "fault", role: "alert" }, texts.preload.failed(nFailed));
    const answer = (isGoing: boolean) => () => {
      actions.remove();
      line.remove();
      resolve(isGoing);
    };
    const actions = h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button", onclick: answer(true) }, texts.preload.go),
      h("button", { type: "button", class: "button primary", onclick: answer(false) }, texts.retry),
    );
    notice.firstElementChild?.append(line, actions);
  });
}
