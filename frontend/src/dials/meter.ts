/** Meter: how alike the two pictures are, as a bar with a mark at what is needed, in words, and read aloud in peace. */

import { h } from "../shared/dom";
import { percent } from "../shared/notices";
import type { Texts } from "../shared/texts";

const SPEAK_EVERY_MS = 2000;

export interface Meter {
  readonly element: HTMLElement;
  show(agreement: number, isSolved: boolean): void;
  close(): void;
}

export function meter(threshold: number, texts: Texts, language: string): Meter {
  const words = texts.reconstruct;
  const needed = percent(threshold, language);
  const bar = h(
    "div",
    { class: "meter-bar", role: "meter", "aria-label": words.agreement, "aria-valuemin": 0, "aria-valuemax": 100 },
    h("span", { class: "fill" }),
    h("span", { class: "mark" }),
  );
  bar.style.setProperty("--threshold", String(threshold));
  const reading = h("span", { class: "reading" });
  const tick = h("span", { class: "tick", hidden: true }, "✓ ", words.solved);
  const spoken = h("p", { class: "visually-hidden", "aria-live": "polite" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sentence = "";
  const speak = () => {
    timer = undefined;
    if (spoken.textContent !== sentence) spoken.textContent = sentence;
  };
  return {
    element: h("div", { class: "meter" }, bar, h("p", { class: "meter-words" }, reading, tick), spoken),
    show(agreement, isSolved) {
      // Rounded down, so that it never says what is needed before that is reached.
      const share = Math.max(0, Math.floor(100 * agreement + 1e-9) / 100);
      const now = percent(
        isSolved ? Math.max(share, threshold) : Math.min(share, Math.max(0, threshold - 0.01)),
        language,
      );
      bar.style.setProperty("--share", String(Math.max(0, Math.min(1, agreement))));
      bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
      bar.classList.toggle("is-solved", isSolved);
      reading.textContent = words.reading(now, needed);
      bar.setAttribute("aria-valuetext", reading.textContent);
      tick.hidden = !isSolved;
      sentence = isSolved ? `${words.solvedText} ${reading.textContent}` : reading.textContent;
      if (isSolved) {
        clearTimeout(timer);
        speak();
      } else timer ??= setTimeout(speak, SPEAK_EVERY_MS);
    },
    close: () => clearTimeout(timer),
  };
}
