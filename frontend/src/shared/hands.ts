/** Hands: use the controls of a page through jsPsych, so that the same events arise as from a person. */

import type { JsPsych } from "jspsych";

export interface Hands {
  click(target: Element): void;
  /** Writes a text over what stands in an entry. */
  type(target: HTMLInputElement | HTMLTextAreaElement, text: string): void;
  /** Moves a slider to a value. */
  slide(target: HTMLInputElement, value: number): void;
}

export type PluginApi = Pick<JsPsych["pluginAPI"], "clickTarget" | "fillTextInput">;

/** Makes hands of jsPsych's own simulation calls. */
export function handsFrom(api: PluginApi): Hands {
  const put = (target: HTMLInputElement | HTMLTextAreaElement, text: string) => {
    target.focus();
    api.fillTextInput(target as HTMLInputElement, text);
    // jsPsych sets the value only; a person's keys would tell the page about it.
    for (const sign of ["input", "change"]) target.dispatchEvent(new Event(sign, { bubbles: true }));
  };
  return {
    click(target) {
      if (target instanceof HTMLElement) target.focus();
      api.clickTarget(target);
    },
    type: put,
    slide: (target, value) => put(target, String(value)),
  };
}
